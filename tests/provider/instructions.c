/* Calls of one kind, for tests/provider/instructions to count what they take; what goes before and after is not counted.
 *
 *   instructions ALGORITHM stream|message COUNT encrypt|decrypt
 *
 * COUNT updates of 16 bytes of one message, or COUNT messages of 16 bytes with IV and tag. */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

static void check(int done, const char *what) {
    if (done <= 0) {
        fprintf(stderr, "instructions: %s failed\n", what);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    static unsigned char key[64], iv[16], tag[16], text[32];
    for (int k = 0; k < 64; k++)
        key[k] = k;
    int messages = !strcmp(argv[2], "message"), encrypt = !strcmp(argv[4], "encrypt"), len;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, argv[1], "provider=ciphertune");
    check(cipher != NULL, "the cipher");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    check(EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt, NULL), "the key");
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    CALLGRIND_START_INSTRUMENTATION;
    for (long n = atol(argv[3]); n > 0; n--) {
        if (messages) {
            check(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL), "a message's IV");
            if (!encrypt)
                check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof(tag), tag), "a message's tag");
        }
        check(EVP_CipherUpdate(ctx, text, &len, text, 16), "an update");
        if (messages) {
            /* Opened with a tag that is wrong. */
            int ended = EVP_CipherFinal_ex(ctx, text + 16, &len);
            if (encrypt) {
                check(ended, "a message's end");
                check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag), "a message's tag");
            }
        }
    }
    CALLGRIND_STOP_INSTRUMENTATION;
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return 0;
}

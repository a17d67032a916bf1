/* What the provider's self-test must give, computed by OpenSSL's default provider: for each algorithm named, the
 * FNV-1a fingerprint of counted messages of some lengths under a counted key and IV. */
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t fingerprint;

static void add(const unsigned char *bytes, int n) {
    for (int i = 0; i < n; i++)
        fingerprint = (fingerprint ^ bytes[i]) * 0x100000001b3u;
}

static void check(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "answers: %s\n", what);
        exit(1);
    }
}

static void answer(const char *name) {
    static const int lengths[] = {16, 61, 250, 1021, 4099};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
    check(cipher != NULL, name);
    int mode = EVP_CIPHER_get_mode(cipher), count = strstr(name, "CFB8") ? 3 : 5, n, end;
    int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    unsigned char counted[4099], out[4099 + 16], tag[16];
    for (int i = 0; i < (int)sizeof counted; i++)
        counted[i] = i;
    fingerprint = 0xcbf29ce484222325u;
    for (int i = 0; i < count; i++) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        check(EVP_EncryptInit_ex2(ctx, cipher, NULL, NULL, NULL), "init");
        if (mode == EVP_CIPH_CCM_MODE)
            check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL), "length of the tag");
        check(EVP_EncryptInit_ex2(ctx, NULL, counted, counted, NULL), "key");
        if (mode == EVP_CIPH_CCM_MODE)
            check(EVP_EncryptUpdate(ctx, NULL, &n, NULL, lengths[i]), "length");
        if (aead)
            check(EVP_EncryptUpdate(ctx, NULL, &n, counted, 20), "additional data");
        check(EVP_EncryptUpdate(ctx, out, &n, counted, lengths[i]), "update");
        check(EVP_EncryptFinal_ex(ctx, out + n, &end), "final");
        add(out, n + end);
        if (aead) {
            check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag), "tag");
            add(tag, 16);
        }
        EVP_CIPHER_CTX_free(ctx);
    }
    printf("%s %016llx\n", name, (unsigned long long)fingerprint);
    EVP_CIPHER_free(cipher);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        answer(argv[i]);
    return 0;
}

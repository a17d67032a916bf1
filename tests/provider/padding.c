/* Opens records of TLS under CBC whose ciphertext is secret to valgrind: its memcheck complains of each branch and address
 * that depends on what was decrypted, padding and MAC among it. The length of the text depends on it too.
 *
 *     valgrind padding [look]
 *
 * With `look` it does look at that length, which is to be complained of.
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/memcheck.h>

static void check(int answer, const char *what)
{
    if (answer != 1) {
        fprintf(stderr, "padding: %s failed\n", what);
        exit(1);
    }
}

/* One of `len` bytes, and a MAC of `size`. */
static void open_record(EVP_CIPHER *cipher, unsigned version, size_t size, int len, int looks)
{
    unsigned char key[32] = {1}, iv[16] = {2}, record[1024] = {3};
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int text;
    OSSL_PARAM tls[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &size),
        OSSL_PARAM_construct_end(),
    };
    check(EVP_DecryptInit_ex2(context, cipher, key, iv, tls), "a key");
    VALGRIND_MAKE_MEM_UNDEFINED(record, len);
    check(EVP_DecryptUpdate(context, record, &text, record, len), "a record");
    if (looks && text == len)
        puts("no padding");
    EVP_CIPHER_CTX_free(context);
}

int main(int argc, char **argv)
{
    static const unsigned versions[] = {0x0301, 0x0303, 0xfeff};
    static const size_t sizes[] = {20, 32, 48};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", "provider=ciphertune");
    int version, size, blocks, looks = argc > 1 && strcmp(argv[1], "look") == 0;
    check(cipher != NULL, "AES-256-CBC");
    if (RUNNING_ON_VALGRIND == 0) {
        fputs("padding: this tells something under valgrind alone\n", stderr);
        return 2;
    }
    for (version = 0; version < 3; version++)
        for (size = 0; size < 3; size++)
            for (blocks = 6; blocks < 60; blocks += 5)
                open_record(cipher, versions[version], sizes[size], 16 * blocks, looks);
    EVP_CIPHER_free(cipher);
    return 0;
}

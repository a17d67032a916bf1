/* How much memory does a context take that has a key and has encrypted something, by the provider and by the default one?
 *
 *     cc -O2 studies/provider-memory.c -lcrypto -o provider-memory
 *     OPENSSL_CONF=ciphertune.cnf ./provider-memory
 *
 * Bytes that malloc has given out for each of a thousand contexts, its own among them (glibc's mallinfo2).
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/evp.h>

enum { CONTEXTS = 1000, LEN = 64 };

static const char *const names[] = {"AES-256-ECB", "AES-256-CBC", "AES-256-CFB", "AES-256-OFB", "AES-256-CTR",
                                    "AES-256-XTS", "AES-256-GCM", "AES-256-CCM", "AES-256-OCB"};
static const char *const providers[] = {"provider=ciphertune", "provider=default"};

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "provider-memory: %s failed\n", what);
        exit(1);
    }
}

static size_t given(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static size_t each(const char *name, const char *provider)
{
    static EVP_CIPHER_CTX *contexts[CONTEXTS];
    unsigned char key[64], text[LEN + 16] = {0};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, provider);
    size_t before, after;
    int i, n;

    check(cipher != NULL, name);
    for (i = 0; i < (int)sizeof key; i++)
        key[i] = i;
    before = given();
    for (i = 0; i < CONTEXTS; i++) {
        contexts[i] = EVP_CIPHER_CTX_new();
        check(EVP_EncryptInit_ex2(contexts[i], cipher, key, key, NULL), name);
        if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE)
            check(EVP_EncryptUpdate(contexts[i], NULL, &n, NULL, LEN), name);
        check(EVP_EncryptUpdate(contexts[i], text, &n, text, LEN), name);
    }
    after = given();
    for (i = 0; i < CONTEXTS; i++)
        EVP_CIPHER_CTX_free(contexts[i]);
    EVP_CIPHER_free(cipher);
    return (after - before) / CONTEXTS;
}

int main(void)
{
    size_t name, provider;
    printf("bytes a context %19s %19s\n", providers[0], providers[1]);
    for (name = 0; name < sizeof names / sizeof *names; name++) {
        printf("%-15s", names[name]);
        for (provider = 0; provider < 2; provider++)
            printf(" %19zu", each(names[name], providers[provider]));
        puts("");
    }
    return 0;
}

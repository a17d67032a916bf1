/* What does it cost to open a record of TLS 1.2 under CBC with a MAC of SHA-1, but for the MAC, which libssl makes: decryption,
 * and finding padding and MAC without telling by time where they are?
 *
 *     cc -O2 studies/cbc-records.c -lcrypto -o cbc-records
 *     OPENSSL_CONF=ciphertune.cnf ./cbc-records
 *
 * For each length of text: ns a record by the provider and by the default one, the fastest of 200 turns, and the second divided
 * by the first in the same turn, median and quartiles.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

enum { TURNS = 200, CALLS = 100, MAC = 20, LONGEST = 16384 + 256 };

static const char *const providers[2] = {"provider=ciphertune", "provider=default"};
static const int lengths[] = {64, 256, 1350, 16384};

static unsigned char sealed[LONGEST], opened[LONGEST];

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "cbc-records: %s failed\n", what);
        exit(1);
    }
}

static EVP_CIPHER_CTX *context(const char *provider, int encrypts)
{
    static const unsigned char key[16] = {1}, iv[16] = {2};
    unsigned version = 0x0303;
    size_t size = MAC;
    OSSL_PARAM tls[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &size),
        OSSL_PARAM_construct_end(),
    };
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-128-CBC", provider);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    check(cipher != NULL, provider);
    check(EVP_CipherInit_ex2(context, cipher, key, iv, encrypts, tls), provider);
    EVP_CIPHER_free(cipher);
    return context;
}

static double timed(EVP_CIPHER_CTX *context, int len)
{
    struct timespec before, after;
    int i, n, right = 1;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (i = 0; i < CALLS; i++) {
        memcpy(opened, sealed, len);
        right &= EVP_DecryptUpdate(context, opened, &n, opened, len);
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    check(right, "a record");
    return ((after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec)) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int main(void)
{
    size_t length;
    puts("bytes  ciphertune  default  default/ciphertune, quartiles");
    for (length = 0; length < sizeof lengths / sizeof *lengths; length++) {
        EVP_CIPHER_CTX *seals = context(providers[1], 1), *opens[2] = {context(providers[0], 0), context(providers[1], 0)};
        double ratios[TURNS], best[2] = {0, 0};
        int len, turn, which;
        /* An explicit IV, the text and a MAC; padding comes to it. */
        check(EVP_EncryptUpdate(seals, sealed, &len, sealed, 16 + lengths[length] + MAC), "sealing");
        for (turn = 0; turn < TURNS; turn++) {
            double times[2];
            for (which = 0; which < 2; which++) {
                times[which] = timed(opens[which], len);
                if (best[which] == 0 || times[which] < best[which])
                    best[which] = times[which];
            }
            ratios[turn] = times[1] / times[0];
        }
        qsort(ratios, TURNS, sizeof *ratios, compare);
        printf("%5d %11.0f %8.0f  %.2f (%.2f to %.2f)\n", lengths[length], best[0], best[1], ratios[TURNS / 2],
               ratios[TURNS / 4], ratios[3 * TURNS / 4]);
        EVP_CIPHER_CTX_free(seals);
        EVP_CIPHER_CTX_free(opens[0]);
        EVP_CIPHER_CTX_free(opens[1]);
    }
    return 0;
}

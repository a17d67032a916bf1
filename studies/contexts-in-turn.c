/* What does a record cost where a process has many keys and comes back to each in turn, as a server to its connections?
 *
 * For each number of contexts and each length: the median of nine turns through all contexts, ns a record, by whichever
 * provider OPENSSL_CONF has. Each context has sealed 96 KiB before, so that it has what it makes of a key that is used much.
 *
 *     cc -O2 studies/contexts-in-turn.c -lcrypto -o contexts-in-turn
 *     ./contexts-in-turn aes-128-gcm; OPENSSL_CONF=ciphertune.cnf ./contexts-in-turn aes-128-gcm
 *
 * Modes with a tag have 13 bytes of additional data. `chrt -f 1` keeps others away.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

enum { TURNS = 9, WARM = 6, LONGEST = 16384 };

static const int contexts[] = {1, 16, 64, 256, 1024, 4096, 10000};
static const int lengths[] = {64, 1400, 4096, LONGEST};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static unsigned char text[LONGEST + EVP_MAX_BLOCK_LENGTH];

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "contexts-in-turn: %s failed\n", what);
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* A record with the next nonce. */
static void seal(EVP_CIPHER_CTX *context, int has_tag, int length)
{
    static unsigned counter;
    unsigned char iv[EVP_MAX_IV_LENGTH] = {0}, tag[16];
    int n;
    counter++;
    memcpy(iv, &counter, sizeof counter);
    check(EVP_EncryptInit_ex2(context, NULL, NULL, iv, NULL), "a new nonce");
    if (has_tag)
        check(EVP_EncryptUpdate(context, NULL, &n, (const unsigned char *)"thirteen byte", 13), "additional data");
    check(EVP_EncryptUpdate(context, text, &n, text, length), "encryption");
    check(EVP_EncryptFinal_ex(context, text + n, &n), "the end of a record");
    if (has_tag)
        check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag), "a tag");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CIPHER\n", argv[0]);
        return 2;
    }
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, argv[1], NULL);
    check(cipher != NULL, argv[1]);
    int has_tag = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    printf("%s by %s, ns a record\n%8s", argv[1],
           OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "contexts");
    for (int i = 0; i < COUNT(lengths); i++)
        printf("%9d", lengths[i]);
    printf("\n");
    for (int row = 0; row < COUNT(contexts); row++) {
        int many = contexts[row], rounds = many < 1024 ? 1024 / many : 1;
        EVP_CIPHER_CTX **all = calloc(many, sizeof *all);
        check(all != NULL, "memory");
        for (int i = 0; i < many; i++) {
            unsigned char key[EVP_MAX_KEY_LENGTH] = {1}, iv[EVP_MAX_IV_LENGTH] = {0};
            memcpy(key + 1, &i, sizeof i);
            all[i] = EVP_CIPHER_CTX_new();
            check(all[i] != NULL && EVP_EncryptInit_ex2(all[i], cipher, key, iv, NULL), "a context");
            for (int k = 0; k < WARM; k++)
                seal(all[i], has_tag, LONGEST);
        }
        printf("%8d", many);
        for (int column = 0; column < COUNT(lengths); column++) {
            double turns[TURNS];
            for (int turn = 0; turn < TURNS; turn++) {
                double start = now();
                for (int round = 0; round < rounds; round++)
                    for (int i = 0; i < many; i++)
                        seal(all[i], has_tag, lengths[column]);
                turns[turn] = (now() - start) / rounds / many;
            }
            qsort(turns, TURNS, sizeof *turns, compare);
            printf("%9.0f", turns[TURNS / 2]);
        }
        printf("\n");
        for (int i = 0; i < many; i++)
            EVP_CIPHER_CTX_free(all[i]);
        free(all);
    }
    EVP_CIPHER_free(cipher);
    return 0;
}

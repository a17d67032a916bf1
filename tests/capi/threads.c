/* One context that is const in several threads at once, contexts of their own, messages of their own; a child after
 * fork() that goes on with the parent's contexts and frees them. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 4, LEN = 4096 };

static ciphertune_cbc *shared;
static uint8_t plain[LEN], expected[LEN], expected_stream[LEN];

static void *work(void *argument)
{
    size_t bad = 0, mine = *(const size_t *)argument;
    uint8_t out[LEN], zeros[32] = {0};
    char message[64];
    snprintf(message, sizeof message, "an AES key has 16, 24 or 32 bytes, not %zu", mine);
    for (int round = 0; round < 100; round++) {
        uint8_t iv[16] = {0};
        bad += ciphertune_cbc_encrypt(shared, iv, plain, out, LEN) != CIPHERTUNE_OK || memcmp(out, expected, LEN) != 0;
        ciphertune_ctr *ctr;
        bad += ciphertune_ctr_new(&ctr, zeros, mine, zeros, 16) != CIPHERTUNE_E_KEY;
        bad += strcmp(ciphertune_message(), message) != 0;
        bad += ciphertune_ctr_new(&ctr, zeros, 16, zeros, 16) != CIPHERTUNE_OK;
        bad += ciphertune_ctr_apply(ctr, plain, out, LEN) != CIPHERTUNE_OK || memcmp(out, expected_stream, LEN) != 0;
        bad += strcmp(ciphertune_message(), message) != 0;
        ciphertune_ctr_free(ctr);
    }
    return bad ? argument : NULL;
}

int main(void)
{
    static const size_t lens[THREADS] = {1, 7, 17, 31};
    uint8_t zeros[16] = {0}, iv[16] = {0};
    pthread_t threads[THREADS];
    ciphertune_ctr *ctr;
    for (size_t i = 0; i < LEN; i++)
        plain[i] = (uint8_t)(i * i >> 3);
    OK(ciphertune_cbc_new(&shared, zeros, 16));
    OK(ciphertune_cbc_encrypt(shared, iv, plain, expected, LEN));
    OK(ciphertune_ctr_new(&ctr, zeros, 16, zeros, 16));
    OK(ciphertune_ctr_apply(ctr, plain, expected_stream, LEN));

    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)&lens[i]) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *bad = NULL;
        CHECK(pthread_join(threads[i], &bad) == 0 && bad == NULL);
    }

    OK(ciphertune_ctr_set_threads(ctr, CIPHERTUNE_THREADS_MEASURED));
    uint8_t out[LEN], again[LEN];
    OK(ciphertune_ctr_seek(ctr, 1));
    fflush(NULL);
    pid_t child = fork();
    OK(ciphertune_ctr_apply(ctr, plain + 1, out, LEN - 1));
    CHECK(memcmp(out, expected_stream + 1, LEN - 1) == 0);
    memset(iv, 0, sizeof iv);
    OK(ciphertune_cbc_decrypt(shared, iv, expected, again, LEN));
    CHECK(memcmp(again, plain, LEN) == 0);
    ciphertune_ctr_free(ctr);
    ciphertune_cbc_free(shared);
    if (child == 0)
        _exit(0);
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    return 0;
}

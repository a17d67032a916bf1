/* A thread that is to be cancelled makes the first context of the process, for which wisdom is read: that is done, and the
 * thread is cancelled after it. CIPHERTUNE_WISDOM names what reads as wisdom, of whatever processor. */
#include <pthread.h>

#include "check.h"

static int is_made;

static void *work(void *unused)
{
    static const uint8_t key[16], iv[16];
    ciphertune_ctr *ctx;
    pthread_cancel(pthread_self());
    OK(ciphertune_ctr_new(&ctx, key, sizeof key, iv, sizeof iv));
    ciphertune_ctr_free(ctx);
    is_made = 1;
    pthread_testcancel();
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(is_made && result == PTHREAD_CANCELED);
    int basis;
    OK(ciphertune_basis(&basis));
    CHECK(basis == CIPHERTUNE_BASIS_ESTIMATE);
    CHECK(strstr(ciphertune_message(), "there is no wisdom") == NULL);
    return 0;
}

/* A stream that a thread helps: a child after fork() goes on with it by a thread of its own. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tasks.h"

/* So long that it is split by AES instructions too. */
enum { LEN = 8 << 20 };

static uint8_t text[LEN], expected[LEN], out[LEN];

/* Until a thread helps, if there is a processor for one. */
static void be_helped(ciphertune_ctr *ctr)
{
    for (int call = 0; call == 0 || (threads() == 1 && ciphertune_threads_available() > 0); call++) {
        CHECK(call < 1000);
        OK(ciphertune_ctr_seek(ctr, 0));
        OK(ciphertune_ctr_apply(ctr, text, out, LEN));
        CHECK(memcmp(out, expected, LEN) == 0);
    }
}

int main(void)
{
    uint8_t zeros[16] = {0};
    ciphertune_ctr *ctr;
    for (size_t i = 0; i < LEN; i++)
        text[i] = (uint8_t)(i * i >> 7);
    OK(ciphertune_ctr_new(&ctr, zeros, 16, zeros, 16));
    OK(ciphertune_ctr_apply(ctr, text, expected, LEN));
    OK(ciphertune_ctr_set_threads(ctr, 1));
    be_helped(ctr);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        CHECK(threads() == 1);
    be_helped(ctr);
    ciphertune_ctr_free(ctr);
    if (child == 0)
        _exit(0);
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    return 0;
}

/* What the header says of threads where a filter of system calls comes: one that allows everything, so that only the
 * library's own rule is seen. Each case is a child, since what a process found it keeps. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tasks.h"

/* So long that it is split by AES instructions too. */
enum { LEN = 8 << 20 };

static uint8_t text[LEN];

static void set_filter(void)
{
    struct sock_filter allow = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
    struct sock_fprog program = {.len = 1, .filter = &allow};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static ciphertune_ctr *stream(void)
{
    static const uint8_t zeros[16];
    ciphertune_ctr *ctr;
    OK(ciphertune_ctr_new(&ctr, zeros, 16, zeros, 16));
    OK(ciphertune_ctr_set_threads(ctr, 1));
    return ctr;
}

/* Calls until a thread helps; answers how many there are then. */
static size_t helped(ciphertune_ctr *ctr)
{
    size_t count = 1;
    for (int call = 0; call < 100 && count == 1; call++) {
        OK(ciphertune_ctr_apply(ctr, text, text, LEN));
        count = threads();
    }
    return count;
}

static void asked_before(void)
{
    size_t before = ciphertune_threads_available();
    set_filter();
    CHECK(ciphertune_threads_available() == before);
    CHECK(helped(stream()) == 1);
}

static void not_asked_before(void)
{
    set_filter();
    CHECK(helped(stream()) == 1 + (ciphertune_threads_available() > 0));
}

static void had_before(void)
{
    ciphertune_ctr *ctr = stream();
    size_t before = helped(ctr);
    set_filter();
    OK(ciphertune_ctr_apply(ctr, text, text, LEN));
    CHECK(before == 1 + (ciphertune_threads_available() > 0) && threads() == before);
}

int main(void)
{
    void (*cases[])(void) = {asked_before, not_asked_before, had_before};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pid_t child = fork();
        if (child == 0) {
            cases[i]();
            _exit(0);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    return 0;
}

/* A provider that counts what goes through another: a program that has loaded ciphertune.so may still take its AES from
 * the default provider, which OpenSSL falls back to without a word.
 *
 * It loads the provider that $COUNTED names, offers what that offers, and adds up how many bytes each algorithm was
 * given to encrypt or decrypt, and took: a number of 64 bits, in a file of the algorithm's name in the folder $COUNTS.
 * The files are mapped when the provider is loaded, before a program goes into a sandbox or forks, and all processes
 * share them.
 *
 * Only the two functions that take text are others than the counted provider's. If anything is amiss it does not load,
 * and nothing is counted. */
#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* OSSL_FUNC_CIPHER_UPDATE and OSSL_FUNC_CIPHER_CIPHER have the same type. */
typedef int take_text(void *ctx, unsigned char *out, size_t *len, size_t room, const unsigned char *in, size_t in_len);

#define MOST 64
static struct {
    _Atomic uint64_t *bytes;
    take_text *update, *cipher;
    OSSL_DISPATCH functions[32];
} counted[MOST];
static OSSL_ALGORITHM algorithms[MOST + 1];
static OSSL_DISPATCH functions[32];
static OSSL_FUNC_provider_query_operation_fn *query;

/* Without output it is additional data, or the length of what comes; without input the end of a message. */
static int count(int ok, int at, const unsigned char *out, const unsigned char *in, size_t in_len) {
    if (ok && out && in)
        atomic_fetch_add(counted[at].bytes, in_len);
    return ok;
}

/* A function is not told which algorithm it is called for, so each has its own: 000 to 077, which C reads as octal. */
#define SHIM(function, at) \
    static int function##_##at(void *ctx, unsigned char *out, size_t *len, size_t room, const unsigned char *in, \
                               size_t in_len) { \
        return count(counted[at].function(ctx, out, len, room, in, in_len), at, out, in, in_len); \
    }
#define SHIMS(at) SHIM(update, at) SHIM(cipher, at)
#define ENTRY(at) {update_##at, cipher_##at},
#define EIGHT(M, a) M(0##a##0) M(0##a##1) M(0##a##2) M(0##a##3) M(0##a##4) M(0##a##5) M(0##a##6) M(0##a##7)
#define ALL(M) EIGHT(M, 0) EIGHT(M, 1) EIGHT(M, 2) EIGHT(M, 3) EIGHT(M, 4) EIGHT(M, 5) EIGHT(M, 6) EIGHT(M, 7)
ALL(SHIMS)
static take_text *const shims[MOST][2] = {ALL(ENTRY)};

/* Copies a table of functions with its end; 0 if there is no room. */
static int copy(OSSL_DISPATCH to[32], const OSSL_DISPATCH *from) {
    for (int i = 0; i < 32; i++) {
        to[i] = from[i];
        if (from[i].function_id == 0)
            return 1;
    }
    return 0;
}

/* The counter that all processes share, by the first of an algorithm's names; NULL if there is none. */
static void *counter(const char *names) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%.*s", getenv("COUNTS"), (int)strcspn(names, ":"), names);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    void *place = MAP_FAILED;
    if (ftruncate(file, sizeof(uint64_t)) == 0)
        place = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return place == MAP_FAILED ? NULL : place;
}

static int wrap(int at, const OSSL_ALGORITHM *algorithm) {
    OSSL_DISPATCH *function = counted[at].functions;
    if (!(counted[at].bytes = counter(algorithm->algorithm_names)) || !copy(function, algorithm->implementation))
        return 0;
    for (; function->function_id; function++)
        if (function->function_id == OSSL_FUNC_CIPHER_UPDATE) {
            counted[at].update = (take_text *)function->function;
            function->function = (void (*)(void))shims[at][0];
        } else if (function->function_id == OSSL_FUNC_CIPHER_CIPHER) {
            counted[at].cipher = (take_text *)function->function;
            function->function = (void (*)(void))shims[at][1];
        }
    algorithms[at] = *algorithm;
    algorithms[at].implementation = counted[at].functions;
    return 1;
}

static const OSSL_ALGORITHM *query_counted(void *provider, int operation, int *no_cache) {
    const OSSL_ALGORITHM *answer = query(provider, operation, no_cache);
    return operation == OSSL_OP_CIPHER ? algorithms : answer;
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **provider) {
    void *file = getenv("COUNTED") && getenv("COUNTS") ? dlopen(getenv("COUNTED"), RTLD_NOW) : NULL;
    OSSL_provider_init_fn *init = file ? (OSSL_provider_init_fn *)dlsym(file, "OSSL_provider_init") : NULL;
    if (!init || !init(handle, in, out, provider) || !copy(functions, *out))
        return 0;
    *out = functions;
    for (OSSL_DISPATCH *function = functions; function->function_id; function++)
        if (function->function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION) {
            query = (OSSL_FUNC_provider_query_operation_fn *)function->function;
            function->function = (void (*)(void))query_counted;
        }
    int no_cache, at = 0;
    const OSSL_ALGORITHM *real = query(*provider, OSSL_OP_CIPHER, &no_cache);
    for (; real[at].algorithm_names; at++)
        if (at == MOST || !wrap(at, &real[at]))
            return 0;
    return 1;
}

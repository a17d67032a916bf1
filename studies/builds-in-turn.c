/* What did a change do to short calls? Two builds of libciphertune.so in one process, in turn, so that what else the machine
 * does meets both.
 *
 * For each function and length: the fastest ns a call of each build, and the second's time divided by the first's in the same
 * turn, median and quartiles. Calls follow each other at once; a chain of CBC waits for the call before, through its IV.
 *
 *     cc -O2 studies/builds-in-turn.c -o builds-in-turn
 *     ./builds-in-turn BEFORE/libciphertune.so AFTER/libciphertune.so [TURNS [LENGTH...]]
 *
 * The same file twice says how much chance there is.
 */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 2000, LONGEST = 4096, BLOCK = 16 };

static char *usual[] = {"16", "48", "64", "256", "1344"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const unsigned char key[16] = {1};
static unsigned char iv[16], text[LONGEST], tag[16];

struct build {
    void *library, *cbc, *ctr, *gcm;
    int (*cbc_encrypt)(const void *, unsigned char *, const void *, void *, size_t);
    int (*cbc_decrypt)(const void *, unsigned char *, const void *, void *, size_t);
    int (*ctr_apply)(void *, const void *, void *, size_t);
    int (*gcm_seal)(void *, const void *, size_t, const void *, size_t, const void *, void *, size_t, void *, size_t);
};

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "builds-in-turn: %s failed\n", what);
        exit(1);
    }
}

/* As POSIX would have it: a function's address through a pointer to data. */
static void find(const struct build *build, const char *name, void *place)
{
    void *found = dlsym(build->library, name);
    check(found != NULL, name);
    memcpy(place, &found, sizeof found);
}

static struct build load(const char *path)
{
    int (*cbc_new)(void **, const void *, size_t), (*gcm_new)(void **, const void *, size_t, size_t);
    int (*ctr_new)(void **, const void *, size_t, const void *, size_t);
    struct build build;
    build.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    check(build.library != NULL, path);
    find(&build, "ciphertune_cbc_new", &cbc_new);
    find(&build, "ciphertune_ctr_new", &ctr_new);
    find(&build, "ciphertune_gcm_new", &gcm_new);
    find(&build, "ciphertune_cbc_encrypt", &build.cbc_encrypt);
    find(&build, "ciphertune_cbc_decrypt", &build.cbc_decrypt);
    find(&build, "ciphertune_ctr_apply", &build.ctr_apply);
    find(&build, "ciphertune_gcm_seal", &build.gcm_seal);
    check(cbc_new(&build.cbc, key, sizeof key) == 0, "a key");
    check(ctr_new(&build.ctr, key, sizeof key, iv, sizeof iv) == 0, "a key");
    check(gcm_new(&build.gcm, key, sizeof key, sizeof tag) == 0, "a key");
    return build;
}

static int cbc_encrypt(const struct build *build, size_t len)
{
    return build->cbc_encrypt(build->cbc, iv, text, text, len);
}

static int cbc_decrypt(const struct build *build, size_t len)
{
    return build->cbc_decrypt(build->cbc, iv, text, text, len);
}

static int ctr_apply(const struct build *build, size_t len)
{
    return build->ctr_apply(build->ctr, text, text, len);
}

/* With the next nonce, whose number is stored whole, as protocols do. */
static int gcm_seal(const struct build *build, size_t len)
{
    static unsigned long long number;
    unsigned char nonce[12] = {0};
    number++;
    memcpy(nonce + 4, &number, sizeof number);
    return build->gcm_seal(build->gcm, nonce, sizeof nonce, NULL, 0, text, text, len, tag, sizeof tag);
}

static const struct {
    const char *name;
    int (*call)(const struct build *, size_t);
    int whole_blocks;
} functions[] = {
    {"CBC encryption", cbc_encrypt, 1},
    {"CBC decryption", cbc_decrypt, 1},
    {"CTR", ctr_apply, 0},
    {"GCM sealing", gcm_seal, 0},
};

/* ns a call. */
static double timed(const struct build *build, int (*call)(const struct build *, size_t), size_t len)
{
    struct timespec before, after;
    int i, wrong = 0;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (i = 0; i < CALLS; i++)
        wrong |= call(build, len);
    clock_gettime(CLOCK_MONOTONIC, &after);
    check(wrong == 0, "a call");
    return ((after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec)) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    int turns = argc > 3 ? atoi(argv[3]) : 200;
    char **lengths = argc > 4 ? argv + 4 : usual;
    int count = argc > 4 ? argc - 4 : (int)COUNT(usual);
    struct build builds[2];
    double *ratios;
    size_t function;
    int length;

    if (argc < 3 || turns < 1) {
        fprintf(stderr, "usage: %s BEFORE/libciphertune.so AFTER/libciphertune.so [TURNS [LENGTH...]]\n", argv[0]);
        return 2;
    }
    for (length = 0; length < count; length++)
        check(atoi(lengths[length]) > 0 && atoi(lengths[length]) <= LONGEST, "a length");
    builds[0] = load(argv[1]);
    builds[1] = load(argv[2]);
    ratios = malloc(turns * sizeof *ratios);
    check(ratios != NULL, "memory");
    puts("AES-128           bytes  before   after  after/before, quartiles");
    for (function = 0; function < COUNT(functions); function++)
        for (length = 0; length < count; length++) {
            size_t len = atoi(lengths[length]);
            double best[2] = {0, 0};
            int turn;
            if (functions[function].whole_blocks && len % BLOCK != 0)
                continue;
            for (turn = 0; turn < turns; turn++) {
                double times[2];
                int which;
                /* Who comes first has the other's data in the cache. */
                for (which = 0; which < 2; which++) {
                    int n = which ^ (turn & 1);
                    times[n] = timed(&builds[n], functions[function].call, len);
                    if (best[n] == 0 || times[n] < best[n])
                        best[n] = times[n];
                }
                ratios[turn] = times[1] / times[0];
            }
            qsort(ratios, turns, sizeof *ratios, compare);
            printf("%-16s %6zu %7.2f %7.2f  %.3f (%.3f to %.3f)\n", functions[function].name, len, best[0],
                   best[1], ratios[turns / 2], ratios[turns / 4], ratios[3 * turns / 4]);
        }
    free(ratios);
    return 0;
}

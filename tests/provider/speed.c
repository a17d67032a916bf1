/* The provider's speed as a ratio to the default one's, in one process, by turns: for each algorithm and length the
 * median of the rounds' ratios, with the middle half of them, and both rates. And the nanoseconds that a call or a
 * message takes at the least, those of the fastest batch: a busy machine does not disturb them.
 *
 *   speed ROUNDS MILLISECONDS LENGTH,... ALGORITHM[:decrypt][:parts|:record|:new]... */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Both sides are to do all that is timed. What opens a message finds its tag wrong, at the end. */
static void check(int done, const char *what) {
    if (done <= 0) {
        fprintf(stderr, "speed: %s failed\n", what);
        exit(1);
    }
}

/* With a key and an IV. */
static EVP_CIPHER_CTX *context(const EVP_CIPHER *cipher, int encrypt) {
    static unsigned char key[64];
    for (int k = 0; k < 64; k++)
        key[k] = k;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    check(EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, encrypt, NULL), "the cipher");
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    /* Before the key: what is set later is not what OpenSSL seals with. */
    if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE)
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, NULL), "the tag's length");
    check(EVP_CipherInit_ex2(ctx, NULL, key, key, -1, NULL), "the key");
    return ctx;
}

enum unit { PARTS, MESSAGES, RECORDS };

/* As `openssl speed -evp` does it: one context, in place, update after update, each a part of one message. Or messages,
 * with IV and tag for each. Or records as libssl has them in TLS 1.3: with five bytes of additional data too, and a tag
 * that is asked for. Without a context, each in one of its own, of that cipher. */
static double rate(EVP_CIPHER_CTX *kept, const EVP_CIPHER *cipher, int encrypt, unsigned char *data, int n, enum unit unit,
                   double seconds, double *least) {
    static unsigned char iv[16], tag[16], made[16], header[5];
    int messages = unit != PARTS;
    int opens = !encrypt, ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
    double start = now(), begin, end = start;
    long calls = 0, batch = 1 + 16384 / (n + 64);
    int len;
    do {
        begin = end;
        for (long i = 0; i < batch; i++) {
            EVP_CIPHER_CTX *ctx = kept ? kept : context(cipher, encrypt);
            if (messages) {
                check(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL), "a message's IV");
                if (opens)
                    check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag), "its tag");
                if (ccm)
                    check(EVP_CipherUpdate(ctx, NULL, &len, NULL, n), "its length");
            }
            if (unit == RECORDS)
                check(EVP_CipherUpdate(ctx, NULL, &len, header, sizeof header), "its header");
            int done = EVP_CipherUpdate(ctx, data, &len, data, n);
            check(done || (ccm && opens), "its text");
            if (messages && !ccm)
                check(EVP_CipherFinal_ex(ctx, data + n, &len) != opens, "its end");
            if (unit == RECORDS && !opens)
                check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, made), "its tag");
            if (!kept)
                EVP_CIPHER_CTX_free(ctx);
        }
        calls += batch;
        end = now();
        if ((end - begin) / batch < *least)
            *least = (end - begin) / batch;
    } while (end - start < seconds);
    return calls * (double)n / (end - start);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int rounds = atoi(argv[1]);
    double seconds = atof(argv[2]) / 1e3;
    printf("%-22s %9s %8s %17s %12s %12s %12s %12s\n", "algorithm", "length", "ratio", "middle half", "GB/s", "default",
           "least ns", "default");
    for (int i = 4; i < argc; i++) {
        char name[64], lengths[256];
        int encrypt = strstr(argv[i], ":decrypt") == NULL, parts = strstr(argv[i], ":parts") != NULL,
            records = strstr(argv[i], ":record") != NULL, new = strstr(argv[i], ":new") != NULL;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i], ":"), argv[i]);
        EVP_CIPHER *cipher[2] = {EVP_CIPHER_fetch(NULL, name, "provider=ciphertune"),
                                 EVP_CIPHER_fetch(NULL, name, "provider=default")};
        if (!cipher[0] || !cipher[1]) {
            fprintf(stderr, "speed: no %s\n", name);
            return 1;
        }
        int tagged = (EVP_CIPHER_get_flags(cipher[0]) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
        enum unit unit = records ? RECORDS : tagged && !parts ? MESSAGES : PARTS;
        snprintf(lengths, sizeof lengths, "%s", argv[3]);
        for (char *length = strtok(lengths, ","); length; length = strtok(NULL, ",")) {
            int n = atoi(length);
            unsigned char *data = calloc(1, n + 64);
            double ratios[1000], rates[2][1000], least[2] = {1, 1};
            EVP_CIPHER_CTX *ctx[2];
            for (int side = 0; side < 2; side++) {
                ctx[side] = new ? NULL : context(cipher[side], encrypt);
                rate(ctx[side], cipher[side], encrypt, data, n, unit, seconds, &least[side]);
            }
            for (int r = 0; r < rounds && r < 1000; r++) {
                for (int turn = 0; turn < 2; turn++) {
                    int side = (r + turn) % 2;
                    rates[side][r] = rate(ctx[side], cipher[side], encrypt, data, n, unit, seconds, &least[side]);
                }
                ratios[r] = rates[0][r] / rates[1][r];
            }
            qsort(ratios, rounds, sizeof *ratios, ascending);
            qsort(rates[0], rounds, sizeof(double), ascending);
            qsort(rates[1], rounds, sizeof(double), ascending);
            printf("%-22s %9d %8.2f %8.2f-%8.2f %12.3f %12.3f %12.2f %12.2f\n", argv[i], n, ratios[rounds / 2],
                   ratios[rounds / 4], ratios[rounds * 3 / 4], rates[0][rounds / 2] / 1e9, rates[1][rounds / 2] / 1e9,
                   least[0] * 1e9, least[1] * 1e9);
            EVP_CIPHER_CTX_free(ctx[0]), EVP_CIPHER_CTX_free(ctx[1]);
            free(data);
        }
        EVP_CIPHER_free(cipher[0]), EVP_CIPHER_free(cipher[1]);
    }
    return 0;
}

/* Encrypts many packets with one key by CBC, side by side, as IPsec or a database's pages would want it, and shows
 * what that gains over one after the other.
 *
 *     cc -O2 packets.c $(pkg-config --cflags --libs ciphertune) -o packets && ./packets */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ciphertune.h>

enum { PACKETS = 64, LEN = 1344, ROUNDS = 200 };

static unsigned char plain[PACKETS][LEN], one_by_one[PACKETS][LEN], together[PACKETS][LEN];

static void check(int code)
{
    if (code != CIPHERTUNE_OK) {
        fprintf(stderr, "packets: %s\n", ciphertune_message());
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    unsigned char key[16], ivs[PACKETS][CIPHERTUNE_BLOCK];
    FILE *random = fopen("/dev/urandom", "rb");
    if (!random || fread(key, 1, sizeof key, random) != sizeof key ||
        fread(ivs, 1, sizeof ivs, random) != sizeof ivs || fread(plain, 1, sizeof plain, random) != sizeof plain) {
        perror("packets: /dev/urandom");
        return 1;
    }
    fclose(random);

    ciphertune_cbc *cbc;
    ciphertune_cbc_many *many;
    check(ciphertune_cbc_new(&cbc, key, sizeof key));
    check(ciphertune_cbc_many_new(&many, key, sizeof key));

    double start = seconds();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PACKETS; i++) {
            unsigned char iv[CIPHERTUNE_BLOCK];
            memcpy(iv, ivs[i], sizeof iv);
            check(ciphertune_cbc_encrypt(cbc, iv, plain[i], one_by_one[i], LEN));
        }
    double alone = seconds() - start;

    start = seconds();
    for (int round = 0; round < ROUNDS; round++) {
        ciphertune_cbc_message messages[PACKETS];
        for (int i = 0; i < PACKETS; i++) {
            memcpy(messages[i].iv, ivs[i], sizeof ivs[i]);
            messages[i].in = plain[i];
            messages[i].out = together[i];
            messages[i].len = LEN;
        }
        check(ciphertune_cbc_many_encrypt(many, messages, PACKETS));
    }
    double side_by_side = seconds() - start;

    if (memcmp(one_by_one, together, sizeof together) != 0) {
        fprintf(stderr, "packets: the two differ\n");
        return 1;
    }
    printf("%d packets of %d bytes: %.2f GB/s one by one, %.2f GB/s side by side\n", PACKETS, LEN,
           1e-9 * sizeof plain * ROUNDS / alone, 1e-9 * sizeof plain * ROUNDS / side_by_side);
    ciphertune_cbc_many_free(many);
    ciphertune_cbc_free(cbc);
    return 0;
}

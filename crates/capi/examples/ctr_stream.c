/* Encrypts or decrypts a stream, which is the same in counter mode: standard input to standard output, from byte
 * START of the stream on.
 *
 *     cc ctr_stream.c $(pkg-config --cflags --libs ciphertune) -o ctr_stream
 *     ./ctr_stream 000102030405060708090a0b0c0d0e0f 00000000000000000000000000000000 <plain >secret
 *     tail -c +1000001 secret | ./ctr_stream KEY IV 1000000
 *
 * (A key on the command line is for examples: every user of the machine can see it.) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ciphertune.h>

/* Bytes from hexadecimal digits; answers how many, 0 if they are none. */
static size_t from_hex(unsigned char *bytes, size_t room, const char *digits)
{
    size_t len = strlen(digits) / 2;
    if (strlen(digits) % 2 != 0 || len > room || strspn(digits, "0123456789abcdefABCDEF") != 2 * len)
        return 0;
    for (size_t i = 0; i < len; i++) {
        char pair[] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return len;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: ctr_stream KEY IV [START]\n");
        return 2;
    }
    char *end = "";
    errno = 0;
    unsigned long long start = argc == 4 ? strtoull(argv[3], &end, 10) : 0;
    if (errno != 0 || *end != '\0' || (argc == 4 && strspn(argv[3], "0123456789") == 0)) {
        fprintf(stderr, "ctr_stream: START is a number of bytes below 2^64, not '%s'\n", argv[3]);
        return 2;
    }
    unsigned char key[32], iv[CIPHERTUNE_BLOCK];
    size_t key_len = from_hex(key, sizeof key, argv[1]);
    size_t iv_len = from_hex(iv, sizeof iv, argv[2]);
    ciphertune_ctr *stream;
    if (ciphertune_ctr_new(&stream, key, key_len, iv, iv_len) != CIPHERTUNE_OK ||
        ciphertune_ctr_seek(stream, start) != CIPHERTUNE_OK) {
        fprintf(stderr, "ctr_stream: %s\n", ciphertune_message());
        return 1;
    }

    static unsigned char buffer[1 << 16];
    size_t len;
    while ((len = fread(buffer, 1, sizeof buffer, stdin)) > 0) {
        if (ciphertune_ctr_apply(stream, buffer, buffer, len) != CIPHERTUNE_OK) {
            fprintf(stderr, "ctr_stream: %s\n", ciphertune_message());
            return 1;
        }
        if (fwrite(buffer, 1, len, stdout) != len)
            break;
    }
    ciphertune_ctr_free(stream);
    if (ferror(stdin) || ferror(stdout) || fflush(stdout) != 0) {
        perror("ctr_stream");
        return 1;
    }
    return 0;
}

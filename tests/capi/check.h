/* What the tests of the C library share. Each is a program that ends with 1 at what is not true. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ciphertune.h>

#define CHECK(what)                                                                                  \
    do {                                                                                             \
        if (!(what)) {                                                                               \
            fprintf(stderr, "%s:%d: not true: %s (%s)\n", __FILE__, __LINE__, #what, ciphertune_message()); \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

#define OK(call) CHECK((call) == CIPHERTUNE_OK)

/* Bytes from their hexadecimal digits; answers how many. */
static inline size_t hex(uint8_t *bytes, const char *digits)
{
    size_t len = strlen(digits) / 2;
    for (size_t i = 0; i < len; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return len;
}

/* Whether bytes have those digits. */
static inline int are(const void *bytes, const char *digits)
{
    uint8_t expected[256];
    return memcmp(bytes, expected, hex(expected, digits)) == 0;
}

#endif

/* For LD_PRELOAD: what a program gives to EVP_CipherUpdate at once goes on in parts of CHUNK bytes, where the mode takes a
 * message in parts. At the end it says how many calls there were, and of how many parts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

static long calls, parts;

int EVP_CipherUpdate(EVP_CIPHER_CTX *ctx, unsigned char *out, int *len, const unsigned char *in, int in_len) {
    int (*update)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int) = dlsym(RTLD_NEXT, "EVP_CipherUpdate");
    int mode = EVP_CIPHER_get_mode(EVP_CIPHER_CTX_get0_cipher(ctx)), chunk = atoi(getenv("CHUNK"));
    if (in == NULL || in_len == 0 || mode == EVP_CIPH_XTS_MODE || mode == EVP_CIPH_CCM_MODE)
        return update(ctx, out, len, in, in_len);
    int ok = 1, all = 0;
    for (int at = 0; at < in_len && ok; at += chunk, parts++) {
        ok = update(ctx, out ? out + all : NULL, len, in + at, in_len - at < chunk ? in_len - at : chunk);
        all += *len;
    }
    *len = all;
    calls++;
    return ok;
}

__attribute__((destructor)) static void say(void) {
    fprintf(stderr, "split: %ld calls into %ld parts\n", calls, parts);
}

/* A libcrypto that is as the system's, but EVP_EncryptUpdate does one call of every EVERY twice: 20 makes it 5 %
 * slower at any length. Without EVERY it is the system's, by the same detour. The second time works on a context
 * and a buffer of its own, so that every answer stays right. Built by planted.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
int EVP_CIPHER_CTX_copy(EVP_CIPHER_CTX *out, const EVP_CIPHER_CTX *in);

/* A library is where this is. */
const char *OpenSSL_version(int what)
{
    return ((const char *(*)(int))dlsym(RTLD_NEXT, "OpenSSL_version"))(what);
}

typedef int update(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);

int EVP_EncryptUpdate(EVP_CIPHER_CTX *ctx, unsigned char *out, int *done, const unsigned char *in, int length)
{
    static update *real;
    if (!real)
        real = (update *)dlsym(RTLD_NEXT, "EVP_EncryptUpdate");
#ifdef EVERY
    static EVP_CIPHER_CTX *copied, *copy;
    static unsigned char *scratch;
    static int room, calls;
    if (++calls >= EVERY) {
        int unused;
        calls = 0;
        if (length > room)
            scratch = realloc(scratch, room = length);
        if (copied != ctx) {
            if (!copy)
                copy = EVP_CIPHER_CTX_new();
            EVP_CIPHER_CTX_copy(copy, ctx);
            copied = ctx;
        }
        real(copy, scratch, &unused, in, length);
    }
#endif
    return real(ctx, out, done, in, length);
}

/* That the stacks which the header names are enough: every mode is used by a thread with 64 KiB, which does what a process
 * does first, too; with "settled" by one of 32 KiB, after ciphertune_basis(). */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { LEN = 8192, MANY = 64, PART = LEN / MANY };

/* Not on the stack: what is measured is the library's. */
static uint8_t text[LEN], out[LEN], tag[16], tags[MANY][16];
static const uint8_t key[64] = {1}, nonce[12];
/* So long that it is split by AES instructions too. */
static uint8_t large[8 << 20];
static ciphertune_cbc_message messages[MANY];
static ciphertune_bytes texts[MANY];

static void aeads(void)
{
#define AEAD(type)                                                                     \
    do {                                                                               \
        type *ctx;                                                                     \
        OK(type##_new(&ctx, key, 32, 16));                                             \
        OK(type##_seal(ctx, nonce, 12, key, 64, text, out, LEN, tag, 16));             \
        OK(type##_open(ctx, nonce, 12, key, 64, out, out, LEN, tag, 16));              \
        CHECK(memcmp(out, text, LEN) == 0);                                            \
        type##_free(ctx);                                                              \
    } while (0)
#define PARTS(type)                                          \
    do {                                                     \
        type *ctx;                                           \
        OK(type##_new(&ctx, key, 32, 16));                   \
        OK(type##_start(ctx, nonce, 12));                    \
        OK(type##_encrypt(ctx, text, out, LEN));             \
        OK(type##_finish(ctx, tag, 16));                     \
        OK(type##_start(ctx, nonce, 12));                    \
        OK(type##_decrypt_unverified(ctx, out, out, LEN));   \
        OK(type##_verify(ctx, tag, 16));                     \
        type##_free(ctx);                                    \
    } while (0)
    AEAD(ciphertune_gcm);
    AEAD(ciphertune_ccm);
    AEAD(ciphertune_ocb);
    PARTS(ciphertune_gcm_stream);
    PARTS(ciphertune_ocb_stream);
}

static void ciphers(void)
{
    uint8_t iv[16] = {0};
    ciphertune_ctr *ctr;
    OK(ciphertune_ctr_new(&ctr, key, 32, iv, 16));
    OK(ciphertune_ctr_apply(ctr, text, out, LEN));
    OK(ciphertune_ctr_set_threads(ctr, 1));
    OK(ciphertune_ctr_apply(ctr, large, large, sizeof large));
    ciphertune_ctr_free(ctr);
#define CIPHER(type, key_len, ...)                           \
    do {                                                     \
        type *ctx;                                           \
        OK(type##_new(&ctx, key, key_len));                  \
        OK(type##_encrypt(ctx, __VA_ARGS__ text, out, LEN)); \
        OK(type##_decrypt(ctx, __VA_ARGS__ out, out, LEN));  \
        type##_free(ctx);                                    \
    } while (0)
#define IV iv,
    CIPHER(ciphertune_ecb, 32, );
    CIPHER(ciphertune_cbc, 32, IV);
    CIPHER(ciphertune_cfb, 32, IV);
    CIPHER(ciphertune_cfb8, 32, IV);
    CIPHER(ciphertune_xts, 64, IV);
}

static void many(void)
{
    ciphertune_cbc_many *cbc;
    ciphertune_cmac *cmac;
    ciphertune_cmac_stream *stream;
    for (size_t i = 0; i < MANY; i++) {
        messages[i] = (ciphertune_cbc_message){.in = text + i * PART, .out = out + i * PART, .len = PART};
        texts[i] = (ciphertune_bytes){text, i * PART};
    }
    OK(ciphertune_cbc_many_new(&cbc, key, 32));
    OK(ciphertune_cbc_many_encrypt(cbc, messages, MANY));
    ciphertune_cbc_many_free(cbc);
    OK(ciphertune_cmac_new(&cmac, key, 32));
    OK(ciphertune_cmac_tags(cmac, texts, tags[0], MANY));
    OK(ciphertune_cmac_tag(cmac, text, LEN, tag));
    ciphertune_cmac_free(cmac);
    OK(ciphertune_cmac_stream_new(&stream, key, 32));
    OK(ciphertune_cmac_stream_update(stream, text, LEN));
    OK(ciphertune_cmac_stream_verify(stream, tag, 16));
    ciphertune_cmac_stream_free(stream);
}

static void *work(void *nothing)
{
    ciphertune_ecb *none;
    aeads();
    ciphers();
    many();
    CHECK(ciphertune_ecb_new(&none, key, 3) == CIPHERTUNE_E_KEY);
    CHECK(ciphertune_use_wisdom("/nonexistent/wisdom") == CIPHERTUNE_E_WISDOM_ABSENT);
    return nothing;
}

int main(int argc, char **argv)
{
    int settled = argc > 1 && strcmp(argv[1], "settled") == 0, basis;
    pthread_attr_t attributes;
    pthread_t thread;
    if (settled)
        OK(ciphertune_basis(&basis));
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, settled ? 32 << 10 : 64 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    return 0;
}

/* What a program can do wrong: each has its code, says what is wrong, and writes nothing. */
#include "check.h"

static uint8_t zeros[64], data[64], iv[16], tag[16];

/* That a call answers a code, that the message says why, and that nothing was written. */
#define REFUSED(call, code, why)                                     \
    do {                                                             \
        memset(data, 0xaa, sizeof data);                             \
        memset(iv, 0xaa, sizeof iv);                                 \
        memset(tag, 0xaa, sizeof tag);                               \
        CHECK((call) == (code));                                     \
        CHECK(strstr(ciphertune_message(), why) != NULL);            \
        for (size_t at = 0; at < sizeof data; at++)                  \
            CHECK(data[at] == 0xaa && iv[at % 16] == 0xaa && tag[at % 16] == 0xaa); \
    } while (0)

/* The same mistakes in every mode that takes a buffer of whole blocks. `CALL(in, out, len)` makes the call. */
#define BUFFERS(CALL)                                                            \
    do {                                                                         \
        REFUSED(CALL(NULL, data, 16), CIPHERTUNE_E_NULL, "'in' is NULL");        \
        REFUSED(CALL(zeros, NULL, 16), CIPHERTUNE_E_NULL, "'out' is NULL");      \
        REFUSED(CALL(data, data + 1, 16), CIPHERTUNE_E_OVERLAP, "overlap");      \
        REFUSED(CALL(data + 15, data, 16), CIPHERTUNE_E_OVERLAP, "overlap");     \
        REFUSED(CALL(zeros, data, SIZE_MAX), CIPHERTUNE_E_LENGTH, "more bytes"); \
        memset(data, 0, sizeof data);                                            \
        OK(CALL(data, data + 16, 16));                                           \
        OK(CALL(data + 16, data, 16));                                           \
    } while (0)

static void makers(void)
{
#define MAKER(new, type, ...)                                                                        \
    do {                                                                                             \
        type *ctx = (type *)(void *)data;                                                            \
        CHECK(new(NULL, zeros, 16 __VA_ARGS__) == CIPHERTUNE_E_NULL);                                \
        CHECK(new(&ctx, NULL, 16 __VA_ARGS__) == CIPHERTUNE_E_NULL && ctx == NULL);                  \
        CHECK(strcmp(ciphertune_message(), "'key' is NULL") == 0);                                   \
        CHECK(new(&ctx, zeros, SIZE_MAX __VA_ARGS__) == CIPHERTUNE_E_KEY && ctx == NULL);            \
        for (size_t len = 0; len < 64; len++)                                                        \
            if (len != 16 && len != 24 && len != 32) {                                               \
                ctx = (type *)(void *)data;                                                          \
                CHECK(new(&ctx, zeros, len __VA_ARGS__) == CIPHERTUNE_E_KEY && ctx == NULL);         \
            }                                                                                        \
        CHECK(strcmp(ciphertune_message(), "an AES key has 16, 24 or 32 bytes, not 63") == 0);       \
        OK(new(&ctx, zeros, 24 __VA_ARGS__));                                                        \
        type##_free(ctx);                                                                            \
        type##_free(NULL);                                                                           \
    } while (0)
#define AND ,
    MAKER(ciphertune_ctr_new, ciphertune_ctr, AND zeros AND 16);
    MAKER(ciphertune_ecb_new, ciphertune_ecb, );
    MAKER(ciphertune_cbc_new, ciphertune_cbc, );
    MAKER(ciphertune_cbc_many_new, ciphertune_cbc_many, );
    MAKER(ciphertune_cfb_new, ciphertune_cfb, );
    MAKER(ciphertune_cfb8_new, ciphertune_cfb8, );
    MAKER(ciphertune_gcm_new, ciphertune_gcm, AND 16);
    MAKER(ciphertune_gcm_stream_new, ciphertune_gcm_stream, AND 16);
    MAKER(ciphertune_cmac_stream_new, ciphertune_cmac_stream, );
    MAKER(ciphertune_ccm_new, ciphertune_ccm, AND 16);
    MAKER(ciphertune_ocb_new, ciphertune_ocb, AND 16);
    MAKER(ciphertune_ocb_stream_new, ciphertune_ocb_stream, AND 16);
    MAKER(ciphertune_cmac_new, ciphertune_cmac, );

    ciphertune_ctr *ctr;
    CHECK(ciphertune_ctr_new(&ctr, zeros, 16, zeros, 12) == CIPHERTUNE_E_LENGTH);
    CHECK(ciphertune_ctr_new(&ctr, zeros, 16, NULL, 16) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_ctr_new(&ctr, zeros, 16, NULL, 0) == CIPHERTUNE_E_LENGTH);

    /* A key that lies where the context's address goes: it is read before. */
    union {
        ciphertune_ecb *ctx;
        uint8_t key[16];
    } both;
    uint8_t ones[16], expected[16];
    ciphertune_ecb *ecb;
    memset(ones, 1, sizeof ones);
    memset(&both, 1, sizeof both);
    OK(ciphertune_ecb_new(&ecb, ones, sizeof ones));
    OK(ciphertune_ecb_encrypt(ecb, zeros, expected, 16));
    ciphertune_ecb_free(ecb);
    OK(ciphertune_ecb_new(&both.ctx, both.key, sizeof both.key));
    OK(ciphertune_ecb_encrypt(both.ctx, zeros, data, 16));
    ciphertune_ecb_free(both.ctx);
    CHECK(memcmp(data, expected, 16) == 0);

    ciphertune_gcm *gcm;
    CHECK(ciphertune_gcm_new(&gcm, zeros, 16, 3) == CIPHERTUNE_E_LENGTH && gcm == NULL);
    CHECK(ciphertune_gcm_new(&gcm, zeros, 16, 17) == CIPHERTUNE_E_LENGTH && gcm == NULL);

    ciphertune_xts *xts;
    CHECK(ciphertune_xts_new(&xts, zeros, 48) == CIPHERTUNE_E_KEY && xts == NULL);
    CHECK(ciphertune_xts_new(&xts, zeros, 32) == CIPHERTUNE_E_KEY && xts == NULL);
    CHECK(strstr(ciphertune_message(), "halves") != NULL);
    ciphertune_xts_free(xts);
}

static void rekeying(void)
{
#define REKEYED(type, key, ...)                                             \
    do {                                                                    \
        type *ctx;                                                          \
        OK(type##_new(&ctx, key, 32 __VA_ARGS__));                          \
        CHECK(type##_rekey(NULL, key, 32) == CIPHERTUNE_E_NULL);            \
        CHECK(strcmp(ciphertune_message(), "'ctx' is NULL") == 0);          \
        CHECK(type##_rekey(ctx, NULL, 32) == CIPHERTUNE_E_NULL);            \
        CHECK(strcmp(ciphertune_message(), "'key' is NULL") == 0);          \
        CHECK(type##_rekey(ctx, key, SIZE_MAX) == CIPHERTUNE_E_KEY);        \
        CHECK(type##_rekey(ctx, key, 31) == CIPHERTUNE_E_KEY);              \
        CHECK(strstr(ciphertune_message(), "not 31") != NULL);              \
        type##_free(ctx);                                                   \
    } while (0)
    uint8_t keys[32] = {1};
    REKEYED(ciphertune_ecb, zeros, );
    REKEYED(ciphertune_cbc, zeros, );
    REKEYED(ciphertune_cbc_many, zeros, );
    REKEYED(ciphertune_cfb, zeros, );
    REKEYED(ciphertune_cfb8, zeros, );
    REKEYED(ciphertune_cmac, zeros, );
    REKEYED(ciphertune_cmac_stream, zeros, );
    REKEYED(ciphertune_gcm, zeros, AND 16);
    REKEYED(ciphertune_gcm_stream, zeros, AND 16);
    REKEYED(ciphertune_ccm, zeros, AND 16);
    REKEYED(ciphertune_ocb, zeros, AND 16);
    REKEYED(ciphertune_ocb_stream, zeros, AND 16);
    REKEYED(ciphertune_xts, keys, );

    ciphertune_xts *xts;
    OK(ciphertune_xts_new(&xts, keys, 32));
    CHECK(ciphertune_xts_rekey(xts, zeros, 32) == CIPHERTUNE_E_KEY);
    CHECK(strstr(ciphertune_message(), "halves") != NULL);
    ciphertune_xts_free(xts);
}

static void streams(void)
{
    ciphertune_ctr *ctx;
    OK(ciphertune_ctr_new(&ctx, zeros, 16, zeros, 16));
#define CALL(in, out, len) ciphertune_ctr_apply(ctx, in, out, len)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_ctr_apply(NULL, zeros, data, 16), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    REFUSED(ciphertune_ctr_rekey(ctx, zeros, 17, zeros, 16), CIPHERTUNE_E_KEY, "not 17");
    REFUSED(ciphertune_ctr_restart(ctx, zeros, 12), CIPHERTUNE_E_LENGTH, "not 12");
    REFUSED(ciphertune_ctr_restart(ctx, NULL, 16), CIPHERTUNE_E_NULL, "'iv' is NULL");
    REFUSED(ciphertune_ctr_restart(NULL, zeros, 16), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    CHECK(ciphertune_ctr_position(ctx, NULL) == CIPHERTUNE_E_NULL);
    OK(ciphertune_ctr_apply(ctx, NULL, NULL, 0));
    CHECK(ciphertune_ctr_set_threads(NULL, 1) == CIPHERTUNE_E_NULL);

    uint64_t position = 0;
    OK(ciphertune_ctr_position(ctx, &position));
    CHECK(position == 32);
    OK(ciphertune_ctr_seek(ctx, UINT64_MAX));
    OK(ciphertune_ctr_position(ctx, &position));
    CHECK(position == UINT64_MAX);
    OK(ciphertune_ctr_apply(ctx, zeros, data, 1));
    CHECK(ciphertune_ctr_position(ctx, &position) == CIPHERTUNE_E_EXHAUSTED && position == UINT64_MAX);
    ciphertune_ctr_free(ctx);
}

static void blocks(void)
{
    ciphertune_ecb *ecb;
    OK(ciphertune_ecb_new(&ecb, zeros, 32));
#define CALL(in, out, len) ciphertune_ecb_encrypt(ecb, in, out, len)
    BUFFERS(CALL);
#undef CALL
#define CALL(in, out, len) ciphertune_ecb_decrypt(ecb, in, out, len)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_ecb_encrypt(ecb, zeros, data, 17), CIPHERTUNE_E_LENGTH, "17");
    REFUSED(ciphertune_ecb_encrypt(NULL, zeros, data, 16), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    OK(ciphertune_ecb_encrypt(ecb, NULL, NULL, 0));
    ciphertune_ecb_free(ecb);

    ciphertune_cbc *cbc;
    OK(ciphertune_cbc_new(&cbc, zeros, 16));
#define CALL(in, out, len) ciphertune_cbc_encrypt(cbc, iv, in, out, len)
    BUFFERS(CALL);
#undef CALL
#define CALL(in, out, len) ciphertune_cbc_decrypt(cbc, iv, in, out, len)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_cbc_encrypt(cbc, iv, zeros, data, 15), CIPHERTUNE_E_LENGTH, "15");
    REFUSED(ciphertune_cbc_encrypt(cbc, NULL, zeros, data, 16), CIPHERTUNE_E_NULL, "'iv' is NULL");
    REFUSED(ciphertune_cbc_encrypt(cbc, data + 8, zeros, data, 16), CIPHERTUNE_E_OVERLAP, "'iv' and 'out'");
    REFUSED(ciphertune_cbc_decrypt(cbc, data + 8, data, tag, 16), CIPHERTUNE_E_OVERLAP, "'iv' and 'in'");
    ciphertune_cbc_free(cbc);

    ciphertune_cfb *cfb;
    OK(ciphertune_cfb_new(&cfb, zeros, 16));
    ciphertune_cfb8 *cfb8;
    OK(ciphertune_cfb8_new(&cfb8, zeros, 16));
#define CALL(in, out, len) ciphertune_cfb_encrypt(cfb, iv, in, out, len)
    BUFFERS(CALL);
#undef CALL
#define CALL(in, out, len) ciphertune_cfb8_decrypt(cfb8, iv, in, out, len)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_cfb_decrypt(NULL, iv, zeros, data, 16), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    ciphertune_cfb_free(cfb);
    ciphertune_cfb8_free(cfb8);

    ciphertune_xts *xts;
    uint8_t keys[32] = {1};
    OK(ciphertune_xts_new(&xts, keys, 32));
#define CALL(in, out, len) ciphertune_xts_encrypt(xts, zeros + 40, in, out, len)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_xts_encrypt(xts, zeros, zeros, data, 15), CIPHERTUNE_E_LENGTH, "15");
    REFUSED(ciphertune_xts_decrypt(xts, NULL, zeros, data, 16), CIPHERTUNE_E_NULL, "'unit' is NULL");
    REFUSED(ciphertune_xts_decrypt(xts, data, zeros, data + 15, 16), CIPHERTUNE_E_OVERLAP, "'out' and 'unit'");
    ciphertune_xts_free(xts);
}

static void many(void)
{
    ciphertune_cbc_many *ctx;
    OK(ciphertune_cbc_many_new(&ctx, zeros, 16));
    ciphertune_cbc_message messages[3] = {
        {.in = data, .out = data, .len = 16},
        {.in = data + 16, .out = data + 32, .len = 16},
        {.in = zeros, .out = data + 48, .len = 16},
    };
    REFUSED(ciphertune_cbc_many_encrypt(NULL, messages, 3), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    REFUSED(ciphertune_cbc_many_encrypt(ctx, NULL, 3), CIPHERTUNE_E_NULL, "'messages' is NULL");
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, SIZE_MAX), CIPHERTUNE_E_LENGTH, "more bytes");
    messages[2].len = 15;
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_LENGTH, "message 2: ");
    messages[2].len = 16;
    messages[2].out = NULL;
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_NULL, "message 2: 'out' is NULL");
    messages[2].out = data + 48;
    messages[1].len = SIZE_MAX;
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_LENGTH, "message 1: 'in'");
    messages[1].len = 16;
    /* What one writes another reads, or writes, or is the array itself. */
    messages[2].out = data + 31;
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_OVERLAP, "'in' of message 1 and 'out' of message 2");
    messages[2].out = data + 1;
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_OVERLAP, "'out' of message 0 and 'out' of message 2");
    messages[2].out = data + 32;
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_OVERLAP, "'out' of message 1 and 'out' of message 2");
    messages[2].out = &messages[1];
    REFUSED(ciphertune_cbc_many_encrypt(ctx, messages, 3), CIPHERTUNE_E_OVERLAP, "'messages' and 'out' of message 2");
    messages[2].out = data + 48;
    OK(ciphertune_cbc_many_encrypt(ctx, messages, 3));

    ciphertune_cbc_many *ctxs[3] = {ctx, NULL, ctx};
    REFUSED(ciphertune_cbc_many_encrypt_each(NULL, messages, 3), CIPHERTUNE_E_NULL, "'ctxs' is NULL");
    REFUSED(ciphertune_cbc_many_encrypt_each(ctxs, messages, 3), CIPHERTUNE_E_NULL, "message 1: 'ctx' is NULL");
    ctxs[1] = ctx;
    REFUSED(ciphertune_cbc_many_encrypt_each(ctxs, NULL, 3), CIPHERTUNE_E_NULL, "'messages' is NULL");
    REFUSED(ciphertune_cbc_many_encrypt_each(ctxs, messages, SIZE_MAX), CIPHERTUNE_E_LENGTH, "more bytes");
    messages[2].len = 15;
    REFUSED(ciphertune_cbc_many_encrypt_each(ctxs, messages, 3), CIPHERTUNE_E_LENGTH, "message 2: ");
    messages[2].len = 16;
    messages[2].out = data + 31;
    REFUSED(ciphertune_cbc_many_encrypt_each(ctxs, messages, 3), CIPHERTUNE_E_OVERLAP, "'out' of message 2");
    messages[2].out = ctxs;
    REFUSED(ciphertune_cbc_many_encrypt_each(ctxs, messages, 3), CIPHERTUNE_E_OVERLAP, "'ctxs'");
    messages[2].out = data + 48;
    OK(ciphertune_cbc_many_encrypt_each(ctxs, messages, 3));
    ciphertune_cbc_many_free(ctx);

    ciphertune_cmac *cmac;
    OK(ciphertune_cmac_new(&cmac, zeros, 16));
    ciphertune_bytes texts[2] = {{zeros, 20}, {data, 16}};
    REFUSED(ciphertune_cmac_tag(cmac, NULL, 1, tag), CIPHERTUNE_E_NULL, "'message' is NULL");
    REFUSED(ciphertune_cmac_tag(cmac, zeros, 1, NULL), CIPHERTUNE_E_NULL, "'tag' is NULL");
    REFUSED(ciphertune_cmac_tag(cmac, data, 17, data + 16), CIPHERTUNE_E_OVERLAP, "overlap");
    REFUSED(ciphertune_cmac_tags(cmac, texts, data + 15, 2), CIPHERTUNE_E_OVERLAP, "'data' of message 1 and 'tags'");
    REFUSED(ciphertune_cmac_tags(cmac, texts, NULL, 2), CIPHERTUNE_E_NULL, "'tags' is NULL");
    REFUSED(ciphertune_cmac_tags(cmac, NULL, data, 2), CIPHERTUNE_E_NULL, "'messages' is NULL");
    REFUSED(ciphertune_cmac_tags(cmac, texts, data, SIZE_MAX / 8), CIPHERTUNE_E_LENGTH, "more bytes");
    texts[1].data = NULL;
    REFUSED(ciphertune_cmac_tags(cmac, texts, data + 16, 2), CIPHERTUNE_E_NULL, "message 1: 'data' is NULL");
    texts[1].data = data;
    ciphertune_cmac *cmacs[2] = {cmac, NULL};
    REFUSED(ciphertune_cmac_tags_each(NULL, texts, data + 16, 2), CIPHERTUNE_E_NULL, "'ctxs' is NULL");
    REFUSED(ciphertune_cmac_tags_each(cmacs, texts, data + 16, 2), CIPHERTUNE_E_NULL, "message 1: 'ctx' is NULL");
    cmacs[1] = cmac;
    REFUSED(ciphertune_cmac_tags_each(cmacs, texts, data + 15, 2), CIPHERTUNE_E_OVERLAP, "'data' of message 1 and 'tags'");
    REFUSED(ciphertune_cmac_tags_each(cmacs, texts, NULL, 2), CIPHERTUNE_E_NULL, "'tags' is NULL");
    REFUSED(ciphertune_cmac_tags_each(cmacs, texts, data, SIZE_MAX / 8), CIPHERTUNE_E_LENGTH, "more bytes");
    CHECK(ciphertune_cmac_verify(cmac, zeros, 1, tag, 7) == CIPHERTUNE_E_LENGTH);
    CHECK(ciphertune_cmac_verify(cmac, zeros, 1, tag, 17) == CIPHERTUNE_E_LENGTH);
    CHECK(ciphertune_cmac_verify(cmac, zeros, 1, NULL, 16) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_cmac_verify(cmac, zeros, 1, tag, 16) == CIPHERTUNE_E_NOT_AUTHENTIC);
    ciphertune_cmac_free(cmac);
    CHECK(ciphertune_cmac_compare(NULL, tag, 16) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_cmac_compare(tag, NULL, 16) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_cmac_compare(tag, tag, 7) == CIPHERTUNE_E_LENGTH);
    CHECK(ciphertune_cmac_compare(tag, tag, 17) == CIPHERTUNE_E_LENGTH);

    ciphertune_cmac_stream *stream;
    OK(ciphertune_cmac_stream_new(&stream, zeros, 16));
    REFUSED(ciphertune_cmac_stream_update(stream, NULL, 1), CIPHERTUNE_E_NULL, "'part' is NULL");
    REFUSED(ciphertune_cmac_stream_update(NULL, zeros, 1), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    REFUSED(ciphertune_cmac_stream_finish(stream, NULL), CIPHERTUNE_E_NULL, "'tag' is NULL");
    CHECK(ciphertune_cmac_stream_verify(stream, tag, 7) == CIPHERTUNE_E_LENGTH);
    ciphertune_cmac_stream_free(stream);
}

static void gcm(void)
{
    ciphertune_gcm *ctx;
    OK(ciphertune_gcm_new(&ctx, zeros, 16, 16));
#define CALL(in, out, len) ciphertune_gcm_seal(ctx, zeros, 12, zeros, 20, in, out, len, tag, 16)
    BUFFERS(CALL);
#undef CALL
#define SEAL(...) REFUSED(ciphertune_gcm_seal(__VA_ARGS__, data, data, 32, tag, 16)
    SEAL(NULL, zeros, 12, zeros, 4), CIPHERTUNE_E_NULL, "'ctx' is NULL");
    SEAL(ctx, NULL, 12, zeros, 4), CIPHERTUNE_E_NULL, "'nonce' is NULL");
    SEAL(ctx, zeros, 0, zeros, 4), CIPHERTUNE_E_LENGTH, "nonce");
    SEAL(ctx, zeros, 12, NULL, 4), CIPHERTUNE_E_NULL, "'aad' is NULL");
    SEAL(ctx, data + 31, 12, zeros, 4), CIPHERTUNE_E_OVERLAP, "'out' and 'nonce'");
    SEAL(ctx, zeros, 12, data + 10, 4), CIPHERTUNE_E_OVERLAP, "'out' and 'aad'");
    REFUSED(ciphertune_gcm_seal(ctx, zeros, 12, NULL, 0, data, data, 32, tag, 15), CIPHERTUNE_E_LENGTH, "15");
    REFUSED(ciphertune_gcm_seal(ctx, zeros, 12, NULL, 0, data, data, 32, NULL, 16), CIPHERTUNE_E_NULL, "'tag'");
    REFUSED(ciphertune_gcm_seal(ctx, zeros, 12, NULL, 0, data, data, 32, data + 31, 16), CIPHERTUNE_E_OVERLAP,
            "'tag' and 'in'");
    REFUSED(ciphertune_gcm_seal(ctx, zeros, 12, NULL, 0, zeros, data, 32, data + 31, 16), CIPHERTUNE_E_OVERLAP,
            "'tag' and 'out'");
    REFUSED(ciphertune_gcm_open(ctx, zeros, 12, NULL, 0, data, data, 32, tag, 15), CIPHERTUNE_E_LENGTH, "15");
    REFUSED(ciphertune_gcm_open(ctx, zeros, 12, NULL, 0, data, data, 32, data + 31, 16), CIPHERTUNE_E_OVERLAP,
            "'out' and 'tag'");
    OK(ciphertune_gcm_seal(ctx, zeros, 12, NULL, 0, NULL, NULL, 0, tag, 16));
    OK(ciphertune_gcm_open(ctx, zeros, 12, NULL, 0, NULL, NULL, 0, tag, 16));
    ciphertune_gcm_free(ctx);
}

/* What is said of lengths by CCM and OCB alone; the rest they have from where GCM has it. */
static void ccm_and_ocb(void)
{
    ciphertune_ccm *ccm;
    CHECK(ciphertune_ccm_new(&ccm, zeros, 16, 5) == CIPHERTUNE_E_LENGTH);
    OK(ciphertune_ccm_new(&ccm, zeros, 16, 8));
#define CALL(in, out, len) ciphertune_ccm_seal(ccm, zeros, 13, zeros, 20, in, out, len, tag, 8)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_ccm_seal(ccm, zeros, 6, NULL, 0, data, data, 32, tag, 8), CIPHERTUNE_E_LENGTH, "not 6");
    REFUSED(ciphertune_ccm_seal(ccm, zeros, 14, NULL, 0, data, data, 32, tag, 8), CIPHERTUNE_E_LENGTH, "not 14");
    REFUSED(ciphertune_ccm_seal(ccm, zeros, 12, NULL, 0, data, data, 32, tag, 16), CIPHERTUNE_E_LENGTH, "16");
    REFUSED(ciphertune_ccm_open(ccm, zeros, 12, NULL, 0, data, data, 32, tag, 16), CIPHERTUNE_E_LENGTH, "16");
    static uint8_t large[65536];
    CHECK(ciphertune_ccm_seal(ccm, zeros, 13, NULL, 0, large, large, 65536, tag, 8) == CIPHERTUNE_E_LENGTH);
    OK(ciphertune_ccm_seal(ccm, zeros, 13, NULL, 0, large, large, 65535, tag, 8));
    ciphertune_ccm_free(ccm);

    ciphertune_ocb *ocb;
    CHECK(ciphertune_ocb_new(&ocb, zeros, 16, 3) == CIPHERTUNE_E_LENGTH);
    OK(ciphertune_ocb_new(&ocb, zeros, 16, 16));
#define CALL(in, out, len) ciphertune_ocb_seal(ocb, zeros, 12, zeros, 20, in, out, len, tag, 16)
    BUFFERS(CALL);
#undef CALL
    REFUSED(ciphertune_ocb_seal(ocb, zeros, 0, NULL, 0, data, data, 32, tag, 16), CIPHERTUNE_E_LENGTH, "not 0");
    REFUSED(ciphertune_ocb_seal(ocb, zeros, 16, NULL, 0, data, data, 32, tag, 16), CIPHERTUNE_E_LENGTH, "not 16");
    REFUSED(ciphertune_ocb_open(ocb, zeros, 12, NULL, 0, data, data, 32, data + 31, 16), CIPHERTUNE_E_OVERLAP,
            "'out' and 'tag'");
    ciphertune_ocb_free(ocb);
}

static void gcm_stream(void)
{
    ciphertune_gcm_stream *ctx;
    OK(ciphertune_gcm_stream_new(&ctx, zeros, 16, 12));
    /* Before a message. */
    REFUSED(ciphertune_gcm_stream_aad(ctx, zeros, 1), CIPHERTUNE_E_ORDER, "no message");
    REFUSED(ciphertune_gcm_stream_encrypt(ctx, zeros, data, 16), CIPHERTUNE_E_ORDER, "no message");
    REFUSED(ciphertune_gcm_stream_finish(ctx, tag, 12), CIPHERTUNE_E_ORDER, "no message");
    CHECK(ciphertune_gcm_stream_start(ctx, NULL, 12) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_gcm_stream_start(ctx, zeros, 0) == CIPHERTUNE_E_LENGTH);
    OK(ciphertune_gcm_stream_start(ctx, zeros, 12));
#define CALL(in, out, len) ciphertune_gcm_stream_encrypt(ctx, in, out, len)
    BUFFERS(CALL);
#undef CALL
    /* While one is encrypted. */
    REFUSED(ciphertune_gcm_stream_aad(ctx, zeros, 1), CIPHERTUNE_E_ORDER, "additional data");
    REFUSED(ciphertune_gcm_stream_decrypt_unverified(ctx, zeros, data, 16), CIPHERTUNE_E_ORDER, "either");
    REFUSED(ciphertune_gcm_stream_verify(ctx, zeros, 12), CIPHERTUNE_E_ORDER, "either");
    /* What is refused does not end it. */
    REFUSED(ciphertune_gcm_stream_finish(ctx, NULL, 12), CIPHERTUNE_E_NULL, "'tag'");
    REFUSED(ciphertune_gcm_stream_finish(ctx, tag, 16), CIPHERTUNE_E_LENGTH, "16");
    OK(ciphertune_gcm_stream_finish(ctx, tag, 12));
    REFUSED(ciphertune_gcm_stream_finish(ctx, tag, 12), CIPHERTUNE_E_ORDER, "no message");
    /* Who decrypts is not told the tag. */
    OK(ciphertune_gcm_stream_start(ctx, zeros, 12));
    OK(ciphertune_gcm_stream_decrypt_unverified(ctx, zeros, data, 16));
    REFUSED(ciphertune_gcm_stream_finish(ctx, tag, 12), CIPHERTUNE_E_ORDER, "either");
    REFUSED(ciphertune_gcm_stream_verify(ctx, zeros, 16), CIPHERTUNE_E_LENGTH, "16");
    CHECK(ciphertune_gcm_stream_verify(ctx, zeros, 12) == CIPHERTUNE_E_NOT_AUTHENTIC);
    /* Nor may another message be encrypted with the nonce. */
    OK(ciphertune_gcm_stream_start(ctx, zeros, 12));
    REFUSED(ciphertune_gcm_stream_encrypt(ctx, zeros, data, 16), CIPHERTUNE_E_NONCE_USED, "this nonce");
    REFUSED(ciphertune_gcm_stream_finish(ctx, tag, 12), CIPHERTUNE_E_NONCE_USED, "this nonce");
    ciphertune_gcm_stream_free(ctx);
}

static void ocb_stream(void)
{
    ciphertune_ocb_stream *ctx;
    OK(ciphertune_ocb_stream_new(&ctx, zeros, 16, 12));
    /* Before a message. */
    REFUSED(ciphertune_ocb_stream_aad(ctx, zeros, 1), CIPHERTUNE_E_ORDER, "no message");
    REFUSED(ciphertune_ocb_stream_encrypt(ctx, zeros, data, 16), CIPHERTUNE_E_ORDER, "no message");
    REFUSED(ciphertune_ocb_stream_finish(ctx, tag, 12), CIPHERTUNE_E_ORDER, "no message");
    CHECK(ciphertune_ocb_stream_start(ctx, NULL, 12) == CIPHERTUNE_E_NULL);
    REFUSED(ciphertune_ocb_stream_start(ctx, zeros, 16), CIPHERTUNE_E_LENGTH, "not 16");
    OK(ciphertune_ocb_stream_start(ctx, zeros, 12));
#define CALL(in, out, len) ciphertune_ocb_stream_encrypt(ctx, in, out, len)
    BUFFERS(CALL);
#undef CALL
    /* Its end, and what is refused then does not end it. */
    OK(ciphertune_ocb_stream_encrypt(ctx, zeros, data, 7));
    REFUSED(ciphertune_ocb_stream_encrypt(ctx, zeros, data, 16), CIPHERTUNE_E_ORDER, "within a block");
    REFUSED(ciphertune_ocb_stream_decrypt_unverified(ctx, zeros, data, 16), CIPHERTUNE_E_ORDER, "either");
    REFUSED(ciphertune_ocb_stream_verify(ctx, zeros, 12), CIPHERTUNE_E_ORDER, "either");
    REFUSED(ciphertune_ocb_stream_finish(ctx, NULL, 12), CIPHERTUNE_E_NULL, "'tag'");
    REFUSED(ciphertune_ocb_stream_finish(ctx, tag, 16), CIPHERTUNE_E_LENGTH, "16");
    OK(ciphertune_ocb_stream_finish(ctx, tag, 12));
    REFUSED(ciphertune_ocb_stream_finish(ctx, tag, 12), CIPHERTUNE_E_ORDER, "no message");
    /* Its nonce serves no other message. */
    /* A key that is refused changes nothing, and lets no nonce serve twice. */
    OK(ciphertune_ocb_stream_start(ctx, zeros, 12));
    REFUSED(ciphertune_ocb_stream_rekey(ctx, zeros, 17), CIPHERTUNE_E_KEY, "not 17");
    REFUSED(ciphertune_ocb_stream_encrypt(ctx, zeros, data, 16), CIPHERTUNE_E_NONCE_USED, "this nonce");
    ciphertune_ocb_stream_free(ctx);
}

static void wisdom(void)
{
    int basis = 0;
    char path[4096];
    CHECK(ciphertune_basis(NULL) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_use_wisdom(NULL) == CIPHERTUNE_E_NULL);
    CHECK(ciphertune_use_wisdom("/nonexistent/wisdom") == CIPHERTUNE_E_WISDOM_ABSENT);
    CHECK(strstr(ciphertune_message(), "/nonexistent/wisdom") != NULL);
    CHECK(ciphertune_use_wisdom("/dev/null") == CIPHERTUNE_E_WISDOM_REFUSED);
    CHECK(ciphertune_use_wisdom("") == CIPHERTUNE_E_INVALID && strstr(ciphertune_message(), "path is empty") != NULL);
    /* Longer than a message: what is wrong with it is told all the same. */
    memset(path, 'x', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = 0;
    CHECK(ciphertune_use_wisdom(path) == CIPHERTUNE_E_WISDOM_REFUSED);
    CHECK(strstr(ciphertune_message(), "; name another place") != NULL);
    OK(ciphertune_wisdom_path(path, sizeof path));
    size_t len = strlen(path);
    OK(ciphertune_wisdom_path(path, len + 1));
    memset(path, 'x', sizeof path);
    CHECK(ciphertune_wisdom_path(path, len) == CIPHERTUNE_E_LENGTH && path[0] == 'x');
    CHECK(ciphertune_wisdom_path(NULL, 0) == CIPHERTUNE_E_LENGTH);
    CHECK(ciphertune_chosen("ROT-13", "encrypt", 16) == NULL && strstr(ciphertune_message(), "'ROT-13 encrypt'") != NULL);
    CHECK(ciphertune_chosen_of_many("AES-128-CBC", NULL, 16) == NULL);
    CHECK(ciphertune_chosen_of_many("AES-128-CTR", "encrypt", 16) == NULL && strstr(ciphertune_message(), "of many") != NULL);
    CHECK(ciphertune_chosen_of_many("AES-128-CBC", "encrypt", 16) != NULL);
    CHECK(ciphertune_chosen("AES-128-GCM", "encrypt", 16) == NULL);
    CHECK(ciphertune_chosen(NULL, "encrypt", 16) == NULL);
    CHECK(ciphertune_chosen("AES-128-CTR", NULL, 16) == NULL);
    OK(ciphertune_basis(&basis));
    CHECK(basis >= CIPHERTUNE_BASIS_FORCED && basis <= CIPHERTUNE_BASIS_ESTIMATE);
}

/* What the process goes by is settled: a file that is no wisdom is told as before, and changes nothing. That a good one
 * is too late is in crates/capi/tests/wisdom.rs. */
static void late_wisdom(void)
{
    int before = 0, after = 0;
    OK(ciphertune_basis(&before));
    const char *chosen = ciphertune_chosen("AES-128-CTR", "encrypt", 16);
    CHECK(ciphertune_use_wisdom("/nonexistent/wisdom") == CIPHERTUNE_E_WISDOM_ABSENT);
    CHECK(ciphertune_use_wisdom("/dev/null") == CIPHERTUNE_E_WISDOM_REFUSED);
    CHECK(ciphertune_use_wisdom("/etc/passwd") == CIPHERTUNE_E_WISDOM_REFUSED);
    OK(ciphertune_basis(&after));
    CHECK(after == before && ciphertune_chosen("AES-128-CTR", "encrypt", 16) == chosen);
}

int main(void)
{
    CHECK(strcmp(ciphertune_message(), "") == 0);
    wisdom();
    makers();
    rekeying();
    streams();
    blocks();
    many();
    gcm();
    ccm_and_ocb();
    gcm_stream();
    ocb_stream();
    late_wisdom();
    for (int code = -1; code < 20; code++)
        CHECK(strlen(ciphertune_strerror(code)) > 0);
    CHECK(strstr(ciphertune_strerror(CIPHERTUNE_E_IMPLEMENTATION), "CIPHERTUNE_CPU") != NULL);
    return 0;
}

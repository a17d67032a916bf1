/* Published answers, through every function that encrypts: in place, from buffer to buffer, in several calls. */
#include "check.h"

/* SP 800-38A, appendix F; RFC 4493, section 4. */
static const char *KEY = "2b7e151628aed2a6abf7158809cf4f3c";
static const char *TEXT = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                          "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
static const char *IV = "000102030405060708090a0b0c0d0e0f";
static const char *COUNTER = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
static const char *ECB = "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
                         "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4";
static const char *CBC = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                         "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7";
static const char *CFB = "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"
                         "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6";
static const char *CFB8 = "3b79424c9c0dd436bace9e0ed4586a4f32b9";
static const char *CTR = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                         "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee";

static uint8_t key[16], text[64], iv[16], out[64], back[64];

/* That a context goes by the last key that it took: by another, of twice the length, by its own again, and by that still
 * after one that was refused. */
#define REKEYED(mode, ctx, own, own_len, call, right)            \
    do {                                                         \
        uint8_t other[64];                                       \
        for (size_t at = 0; at < sizeof other; at++)             \
            other[at] = (uint8_t)at;                             \
        OK(mode##_rekey(ctx, other, 2 * (own_len)));             \
        OK(call);                                                \
        CHECK(!(right));                                         \
        OK(mode##_rekey(ctx, own, own_len));                     \
        CHECK(mode##_rekey(ctx, other, 17) == CIPHERTUNE_E_KEY); \
        OK(call);                                                \
        CHECK(right);                                            \
    } while (0)

static void ctr(void)
{
    ciphertune_ctr *ctx;
    uint8_t counter[16];
    uint64_t position;
    hex(counter, COUNTER);
    OK(ciphertune_ctr_new(&ctx, key, 16, counter, 16));
    OK(ciphertune_ctr_apply(ctx, text, out, 64));
    CHECK(are(out, CTR));
    OK(ciphertune_ctr_position(ctx, &position));
    CHECK(position == 64);

    OK(ciphertune_ctr_seek(ctx, 0));
    memcpy(back, out, 64);
    for (size_t at = 0; at < 64; at += 8)
        OK(ciphertune_ctr_apply(ctx, back + at, back + at, 8));
    CHECK(are(back, TEXT));

    OK(ciphertune_ctr_seek(ctx, 17));
    OK(ciphertune_ctr_apply(ctx, text + 17, back, 47));
    CHECK(are(back, CTR + 2 * 17));

    uint8_t other[32] = {1};
    OK(ciphertune_ctr_rekey(ctx, other, 32, other, 16));
    OK(ciphertune_ctr_apply(ctx, text, back, 64));
    CHECK(!are(back, CTR));
    OK(ciphertune_ctr_rekey(ctx, key, 16, counter, 16));
    OK(ciphertune_ctr_apply(ctx, text, back, 64));
    CHECK(are(back, CTR));

    OK(ciphertune_ctr_restart(ctx, other, 16));
    OK(ciphertune_ctr_apply(ctx, text, back, 5));
    CHECK(!are(back, "874d6191b6"));
    OK(ciphertune_ctr_restart(ctx, counter, 16));
    OK(ciphertune_ctr_apply(ctx, text, back, 64));
    CHECK(are(back, CTR));
    ciphertune_ctr_free(ctx);
}

/* By several threads what one makes, in a long call and in many short ones. */
static void ctr_threads(void)
{
    enum { LONG = 3 << 20, SHORT = 10000 };
    uint8_t *alone = (uint8_t *)calloc(1, LONG), *together = (uint8_t *)calloc(1, LONG);
    ciphertune_ctr *ctx;
    CHECK(alone && together && ciphertune_threads_available() < 10000);
    OK(ciphertune_ctr_new(&ctx, key, 16, key, 16));
    OK(ciphertune_ctr_apply(ctx, alone, alone, LONG));
    for (size_t threads = 2; threads <= 2; threads--) {
        OK(ciphertune_ctr_set_threads(ctx, threads));
        OK(ciphertune_ctr_seek(ctx, 0));
        memset(together, 0, LONG);
        OK(ciphertune_ctr_apply(ctx, together, together, LONG));
        CHECK(memcmp(alone, together, LONG) == 0);
        OK(ciphertune_ctr_seek(ctx, 0));
        memset(together, 0, LONG);
        for (size_t at = 0; at < LONG; at += SHORT) {
            size_t len = LONG - at < SHORT ? LONG - at : SHORT;
            OK(ciphertune_ctr_apply(ctx, together + at, together + at, len));
        }
        CHECK(memcmp(alone, together, LONG) == 0);
    }
    ciphertune_ctr_free(ctx);
    free(alone);
    free(together);
}

static void ecb(void)
{
    ciphertune_ecb *ctx;
    OK(ciphertune_ecb_new(&ctx, key, 16));
    OK(ciphertune_ecb_encrypt(ctx, text, out, 64));
    CHECK(are(out, ECB));
    OK(ciphertune_ecb_decrypt(ctx, out, back, 64));
    CHECK(are(back, TEXT));
    OK(ciphertune_ecb_encrypt(ctx, back, back, 64));
    CHECK(are(back, ECB));
    OK(ciphertune_ecb_decrypt(ctx, back, back, 64));
    CHECK(are(back, TEXT));
    REKEYED(ciphertune_ecb, ctx, key, 16, ciphertune_ecb_encrypt(ctx, text, out, 64), are(out, ECB));
    REKEYED(ciphertune_ecb, ctx, key, 16, ciphertune_ecb_decrypt(ctx, out, back, 64), are(back, TEXT));
    ciphertune_ecb_free(ctx);
}

static void cbc(void)
{
    ciphertune_cbc *ctx;
    OK(ciphertune_cbc_new(&ctx, key, 16));
    hex(iv, IV);
    OK(ciphertune_cbc_encrypt(ctx, iv, text, out, 64));
    CHECK(are(out, CBC) && are(iv, CBC + 2 * 48));
    hex(iv, IV);
    OK(ciphertune_cbc_decrypt(ctx, iv, out, back, 64));
    CHECK(are(back, TEXT) && are(iv, CBC + 2 * 48));
    hex(iv, IV);
    OK(ciphertune_cbc_encrypt(ctx, iv, back, back, 16));
    OK(ciphertune_cbc_encrypt(ctx, iv, back + 16, back + 16, 48));
    CHECK(are(back, CBC));
    hex(iv, IV);
    OK(ciphertune_cbc_decrypt(ctx, iv, back, back, 64));
    CHECK(are(back, TEXT));
#define ENCRYPTED (hex(iv, IV), ciphertune_cbc_encrypt(ctx, iv, text, out, 64))
    REKEYED(ciphertune_cbc, ctx, key, 16, ENCRYPTED, are(out, CBC));
#undef ENCRYPTED
    ciphertune_cbc_free(ctx);
}

static void cbc_many(void)
{
    enum { COUNT = 70 };
    static uint8_t packets[COUNT][64];
    ciphertune_cbc_message messages[COUNT];
    for (int i = 0; i < COUNT; i++) {
        hex(messages[i].iv, IV);
        memcpy(packets[i], text, 64);
        /* Every other message from the one text that they share. */
        messages[i].in = i % 2 ? text : packets[i];
        messages[i].out = packets[i];
        messages[i].len = 16 * (size_t)(i % 5);
    }
    ciphertune_cbc_many *ctx;
    OK(ciphertune_cbc_many_new(&ctx, key, 16));
    OK(ciphertune_cbc_many_encrypt(ctx, messages, COUNT));
    for (int i = 0; i < COUNT; i++) {
        size_t len = messages[i].len;
        uint8_t expected[64];
        hex(expected, CBC);
        CHECK(memcmp(packets[i], expected, len) == 0 && memcmp(packets[i] + len, text + len, 64 - len) == 0);
        CHECK(len == 0 ? are(messages[i].iv, IV) : memcmp(messages[i].iv, expected + len - 16, 16) == 0);
    }
    OK(ciphertune_cbc_many_encrypt(ctx, NULL, 0));

    /* Every third with another key, the same that encrypts it alone. */
    static uint8_t alone[64], others[64];
    uint8_t iv[16];
    ciphertune_cbc *one;
    ciphertune_cbc_many *other;
    ciphertune_cbc_many *ctxs[COUNT];
    OK(ciphertune_cbc_new(&one, text, 24));
    hex(iv, IV);
    OK(ciphertune_cbc_encrypt(one, iv, text, alone, 64));
    OK(ciphertune_cbc_many_new(&other, text, 24));
    for (int i = 0; i < COUNT; i++) {
        hex(messages[i].iv, IV);
        messages[i].in = text;
        ctxs[i] = i % 3 ? ctx : other;
    }
    OK(ciphertune_cbc_many_encrypt_each(ctxs, messages, COUNT));
    hex(others, CBC);
    for (int i = 0; i < COUNT; i++) {
        size_t len = messages[i].len;
        const uint8_t *expected = i % 3 ? others : alone;
        CHECK(memcmp(packets[i], expected, len) == 0);
        CHECK(len == 0 || memcmp(messages[i].iv, expected + len - 16, 16) == 0);
    }
    OK(ciphertune_cbc_many_encrypt_each(NULL, NULL, 0));
    ciphertune_cbc_many_free(other);
    ciphertune_cbc_free(one);
#define ENCRYPTED (hex(messages[4].iv, IV), ciphertune_cbc_many_encrypt(ctx, messages + 4, 1))
    messages[4].in = text;
    REKEYED(ciphertune_cbc_many, ctx, key, 16, ENCRYPTED, are(packets[4], CBC));
#undef ENCRYPTED
    ciphertune_cbc_many_free(ctx);
}

static void cfb(void)
{
    ciphertune_cfb *ctx;
    OK(ciphertune_cfb_new(&ctx, key, 16));
    hex(iv, IV);
    hex(back, CFB);
    out[61] = 0xaa;
    OK(ciphertune_cfb_encrypt(ctx, iv, text, out, 61));
    CHECK(memcmp(out, back, 61) == 0 && out[61] == 0xaa);
    /* What is left of the last block, and no keystream: so much of the message is over. */
    CHECK(memcmp(iv, out + 48, 13) == 0 && memcmp(iv + 13, "\0\0\0", 3) == 0);
    hex(iv, IV);
    OK(ciphertune_cfb_encrypt(ctx, iv, text, out, 64));
    CHECK(are(out, CFB));
    hex(iv, IV);
    OK(ciphertune_cfb_decrypt(ctx, iv, out, back, 32));
    OK(ciphertune_cfb_decrypt(ctx, iv, out + 32, back + 32, 32));
    CHECK(are(back, TEXT));
    hex(iv, IV);
    OK(ciphertune_cfb_encrypt(ctx, iv, back, back, 64));
    CHECK(are(back, CFB));
    hex(iv, IV);
    OK(ciphertune_cfb_decrypt(ctx, iv, back, back, 64));
    CHECK(are(back, TEXT));
#define ENCRYPTED (hex(iv, IV), ciphertune_cfb_encrypt(ctx, iv, text, out, 64))
    REKEYED(ciphertune_cfb, ctx, key, 16, ENCRYPTED, are(out, CFB));
#undef ENCRYPTED
    ciphertune_cfb_free(ctx);
}

static void cfb8(void)
{
    ciphertune_cfb8 *ctx;
    OK(ciphertune_cfb8_new(&ctx, key, 16));
    hex(iv, IV);
    OK(ciphertune_cfb8_encrypt(ctx, iv, text, out, 18));
    CHECK(are(out, CFB8) && memcmp(iv, out + 2, 16) == 0);
    hex(iv, IV);
    OK(ciphertune_cfb8_decrypt(ctx, iv, out, out, 7));
    OK(ciphertune_cfb8_decrypt(ctx, iv, out + 7, out + 7, 11));
    CHECK(memcmp(out, text, 18) == 0);
#define ENCRYPTED (hex(iv, IV), ciphertune_cfb8_encrypt(ctx, iv, text, out, 18))
    REKEYED(ciphertune_cfb8, ctx, key, 16, ENCRYPTED, are(out, CFB8));
#undef ENCRYPTED
    ciphertune_cfb8_free(ctx);
}

/* IEEE 1619-2007, annex B, vectors 2 and 15. */
static void xts(void)
{
    uint8_t keys[32], unit[16] = {0x33, 0x33, 0x33, 0x33, 0x33};
    ciphertune_xts *ctx;
    memset(keys, 0x11, 16);
    memset(keys + 16, 0x22, 16);
    memset(back, 0x44, 32);
    OK(ciphertune_xts_new(&ctx, keys, 32));
    OK(ciphertune_xts_encrypt(ctx, unit, back, out, 32));
    CHECK(are(out, "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"));
    OK(ciphertune_xts_decrypt(ctx, unit, out, out, 32));
    CHECK(memcmp(out, back, 32) == 0);
    ciphertune_xts_free(ctx);

    for (int i = 0; i < 16; i++) {
        keys[i] = (uint8_t)(0xff - i);
        keys[16 + i] = (uint8_t)(0xbf - i);
    }
    for (int i = 0; i < 17; i++)
        back[i] = (uint8_t)i;
    memset(unit, 0, 16);
    hex(unit, "9a78563412");
    OK(ciphertune_xts_new(&ctx, keys, 32));
    OK(ciphertune_xts_encrypt(ctx, unit, back, back, 17));
    CHECK(are(back, "6c1625db4671522d3d7599601de7ca09ed"));
    OK(ciphertune_xts_decrypt(ctx, unit, back, out, 17));
    CHECK(are(out, "000102030405060708090a0b0c0d0e0f10"));
    REKEYED(ciphertune_xts, ctx, keys, 32, ciphertune_xts_encrypt(ctx, unit, out, back, 17),
            are(back, "6c1625db4671522d3d7599601de7ca09ed"));
    ciphertune_xts_free(ctx);
}

/* McGrew and Viega, "The Galois/Counter Mode of Operation", test case 4. */
static void gcm(void)
{
    static const char *CIPHERTEXT = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                                    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
    static const char *TAG = "5bc94fbc3221a5db94fae95ae7121a47";
    uint8_t gcm_key[16], nonce[12], aad[20], plain[60], sealed[76];
    hex(gcm_key, "feffe9928665731c6d6a8f9467308308");
    hex(nonce, "cafebabefacedbaddecaf888");
    hex(aad, "feedfacedeadbeeffeedfacedeadbeefabaddad2");
    hex(plain, "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
               "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
    ciphertune_gcm *ctx;
    OK(ciphertune_gcm_new(&ctx, gcm_key, 16, 16));
    /* The tag right behind the text. */
    OK(ciphertune_gcm_seal(ctx, nonce, 12, aad, 20, plain, sealed, 60, sealed + 60, 16));
    CHECK(are(sealed, CIPHERTEXT) && are(sealed + 60, TAG));
    OK(ciphertune_gcm_open(ctx, nonce, 12, aad, 20, sealed, back, 60, sealed + 60, 16));
    CHECK(memcmp(back, plain, 60) == 0);
    OK(ciphertune_gcm_seal(ctx, nonce, 12, aad, 20, back, back, 60, out, 16));
    CHECK(are(back, CIPHERTEXT) && are(out, TAG));
    OK(ciphertune_gcm_open(ctx, nonce, 12, aad, 20, back, back, 60, out, 16));
    CHECK(memcmp(back, plain, 60) == 0);

    for (int i = 0; i < 76; i++) {
        uint8_t forged[76];
        memcpy(forged, sealed, 76);
        forged[i] ^= 0x10;
        memset(back, 0xaa, 60);
        CHECK(ciphertune_gcm_open(ctx, nonce, 12, aad, 20, forged, back, 60, forged + 60, 16) ==
              CIPHERTUNE_E_NOT_AUTHENTIC);
        for (int j = 0; j < 60; j++)
            CHECK(back[j] == 0);
    }

    OK(ciphertune_gcm_rekey(ctx, key, 16));
    CHECK(ciphertune_gcm_open(ctx, nonce, 12, aad, 20, sealed, back, 60, sealed + 60, 16) ==
          CIPHERTUNE_E_NOT_AUTHENTIC);
    ciphertune_gcm_free(ctx);

    OK(ciphertune_gcm_new(&ctx, gcm_key, 16, 12));
    memset(out, 0xaa, 16);
    OK(ciphertune_gcm_seal(ctx, nonce, 12, aad, 20, plain, sealed, 60, out, 12));
    CHECK(memcmp(out, sealed + 60, 12) == 0 && out[12] == 0xaa);
    ciphertune_gcm_free(ctx);

    ciphertune_gcm_stream *stream;
    OK(ciphertune_gcm_stream_new(&stream, key, 16, 16));
    for (size_t part = 1; part < 60; part += 7) {
        size_t at, len;
        memset(sealed, 0, sizeof sealed);
        /* The same message again, for which its key is new. */
        OK(ciphertune_gcm_stream_rekey(stream, gcm_key, 16));
        OK(ciphertune_gcm_stream_start(stream, nonce, 12));
        OK(ciphertune_gcm_stream_aad(stream, aad, 5));
        OK(ciphertune_gcm_stream_aad(stream, aad + 5, 15));
        for (at = 0; at < 60; at += len) {
            len = part < 60 - at ? part : 60 - at;
            OK(ciphertune_gcm_stream_encrypt(stream, plain + at, sealed + at, len));
        }
        OK(ciphertune_gcm_stream_finish(stream, sealed + 60, 16));
        CHECK(are(sealed, CIPHERTEXT) && are(sealed + 60, TAG));

        OK(ciphertune_gcm_stream_start(stream, nonce, 12));
        OK(ciphertune_gcm_stream_aad(stream, aad, 20));
        for (at = 0; at < 60; at += len) {
            len = part < 60 - at ? part : 60 - at;
            OK(ciphertune_gcm_stream_decrypt_unverified(stream, sealed + at, sealed + at, len));
        }
        if (part % 2) {
            OK(ciphertune_gcm_stream_verify(stream, sealed + 60, 16));
        } else {
            sealed[60 + part % 16] ^= 0x80;
            CHECK(ciphertune_gcm_stream_verify(stream, sealed + 60, 16) == CIPHERTUNE_E_NOT_AUTHENTIC);
        }
        CHECK(memcmp(sealed, plain, 60) == 0);
    }
    ciphertune_gcm_stream_free(stream);
}

/* One message by `mode`, in both directions, in place and apart, and with every byte of it changed. */
#define SEALED(mode, key_digits, nonce_digits, aad_digits, text_digits, sealed_digits)                              \
    do {                                                                                                            \
        uint8_t a_key[32], nonce[16], aad[32], plain[64], sealed[64], answer[64];                                   \
        size_t nonce_len = hex(nonce, nonce_digits), aad_len = hex(aad, aad_digits), len = hex(plain, text_digits); \
        size_t tag_len = strlen(sealed_digits) / 2 - len;                                                           \
        mode *ctx;                                                                                                  \
        OK(mode##_new(&ctx, a_key, hex(a_key, key_digits), tag_len));                                               \
        OK(mode##_seal(ctx, nonce, nonce_len, aad, aad_len, plain, sealed, len, sealed + len, tag_len));            \
        CHECK(are(sealed, sealed_digits));                                                                          \
        OK(mode##_open(ctx, nonce, nonce_len, aad, aad_len, sealed, answer, len, sealed + len, tag_len));           \
        CHECK(memcmp(answer, plain, len) == 0);                                                                     \
        OK(mode##_seal(ctx, nonce, nonce_len, aad, aad_len, answer, answer, len, answer + len, tag_len));           \
        CHECK(are(answer, sealed_digits));                                                                          \
        OK(mode##_open(ctx, nonce, nonce_len, aad, aad_len, answer, answer, len, answer + len, tag_len));           \
        CHECK(memcmp(answer, plain, len) == 0);                                                                     \
        for (size_t i = 0; i < len + tag_len; i++) {                                                                \
            hex(sealed, sealed_digits);                                                                             \
            sealed[i] ^= 1;                                                                                         \
            CHECK(mode##_open(ctx, nonce, nonce_len, aad, aad_len, sealed, answer, len, sealed + len, tag_len) ==   \
                  CIPHERTUNE_E_NOT_AUTHENTIC);                                                                      \
            for (size_t j = 0; j < len; j++)                                                                        \
                CHECK(answer[j] == 0);                                                                              \
        }                                                                                                           \
        REKEYED(mode, ctx, a_key, 16, mode##_seal(ctx, nonce, nonce_len, aad, aad_len, plain, sealed, len,          \
                                                  sealed + len, tag_len), are(sealed, sealed_digits));              \
        mode##_free(ctx);                                                                                           \
    } while (0)

static void ccm_and_ocb(void)
{
    /* SP 800-38C, examples 1 and 2. */
    SEALED(ciphertune_ccm, "404142434445464748494a4b4c4d4e4f", "10111213141516", "0001020304050607", "20212223",
           "7162015b4dac255d");
    SEALED(ciphertune_ccm, "404142434445464748494a4b4c4d4e4f", "1011121314151617", "000102030405060708090a0b0c0d0e0f",
           "202122232425262728292a2b2c2d2e2f", "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd");
    /* RFC 7253, appendix A. */
    SEALED(ciphertune_ocb, "000102030405060708090a0b0c0d0e0f", "bbaa99887766554433221101", "0001020304050607",
           "0001020304050607", "6820b3657b6f615a5725bda0d3b4eb3a257c9af1f8f03009");
}

/* RFC 7253, appendix A, by blocks. */
static void ocb_stream(void)
{
    static const char SEALED_DIGITS[] = "1ca2207308c87c010756104d8840ce1952f09673a448a122c92c62241051f57356d7f3c90bb0e07f";
    uint8_t a_key[16], nonce[12], text[24], sealed[40];
    ciphertune_ocb_stream *ctx;
    hex(a_key, "000102030405060708090a0b0c0d0e0f");
    hex(nonce, "bbaa99887766554433221107");
    hex(text, "000102030405060708090a0b0c0d0e0f1011121314151617");
    OK(ciphertune_ocb_stream_new(&ctx, key, 16, 16));
    OK(ciphertune_ocb_stream_start(ctx, nonce, 12));
    OK(ciphertune_ocb_stream_encrypt(ctx, text, sealed, 16));
    /* The message ends, and for another key its nonce is new. */
    OK(ciphertune_ocb_stream_rekey(ctx, a_key, 16));
    OK(ciphertune_ocb_stream_start(ctx, nonce, 12));
    OK(ciphertune_ocb_stream_aad(ctx, text, 5));
    OK(ciphertune_ocb_stream_aad(ctx, text + 5, 19));
    OK(ciphertune_ocb_stream_encrypt(ctx, text, sealed, 16));
    OK(ciphertune_ocb_stream_encrypt(ctx, text + 16, sealed + 16, 8));
    OK(ciphertune_ocb_stream_finish(ctx, sealed + 24, 16));
    CHECK(are(sealed, SEALED_DIGITS));
    for (int damaged = 0; damaged < 2; damaged++) {
        hex(sealed, SEALED_DIGITS);
        sealed[30] ^= damaged;
        OK(ciphertune_ocb_stream_start(ctx, nonce, 12));
        OK(ciphertune_ocb_stream_decrypt_unverified(ctx, sealed, sealed, 16));
        OK(ciphertune_ocb_stream_decrypt_unverified(ctx, sealed + 16, sealed + 16, 8));
        OK(ciphertune_ocb_stream_aad(ctx, text, 24));
        CHECK(ciphertune_ocb_stream_verify(ctx, sealed + 24, 16) == (damaged ? CIPHERTUNE_E_NOT_AUTHENTIC : CIPHERTUNE_OK));
        CHECK(memcmp(sealed, text, 24) == 0);
    }
    ciphertune_ocb_stream_free(ctx);
}

static void cmac(void)
{
    static const struct {
        size_t len;
        const char *tag;
    } CASES[] = {
        {0, "bb1d6929e95937287fa37d129b756746"},
        {16, "070a16b46b4d4144f79bdd9dd04a287c"},
        {40, "dfa66747de9ae63030ca32611497c827"},
        {64, "51f0bebf7e3b9d92fc49741779363cfe"},
    };
    enum { COUNT = sizeof CASES / sizeof *CASES };
    ciphertune_bytes messages[COUNT];
    uint8_t tags[16 * COUNT];
    ciphertune_cmac *ctx;
    OK(ciphertune_cmac_new(&ctx, key, 16));
    for (int i = 0; i < COUNT; i++) {
        uint8_t tag[16];
        messages[i].data = text;
        messages[i].len = CASES[i].len;
        OK(ciphertune_cmac_tag(ctx, text, CASES[i].len, tag));
        CHECK(are(tag, CASES[i].tag));
        OK(ciphertune_cmac_verify(ctx, text, CASES[i].len, tag, 16));
        OK(ciphertune_cmac_verify(ctx, text, CASES[i].len, tag, 8));
        tag[7] ^= 1;
        CHECK(ciphertune_cmac_verify(ctx, text, CASES[i].len, tag, 8) == CIPHERTUNE_E_NOT_AUTHENTIC);
    }
    OK(ciphertune_cmac_tags(ctx, messages, tags, COUNT));
    for (int i = 0; i < COUNT; i++) {
        uint8_t tag[16];
        CHECK(are(tags + 16 * i, CASES[i].tag));
        for (size_t len = 8; len <= 16; len++) {
            hex(tag, CASES[i].tag);
            OK(ciphertune_cmac_compare(tags + 16 * i, tag, len));
            tag[len - 1] ^= 1;
            CHECK(ciphertune_cmac_compare(tags + 16 * i, tag, len) == CIPHERTUNE_E_NOT_AUTHENTIC);
        }
    }
    OK(ciphertune_cmac_tags(ctx, NULL, NULL, 0));
    uint8_t alone[16];
    ciphertune_cmac *other;
    OK(ciphertune_cmac_new(&other, text, 32));
    OK(ciphertune_cmac_tag(other, text, CASES[1].len, alone));
    ciphertune_cmac *ctxs[COUNT] = {ctx, other, ctx, ctx};
    OK(ciphertune_cmac_tags_each(ctxs, messages, tags, COUNT));
    for (int i = 0; i < COUNT; i++)
        CHECK(i == 1 ? memcmp(tags + 16, alone, 16) == 0 : are(tags + 16 * i, CASES[i].tag));
    OK(ciphertune_cmac_tags_each(NULL, NULL, NULL, 0));
    ciphertune_cmac_free(other);
    REKEYED(ciphertune_cmac, ctx, key, 16, ciphertune_cmac_tag(ctx, text, 40, tags), are(tags, CASES[2].tag));
    ciphertune_cmac_free(ctx);

    ciphertune_cmac_stream *stream;
    OK(ciphertune_cmac_stream_new(&stream, key, 16));
    for (int i = 0; i < COUNT; i++) {
        uint8_t tag[16];
        for (size_t at = 0; at < CASES[i].len; at += 8)
            OK(ciphertune_cmac_stream_update(stream, text + at, 8));
        OK(ciphertune_cmac_stream_finish(stream, tag));
        CHECK(are(tag, CASES[i].tag));
        OK(ciphertune_cmac_stream_update(stream, text, CASES[i].len));
        OK(ciphertune_cmac_stream_verify(stream, tag, 12));
        REKEYED(ciphertune_cmac_stream, stream, key, 16,
                ciphertune_cmac_stream_update(stream, text, CASES[i].len) || ciphertune_cmac_stream_finish(stream, out),
                are(out, CASES[i].tag));
        OK(ciphertune_cmac_stream_update(stream, text, CASES[i].len));
        tag[11] ^= 4;
        CHECK(ciphertune_cmac_stream_verify(stream, tag, 12) == CIPHERTUNE_E_NOT_AUTHENTIC);
    }
    ciphertune_cmac_stream_free(stream);
}

int main(void)
{
    hex(key, KEY);
    hex(text, TEXT);
    ctr();
    ctr_threads();
    ecb();
    cbc();
    cbc_many();
    cfb();
    cfb8();
    xts();
    gcm();
    ccm_and_ocb();
    ocb_stream();
    cmac();
    return 0;
}

/* The provider against OpenSSL's default one: the same random calls to both, and everything that can be seen compared:
 * answers, lengths, bytes, IVs, the reason of the last error. In threads, in a forked child, in copies; and with
 * thousands of contexts freed in another order.
 *
 *   differential ROUNDS [SEED [threads]]
 *
 * With the last, where the provider's settings let counter mode have threads of its own: calls of it are longer then, and
 * what makes keystream ahead must have begun before a stream is told to start anew, is copied or forks.
 */
#include <dirent.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 20000, LONGEST = 300000, GUARD = 64, TAG = 16, BLOCK = 16 };

/* One cipher of both, and a context of each: 0 is ours. */
struct pair {
    const char *name;
    int mode, key_len, iv_len, encrypting, fresh, rounds, threads, longest;
    EVP_CIPHER *cipher[2];
    EVP_CIPHER_CTX *ctx[2];
    uint64_t random;
    unsigned char in[LONGEST], out[2][LONGEST + 3 * GUARD];
    char log[4096];
};

static uint64_t next(struct pair *p) {
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return p->random;
}

static int below(struct pair *p, int n) {
    return next(p) % n;
}

static void randomize(struct pair *p, unsigned char *bytes, int n) {
    for (int i = 0; i < n; i++)
        bytes[i] = next(p) >> 32;
}

/* Mostly short, at times long. */
static int length(struct pair *p) {
    switch (below(p, 8)) {
    case 0: return 0;
    case 1: return BLOCK * below(p, 20);
    case 2: return below(p, p->longest);
    case 3: return BLOCK * below(p, p->longest / BLOCK);
    default: return below(p, 70);
    }
}

static void note(struct pair *p, const char *what, int n) {
    size_t used = strlen(p->log);
    if (used > sizeof p->log - 40)
        used = 0;
    snprintf(p->log + used, sizeof p->log - used, " %s(%d)", what, n);
}

static void fail(struct pair *p, const char *what, long ours, long theirs) {
    fprintf(stderr, "differential: %s: %s: %ld, not %ld; after%s\n", p->name, what, ours, theirs, p->log);
    exit(1);
}

static void same(struct pair *p, const char *what, long ours, long theirs) {
    if (ours != theirs)
        fail(p, what, ours, theirs);
}

static void same_bytes(struct pair *p, const char *what, const void *ours, const void *theirs, int n) {
    const unsigned char *a = ours, *b = theirs;
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) {
            fprintf(stderr, "byte %d of %d: ", i, n);
            fail(p, what, a[i], b[i]);
        }
}

/* Runs CALL for both, with `ctx`, `out` and `side` to be used in it, and compares the answers and, if they are failures, the reasons. */
#define BOTH(p, what, CALL)                                                             \
    ({                                                                                  \
        long answer[2], reason[2];                                                      \
        for (int side = 0; side < 2; side++) {                                          \
            EVP_CIPHER_CTX *ctx = (p)->ctx[side];                                       \
            unsigned char *out = (p)->out[side] + GUARD;                                \
            (void)ctx, (void)out;                                                       \
            ERR_clear_error();                                                          \
            answer[side] = (CALL);                                                      \
            unsigned long error = ERR_peek_last_error();                                \
            reason[side] = answer[side] > 0 ? 0 : (long)error;                          \
        }                                                                               \
        same(p, what, answer[0], answer[1]);                                            \
        if (reason[0] != reason[1])                                                     \
            fail(p, what ": the last error", reason[0], reason[1]);                     \
        answer[0];                                                                      \
    })

/* What can be asked at any time. */
static void compare_state(struct pair *p) {
    unsigned char iv[2][128];
    memset(iv, 0, sizeof iv);
    same(p, "key length", EVP_CIPHER_CTX_get_key_length(p->ctx[0]), EVP_CIPHER_CTX_get_key_length(p->ctx[1]));
    same(p, "IV length", EVP_CIPHER_CTX_get_iv_length(p->ctx[0]), EVP_CIPHER_CTX_get_iv_length(p->ctx[1]));
    same(p, "tag length", EVP_CIPHER_CTX_get_tag_length(p->ctx[0]), EVP_CIPHER_CTX_get_tag_length(p->ctx[1]));
    if (p->mode != EVP_CIPH_XTS_MODE)
        same(p, "num", EVP_CIPHER_CTX_get_num(p->ctx[0]), EVP_CIPHER_CTX_get_num(p->ctx[1]));
    if (BOTH(p, "original IV", EVP_CIPHER_CTX_get_original_iv(ctx, iv[side], sizeof iv[side])))
        same_bytes(p, "original IV", iv[0], iv[1], EVP_CIPHER_CTX_get_iv_length(p->ctx[0]));
    if (BOTH(p, "updated IV", EVP_CIPHER_CTX_get_updated_iv(ctx, iv[side], sizeof iv[side])))
        same_bytes(p, "updated IV", iv[0], iv[1], EVP_CIPHER_CTX_get_iv_length(p->ctx[0]));
}

/* Both contexts become copies of themselves. */
static void copy(struct pair *p) {
    note(p, "copy", 0);
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        if (EVP_CIPHER_CTX_copy(ctx, p->ctx[side]) != 1)
            fail(p, "copy", side, 0);
        EVP_CIPHER_CTX_free(p->ctx[side]);
        p->ctx[side] = ctx;
    }
}

static void new_contexts(struct pair *p) {
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER_CTX_free(p->ctx[side]);
        p->ctx[side] = EVP_CIPHER_CTX_new();
    }
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, p->cipher[side], NULL, NULL, 1, NULL));
}

static int init(struct pair *p, int with_key, int with_iv, int encrypting) {
    unsigned char key[64], iv[128];
    randomize(p, key, sizeof key);
    randomize(p, iv, sizeof iv);
    /* Counters that carry. */
    if (below(p, 4) == 0)
        memset(iv + below(p, 16), 0xff, 16);
    note(p, with_key ? with_iv ? "init" : "init-key" : with_iv ? "init-iv" : "init-none", encrypting);
    p->encrypting = encrypting;
    p->fresh = 1;
    return BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, with_key ? key : NULL, with_iv ? iv : NULL, encrypting, NULL));
}

enum way { UPDATE, CIPHER, FINAL };

/* One call with data: in place or not, aligned or not. Answers how many bytes came, or a negative number. */
static int data(struct pair *p, enum way way, int n) {
    int len[2] = {0, 0}, at = below(p, 4), from = below(p, 4), in_place = below(p, 2);
    if (n > LONGEST - 8)
        n = LONGEST - 8;
    /* Where blocks are held back, the default provider writes over its input before it has read it. */
    if (p->mode <= EVP_CIPH_CBC_MODE && way == UPDATE && !p->fresh)
        in_place = 0;
    p->fresh = 0;
    randomize(p, p->in, n + from);
    note(p, way == UPDATE ? in_place ? "update" : "update-to" : way == CIPHER ? "cipher" : "final", n);
    /* What a call may write, and a guard at both ends. */
    int end = GUARD + at + n + BLOCK + GUARD;
    for (int side = 0; side < 2; side++) {
        memset(p->out[side], 0xa5, end);
        if (in_place && way != FINAL)
            memcpy(p->out[side] + GUARD + at, p->in + from, n);
    }
    int answer = BOTH(p, "data", ({
        const unsigned char *in = in_place ? out + at : p->in + from;
        way == UPDATE   ? EVP_CipherUpdate(ctx, out + at, &len[side], in, n)
        : way == CIPHER ? (len[side] = EVP_Cipher(ctx, out + at, in, n)) >= 0
                        : EVP_CipherFinal_ex(ctx, out + at, &len[side]);
    }));
    if (answer <= 0)
        return -1;
    same(p, "length", len[0], len[1]);
    same_bytes(p, "output", p->out[0] + GUARD + at, p->out[1] + GUARD + at, len[0]);
    for (int i = 0; i < GUARD + at; i++)
        same(p, "byte before the output", p->out[0][i], 0xa5);
    for (int i = GUARD + at + (len[0] > n ? len[0] : n); i < end; i++)
        same(p, "byte after the output", p->out[0][i], 0xa5);
    return len[0];
}

/* A stream goes to another byte of the block in which it is. At the edge of a block there is none, and the default provider
 * would take what lies in its buffer. Its releases since 2026 take 0 alone, and leave the stream where it is. */
static int resume(struct pair *p) {
    int in_blocks = p->mode == EVP_CIPH_CTR_MODE || p->mode == EVP_CIPH_CFB_MODE || p->mode == EVP_CIPH_OFB_MODE;
    if (!in_blocks || EVP_CIPHER_CTX_get_num(p->ctx[1]) == 0)
        return 1;
    int num = below(p, BLOCK);
    if (EVP_CIPHER_CTX_set_num(p->ctx[1], num) != 1)
        return 1;
    note(p, "num", num);
    return BOTH(p, "num", EVP_CIPHER_CTX_set_num(ctx, num));
}

/* Modes without a tag: any call at any time. After a failure both start anew, since nobody says what is left then. */
static void plain(struct pair *p) {
    int ok = init(p, 1, 1, below(p, 2)) > 0;
    for (int i = below(p, 12); i >= 0 && ok; i--) {
        switch (below(p, 11)) {
        case 0: ok = init(p, 0, 1, p->encrypting) > 0; break;
        case 1: ok = init(p, 1, 0, below(p, 2)) > 0; break;
        case 2: ok = init(p, 0, 0, p->encrypting) > 0; break;
        case 3:
            note(p, "padding", i % 2);
            BOTH(p, "padding", EVP_CIPHER_CTX_set_padding(ctx, i % 2));
            break;
        case 4: copy(p); break;
        case 5: ok = data(p, FINAL, 0) >= 0; break;
        case 6:
            /* The default provider pads or leaves out what is not whole blocks here; nobody can use that. */
            if (p->mode == EVP_CIPH_ECB_MODE || p->mode == EVP_CIPH_CBC_MODE)
                ok = data(p, CIPHER, BLOCK * (1 + below(p, 30))) >= 0;
            else
                ok = data(p, CIPHER, 1 + below(p, 300)) >= 0;
            break;
        case 7: ok = resume(p) > 0; break;
        default: ok = data(p, UPDATE, length(p)) >= 0;
        }
        if (ok)
            compare_state(p);
    }
    BOTH(p, "padding", EVP_CIPHER_CTX_set_padding(ctx, 1));
}

static int control(struct pair *p, const char *what, int command, int n, const void *value) {
    unsigned char bytes[2][128] = {{0}};
    note(p, what, n);
    for (int side = 0; side < 2; side++)
        if (value)
            memcpy(bytes[side], value, n < 0 ? 12 : n);
    int answer = BOTH(p, "control", EVP_CIPHER_CTX_ctrl(ctx, command, n, value ? bytes[side] : NULL));
    same_bytes(p, what, bytes[0], bytes[1], sizeof bytes[0]);
    return answer;
}

static void tag(struct pair *p, int tag_len, unsigned char *made) {
    int ok[2];
    for (int side = 0; side < 2; side++)
        ok[side] = EVP_CIPHER_CTX_ctrl(p->ctx[side], EVP_CTRL_AEAD_GET_TAG, tag_len, made + side * TAG);
    same(p, "tag's answer", ok[0], ok[1]);
    if (ok[0] > 0)
        same_bytes(p, "tag", made, made + TAG, tag_len);
}

/* Seals a message in parts and opens it again, at times damaged. */
static void sealed(struct pair *p) {
    unsigned char key[64], iv[128], aad[200], text[3000], sealed[3000 + TAG], made[2 * TAG], opened[3000 + TAG];
    int iv_lens[] = {12, 12, 12, 1, 13, 16, 60}, iv_len = iv_lens[below(p, 7)];
    int tag_len = below(p, 2) ? 16 : 4 + 2 * below(p, 7), aad_len = below(p, 200), n = below(p, 3000), len, end;
    if (p->mode == EVP_CIPH_CCM_MODE)
        iv_len = 7 + below(p, 7);
    if (p->mode == EVP_CIPH_OCB_MODE)
        iv_len = 1 + below(p, 15);
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv), randomize(p, aad, sizeof aad), randomize(p, text, n);
    for (int encrypting = 1; encrypting >= 0; encrypting--) {
        int damaged = !encrypting && below(p, 3) == 0, done = 0, in_place = below(p, 2);
        note(p, encrypting ? "seal" : damaged ? "open-damaged" : "open", n);
        BOTH(p, "direction", EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, encrypting, NULL));
        control(p, "iv-len", EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL);
        if (p->mode != EVP_CIPH_GCM_MODE)
            control(p, "tag-len", EVP_CTRL_AEAD_SET_TAG, tag_len, NULL);
        if (below(p, 2)) {
            BOTH(p, "IV", EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL));
            BOTH(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL));
        } else {
            BOTH(p, "key and IV", EVP_CipherInit_ex2(ctx, NULL, key, iv, -1, NULL));
        }
        compare_state(p);
        if (damaged)
            made[below(p, tag_len)] ^= 1 << below(p, 8);
        int late = p->mode != EVP_CIPH_CCM_MODE && below(p, 2);
        if (!encrypting && !late)
            control(p, "tag", EVP_CTRL_AEAD_SET_TAG, tag_len, made);
        if (p->mode == EVP_CIPH_CCM_MODE)
            BOTH(p, "length", EVP_CipherUpdate(ctx, NULL, &len, NULL, n));
        if (p->mode == EVP_CIPH_GCM_MODE && below(p, 4) == 0)
            BOTH(p, "no text yet", EVP_Cipher(ctx, out, text, 0));
        for (int at = 0; at < aad_len;) {
            int part = p->mode == EVP_CIPH_CCM_MODE ? aad_len : 1 + below(p, aad_len - at);
            BOTH(p, "aad", EVP_CipherUpdate(ctx, NULL, &len, aad + at, part));
            at += part;
        }
        if (below(p, 4) == 0)
            copy(p);
        const unsigned char *in = encrypting ? text : sealed;
        unsigned char *result[2] = {p->out[0], p->out[1]};
        int ok = 1, written = 0;
        while ((done < n || (n == 0 && p->mode == EVP_CIPH_CCM_MODE && written == 0)) && ok) {
            int part = p->mode == EVP_CIPH_CCM_MODE || n == 0 ? n : 1 + below(p, n - done), l[2] = {0, 0};
            ok = BOTH(p, "text", ({
                const unsigned char *from = in + done;
                /* OCB holds parts of blocks back, so that its output lags behind. */
                if (in_place && p->mode != EVP_CIPH_OCB_MODE)
                    from = memcpy(result[side] + done, from, part);
                EVP_CipherUpdate(ctx, result[side] + written, &l[side], from, part);
            })) > 0;
            same(p, "length", l[0], l[1]);
            done += part, written += l[0];
            if (n == 0)
                break;
        }
        if (!encrypting && late)
            control(p, "tag", EVP_CTRL_AEAD_SET_TAG, tag_len, made);
        int ends[2] = {0, 0};
        /* After a wrong tag releases of 3.0 differ in what ending a message of CCM answers. */
        if (p->mode == EVP_CIPH_CCM_MODE && damaged)
            continue;
        int final = BOTH(p, "final", EVP_CipherFinal_ex(ctx, result[side] + written, &ends[side]));
        same(p, "final length", ends[0], ends[1]);
        end = ends[0];
        if (p->mode != EVP_CIPH_CCM_MODE)
            same(p, "opening", final, !damaged);
        if (ok && !damaged) {
            same(p, "length", written + end, n);
            same_bytes(p, "text", result[0], result[1], n);
        }
        if (encrypting) {
            memcpy(sealed, result[0], n);
            tag(p, tag_len, made);
        } else if (!damaged) {
            memcpy(opened, result[0], n);
            same_bytes(p, "opened text", opened, text, n);
        }
        compare_state(p);
        /* One more message without an IV: refused. (After a wrong tag the default provider would go on.) */
        if (!damaged && below(p, 4) == 0)
            BOTH(p, "another", EVP_CipherUpdate(ctx, p->out[side], &len, text, 16));
    }
}

/* How a message without text ends: once, and again if that is refused. */
static int ends(struct pair *p, EVP_CIPHER_CTX *ctx, int by_cipher) {
    int len, ok = 0;
    for (int i = 0; i < 2 && !ok; i++)
        ok = by_cipher ? EVP_Cipher(ctx, p->out[0], NULL, 0) >= 0 : EVP_CipherFinal_ex(ctx, p->out[0], &len);
    return ok;
}

/* A message without text is as good as its tag. Of ours alone: some releases of the default provider do not look at the tag
 * of such a message (CVE-2026-75803). */
static void no_text(struct pair *p) {
    unsigned char key[64], iv[12], aad[20], right[TAG] = {0}, tag[TAG];
    int len, aad_len = below(p, 2) * sizeof aad;
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv), randomize(p, aad, sizeof aad);
    note(p, "no-text", aad_len);
    for (int opening = 0; opening < 2; opening++) {
        for (int way = 0; way < 4; way++) {
            int by_cipher = way % 2, damaged = opening && way > 1;
            EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
            same(p, "init", EVP_CipherInit_ex2(ctx, p->cipher[0], NULL, NULL, !opening, NULL), 1);
            same(p, "IV length", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, sizeof iv, NULL), 1);
            if (p->mode != EVP_CIPH_GCM_MODE)
                same(p, "tag length", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, NULL), 1);
            same(p, "key and IV", EVP_CipherInit_ex2(ctx, NULL, key, iv, -1, NULL), 1);
            memcpy(tag, right, TAG);
            tag[below(p, TAG)] ^= damaged << below(p, 8);
            if (opening)
                same(p, "tag to check", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag), 1);
            if (aad_len && p->mode == EVP_CIPH_CCM_MODE && by_cipher && !opening)
                same(p, "length, by EVP_Cipher", EVP_Cipher(ctx, NULL, NULL, 0), 0);
            else if (aad_len && p->mode == EVP_CIPH_CCM_MODE)
                same(p, "length", EVP_CipherUpdate(ctx, NULL, &len, NULL, 0), 1);
            if (aad_len)
                same(p, "aad", EVP_CipherUpdate(ctx, NULL, &len, aad, aad_len), 1);
            same(p, "the end of no text", ends(p, ctx, by_cipher), !damaged);
            if (!opening)
                same(p, "its tag", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, way ? tag : right), 1);
            if (!opening && way)
                same_bytes(p, "its tag", tag, right, TAG);
            EVP_CIPHER_CTX_free(ctx);
        }
    }
}

/* An IV that has become shorter than the eight bytes that are counted, whatever uses them. Of ours alone: the default provider
 * counts on in what lies before the IV. */
static void too_short_to_count(struct pair *p, EVP_CIPHER_CTX *ctx) {
    unsigned char iv[12] = {0}, record[40] = {0}, aad[13] = {0};
    int before = EVP_CIPHER_CTX_get_iv_length(ctx), n = 1 + below(p, 7);
    aad[12] = 24;
    note(p, "short-iv", n);
    same(p, "short IV", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, n, NULL), 1);
    same(p, "short IV: the next", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_IV_GEN, n, iv) > 0, 0);
    same(p, "short IV: its end", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_INV, n, iv) > 0, 0);
    same(p, "short IV: aad", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad), TAG);
    same(p, "short IV: a record", EVP_Cipher(ctx, record, record, sizeof record), -1);
    same(p, "short IV: the whole", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) > 0, 0);
    same(p, "the IV's length again", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, before, NULL), 1);
}

/* CCM's lengths, set when there is a key already. The default provider goes by those of before, and so takes a part of the
 * nonce: ours alone refuses that, until it has them again or a key is set. */
static void late_lengths(struct pair *p) {
    unsigned char key[64], iv[13], text[100], made[2 * TAG], out[100];
    int iv_len = 7 + below(p, 7), tag_len = 4 + 2 * below(p, 7), n = 1 + below(p, sizeof text), len;
    int by_tag = below(p, 2), other = by_tag ? 4 + (tag_len - 2) % 14 : 7 + (iv_len - 6) % 7;
    int command = by_tag ? EVP_CTRL_AEAD_SET_TAG : EVP_CTRL_AEAD_SET_IVLEN;
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv), randomize(p, text, n);
    new_contexts(p);
    control(p, "iv-len", EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL);
    control(p, "tag-len", EVP_CTRL_AEAD_SET_TAG, tag_len, NULL);
    BOTH(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL));
    control(p, by_tag ? "other-tag-len" : "other-iv-len", command, other, NULL);
    BOTH(p, "IV", EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL));
    EVP_CIPHER_CTX *ours = p->ctx[0];
    same(p, "late: length", EVP_CipherUpdate(ours, NULL, &len, NULL, n), 0);
    same(p, "late: text", EVP_CipherUpdate(ours, out, &len, text, n), 0);
    same(p, "late: end", EVP_CipherFinal_ex(ours, out, &len), 0);
    same(p, "late: tag", EVP_CIPHER_CTX_ctrl(ours, EVP_CTRL_AEAD_GET_TAG, by_tag ? other : tag_len, made) > 0, 0);
    int again = below(p, 2);
    if (!again)
        control(p, "length-again", command, by_tag ? tag_len : iv_len, NULL);
    BOTH(p, again ? "key again" : "IV", EVP_CipherInit_ex2(ctx, NULL, again ? key : NULL, iv, -1, NULL));
    BOTH(p, "text", EVP_CipherUpdate(ctx, p->out[side], &len, text, n));
    same_bytes(p, "text", p->out[0], p->out[1], n);
    tag(p, again && by_tag ? other : tag_len, made);
    new_contexts(p);
}

/* A length of CCM's that was announced, and a message that begins anew: of ours alone, since the default provider keeps the
 * length and refuses texts of any other. */
static void forgotten_length(struct pair *p) {
    unsigned char key[64], iv[7], text[100], made[2 * TAG];
    int n = 1 + below(p, sizeof text), len;
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv), randomize(p, text, n);
    new_contexts(p);
    BOTH(p, "key and IV", EVP_CipherInit_ex2(ctx, NULL, key, iv, 1, NULL));
    note(p, "forgotten-length", n);
    same(p, "length", EVP_CipherUpdate(p->ctx[0], NULL, &len, NULL, n + 1 + below(p, 9)), 1);
    same(p, "anew", EVP_CipherInit_ex2(p->ctx[0], NULL, below(p, 2) ? key : NULL, iv, -1, NULL), 1);
    BOTH(p, "text", EVP_CipherUpdate(ctx, p->out[side], &len, text, n));
    same_bytes(p, "text", p->out[0], p->out[1], n);
    tag(p, EVP_CIPHER_CTX_get_tag_length(p->ctx[1]), made);
    new_contexts(p);
}

/* A record under an IV that has not TLS's twelve bytes: the default provider takes a part of these, or one more byte that
 * lies behind them. Ours alone refuses it. */
static void other_iv(struct pair *p) {
    enum { RECORD = EVP_CCM_TLS_EXPLICIT_IV_LEN + 20, CCM_TAG = 12 };
    unsigned char key[64], aad[13] = {0}, record[RECORD + CCM_TAG] = {0};
    int iv_len = 7 + below(p, 7), len;
    randomize(p, key, sizeof key);
    aad[12] = RECORD;
    new_contexts(p);
    control(p, "iv-len", EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL);
    BOTH(p, "key and IV", EVP_CipherInit_ex2(ctx, NULL, key, key, 1, NULL));
    EVP_CIPHER_CTX *ours = p->ctx[0];
    same(p, "its aad", EVP_CIPHER_CTX_ctrl(ours, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad), CCM_TAG);
    same(p, "its record", EVP_CipherUpdate(ours, record, &len, record, sizeof record), iv_len == 12);
    new_contexts(p);
}

/* What follows a record's additional data that were refused was meant as a record: ours alone never takes it for text, nor
 * lets CCM end a message there. */
static void refused_aad(struct pair *p) {
    unsigned char key[64], aad[13] = {0}, text[40];
    int len;
    randomize(p, key, sizeof key), randomize(p, text, sizeof text);
    for (int encrypting = 0; encrypting < 2; encrypting++) {
        new_contexts(p);
        note(p, "refused-aad", encrypting);
        EVP_CIPHER_CTX *ctx = p->ctx[0];
        same(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, encrypting, NULL), 1);
        if (!encrypting)
            same(p, "tag", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 12, key), 1);
        int n = below(p, 2) ? -1 : (int)sizeof aad;
        same(p, "no length of a record", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, n, aad) > 0, 0);
        same(p, "a record without its data", EVP_CipherUpdate(ctx, p->out[0], &len, text, sizeof text), 0);
        if (p->mode == EVP_CIPH_CCM_MODE) {
            same(p, "its end", EVP_CipherFinal_ex(ctx, p->out[0], &len), 0);
            same(p, "its end by EVP_Cipher", EVP_Cipher(ctx, NULL, NULL, 0), -1);
            same(p, "its end by EVP_Cipher, with output", EVP_Cipher(ctx, p->out[0], NULL, 0), -1);
        }
    }
    if (p->mode == EVP_CIPH_CCM_MODE)
        BOTH(p, "the whole IV", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_CCM_SET_IV_FIXED, -1, key));
    new_contexts(p);
}

/* `EVP_Cipher` before there is a key or an IV says what is wrong: no error in the queue is a wrong tag. */
static void not_ready(struct pair *p) {
    unsigned char key[64] = {0};
    new_contexts(p);
    BOTH(p, "no key", EVP_Cipher(ctx, out, key, BLOCK));
    /* Of ours alone: some releases of the default provider take zeros for an IV (CVE-2026-45445). */
    same(p, "key", EVP_CipherInit_ex2(p->ctx[0], NULL, key, NULL, -1, NULL), 1);
    ERR_clear_error();
    same(p, "no IV", EVP_Cipher(p->ctx[0], p->out[0], key, BLOCK), -1);
    same(p, "no IV: the last error", ERR_GET_REASON(ERR_peek_last_error()), PROV_R_CIPHER_OPERATION_FAILED);
    new_contexts(p);
}

/* Records of TLS 1.2: the additional data first, then the record in place. */
static void tls_aead(struct pair *p) {
    unsigned char key[64], fixed[20], aad[13], record[2000], sealed[2000];
    int explicit = EVP_GCM_TLS_EXPLICIT_IV_LEN, tag_len = 16, iv_len = below(p, 3) ? 12 : 8 + below(p, 13);
    if (p->mode == EVP_CIPH_CCM_MODE && below(p, 2))
        tag_len = 8;
    randomize(p, key, sizeof key), randomize(p, fixed, sizeof fixed);
    EVP_CIPHER_CTX *sender[2], *receiver[2];
    for (int side = 0; side < 2; side++) {
        sender[side] = EVP_CIPHER_CTX_new(), receiver[side] = EVP_CIPHER_CTX_new();
        for (int i = 0; i < 2; i++) {
            EVP_CIPHER_CTX *ctx = i ? receiver[side] : sender[side];
            same(p, "init", EVP_CipherInit_ex2(ctx, p->cipher[side], NULL, NULL, !i, NULL), 1);
            if (p->mode == EVP_CIPH_CCM_MODE) {
                same(p, "iv-len", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL), 1);
                same(p, "tag-len", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL), 1);
                same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL), 1);
                same(p, "fixed", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_CCM_SET_IV_FIXED, 4, fixed), 1);
            } else {
                same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL), 1);
                same(p, "iv-len", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, iv_len, NULL), 1);
                /* The whole IV: what is drawn at random cannot be compared. */
                same(p, "fixed", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, -1, fixed), 1);
            }
        }
    }
    for (int i = below(p, 8); i >= 0; i--) {
        int n = below(p, 1500), all = explicit + n + tag_len, damaged = below(p, 4) == 0, len[2];
        if (p->mode == EVP_CIPH_GCM_MODE && below(p, 4) == 0)
            too_short_to_count(p, sender[0]), too_short_to_count(p, receiver[0]);
        randomize(p, aad, sizeof aad), randomize(p, record, n);
        note(p, damaged ? "record-damaged" : "record", n);
        for (int way = 0; way < 2; way++) {
            int size = way ? all : explicit + n, ok[2], update = below(p, 2);
            aad[11] = size >> 8, aad[12] = size;
            for (int side = 0; side < 2; side++) {
                EVP_CIPHER_CTX *ctx = way ? receiver[side] : sender[side];
                unsigned char *at = p->out[side], copy[13];
                memcpy(copy, aad, 13);
                if (way)
                    memcpy(at, sealed, all);
                else
                    memcpy(at + explicit, record, n);
                if (way && damaged)
                    at[explicit + below(&(struct pair){.random = 1 + n}, n + tag_len)] ^= 4;
                same(p, "growth", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 13, copy), tag_len);
                ERR_clear_error();
                if (update)
                    ok[side] = EVP_CipherUpdate(ctx, at, &len[side], at, all);
                else
                    ok[side] = (len[side] = EVP_Cipher(ctx, at, at, all)) >= 0;
            }
            same(p, "record's answer", ok[0], ok[1]);
            same(p, "record's answer", ok[0], !(way && damaged));
            if (!ok[0])
                continue;
            same(p, "record's length", len[0], len[1]);
            same_bytes(p, "record", p->out[0], p->out[1], explicit + n);
            if (!way)
                memcpy(sealed, p->out[0], all), same_bytes(p, "record's tag", p->out[0], p->out[1], all);
            else
                same_bytes(p, "record's text", p->out[0] + explicit, record, n);
        }
    }
    for (int side = 0; side < 2; side++)
        EVP_CIPHER_CTX_free(sender[side]), EVP_CIPHER_CTX_free(receiver[side]);
}

/* IVs that are counted, as SSH has them. */
static void counted_iv(struct pair *p) {
    unsigned char key[64], iv[12], aad[4], text[600], made[2 * TAG];
    int len;
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv);
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, p->cipher[side], NULL, NULL, 1, NULL));
    BOTH(p, "IV length", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL));
    BOTH(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL));
    control(p, "fixed", EVP_CTRL_GCM_SET_IV_FIXED, -1, iv);
    for (int i = below(p, 5); i >= 0; i--) {
        unsigned char last[1] = {0};
        int n = 16 * below(p, 30);
        randomize(p, aad, 4), randomize(p, text, n);
        if (below(p, 3) == 0)
            too_short_to_count(p, p->ctx[0]);
        if (below(p, 3) == 0)
            control(p, "iv-len", EVP_CTRL_AEAD_SET_IVLEN, 8 + below(p, 13), NULL);
        control(p, "next", EVP_CTRL_GCM_IV_GEN, 1, last);
        compare_state(p);
        BOTH(p, "aad", EVP_Cipher(ctx, NULL, aad, 4));
        BOTH(p, "text", EVP_Cipher(ctx, out, text, n));
        same_bytes(p, "text", p->out[0] + GUARD, p->out[1] + GUARD, n);
        BOTH(p, "final", EVP_Cipher(ctx, NULL, NULL, 0));
        tag(p, TAG, made);
    }
    unsigned char whole[12] = {0};
    control(p, "next", EVP_CTRL_GCM_IV_GEN, 12, whole);
    control(p, "wrong way", EVP_CTRL_GCM_SET_IV_INV, 8, iv);
    BOTH(p, "update without output", EVP_CipherUpdate(ctx, NULL, &len, text, 0));
}

/* CBC under TLS: the record with its MAC is padded, and the padding taken off. */
static void tls_cbc(struct pair *p) {
    static const unsigned int versions[] = {SSL3_VERSION, TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION,
                                            DTLS1_VERSION, DTLS1_2_VERSION, DTLS1_BAD_VER};
    static const size_t mac_sizes[] = {0, 16, 20, 32, 48};
    unsigned int version = versions[below(p, 7)];
    size_t mac_size = mac_sizes[below(p, 5)];
    unsigned char key[32], iv[16], record[2000], sealed[2][2100], *mac[2];
    int n = mac_size + below(p, 1500), len[2];
    if (version > TLS1_VERSION || version == DTLS1_BAD_VER)
        n += BLOCK;
    OSSL_PARAM set[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac_size),
        OSSL_PARAM_construct_end(),
    };
    note(p, "tls-cbc", version), note(p, "mac", mac_size), note(p, "record", n);
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv), randomize(p, record, n);
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, p->cipher[side], key, iv, 1, set));
    for (int side = 0; side < 2; side++)
        memcpy(sealed[side], record, n);
    BOTH(p, "seal", EVP_CipherUpdate(ctx, sealed[side], &len[side], sealed[side], n));
    same(p, "sealed length", len[0], len[1]);
    same_bytes(p, "sealed", sealed[0], sealed[1], len[0]);
    int all = len[0];
    BOTH(p, "final", EVP_CipherFinal_ex(ctx, out, &len[side]));
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, p->cipher[side], key, iv, 0, set));
    int damaged = below(p, 3) == 0, cut = below(p, 5) == 0 ? BLOCK * below(p, all / BLOCK + 1) : 0;
    if (damaged)
        sealed[0][all - 1 - BLOCK] ^= 64, sealed[1][all - 1 - BLOCK] ^= 64;
    note(p, damaged ? "open-damaged" : "open", all - cut);
    /* The default provider reads memory that is not there if there is no block at all. */
    if (all - cut < 2 * BLOCK)
        return;
    int ok = BOTH(p, "open", EVP_CipherUpdate(ctx, sealed[side], &len[side], sealed[side], all - cut));
    if (ok > 0) {
        same(p, "opened length", len[0], len[1]);
        same_bytes(p, "opened", sealed[0], sealed[1], all - cut);
        if (mac_size) {
            BOTH(p, "mac", ({
                OSSL_PARAM get[] = {
                    OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&mac[side], mac_size),
                    OSSL_PARAM_construct_end(),
                };
                EVP_CIPHER_CTX_get_params(ctx, get);
            }));
            if (!damaged && !cut)
                same_bytes(p, "mac", mac[0], mac[1], mac_size);
        }
    }
    version = 0, mac_size = 0;
    BOTH(p, "no TLS", EVP_CipherInit_ex2(ctx, p->cipher[side], NULL, NULL, -1, set));
}

static void xts(struct pair *p) {
    int ok = init(p, 1, 1, below(p, 2)) > 0;
    for (int i = below(p, 4); i >= 0 && ok; i--) {
        ok = data(p, below(p, 2) ? UPDATE : CIPHER, 1 + below(p, below(p, 4) ? 100 : 10000)) >= 0;
        if (ok && below(p, 3) == 0)
            copy(p), compare_state(p);
        if (ok && below(p, 3) == 0)
            ok = init(p, 0, 1, p->encrypting) > 0;
        int key_len = below(p, 3) ? p->key_len : below(p, 70);
        BOTH(p, "key length", EVP_CIPHER_CTX_set_key_length(ctx, key_len));
    }
}

static void round_of(struct pair *p) {
    p->log[0] = 0;
    if (below(p, 3) == 0)
        new_contexts(p);
    switch (p->mode) {
    case EVP_CIPH_XTS_MODE: xts(p); break;
    case EVP_CIPH_GCM_MODE:
        switch (below(p, 7)) {
        case 0: tls_aead(p); break;
        case 1: no_text(p); break;
        case 3: refused_aad(p); break;
        case 2: new_contexts(p), counted_iv(p), new_contexts(p); break;
        default: sealed(p);
        }
        break;
    case EVP_CIPH_CCM_MODE:
        switch (below(p, 9)) {
        case 0: tls_aead(p); break;
        case 1: no_text(p); break;
        case 2: late_lengths(p); break;
        case 3: refused_aad(p); break;
        case 4: forgotten_length(p); break;
        case 5: other_iv(p); break;
        default: sealed(p);
        }
        break;
    case EVP_CIPH_OCB_MODE:
        switch (below(p, 5)) {
        case 0: no_text(p); break;
        case 1: not_ready(p); break;
        default: sealed(p);
        }
        break;
    case EVP_CIPH_CBC_MODE: below(p, 3) ? plain(p) : (tls_cbc(p), new_contexts(p)); break;
    default: plain(p);
    }
}

/* Sets one parameter of bytes and one integer, in this order. */
static int set_both(EVP_CIPHER_CTX *ctx, const char *name, void *bytes, size_t n, const char *number, size_t value) {
    OSSL_PARAM set[] = {
        OSSL_PARAM_construct_octet_string(name, bytes, n),
        OSSL_PARAM_construct_size_t(number, &value),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_set_params(ctx, set);
}

/* An integer that can be asked for; -1 if it is not answered. */
static long number(EVP_CIPHER_CTX *ctx, const char *name) {
    unsigned int value = -1;
    OSSL_PARAM get[] = {OSSL_PARAM_construct_uint(name, &value), OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(ctx, get) ? (long)(int)value : -1;
}

/* Where an IV is, the one that was given or the one that a message goes on with: whoever has asked once, with an IV there or
 * before, reads it there for as long as the context lives. */
static void kept_place(struct pair *p, const char *name, int early) {
    unsigned char *at[2] = {NULL, NULL};
    note(p, name, early);
    init(p, 1, !early, 1);
    BOTH(p, "place", ({
        OSSL_PARAM get[] = {
            OSSL_PARAM_construct_octet_ptr(name, (void **)&at[side], BLOCK),
            OSSL_PARAM_construct_end(),
        };
        EVP_CIPHER_CTX_get_params(ctx, get);
    }));
    if (early)
        init(p, 0, 1, 1);
    for (int i = 0; i < 4; i++) {
        same_bytes(p, "IV in its place", at[0], at[1], BLOCK);
        if (i == 2)
            init(p, 0, 1, 1);
        else
            data(p, i == 1 ? CIPHER : UPDATE, 2 * BLOCK);
    }
    same_bytes(p, "IV in its place", at[0], at[1], BLOCK);
    new_contexts(p);
}

static void kept_places(struct pair *p) {
    for (int early = 0; early < 2; early++) {
        kept_place(p, OSSL_CIPHER_PARAM_IV, early);
        kept_place(p, OSSL_CIPHER_PARAM_UPDATED_IV, early);
    }
}

/* Data whose length is given and whose place is not: no message. Of ours alone: the default provider ends one with it, by
 * GCM, or reads there, by OCB. */
static void nowhere(struct pair *p) {
    unsigned char key[64] = {0};
    int len;
    new_contexts(p);
    note(p, "nowhere", 0);
    EVP_CIPHER_CTX *ctx = p->ctx[0];
    same(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, 1, NULL), 1);
    same(p, "additional data from nowhere", EVP_CipherUpdate(ctx, NULL, &len, NULL, 5), 0);
    same(p, "text from nowhere", EVP_CipherUpdate(ctx, p->out[0], &len, NULL, 5), 0);
    new_contexts(p);
}

/* A message of CCM that EVP_Cipher is told to have no text, and its tag. Of ours alone: later releases of the default provider
 * seal at once. */
static void told_empty(struct pair *p) {
    enum { CCM_TAG = 12 };
    unsigned char key[64] = {0}, aad[20] = {1}, tls[13] = {0}, record[40] = {0}, tag[2][CCM_TAG];
    int len;
    tls[12] = 24;
    for (int way = 0; way < 8; way++) {
        int with_aad = way == 1 || way == 2, expected = way < 3 || way == 6;
        new_contexts(p);
        note(p, "told-empty", way);
        /* The other one ends the same message otherwise. */
        EVP_CIPHER_CTX *ctx[2] = {p->ctx[0], EVP_CIPHER_CTX_new()};
        for (int i = 0; i < 2; i++) {
            same(p, "init", EVP_CipherInit_ex2(ctx[i], p->cipher[0], NULL, NULL, 1, NULL), 1);
            same(p, "IV's length", EVP_CIPHER_CTX_ctrl(ctx[i], EVP_CTRL_AEAD_SET_IVLEN, 12, NULL), 1);
            same(p, "key and IV", EVP_CipherInit_ex2(ctx[i], NULL, key, key, 1, NULL), 1);
        }
        same(p, "length", EVP_CipherUpdate(ctx[1], NULL, &len, NULL, 0), 1);
        if (with_aad)
            same(p, "aad", EVP_CipherUpdate(ctx[1], NULL, &len, aad, sizeof aad), 1);
        same(p, "end", EVP_CipherFinal_ex(ctx[1], p->out[1], &len), 1);
        same(p, "its tag", EVP_CIPHER_CTX_ctrl(ctx[1], EVP_CTRL_AEAD_GET_TAG, CCM_TAG, tag[1]), 1);
        EVP_CIPHER_CTX_free(ctx[1]);

        same(p, "told", EVP_Cipher(ctx[0], NULL, NULL, 0), 0);
        switch (way) {
        case 1: same(p, "told again", EVP_Cipher(ctx[0], NULL, NULL, 0), 0); break;
        case 2: same(p, "a shorter tag", EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_GET_TAG, 8, tag[0]) > 0, 0); break;
        case 3:
            same(p, "record's aad", EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_TLS1_AAD, sizeof tls, tls), CCM_TAG);
            same(p, "a record", EVP_Cipher(ctx[0], record, record, sizeof record), sizeof record);
            break;
        case 4: same(p, "record's aad", EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_TLS1_AAD, sizeof tls, tls), CCM_TAG); break;
        case 5:
            same(p, "there", EVP_CipherInit_ex2(ctx[0], NULL, NULL, NULL, 0, NULL), 1);
            same(p, "and back", EVP_CipherInit_ex2(ctx[0], NULL, NULL, NULL, 1, NULL), 1);
            break;
        case 6: copy(p), ctx[0] = p->ctx[0]; break;
        case 7: same(p, "IV again", EVP_CipherInit_ex2(ctx[0], NULL, NULL, key, 1, NULL), 1); break;
        }
        if (with_aad) {
            same(p, "aad", EVP_Cipher(ctx[0], NULL, aad, sizeof aad), sizeof aad);
            same(p, "end", EVP_Cipher(ctx[0], NULL, NULL, 0), 0);
        }
        same(p, "its tag", EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_GET_TAG, CCM_TAG, tag[0]) > 0, expected);
        if (expected)
            same_bytes(p, "its tag", tag[0], tag[1], CCM_TAG);
        same(p, "its tag again", EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_GET_TAG, CCM_TAG, tag[0]) > 0, 0);
    }
    new_contexts(p);
}

/* After a wrong tag a message of CCM is not opened again by the right one: it needs its IV again. That is of ours alone: the
 * default provider needs its length too. */
static void wrong_tag(struct pair *p) {
    unsigned char key[64] = {0}, made[2 * TAG], text[2][BLOCK];
    int len;
    EVP_CIPHER_CTX *ours;
    new_contexts(p);
    note(p, "wrong-tag", 0);
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, 1, NULL));
    BOTH(p, "sealing", EVP_CipherUpdate(ctx, text[side], &len, key, BLOCK));
    tag(p, 12, made);
    made[3] ^= 1;
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, 0, NULL));
    control(p, "wrong tag", EVP_CTRL_AEAD_SET_TAG, 12, made);
    BOTH(p, "opening", EVP_CipherUpdate(ctx, out, &len, text[side], BLOCK));
    made[3] ^= 1;
    control(p, "right tag", EVP_CTRL_AEAD_SET_TAG, 12, made);
    BOTH(p, "opening again", EVP_CipherUpdate(ctx, out, &len, text[side], BLOCK));
    ours = p->ctx[0];
    same(p, "IV", EVP_CipherInit_ex2(ours, NULL, NULL, key, 0, NULL), 1);
    same(p, "opening with the IV again", EVP_CipherUpdate(ours, p->out[0], &len, text[0], BLOCK), 1);
    same_bytes(p, "opened", p->out[0], key, BLOCK);
    new_contexts(p);
}

/* No bytes, where a record's additional data wait for one: the record is refused, and the IV has served. */
static void no_record(struct pair *p) {
    unsigned char key[64], iv[12], aad[13] = {0}, record[40] = {0};
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv);
    aad[12] = 24;
    new_contexts(p);
    note(p, "no-record", 0);
    BOTH(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL));
    control(p, "fixed", EVP_CTRL_GCM_SET_IV_FIXED, -1, iv);
    control(p, "record's aad", EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad);
    BOTH(p, "no bytes", EVP_Cipher(ctx, record, record, 0));
    BOTH(p, "a record without its data", EVP_Cipher(ctx, record, record, sizeof record));
    new_contexts(p);
}

/* What the default provider answers so in later releases alone. */
static void gcm_of_later_releases(struct pair *p) {
    unsigned char key[64] = {0}, iv[16] = {0}, text[BLOCK] = {0}, made[TAG];
    int len;
    EVP_CIPHER_CTX *ctx;
    new_contexts(p);
    ctx = p->ctx[0];
    /* Part of the IV was drawn, or none of it. */
    same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL), 1);
    same(p, "drawn, without an IV", number(ctx, "iv-generated"), 0);
    same(p, "fixed", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, 4, iv), 1);
    same(p, "drawn, but for what is fixed", number(ctx, "iv-generated"), 1);
    same(p, "fixed", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv), 1);
    same(p, "drawn, of an IV that is given", number(ctx, "iv-generated"), 0);
    /* The size alone. */
    same(p, "update", EVP_EncryptUpdate(ctx, p->out[0], &len, text, BLOCK), 1);
    same(p, "final", EVP_EncryptFinal_ex(ctx, p->out[0], &len), 1);
    OSSL_PARAM sizes[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_construct_end(),
    };
    same(p, "sizes", EVP_CIPHER_CTX_get_params(ctx, sizes), 1);
    same(p, "size of the IV", sizes[0].return_size, 12);
    same(p, "size of the updated IV", sizes[1].return_size, 12);
    same(p, "size of the tag", sizes[2].return_size, TAG);
    OSSL_PARAM room[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, made, 0), OSSL_PARAM_construct_end()};
    same(p, "a tag of no bytes", EVP_CIPHER_CTX_get_params(ctx, room), 0);
    /* The length is set before the fixed part, wherever it stands; releases between 3.0 and 4.0 take it in order. */
    new_contexts(p), ctx = p->ctx[0];
    same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL), 1);
    same(p, "fixed, then a length", set_both(ctx, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, iv, 4, OSSL_CIPHER_PARAM_IVLEN, 16), 1);
    same(p, "text with it", EVP_EncryptUpdate(ctx, p->out[0], &len, text, BLOCK), 1);
    new_contexts(p);
}

/* An IV that was not given is drawn when it is asked for, as by OpenSSL 4, or else with the first data: once, and only for
 * encrypting. */
static void drawn_iv(struct pair *p) {
    unsigned char key[64] = {0}, asked[16], again[16], aad[13] = {0}, text[BLOCK];
    int len;
    aad[12] = 24;
    for (int encrypting = 0; encrypting < 2; encrypting++) {
        new_contexts(p);
        EVP_CIPHER_CTX *ctx = p->ctx[0];
        same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, encrypting, NULL), 1);
        same(p, "drawing", EVP_CIPHER_CTX_get_updated_iv(ctx, asked, sizeof asked), encrypting);
        same(p, "drawn", number(ctx, "iv-generated"), encrypting);
    }
    EVP_CIPHER_CTX *ctx = p->ctx[0];
    same(p, "text", EVP_EncryptUpdate(ctx, p->out[0], &len, key, BLOCK), 1);
    same(p, "drawn before", EVP_CIPHER_CTX_get_original_iv(ctx, again, sizeof again), 1);
    same_bytes(p, "drawn IV", again, asked, 12);
    memcpy(text, p->out[0], BLOCK);
    BOTH(p, "that IV, given", EVP_CipherInit_ex2(ctx, NULL, key, asked, 1, NULL));
    BOTH(p, "text", EVP_EncryptUpdate(ctx, out, &len, key, BLOCK));
    same_bytes(p, "text", text, p->out[1] + GUARD, BLOCK);
    new_contexts(p), ctx = p->ctx[0];
    same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL), 1);
    same(p, "record's aad", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad), TAG);
    same(p, "drawing for a record", EVP_CIPHER_CTX_get_updated_iv(ctx, asked, sizeof asked), 0);
    new_contexts(p);
}

/* A tag that was never set is told apart from a wrong one, of which nothing is said. */
static void no_tag(struct pair *p) {
    unsigned char key[64] = {0};
    int len;
    new_contexts(p);
    EVP_CIPHER_CTX *ctx = p->ctx[0];
    same(p, "key and IV", EVP_CipherInit_ex2(ctx, NULL, key, key, 0, NULL), 1);
    ERR_clear_error();
    if (p->mode == EVP_CIPH_GCM_MODE)
        same(p, "text", EVP_DecryptUpdate(ctx, p->out[0], &len, key, BLOCK), 1),
            same(p, "the end without a tag", EVP_DecryptFinal_ex(ctx, p->out[0], &len), 0);
    else
        same(p, "text without a tag", EVP_Cipher(ctx, p->out[0], key, BLOCK), -1);
    same(p, "without a tag: the error", ERR_GET_REASON(ERR_peek_error()), PROV_R_TAG_NOT_SET);
    ERR_clear_error();
    new_contexts(p);
}

/* A tag that CCM made by encrypting is none that was given to be checked. */
static void made_tag(struct pair *p) {
    unsigned char key[64] = {0}, text[2][BLOCK];
    int len;
    new_contexts(p);
    note(p, "made-tag", 0);
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, 1, NULL));
    BOTH(p, "sealing", EVP_CipherUpdate(ctx, text[side], &len, key, BLOCK));
    BOTH(p, "init to open", EVP_CipherInit_ex2(ctx, NULL, key, key, 0, NULL));
    same(p, "opening without a tag", EVP_CipherUpdate(p->ctx[1], p->out[1], &len, text[1], BLOCK), 0);
    ERR_clear_error();
    same(p, "opening without a tag", EVP_CipherUpdate(p->ctx[0], p->out[0], &len, text[0], BLOCK), 0);
    same(p, "without a tag: the error", ERR_GET_REASON(ERR_peek_error()), PROV_R_TAG_NOT_SET);
    ERR_clear_error();
    new_contexts(p);
}

/* Decrypting with CCM, EVP_Cipher answers that a message ended well only where one was opened. Of ours alone: the default
 * provider goes by whether there is an output, and by its release. */
static void unopened(struct pair *p) {
    unsigned char key[64] = {0}, made[12], sealed[BLOCK];
    int len;
    new_contexts(p);
    note(p, "unopened", 0);
    EVP_CIPHER_CTX *ctx = p->ctx[0];
    same(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, 1, NULL), 1);
    same(p, "sealing", EVP_Cipher(ctx, sealed, key, BLOCK), BLOCK);
    same(p, "tag", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, sizeof made, made), 1);
    for (int with_output = 0; with_output < 2; with_output++) {
        new_contexts(p);
        note(p, "with-output", with_output);
        ctx = p->ctx[0];
        unsigned char *out = with_output ? p->out[0] : NULL;
        same(p, "key", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 0, NULL), 1);
        same(p, "the end without an IV", EVP_Cipher(ctx, out, NULL, 0), -1);
        same(p, "text without an IV", EVP_Cipher(ctx, p->out[0], sealed, BLOCK), -1);
        same(p, "its end", EVP_Cipher(ctx, out, NULL, 0), -1);
        same(p, "tag to check", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof made, made), 1);
        same(p, "the end without an IV, with a tag", EVP_Cipher(ctx, out, NULL, 0), -1);
        same(p, "IV", EVP_CipherInit_ex2(ctx, NULL, NULL, key, 0, NULL), 1);
        same(p, "opening", EVP_Cipher(ctx, p->out[0], sealed, BLOCK), BLOCK);
        same(p, "the end of what was opened", EVP_Cipher(ctx, out, NULL, 0), 0);
        same(p, "a second text", EVP_Cipher(ctx, p->out[0], sealed, BLOCK), -1);
        same(p, "its end", EVP_Cipher(ctx, out, NULL, 0), -1);
        same(p, "tag again", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof made, made), 1);
        same(p, "IV again", EVP_CipherInit_ex2(ctx, NULL, NULL, key, 0, NULL), 1);
        same(p, "opening again", EVP_Cipher(ctx, p->out[0], sealed, BLOCK), BLOCK);
        same(p, "tag of another", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof made, key), 1);
        same(p, "the end of another", EVP_Cipher(ctx, out, NULL, 0), -1);
        same(p, "the end as the default provider has it", EVP_CipherFinal_ex(ctx, p->out[0], &len), 1);
    }
    new_contexts(p);
}

/* CCM's tag has its length before a record's additional data are taken, wherever it stands. */
static void length_after_aad(struct pair *p) {
    unsigned char key[64] = {0}, aad[13] = {0};
    aad[11] = 1;
    new_contexts(p);
    note(p, "length-after-aad", 0);
    BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 0, NULL));
    BOTH(p, "additional data, then a length", ({
        OSSL_PARAM set[] = {
            OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, aad, sizeof aad),
            OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 8),
            OSSL_PARAM_construct_end(),
        };
        EVP_CIPHER_CTX_set_params(ctx, set);
    }));
    BOTH(p, "growth", number(ctx, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD));
    compare_state(p);
    new_contexts(p);
}

/* A record has no end of its own: what asks for one is not told that all is well, by whatever came in between. */
static void record_without_text(struct pair *p) {
    unsigned char key[64] = {0}, aad[13] = {0};
    int len;
    aad[12] = 24;
    for (int encrypting = 0; encrypting < 2; encrypting++)
        for (int again = 0; again < 2; again++) {
            new_contexts(p);
            note(p, "record-without-text", 2 * encrypting + again);
            BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, key, encrypting, NULL));
            control(p, "aad", EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad);
            if (again)
                BOTH(p, "key and IV", EVP_CipherInit_ex2(ctx, NULL, key, key, encrypting, NULL));
            if (!encrypting)
                control(p, "tag", EVP_CTRL_AEAD_SET_TAG, 12, key);
            BOTH(p, "the end", EVP_CipherFinal_ex(ctx, p->out[side], &len));
            BOTH(p, "the end again", EVP_CipherFinal_ex(ctx, p->out[side], &len));
        }
    new_contexts(p);
}

/* An IV that nobody gave is not told, whatever was refused before. */
static void no_iv(struct pair *p) {
    unsigned char key[64] = {0}, aad[13] = {0}, iv[16];
    int len;
    for (int way = 0; way < 4; way++) {
        int encrypting = way % 2, n = way < 2 ? 4 : sizeof aad;
        new_contexts(p);
        note(p, "no-iv", way);
        BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, NULL, encrypting, NULL));
        control(p, "refused aad", EVP_CTRL_AEAD_TLS1_AAD, n, aad);
        same(p, "the IV", EVP_CIPHER_CTX_get_updated_iv(p->ctx[0], iv, sizeof iv), 0);
        /* Releases of the default provider differ after additional data of no known length: some draw one. */
        if (!encrypting || n > 4)
            BOTH(p, "the IV", EVP_CIPHER_CTX_get_updated_iv(ctx, iv, sizeof iv));
        same(p, "text", EVP_CipherUpdate(p->ctx[0], p->out[0], &len, key, BLOCK), 0);
    }
    /* Nor after what was begun: a record, or its end. */
    aad[12] = 24;
    for (int way = 0; way < 3; way++) {
        new_contexts(p);
        EVP_CIPHER_CTX *ctx = p->ctx[0];
        note(p, "no-iv-for-a-record", way);
        same(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL), 1);
        if (way == 2)
            same(p, "refused aad", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, 4, aad) > 0, 0);
        same(p, "aad", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad), TAG);
        if (way == 1)
            same(p, "the end", EVP_CipherFinal_ex(ctx, p->out[0], &len), 0);
        else
            same(p, "a record", EVP_Cipher(ctx, p->out[0], p->out[0], 40), -1);
        same(p, "the IV", EVP_CIPHER_CTX_get_updated_iv(ctx, iv, sizeof iv), 0);
    }
    new_contexts(p);
}

/* All that is said of a data unit that is too long. */
static void too_long(struct pair *p) {
    enum { MOST = 1 << 24 };
    unsigned char *text = calloc(1, MOST + BLOCK);
    int len;
    note(p, "too-long", MOST + BLOCK);
    init(p, 1, 1, 1);
    BOTH(p, "too long", EVP_CipherUpdate(ctx, text, &len, text, MOST + BLOCK));
    BOTH(p, "too long: the first error", -(long)({
        EVP_CipherUpdate(ctx, text, &len, text, MOST + BLOCK);
        ERR_peek_error();
    }));
    BOTH(p, "too long, by EVP_Cipher", EVP_Cipher(ctx, text, text, MOST + BLOCK));
    free(text);
    new_contexts(p);
}

/* What is done once: it has no choices. */
static void once(struct pair *p) {
    p->log[0] = 0;
    switch (p->mode) {
    case EVP_CIPH_CTR_MODE:
        new_contexts(p);
        BOTH(p, "num before a key", EVP_CIPHER_CTX_set_num(ctx, 0));
        init(p, 1, 1, 1), data(p, UPDATE, 20);
        /* Falls through. */
    case EVP_CIPH_CBC_MODE:
    case EVP_CIPH_CFB_MODE:
    case EVP_CIPH_OFB_MODE: kept_places(p); break;
    case EVP_CIPH_GCM_MODE: no_record(p), gcm_of_later_releases(p), drawn_iv(p), no_tag(p), no_iv(p), record_without_text(p), nowhere(p); break;
    case EVP_CIPH_CCM_MODE: length_after_aad(p), no_tag(p), record_without_text(p), made_tag(p), unopened(p), told_empty(p), wrong_tag(p); break;
    case EVP_CIPH_OCB_MODE: nowhere(p); break;
    case EVP_CIPH_XTS_MODE: kept_places(p), too_long(p); break;
    }
}

static void *rounds(void *of) {
    struct pair *p = of;
    for (int i = 0; i < p->rounds; i++)
        round_of(p);
    return NULL;
}

/* How many threads the process has besides this one; `named` alone counts those that have come so far as to say that they are
 * the provider's. */
static int others(int named) {
    int all = 0, ours = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300], name[16] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *comm = task->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (comm == NULL)
            continue;
        all++;
        ours += fgets(name, sizeof name, comm) && strcmp(name, "ciphertune\n") == 0;
        fclose(comm);
    }
    if (tasks)
        closedir(tasks);
    return named ? ours : all - 1;
}

/* On by as much as there is made ahead and more, in calls too short to be split. */
static void far(struct pair *p) {
    for (int i = 0; i < 8; i++)
        data(p, UPDATE, 60000 + below(p, 100000));
}

/* A stream of its own, for which keystream is being made ahead if there are threads. */
static void begin(struct pair *p) {
    new_contexts(p);
    p->log[0] = 0;
    /* Those of streams before: they leave when they have had nothing to do for a second. */
    for (int i = 0; p->threads && others(0) > 0; i++) {
        if (i == 1000)
            fail(p, "threads that should have left", others(0), 0);
        usleep(10000);
    }
    init(p, 1, 1, 1);
    data(p, UPDATE, 48);
    /* A new thread may have to wait for a processor. */
    for (int i = 0; p->threads && others(1) == 0; i++) {
        if (i == 1000)
            fail(p, "threads that make keystream", 0, 1);
        far(p);
    }
}

/* Whatever a stream is told while keystream is being made for it, it goes on with its own. */
static void changed(struct pair *p) {
    for (int way = 0; way < 6; way++) {
        begin(p);
        EVP_CIPHER_CTX *kept[2] = {p->ctx[0], p->ctx[1]};
        switch (way) {
        case 0: init(p, 0, 1, 0); break;
        case 1: init(p, 1, 0, 0); break;
        case 2: init(p, 0, 0, 0); break;
        case 3: init(p, 1, 1, 0); break;
        case 4:
            data(p, UPDATE, BLOCK - EVP_CIPHER_CTX_get_num(p->ctx[1]) + 1 + below(p, BLOCK - 1));
            same(p, "num's answer", resume(p), 1);
            break;
        case 5:
            for (int side = 0; side < 2; side++) {
                p->ctx[side] = EVP_CIPHER_CTX_new();
                same(p, "copy", EVP_CIPHER_CTX_copy(p->ctx[side], kept[side]), 1);
            }
            note(p, "beside", 0);
            far(p), compare_state(p);
            for (int side = 0; side < 2; side++) {
                EVP_CIPHER_CTX_free(p->ctx[side]);
                p->ctx[side] = kept[side];
            }
            note(p, "again", 0);
        }
        far(p), compare_state(p);
    }
}

/* A long message that ours takes in chunks, as programs read files, and the default provider at once: encrypted, and then
 * what came of that decrypted. */
static void in_chunks(struct pair *p) {
    enum { CHUNK = 4096, ALL = 4 * CHUNK + 77 };
    int aead = p->mode == EVP_CIPH_GCM_MODE || p->mode == EVP_CIPH_OCB_MODE, n = ALL;
    unsigned char key[64], iv[16], aad[ALL], made[2 * TAG];
    if (p->mode == EVP_CIPH_CCM_MODE || p->mode == EVP_CIPH_XTS_MODE)
        return;
    randomize(p, key, sizeof key), randomize(p, iv, sizeof iv), randomize(p, aad, ALL), randomize(p, p->in, ALL);
    for (int encrypting = 1; encrypting >= 0; encrypting--) {
        int written[2] = {0, 0}, len;
        note(p, encrypting ? "in-chunks" : "in-chunks-back", n);
        new_contexts(p);
        BOTH(p, "init", EVP_CipherInit_ex2(ctx, NULL, key, iv, encrypting, NULL));
        for (int side = 0; side < 2; side++) {
            EVP_CIPHER_CTX *ctx = p->ctx[side];
            int chunk = side == 0 ? CHUNK : n;
            for (int at = 0; aead && at < ALL; at += chunk)
                same(p, "aad in chunks", EVP_CipherUpdate(ctx, NULL, &len, aad + at, ALL - at < chunk ? ALL - at : chunk), 1);
            for (int at = 0; at < n; at += chunk, written[side] += len) {
                unsigned char *out = p->out[side] + written[side];
                same(p, "a chunk", EVP_CipherUpdate(ctx, out, &len, p->in + at, n - at < chunk ? n - at : chunk), 1);
            }
        }
        if (aead && !encrypting)
            control(p, "tag", EVP_CTRL_AEAD_SET_TAG, TAG, made);
        int ok = BOTH(p, "the end of chunks", ({
            int ended = EVP_CipherFinal_ex(ctx, p->out[side] + written[side], &len);
            written[side] += len;
            ended;
        }));
        same(p, "the end of chunks", ok, 1);
        same(p, "length of chunks", written[0], written[1]);
        same_bytes(p, "chunks", p->out[0], p->out[1], written[0]);
        if (aead && encrypting)
            tag(p, TAG, made);
        n = written[0];
        memcpy(p->in, p->out[0], n);
    }
    same(p, "length there and back", n, ALL);
    new_contexts(p);
}

/* A child goes on with what its parent began, and frees it; so does the parent. */
static void forked(struct pair *p) {
    if (p->mode == EVP_CIPH_CCM_MODE)
        return;
    begin(p);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        data(p, UPDATE, 64);
        if (p->threads)
            far(p);
        EVP_CIPHER_CTX_free(p->ctx[0]);
        EVP_CIPHER_CTX_free(p->ctx[1]);
        _exit(0);
    }
    int status = 1;
    data(p, UPDATE, 80);
    if (p->threads)
        far(p);
    waitpid(child, &status, 0);
    same(p, "child's end", status, 0);
}

static void many_contexts(struct pair *p) {
    enum { MANY = 10000 };
    static EVP_CIPHER_CTX *ctx[MANY];
    unsigned char key[64], text[33] = {0}, out[33 + 16], first[33];
    int len;
    randomize(p, key, sizeof key);
    for (int i = 0; i < MANY; i++) {
        ctx[i] = EVP_CIPHER_CTX_new();
        same(p, "init", EVP_EncryptInit_ex2(ctx[i], p->cipher[0], key, key, NULL), 1);
    }
    for (int i = 0; i < MANY; i++) {
        int at = (i * 7919) % MANY;
        if (p->mode == EVP_CIPH_CCM_MODE)
            same(p, "length", EVP_EncryptUpdate(ctx[at], NULL, &len, NULL, 33), 1);
        same(p, "update", EVP_EncryptUpdate(ctx[at], out, &len, text, 33), 1);
        if (i == 0)
            memcpy(first, out, len);
        same_bytes(p, "one of many", out, first, len);
        EVP_CIPHER_CTX_free(ctx[at]);
    }
}

static struct pair *new_pair(EVP_CIPHER *ours, EVP_CIPHER *theirs, uint64_t seed, int rounds, int threads) {
    struct pair *p = calloc(1, sizeof *p);
    p->name = EVP_CIPHER_get0_name(ours);
    p->cipher[0] = ours, p->cipher[1] = theirs;
    p->mode = EVP_CIPHER_get_mode(theirs);
    p->rounds = rounds;
    p->random = seed;
    p->threads = threads && p->mode == EVP_CIPH_CTR_MODE;
    p->longest = p->threads ? LONGEST : LONG;
    same(p, "mode", EVP_CIPHER_get_mode(ours), p->mode);
    same(p, "flags", EVP_CIPHER_get_flags(ours), EVP_CIPHER_get_flags(theirs));
    same(p, "nid", EVP_CIPHER_get_nid(ours), EVP_CIPHER_get_nid(theirs));
    same(p, "block size", EVP_CIPHER_get_block_size(ours), EVP_CIPHER_get_block_size(theirs));
    same(p, "key length", p->key_len = EVP_CIPHER_get_key_length(ours), EVP_CIPHER_get_key_length(theirs));
    same(p, "IV length", p->iv_len = EVP_CIPHER_get_iv_length(ours), EVP_CIPHER_get_iv_length(theirs));
    new_contexts(p);
    return p;
}

/* After a call that is split, a stream that the program ends with while keystream is being made for it: what both have
 * left is no leak. */
static void unended(uint64_t seed) {
    /* A compiler leaves out what is never read. */
    static struct pair *volatile kept;
    EVP_CIPHER *ours = EVP_CIPHER_fetch(NULL, "AES-128-CTR", "provider=ciphertune");
    EVP_CIPHER *theirs = EVP_CIPHER_fetch(NULL, "AES-128-CTR", "provider=default");
    kept = new_pair(ours, theirs, seed, 0, 1);
    init(kept, 1, 1, 1);
    data(kept, UPDATE, LONGEST);
    begin(kept);
}

int main(int argc, char **argv) {
    static const char *const modes[] = {"ECB", "CBC", "CFB", "CFB8", "OFB", "CTR", "XTS", "GCM", "CCM", "OCB"};
    enum { THREADS = 4 };
    int tested = 0, rounds_each = argc > 1 ? atoi(argv[1]) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 30; i++) {
        char name[32];
        snprintf(name, sizeof name, "AES-%d-%s", 128 + 64 * (i % 3), modes[i / 3]);
        EVP_CIPHER *ours = EVP_CIPHER_fetch(NULL, name, "provider=ciphertune");
        EVP_CIPHER *theirs = EVP_CIPHER_fetch(NULL, name, "provider=default");
        ERR_clear_error();
        if (ours == NULL || theirs == NULL)
            continue;
        struct pair *pairs[THREADS];
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++)
            pairs[t] = new_pair(ours, theirs, seed + i * THREADS + t, rounds_each, argc > 3);
        for (int t = 0; t < THREADS; t++)
            pthread_create(&threads[t], NULL, rounds, pairs[t]);
        for (int t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
        for (int t = 0; t < THREADS; t++)
            new_contexts(pairs[t]);
        if (pairs[0]->threads)
            changed(pairs[0]);
        once(pairs[0]);
        in_chunks(pairs[0]);
        forked(pairs[0]);
        many_contexts(pairs[0]);
        for (int t = 0; t < THREADS; t++) {
            EVP_CIPHER_CTX_free(pairs[t]->ctx[0]), EVP_CIPHER_CTX_free(pairs[t]->ctx[1]);
            free(pairs[t]);
        }
        EVP_CIPHER_free(ours), EVP_CIPHER_free(theirs);
        tested++;
    }
    if (argc > 3)
        unended(seed);
    printf("differential: %d algorithms alike\n", tested);
    /* XTS has two sizes of keys. */
    return tested != 29;
}

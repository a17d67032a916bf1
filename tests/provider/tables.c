/* The tables of parameters: each mode's against the default provider's, but for what is listed here; and against what the
 * cipher really answers and takes, in each state of a context, where the default provider is asked the same.
 *
 *   tables
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum table { OF_CIPHER, ASKED, SET, TABLES };
static const char *const kinds[TABLES] = {"of the cipher", "that can be asked for", "that can be set"};

/* What the default provider lists and this one does not, or the reverse. docs/provider.md names them. */
static const struct {
    const char *modes;
    enum table table;
    const char *name;
} exceptions[] = {
    /* Its tables are made for all modes, and all ciphers: these do nothing there. */
    {" ECB CBC ", SET, "num"},
    {" ECB CBC CFB CFB8 OFB CTR ", SET, "use-bits"},
    {" ECB CFB CFB8 OFB CTR ", SET, "tls-version"},
    {" ECB CFB CFB8 OFB CTR ", SET, "tls-mac-size"},
    {" ECB CFB CFB8 OFB CTR XTS ", ASKED, "tls-mac"},
    {" CCM ", ASKED, "tlsivgen"},
    {" CCM ", SET, "tlsivinv"},
    /* Of the stitched ciphers, in OpenSSL 4; of all others it is 0, as without it. */
    {" ECB CBC CFB CFB8 OFB CTR XTS GCM CCM OCB ", OF_CIPHER, "encrypt-then-mac"},
    /* OpenSSL 3.0 does not know it yet; 3.5 has it for CCM, which draws none. */
    {" GCM CCM ", ASKED, "iv-generated"},
};

/* Every name of a parameter of ciphers that any release knows. */
static const char *const names[] = {
    "mode", "keylen", "ivlen", "blocksize", "aead", "custom-iv", "cts", "tls-multi", "has-randkey", "encrypt-then-mac",
    "decrypt-only", "iv", "updated-iv", "num", "padding", "use-bits", "rounds", "keybits", "speed", "cts_mode",
    "randkey", "tls-version", "tls-mac", "tls-mac-size", "taglen", "tag", "tagset", "tagget", "tlsaad", "tlsaadpad",
    "tlsivfixed", "tlsivgen", "tlsivinv", "iv-generated", "pipeline-tag", "mackey", "xts_standard", "alg_id_param",
    "algorithm-id", "algorithm-id-params",
};
enum { NAMES = sizeof names / sizeof *names };

/* The algorithm that is looked at. */
static const char *algorithm;
static int wrong;

static void complain(enum table table, const char *name, const char *what) {
    fprintf(stderr, "tables: %s, parameters %s: '%s' %s\n", algorithm, kinds[table], name, what);
    wrong = 1;
}

static const OSSL_PARAM *entry(const OSSL_PARAM *table, const char *name) {
    return table ? OSSL_PARAM_locate_const(table, name) : NULL;
}

static int excepted(const char *mode, enum table table, const char *name) {
    char word[32];
    snprintf(word, sizeof word, " %s ", mode);
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].table == table && strcmp(exceptions[i].name, name) == 0 && strstr(exceptions[i].modes, word))
            return 1;
    return 0;
}

static void compare(const char *mode, enum table kind, const OSSL_PARAM *ours, const OSSL_PARAM *theirs) {
    for (const OSSL_PARAM *table = ours;; table = theirs) {
        for (const OSSL_PARAM *one = table; one && one->key; one++) {
            const OSSL_PARAM *a = entry(ours, one->key), *b = entry(theirs, one->key);
            int known = 0;
            for (int i = 0; i < NAMES; i++)
                known |= strcmp(names[i], one->key) == 0;
            if (!known)
                complain(kind, one->key, "is not among the names of this test");
            if (!a != !b && !excepted(mode, kind, one->key))
                complain(kind, one->key, a ? "is here alone" : "is the default provider's alone");
            /* OpenSSL 4 lists the place of a MAC as bytes. */
            int place = strcmp(one->key, "tls-mac") == 0;
            if (a && b && !place && (a->data_type != b->data_type || a->data_size != b->data_size))
                complain(kind, one->key, "has another type");
        }
        if (table == theirs)
            return;
    }
}

struct answer {
    int ok;
    size_t size;
    unsigned char bytes[64];
};

/* Asks for what the table describes, of the cipher or of a context of it; for as many bytes as there must be. */
static struct answer ask(EVP_CIPHER *of, EVP_CIPHER_CTX *ctx, const OSSL_PARAM *described) {
    struct answer answer = {0};
    OSSL_PARAM list[2] = {*described, OSSL_PARAM_construct_end()};
    const char *name = list->key;
    list->data = answer.bytes;
    list->return_size = OSSL_PARAM_UNMODIFIED;
    if (list->data_type == OSSL_PARAM_OCTET_PTR)
        list->data_size = sizeof(void *);
    else if (list->data_type == OSSL_PARAM_OCTET_STRING)
        list->data_size = strcmp(name, "tag") == 0        ? EVP_CIPHER_CTX_get_tag_length(ctx)
                          : strcmp(name, "tlsivgen") == 0 ? EVP_GCM_TLS_EXPLICIT_IV_LEN
                                                          : EVP_CIPHER_CTX_get_iv_length(ctx);
    answer.ok = ctx ? EVP_CIPHER_CTX_get_params(ctx, list) : EVP_CIPHER_get_params(of, list);
    answer.size = list->return_size;
    return answer;
}

/* Whether both are the same. Of some parameters the default provider gives the value and not its size; places differ. */
static int alike(const struct answer *ours, const struct answer *theirs, const OSSL_PARAM *described) {
    if (theirs->size != OSSL_PARAM_UNMODIFIED && ours->size != theirs->size)
        return 0;
    return described->data_type == OSSL_PARAM_OCTET_PTR || memcmp(ours->bytes, theirs->bytes, sizeof ours->bytes) == 0;
}

/* The states of a context: with a key and an IV, within a message, after it, and with an IV that is counted. */
enum { STATES = 4 };

static void bring(EVP_CIPHER_CTX *ctx, EVP_CIPHER *cipher, int mode, int state) {
    unsigned char key[64], text[64] = {0}, out[96];
    int len;
    for (int i = 0; i < 64; i++)
        key[i] = i * 7;
    EVP_CIPHER_CTX_reset(ctx);
    int ok = EVP_EncryptInit_ex2(ctx, cipher, key, key, NULL);
    if (state == 3 && mode == EVP_CIPH_GCM_MODE)
        ok &= EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IV_FIXED, -1, key);
    else if (state > 0)
        ok &= EVP_EncryptUpdate(ctx, out, &len, text, mode == EVP_CIPH_XTS_MODE || mode == EVP_CIPH_CCM_MODE ? 64 : 41);
    if (state == 2 && mode <= EVP_CIPH_CBC_MODE)
        ok &= EVP_EncryptUpdate(ctx, out, &len, text, 7);
    if (state == 2)
        ok &= EVP_EncryptFinal_ex(ctx, out, &len);
    if (!ok) {
        fprintf(stderr, "tables: %s: no context in state %d\n", algorithm, state);
        exit(1);
    }
}

static void answers(EVP_CIPHER *both[2]) {
    EVP_CIPHER_CTX *ctx[2] = {EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new()};
    int mode = EVP_CIPHER_get_mode(both[1]);
    for (int i = 0; i < NAMES; i++) {
        const char *name = names[i];
        unsigned int none;
        OSSL_PARAM unlisted = OSSL_PARAM_construct_uint(name, &none);

        const OSSL_PARAM *get = entry(EVP_CIPHER_gettable_params(both[0]), name);
        struct answer ours = ask(both[0], NULL, get ? get : &unlisted);
        if ((ours.ok && ours.size != OSSL_PARAM_UNMODIFIED) != (get != NULL))
            complain(OF_CIPHER, name, get ? "is listed and not answered" : "is answered and not listed");
        if (get && entry(EVP_CIPHER_gettable_params(both[1]), name)) {
            struct answer theirs = ask(both[1], NULL, get);
            if (!alike(&ours, &theirs, get))
                complain(OF_CIPHER, name, "has another value");
        }

        /* In some state it must have an answer, and in each the default provider's. */
        const OSSL_PARAM *asked = entry(EVP_CIPHER_gettable_ctx_params(both[0]), name);
        int answered = 0, known = entry(EVP_CIPHER_gettable_ctx_params(both[1]), name) != NULL;
        for (int state = 0; state < STATES; state++) {
            for (int side = 0; side < 2; side++)
                bring(ctx[side], both[side], mode, state);
            ours = ask(both[0], ctx[0], asked ? asked : &unlisted);
            answered |= ours.ok && ours.size != OSSL_PARAM_UNMODIFIED;
            if (!asked || !known)
                continue;
            struct answer theirs = ask(both[1], ctx[1], asked);
            if (ours.ok != theirs.ok)
                complain(ASKED, name, ours.ok ? "is answered here alone" : "is answered by the default provider alone");
            else if (ours.ok && !alike(&ours, &theirs, asked))
                complain(ASKED, name, "has another value");
        }
        if (answered != (asked != NULL))
            complain(ASKED, name, asked ? "is listed and never answered" : "is answered and not listed");

        /* What is taken is looked at: as a text, which none is, it is refused. Two names OpenSSL 4 looks at itself. */
        OSSL_PARAM odd[2] = {OSSL_PARAM_construct_utf8_string(name, (char[]){"odd"}, 0), OSSL_PARAM_construct_end()};
        const OSSL_PARAM *set = entry(EVP_CIPHER_settable_ctx_params(both[0]), name);
        bring(ctx[0], both[0], mode, 0);
        int own = strcmp(name, "keylen") == 0 || strcmp(name, "ivlen") == 0;
        if (EVP_CIPHER_CTX_set_params(ctx[0], odd) != (set == NULL) && !(own && !set))
            complain(SET, name, set ? "is listed and not looked at" : "is looked at and not listed");
    }
    EVP_CIPHER_CTX_free(ctx[0]), EVP_CIPHER_CTX_free(ctx[1]);
}

int main(void) {
    static const char *const modes[] = {"ECB", "CBC", "CFB", "CFB8", "OFB", "CTR", "XTS", "GCM", "CCM", "OCB"};
    int tested = 0;
    for (int i = 0; i < 30; i++) {
        const char *mode = modes[i / 3];
        char name[32];
        snprintf(name, sizeof name, "AES-%d-%s", 128 + 64 * (i % 3), mode);
        EVP_CIPHER *both[2] = {EVP_CIPHER_fetch(NULL, name, "provider=ciphertune"), EVP_CIPHER_fetch(NULL, name, "provider=default")};
        if (both[0] && both[1]) {
            algorithm = name;
            compare(mode, OF_CIPHER, EVP_CIPHER_gettable_params(both[0]), EVP_CIPHER_gettable_params(both[1]));
            compare(mode, ASKED, EVP_CIPHER_gettable_ctx_params(both[0]), EVP_CIPHER_gettable_ctx_params(both[1]));
            compare(mode, SET, EVP_CIPHER_settable_ctx_params(both[0]), EVP_CIPHER_settable_ctx_params(both[1]));
            answers(both);
            tested++;
        }
        EVP_CIPHER_free(both[0]), EVP_CIPHER_free(both[1]);
    }
    printf("tables: %d algorithms\n", tested);
    /* XTS has two sizes of keys. */
    return wrong || tested != 29;
}

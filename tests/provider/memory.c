/* What the provider leaves on the stack: nothing that a context keeps secret, when it is copied; and in registers: no key that
 * it takes. What it does without memory. And that no thread is unwound within it. */
#define _GNU_SOURCE
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/prov_ssl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEARCHED = 48 * 1024, BELOW = 256, BLOCK = 16, MAC = 20, LARGE = 1 << 28, LONG = 1 << 20 };

/* What must not be found; none of it is ever on the stack of this program, but where it is planted. */
static unsigned char secret[32];
static size_t secret_len;
static unsigned char key[32], iv[BLOCK], zeros[2 * BLOCK], out[8 * BLOCK], record[8 * BLOCK], large[LARGE];
static EVP_CIPHER_CTX *ctx, *copied;
static int wrong, len;

__attribute__((noinline)) static void clear(void) {
    volatile unsigned char stack[SEARCHED + 8192];
    for (size_t i = 0; i < sizeof stack; i++)
        stack[i] = 0;
}

/* Runs it a good way down, so that what it leaves lies below whatever looks for it. */
__attribute__((noinline)) static void below(void (*run)(void)) {
    volatile unsigned char stack[4096] = {0};
    run();
    (void)stack[0];
}

__attribute__((noinline)) static int is_left(void) {
    const volatile unsigned char *end = (void *)((uintptr_t)__builtin_frame_address(0) - BELOW);
    for (const volatile unsigned char *at = end - SEARCHED; at + secret_len <= end; at++) {
        size_t i = 0;
        while (i < secret_len && at[i] == secret[i])
            i++;
        if (i == secret_len)
            return 1;
    }
    return 0;
}

static int leaves(void (*run)(void)) {
    clear();
    below(run);
    return is_left();
}

static void keep(const unsigned char *bytes, size_t n) {
    memcpy(secret, bytes, secret_len = n);
}

static void plant(void) {
    volatile unsigned char stack[sizeof secret];
    for (size_t i = 0; i < sizeof stack; i++)
        stack[i] = secret[i];
}

/* The vector registers, as the processor saves them for a system. */
static unsigned char registers[4096] __attribute__((aligned(64)));

static inline __attribute__((always_inline)) void save(void) {
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("xsave64 %0" : "+m"(registers) : "a"(0xe6), "d"(0));
    else
        __asm__ volatile("fxsave64 %0" : "+m"(registers));
}

static int is_saved(void) {
    return memmem(registers, sizeof registers, secret, 8) || memmem(registers, sizeof registers, secret + 8, 8);
}

static void copy(void) {
    wrong |= EVP_CIPHER_CTX_copy(copied, ctx) != 1;
}

static void must(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "memory: %s\n", what);
        wrong = 1;
    }
}

static void begin(const char *name, int encrypting, const OSSL_PARAM *params) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=ciphertune");
    EVP_CIPHER_CTX_free(ctx), EVP_CIPHER_CTX_free(copied);
    ctx = EVP_CIPHER_CTX_new(), copied = EVP_CIPHER_CTX_new();
    must(cipher && EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypting, params) == 1, name);
    EVP_CIPHER_free(cipher);
}

static void update(const unsigned char *in, int n) {
    must(EVP_CipherUpdate(ctx, out, &len, in, n) == 1, "update");
}

/* The key of GCM, which is kept to be known again. */
static void keys(void) {
    keep(key, BLOCK);
    begin("AES-128-GCM", 1, NULL);
    must(!leaves(copy), "a copy of GCM leaves its key on the stack");
    keep(key, sizeof key);
    begin("AES-256-GCM", 1, NULL);
    must(!leaves(copy), "a copy of GCM leaves its key of 256 bits on the stack");
}

/* A key that is taken, and taken again, which leaves what was made of it. */
static void taken(void) {
    keep(key, BLOCK);
    __asm__ volatile("movdqu %0, %%xmm7" : : "m"(key) : "xmm7");
    save();
    must(is_saved(), "what is in a register is not found");
    begin("AES-128-GCM", 1, NULL);
    for (int again = 0; again < 2; again++) {
        if (!again)
            must(EVP_CipherInit_ex2(ctx, NULL, key + BLOCK, NULL, 1, NULL) == 1, "another key");
        int done = EVP_CipherInit_ex2(ctx, NULL, key, NULL, 1, NULL);
        save();
        must(done == 1 && !is_saved(), again ? "the same key is left in registers" : "a key is left in registers");
    }
}

/* Keystream of which a part has served. */
static void keystream(const char *name) {
    char what[64];
    begin(name, 1, NULL);
    update(zeros, BLOCK), update(zeros, BLOCK);
    keep(out + 4, 12);
    memset(out, 0, sizeof out);
    begin(name, 1, NULL);
    update(zeros, BLOCK), update(zeros, 4);
    snprintf(what, sizeof what, "a copy of %s leaves keystream on the stack", name);
    must(!leaves(copy), what);
}

/* Text that waits for the rest of its block. */
static void held(const char *name) {
    char what[64];
    keep(key + 8, 15);
    begin(name, 1, NULL);
    update(secret, 15);
    snprintf(what, sizeof what, "a copy of %s leaves text on the stack", name);
    must(!leaves(copy), what);
}

static void final(void) {
    wrong |= EVP_CipherFinal_ex(ctx, out, &len) != 1;
}

/* Text of the message before, which had waited for the rest of its block. */
static void held_before(void) {
    keep(key + 8, 10);
    begin("AES-128-OCB", 1, NULL);
    update(secret, secret_len), final();
    must(EVP_CipherInit_ex2(ctx, NULL, NULL, iv, 1, NULL) == 1, "OCB's next IV");
    update(secret, 1);
    keep(key + 9, 9);
    must(!leaves(final), "the end of OCB leaves text of the message before on the stack");
}

/* The MAC of a record under CBC. */
static void mac(void) {
    unsigned int version = TLS1_1_VERSION;
    size_t size = MAC;
    OSSL_PARAM tls[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &size),
        OSSL_PARAM_construct_end(),
    };
    keep(key, MAC);
    memcpy(record + BLOCK, secret, MAC);
    begin("AES-128-CBC", 1, tls);
    must(EVP_CipherUpdate(ctx, record, &len, record, BLOCK + MAC) == 1, "sealing a record");
    begin("AES-128-CBC", 0, tls);
    must(EVP_CipherUpdate(ctx, record, &len, record, len) == 1, "opening a record");
    must(!leaves(copy), "a copy of CBC leaves a MAC on the stack");
}

/* A process that has no memory left gets an answer from CCM, which keeps additional data until the text comes; those that it
 * has already, a copy has too. */
static void without_memory(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        begin("AES-128-CCM", 1, NULL);
        must(EVP_CipherUpdate(ctx, NULL, &len, NULL, BLOCK) == 1, "CCM's length");
        EVP_CIPHER_CTX *large_ctx = EVP_CIPHER_CTX_new();
        must(EVP_CIPHER_CTX_copy(large_ctx, ctx) == 1, "a copy of CCM");
        must(EVP_CipherUpdate(large_ctx, NULL, &len, large, LARGE) == 1, "additional data");
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_AS, &none);
        must(EVP_CipherUpdate(ctx, NULL, &len, large, LARGE) == 0, "additional data for which there is no memory");
        must(EVP_CipherUpdate(ctx, out, &len, zeros, BLOCK) == 0, "text after additional data that were not taken");
        must(EVP_CIPHER_CTX_copy(copied, large_ctx) == 1, "a copy of CCM with additional data");
        _exit(wrong);
    }
    int status = 1;
    waitpid(child, &status, 0);
    must(status == 0, "without memory the process ends");
}

/* Encrypts in a thread that is to end at the next point where it can be cancelled: that is not within the provider. */
static void *encrypt(void *done) {
    pthread_cancel(pthread_self());
    *(int *)done = EVP_CipherUpdate(ctx, large, &len, large, LONG);
    pthread_testcancel();
    return NULL;
}

/* GCM draws an IV there; CTR, with threads of its own, asks whether it may start them. */
static void cancelled(const char *name, const unsigned char *given) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=ciphertune");
    pthread_t thread;
    void *end = NULL;
    int done = 0;
    EVP_CIPHER_CTX_reset(ctx);
    must(cipher && EVP_EncryptInit_ex2(ctx, cipher, key, given, NULL) == 1, name);
    must(pthread_create(&thread, NULL, encrypt, &done) == 0 && pthread_join(thread, &end) == 0, "a thread");
    must(done == 1, "a thread is cancelled within the provider");
    must(end == PTHREAD_CANCELED, "a thread is not cancelled after the provider");
    EVP_CIPHER_free(cipher);
}

int main(void) {
    for (int i = 0; i < (int)sizeof key; i++)
        key[i] = 0x51 + 0x3b * i + 7 * i * i;
    keep(key, BLOCK);
    must(leaves(plant), "what lies on the stack is not found");
    taken();
    keys();
    keystream("AES-128-OFB"), keystream("AES-128-CFB");
    held("AES-128-CBC"), held("AES-128-ECB"), held("AES-128-OCB");
    held_before();
    mac();
    without_memory();
    cancelled("AES-128-GCM", NULL), cancelled("AES-128-CTR", iv);
    EVP_CIPHER_CTX_free(ctx), EVP_CIPHER_CTX_free(copied);
    if (!wrong)
        puts("memory: no secret is left on the stack or in registers, lack of memory is answered, and no thread is cancelled within");
    return wrong;
}

/* AES at the speed this machine has: the C library of Ciphertune.
 *
 *     ciphertune_gcm *gcm;
 *     if (ciphertune_gcm_new(&gcm, key, sizeof key, 16) ||
 *         ciphertune_gcm_seal(gcm, nonce, 12, NULL, 0, text, text, text_len, tag, 16))
 *         errx(1, "%s", ciphertune_message());
 *     ciphertune_gcm_free(gcm);
 *
 * What is true of every function:
 *
 * Errors. A function that answers `int` answers CIPHERTUNE_OK, which is 0, or what went wrong (enum
 * ciphertune_code); ciphertune_message() then says it for people. (But for ciphertune_implementation_available(), which
 * answers 1 or 0.) Unless its comment says otherwise, a function that failed has written nothing.
 *
 * Pointers. None may be NULL, unless it points to 0 bytes. NULL is CIPHERTUNE_E_NULL, not a crash.
 *
 * Buffers. Lengths are in bytes. Bytes need not be aligned. `in` and `out` have the same length, `len`: they are
 * the same buffer, which is changed in place, or share no byte. What a function writes shares no byte with anything
 * else that it reads or writes. Else: CIPHERTUNE_E_OVERLAP. (But for `*ctx` of `_new`, which is written after all is read.)
 *
 * Contexts. `_new` makes a context on the heap and puts its address into `*ctx`, NULL if it fails. The caller owns
 * it and ends it with `_free`, which wipes its key; `_free` takes NULL. `_rekey` gives it another key in the same memory,
 * for a fraction of what another context costs; the old one is wiped, the length of tags stays, and what failed has
 * changed nothing. Which implementation serves goes by the first key's size: for keys of different sizes, contexts of
 * their own are better. A context keeps copies of key and IV, and no pointer to anything of the caller's. Keys of AES
 * have 16, 24 or 32 bytes.
 *
 * Threads. Different contexts can be used in different threads at the same time. One context can, too, by functions
 * that take it as `const`; otherwise by one thread at a time. After fork() parent and child each go on with their
 * own copies: both then make the same keystream, which is for one of them alone to use. The library starts no thread
 * unless ciphertune_ctr_set_threads() says so. What is under "Files", and ciphertune_implementation_available(), reads
 * the environment, which no thread may change meanwhile by setenv(). A thread that calls needs a stack of 64 KiB; of
 * 32 KiB once ciphertune_basis() was called.
 *
 * Panics and memory. A defect of the library becomes CIPHERTUNE_E_INTERNAL: nothing is thrown, and nothing jumps out
 * of it. Where there is no memory for a context or a nonce the process is aborted; where there is none for a list of messages
 * the answer is CIPHERTUNE_E_MEMORY. No function is for use in a signal handler.
 *
 * Files. The first `_new` in a process (or what is declared under "Wisdom") reads the wisdom and, to see whether it is for
 * this processor, /proc/cpuinfo. Nothing is read after that, but by ciphertune_use_wisdom(), which reads its file whenever
 * it is called, and by what concerns threads: ciphertune_threads_available() and ciphertune_ctr_set_threads() look at
 * /proc/thread-self/status, /proc/self/cgroup and what that names under /sys/fs/cgroup, and starting a thread at the
 * first. So call ciphertune_basis() before chroot() or a sandbox. Threads that a stream has then it keeps; of others
 * ciphertune_threads_available() says when they can be started.
 */
#ifndef CIPHERTUNE_H
#define CIPHERTUNE_H

#include <stddef.h>
#include <stdint.h>

#define CIPHERTUNE_VERSION_MAJOR 0
#define CIPHERTUNE_VERSION_MINOR 1
#define CIPHERTUNE_VERSION_PATCH 0

/* Bytes of a block of AES, and so of an IV and a whole tag. */
#define CIPHERTUNE_BLOCK 16

#if defined(__GNUC__)
#define CIPHERTUNE_CHECKED __attribute__((__warn_unused_result__))
#else
#define CIPHERTUNE_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---- */

/* A number keeps its meaning for good. Later versions may answer others. */
enum ciphertune_code {
    CIPHERTUNE_OK = 0,
    /* The tag is wrong: somebody changed key, nonce, additional data, message or tag. */
    CIPHERTUNE_E_NOT_AUTHENTIC = 1,
    CIPHERTUNE_E_NULL = 2,
    CIPHERTUNE_E_OVERLAP = 3,
    /* The key has a wrong length, or its two halves are the same (XTS). */
    CIPHERTUNE_E_KEY = 4,
    /* IV, nonce, tag, data or another buffer have a length that is not taken. */
    CIPHERTUNE_E_LENGTH = 5,
    /* The stream ends before, or the key has sealed all that it may. */
    CIPHERTUNE_E_EXHAUSTED = 6,
    /* Another argument is not one that the function takes. */
    CIPHERTUNE_E_INVALID = 7,
    /* The call does not belong where it was made, in the course of a message. */
    CIPHERTUNE_E_ORDER = 8,
    /* CIPHERTUNE_IMPLEMENTATION or CIPHERTUNE_CPU, of the environment, names what is unknown or cannot run here. */
    CIPHERTUNE_E_IMPLEMENTATION = 9,
    CIPHERTUNE_E_WISDOM_ABSENT = 10,
    /* The file is damaged, from another processor or build, or cannot be read. */
    CIPHERTUNE_E_WISDOM_REFUSED = 11,
    /* What was to be settled is settled already. */
    CIPHERTUNE_E_TOO_LATE = 12,
    CIPHERTUNE_E_MEMORY = 13,
    /* A defect of the library. The context must only be freed. */
    CIPHERTUNE_E_INTERNAL = 14,
    /* The message before was sealed with the same nonce. */
    CIPHERTUNE_E_NONCE_USED = 15
};

/* What the last call that failed in this thread has to say: what was wrong, with its figures, and what to do. In
 * English, one line, at most 1023 bytes; "" if none failed. It is ASCII but for names and paths in it: these are UTF-8,
 * with U+FFFD for what is none and `?` for control characters; of long ones the middle may be left out, as `...`. It
 * lasts until the next call that fails in this thread, or until ciphertune_basis() succeeds with
 * CIPHERTUNE_BASIS_ESTIMATE, which puts there why there is no wisdom. */
const char *ciphertune_message(void);

/* What a code means, in general. Static; never NULL. */
const char *ciphertune_strerror(int code);

/* ---- CTR (SP 800-38A, section 6.5): a stream ----
 *
 * The counter is the whole block: 128 bits, big-endian, wrapping. A pair of key and IV must never be used for two
 * messages, and nothing is protected from being changed: authenticate what you encrypted. */

typedef struct ciphertune_ctr ciphertune_ctr;

/* `iv`: the first counter block, 16 bytes. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_new(ciphertune_ctr **ctx, const void *key, size_t key_len, const void *iv, size_t iv_len);

void ciphertune_ctr_free(ciphertune_ctr *ctx);

/* Starts at position 0 with another key and IV. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_rekey(ciphertune_ctr *ctx, const void *key, size_t key_len, const void *iv, size_t iv_len);

/* Starts at position 0 with another IV and the same key: the next message of that key. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_restart(ciphertune_ctr *ctx, const void *iv, size_t iv_len);

/* Encrypts or decrypts, which is the same, and moves on by `len`. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_apply(ciphertune_ctr *ctx, const void *in, void *out, size_t len);

/* How many bytes of keystream lie before the next. CIPHERTUNE_E_EXHAUSTED: 2^64 or more. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_position(const ciphertune_ctr *ctx, uint64_t *position);

/* Goes to that byte of the keystream, forward or back. Going back makes the same keystream again: that is for
 * reading what was encrypted there, never for encrypting anything else. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_seek(ciphertune_ctr *ctx, uint64_t position);

/* As many threads as `ciphertune tune` found to pay here, for calls of the lengths for which it did; none without
 * wisdom. */
#define CIPHERTUNE_THREADS_MEASURED ((size_t)-1)

/* Lets a context use up to so many threads of its own besides the one that calls, or CIPHERTUNE_THREADS_MEASURED, or,
 * with 0, none, as at its start. Long calls are split; for a stream of shorter ones keystream is made ahead after its
 * first MiB. They never change what comes out. Where a thread cannot be had, the one that calls does the work; after
 * fork() the child goes on without, and may have others of its own. They leave when they have had nothing to do for a
 * second. By a number, without AES instructions calls are split from 256 KiB on, and with them from 8 MiB on and nothing
 * is made ahead: it would not pay. */
CIPHERTUNE_CHECKED
int ciphertune_ctr_set_threads(ciphertune_ctr *ctx, size_t threads);

/* How many threads can run beside the calling one: the processors that the process may use, less one. Found at the
 * first call, or by the first context that is given threads, and then known, whatever comes later; 0 for good where /proc
 * cannot be read then. Whether one can be started is looked at each time, and does not change this number: none is where
 * there are more filters of system calls (seccomp) than when it was found, whatever they allow, since a filter may kill for
 * a new thread, nor where /proc cannot be read, nor by a thread that is bound to one processor. Filters of before are
 * taken for such as allow threads. A program that wants threads in a sandbox has its stream start them before; they
 * go on there until they have had nothing to do for a second, and none takes their place. */
size_t ciphertune_threads_available(void);

/* ---- GCM (SP 800-38D): encryption that authenticates ----
 *
 * A pair of key and nonce must never be used for two messages: whoever sees both can forge any other. A used nonce is no
 * error here: the caller is to know. Nonces that are counted, of 12 bytes, are best. With any others, and with those
 * drawn at random, a key may seal 2^32 messages, by all of its contexts together. A context counts its own and answers
 * CIPHERTUNE_E_EXHAUSTED where more would be sealed, once a nonce had another length than 12 bytes; whether one of 12
 * bytes was drawn it cannot tell: there the caller counts. */

typedef struct ciphertune_gcm ciphertune_gcm;

/* `tag_len`: 12 to 16 for all tags of this key. 4 to 11 are for protocols that ask for them and limit how much is sent
 * and tried under a key (SP 800-38D, appendix C), of which the standard has 4 and 8 alone. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_new(ciphertune_gcm **ctx, const void *key, size_t key_len, size_t tag_len);

void ciphertune_gcm_free(ciphertune_gcm *ctx);

CIPHERTUNE_CHECKED
int ciphertune_gcm_rekey(ciphertune_gcm *ctx, const void *key, size_t key_len);

/* Encrypts, and writes the tag over `out` and the additional data. A nonce has at least one byte, a message at most
 * 2^36 - 32. `tag` may follow `out` without a gap. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_seal(ciphertune_gcm *ctx, const void *nonce, size_t nonce_len, const void *aad, size_t aad_len,
                        const void *in, void *out, size_t len, void *tag, size_t tag_len);

/* Decrypts, if the tag is right. CIPHERTUNE_E_NOT_AUTHENTIC: it is not, and `out` is zeros. During the call `out` holds
 * text whose tag was not seen yet: memory that others read meanwhile is no place for it. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_open(ciphertune_gcm *ctx, const void *nonce, size_t nonce_len, const void *aad, size_t aad_len,
                        const void *in, void *out, size_t len, const void *tag, size_t tag_len);

/* A message of GCM in parts, which are of any lengths and give what the whole would: _start, _aad as often as there are
 * additional data, _encrypt as often as there is text, _finish; or _start, _aad, _decrypt_unverified, _verify. Then the
 * next message, with the same key. What comes in another order is CIPHERTUNE_E_ORDER. Where two messages in a row are to
 * be encrypted with the same nonce, the second is CIPHERTUNE_E_NONCE_USED, by _encrypt or, without text, by _finish; a
 * nonce that served before that is the caller's to know.
 *
 * Where a message is at hand in one piece, ciphertune_gcm is the better way: decrypting in parts hands out text before
 * the tag was seen. Until _verify has answered CIPHERTUNE_OK that text may be anybody's: keep it, and forget it if the
 * answer is another. */

typedef struct ciphertune_gcm_stream ciphertune_gcm_stream;

/* As ciphertune_gcm_new(). */
CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_new(ciphertune_gcm_stream **ctx, const void *key, size_t key_len, size_t tag_len);

void ciphertune_gcm_stream_free(ciphertune_gcm_stream *ctx);

/* A message in progress ends without a tag. Which nonce was the last is forgotten, whatever the key: one that serves
 * again with the same key is not noticed. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_rekey(ciphertune_gcm_stream *ctx, const void *key, size_t key_len);

/* Starts a message; one in progress ends without a tag. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_start(ciphertune_gcm_stream *ctx, const void *nonce, size_t nonce_len);

/* Takes additional data, which come before the text. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_aad(ciphertune_gcm_stream *ctx, const void *aad, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_encrypt(ciphertune_gcm_stream *ctx, const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_decrypt_unverified(ciphertune_gcm_stream *ctx, const void *in, void *out, size_t len);

/* Ends a message that was encrypted, or one without text, and writes its tag. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_finish(ciphertune_gcm_stream *ctx, void *tag, size_t tag_len);

/* Ends a message that was decrypted, or one without text. CIPHERTUNE_E_NOT_AUTHENTIC: what was decrypted must not be
 * used. CIPHERTUNE_E_LENGTH: the message goes on. */
CIPHERTUNE_CHECKED
int ciphertune_gcm_stream_verify(ciphertune_gcm_stream *ctx, const void *tag, size_t tag_len);

/* ---- CCM (SP 800-38C; RFC 3610): encryption that authenticates ----
 *
 * A pair of key and nonce must never be used for two messages. A nonce has 7 to 13 bytes; the longer it is, the shorter
 * is the longest message, with 13 bytes 65535. GCM is faster by far. There is no CCM of a message in parts here. */

typedef struct ciphertune_ccm ciphertune_ccm;

/* `tag_len`: 4, 6, 8, ... 16 for all tags of this key. */
CIPHERTUNE_CHECKED
int ciphertune_ccm_new(ciphertune_ccm **ctx, const void *key, size_t key_len, size_t tag_len);

void ciphertune_ccm_free(ciphertune_ccm *ctx);

CIPHERTUNE_CHECKED
int ciphertune_ccm_rekey(ciphertune_ccm *ctx, const void *key, size_t key_len);

/* As ciphertune_gcm_seal(). */
CIPHERTUNE_CHECKED
int ciphertune_ccm_seal(const ciphertune_ccm *ctx, const void *nonce, size_t nonce_len, const void *aad, size_t aad_len,
                        const void *in, void *out, size_t len, void *tag, size_t tag_len);

/* As ciphertune_gcm_open(). */
CIPHERTUNE_CHECKED
int ciphertune_ccm_open(const ciphertune_ccm *ctx, const void *nonce, size_t nonce_len, const void *aad, size_t aad_len,
                        const void *in, void *out, size_t len, const void *tag, size_t tag_len);

/* ---- OCB (RFC 7253, OCB3): encryption that authenticates ----
 *
 * A pair of key and nonce must never be used for two messages; a nonce has 1 to 15 bytes, best 12. One key should
 * encrypt no more than 2^48 blocks, additional data among them: a processor is busy for a day before it has. A
 * ciphertune_ocb_stream counts its own, CIPHERTUNE_E_EXHAUSTED; for ciphertune_ocb the caller sees to it. */

typedef struct ciphertune_ocb ciphertune_ocb;

/* `tag_len`: 4 to 16 for all tags of this key; who may choose takes no less than 8. */
CIPHERTUNE_CHECKED
int ciphertune_ocb_new(ciphertune_ocb **ctx, const void *key, size_t key_len, size_t tag_len);

void ciphertune_ocb_free(ciphertune_ocb *ctx);

CIPHERTUNE_CHECKED
int ciphertune_ocb_rekey(ciphertune_ocb *ctx, const void *key, size_t key_len);

/* As ciphertune_gcm_seal(). */
CIPHERTUNE_CHECKED
int ciphertune_ocb_seal(const ciphertune_ocb *ctx, const void *nonce, size_t nonce_len, const void *aad, size_t aad_len,
                        const void *in, void *out, size_t len, void *tag, size_t tag_len);

/* As ciphertune_gcm_open(). */
CIPHERTUNE_CHECKED
int ciphertune_ocb_open(const ciphertune_ocb *ctx, const void *nonce, size_t nonce_len, const void *aad, size_t aad_len,
                        const void *in, void *out, size_t len, const void *tag, size_t tag_len);

/* A message of OCB in parts, as ciphertune_gcm_stream has those of GCM, but for two things: `len` of every part of the text
 * but the last is a multiple of 16, since what becomes of less than a block depends on whether more follows; text after a
 * part of another length is CIPHERTUNE_E_ORDER. And additional data may come after text, too. */

typedef struct ciphertune_ocb_stream ciphertune_ocb_stream;

/* As ciphertune_ocb_new(). */
CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_new(ciphertune_ocb_stream **ctx, const void *key, size_t key_len, size_t tag_len);

void ciphertune_ocb_stream_free(ciphertune_ocb_stream *ctx);

/* A message in progress ends without a tag. Which nonce was the last is forgotten, whatever the key: one that serves
 * again with the same key is not noticed. */
CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_rekey(ciphertune_ocb_stream *ctx, const void *key, size_t key_len);

/* Starts a message; one in progress ends without a tag. */
CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_start(ciphertune_ocb_stream *ctx, const void *nonce, size_t nonce_len);

/* Takes additional data, in parts of any lengths. */
CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_aad(ciphertune_ocb_stream *ctx, const void *aad, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_encrypt(ciphertune_ocb_stream *ctx, const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_decrypt_unverified(ciphertune_ocb_stream *ctx, const void *in, void *out, size_t len);

/* Ends a message that was encrypted, or one without text, and writes its tag. */
CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_finish(ciphertune_ocb_stream *ctx, void *tag, size_t tag_len);

/* Ends a message that was decrypted, or one without text. CIPHERTUNE_E_NOT_AUTHENTIC: what was decrypted must not be
 * used. CIPHERTUNE_E_LENGTH: the message goes on. */
CIPHERTUNE_CHECKED
int ciphertune_ocb_stream_verify(ciphertune_ocb_stream *ctx, const void *tag, size_t tag_len);

/* ---- CBC (SP 800-38A, section 6.2) ----
 *
 * `iv` becomes the message's last ciphertext block, so that the same 16 bytes take a message through several calls.
 * For encryption it must be unpredictable, and is to be sent from a copy. `len` is a multiple of 16: padding, and
 * checking it without telling an attacker, is the caller's. Nothing is protected from being changed. */

typedef struct ciphertune_cbc ciphertune_cbc;

CIPHERTUNE_CHECKED
int ciphertune_cbc_new(ciphertune_cbc **ctx, const void *key, size_t key_len);

void ciphertune_cbc_free(ciphertune_cbc *ctx);

CIPHERTUNE_CHECKED
int ciphertune_cbc_rekey(ciphertune_cbc *ctx, const void *key, size_t key_len);

CIPHERTUNE_CHECKED
int ciphertune_cbc_encrypt(const ciphertune_cbc *ctx, uint8_t iv[16], const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_cbc_decrypt(const ciphertune_cbc *ctx, uint8_t iv[16], const void *in, void *out, size_t len);

/* Many messages with one key, side by side: CBC encryption waits for each block before the next, and what one
 * message waits for the others fill. Best from 32 messages on, of about the same length; any will do. */

typedef struct ciphertune_cbc_many ciphertune_cbc_many;

typedef struct ciphertune_cbc_message {
    uint8_t iv[16]; /* the IV; afterwards the last ciphertext block */
    const void *in;
    void *out;
    size_t len; /* of both, a multiple of 16 */
} ciphertune_cbc_message;

CIPHERTUNE_CHECKED
int ciphertune_cbc_many_new(ciphertune_cbc_many **ctx, const void *key, size_t key_len);

void ciphertune_cbc_many_free(ciphertune_cbc_many *ctx);

CIPHERTUNE_CHECKED
int ciphertune_cbc_many_rekey(ciphertune_cbc_many *ctx, const void *key, size_t key_len);

/* Encrypts each as ciphertune_cbc_encrypt() would. Messages may read the same bytes; what one writes, no other reads
 * or writes. Where one is refused all are, and nothing is written; ciphertune_message() says which, counted from 0. */
CIPHERTUNE_CHECKED
int ciphertune_cbc_many_encrypt(const ciphertune_cbc_many *ctx, ciphertune_cbc_message *messages, size_t count);

/* The same, message i with the key of `ctxs[i]`: packets of several connections, side by side. Contexts are only read, as
 * those that are `const`. */
CIPHERTUNE_CHECKED
int ciphertune_cbc_many_encrypt_each(ciphertune_cbc_many *const *ctxs, ciphertune_cbc_message *messages, size_t count);

/* ---- CFB (SP 800-38A, section 6.3): by blocks, CFB-128 ----
 *
 * `iv` becomes what a message goes on with, the last ciphertext block. A `len` that is no multiple of 16 ends the message:
 * `iv` is then what there is of that block and zeros, with which nothing goes on that others could decrypt. An IV must
 * never serve two messages. Nothing is protected from being changed. */

typedef struct ciphertune_cfb ciphertune_cfb;

CIPHERTUNE_CHECKED
int ciphertune_cfb_new(ciphertune_cfb **ctx, const void *key, size_t key_len);

void ciphertune_cfb_free(ciphertune_cfb *ctx);

CIPHERTUNE_CHECKED
int ciphertune_cfb_rekey(ciphertune_cfb *ctx, const void *key, size_t key_len);

CIPHERTUNE_CHECKED
int ciphertune_cfb_encrypt(const ciphertune_cfb *ctx, uint8_t iv[16], const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_cfb_decrypt(const ciphertune_cfb *ctx, uint8_t iv[16], const void *in, void *out, size_t len);

/* ---- CFB by bytes, CFB-8: a block of AES for each of them ----
 *
 * `iv` becomes what a message goes on with, the last sixteen bytes of ciphertext; `len` is any. An IV must never serve two
 * messages. Nothing is protected from being changed. */

typedef struct ciphertune_cfb8 ciphertune_cfb8;

CIPHERTUNE_CHECKED
int ciphertune_cfb8_new(ciphertune_cfb8 **ctx, const void *key, size_t key_len);

void ciphertune_cfb8_free(ciphertune_cfb8 *ctx);

CIPHERTUNE_CHECKED
int ciphertune_cfb8_rekey(ciphertune_cfb8 *ctx, const void *key, size_t key_len);

CIPHERTUNE_CHECKED
int ciphertune_cfb8_encrypt(const ciphertune_cfb8 *ctx, uint8_t iv[16], const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_cfb8_decrypt(const ciphertune_cfb8 *ctx, uint8_t iv[16], const void *in, void *out, size_t len);

/* ---- XTS (IEEE 1619; SP 800-38E): the sectors of a disk ----
 *
 * A data unit (a sector) has 16 bytes to 2^20 blocks, any number of them, and a number: 16 bytes, little-endian. The
 * same unit encrypted twice gives the same ciphertext. Nothing is protected from being changed. */

typedef struct ciphertune_xts ciphertune_xts;

/* `key`: two keys of AES-128 or AES-256, one behind the other: 32 or 64 bytes. The two must differ. */
CIPHERTUNE_CHECKED
int ciphertune_xts_new(ciphertune_xts **ctx, const void *key, size_t key_len);

void ciphertune_xts_free(ciphertune_xts *ctx);

CIPHERTUNE_CHECKED
int ciphertune_xts_rekey(ciphertune_xts *ctx, const void *key, size_t key_len);

CIPHERTUNE_CHECKED
int ciphertune_xts_encrypt(const ciphertune_xts *ctx, const uint8_t unit[16], const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_xts_decrypt(const ciphertune_xts *ctx, const uint8_t unit[16], const void *in, void *out, size_t len);

/* ---- ECB (SP 800-38A, section 6.1): AES itself, for who builds a mode on it ----
 *
 * Equal blocks stay equal: text that is encrypted so shows through. `len` is a multiple of 16. */

typedef struct ciphertune_ecb ciphertune_ecb;

CIPHERTUNE_CHECKED
int ciphertune_ecb_new(ciphertune_ecb **ctx, const void *key, size_t key_len);

void ciphertune_ecb_free(ciphertune_ecb *ctx);

CIPHERTUNE_CHECKED
int ciphertune_ecb_rekey(ciphertune_ecb *ctx, const void *key, size_t key_len);

CIPHERTUNE_CHECKED
int ciphertune_ecb_encrypt(const ciphertune_ecb *ctx, const void *in, void *out, size_t len);

CIPHERTUNE_CHECKED
int ciphertune_ecb_decrypt(const ciphertune_ecb *ctx, const void *in, void *out, size_t len);

/* ---- CMAC (SP 800-38B; RFC 4493): a tag that only who has the key can make ---- */

typedef struct ciphertune_cmac ciphertune_cmac;

CIPHERTUNE_CHECKED
int ciphertune_cmac_new(ciphertune_cmac **ctx, const void *key, size_t key_len);

void ciphertune_cmac_free(ciphertune_cmac *ctx);

CIPHERTUNE_CHECKED
int ciphertune_cmac_rekey(ciphertune_cmac *ctx, const void *key, size_t key_len);

/* The tag of a message. Who needs a shorter one takes its first bytes. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_tag(const ciphertune_cmac *ctx, const void *message, size_t len, uint8_t tag[16]);

/* Checks the first 8 to 16 bytes of a message's tag, in constant time. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_verify(const ciphertune_cmac *ctx, const void *message, size_t len, const void *tag,
                           size_t tag_len);

typedef struct ciphertune_bytes {
    const void *data;
    size_t len;
} ciphertune_bytes;

/* The tags of many messages side by side, much faster than one by one: `tags` has room for 16 bytes for each. Where one
 * is refused all are, as by ciphertune_cbc_many_encrypt(). */
CIPHERTUNE_CHECKED
int ciphertune_cmac_tags(const ciphertune_cmac *ctx, const ciphertune_bytes *messages, uint8_t *tags, size_t count);

/* The same, message i with the key of `ctxs[i]`, which is only read. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_tags_each(ciphertune_cmac *const *ctxs, const ciphertune_bytes *messages, uint8_t *tags,
                              size_t count);

/* Checks the first 8 to 16 bytes of a tag that was made by one of these two, in constant time: by memcmp() an attacker
 * may learn how many of them are right. CIPHERTUNE_E_NOT_AUTHENTIC: they are another tag's. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_compare(const uint8_t made[16], const void *tag, size_t tag_len);

/* A message of CMAC in parts of any lengths; then the next one with the same key. */

typedef struct ciphertune_cmac_stream ciphertune_cmac_stream;

CIPHERTUNE_CHECKED
int ciphertune_cmac_stream_new(ciphertune_cmac_stream **ctx, const void *key, size_t key_len);

void ciphertune_cmac_stream_free(ciphertune_cmac_stream *ctx);

/* A message in progress ends without a tag. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_stream_rekey(ciphertune_cmac_stream *ctx, const void *key, size_t key_len);

/* Takes the next part of the message. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_stream_update(ciphertune_cmac_stream *ctx, const void *part, size_t len);

/* Ends the message and writes its tag. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_stream_finish(ciphertune_cmac_stream *ctx, uint8_t tag[16]);

/* Ends the message and checks the first 8 to 16 bytes of its tag, in constant time. CIPHERTUNE_E_LENGTH: the message
 * goes on. */
CIPHERTUNE_CHECKED
int ciphertune_cmac_stream_verify(ciphertune_cmac_stream *ctx, const void *tag, size_t tag_len);

/* ---- Wisdom: which implementation serves which length ----
 *
 * `ciphertune tune` measures what is fastest on this machine and writes a file. A process goes by one file, read
 * whole at its first use, or refused whole. Everything that can be chosen is right and constant-time: a file can
 * cost speed and nothing else. */

enum ciphertune_basis {
    /* CIPHERTUNE_IMPLEMENTATION, of the environment, forces one implementation. */
    CIPHERTUNE_BASIS_FORCED = 1,
    /* What was measured on this machine. */
    CIPHERTUNE_BASIS_WISDOM = 2,
    /* What the processor's features suggest; ciphertune_message() says why there is no wisdom. */
    CIPHERTUNE_BASIS_ESTIMATE = 3
};

/* What this process goes by. Settles it, if nothing has before. */
CIPHERTUNE_CHECKED
int ciphertune_basis(int *basis);

/* Makes this process go by the file at `path` and not by the one that its environment names. It must come before all
 * contexts and ciphertune_basis(): CIPHERTUNE_E_TOO_LATE. The file is read before that is looked at, so that
 * CIPHERTUNE_E_WISDOM_ABSENT and CIPHERTUNE_E_WISDOM_REFUSED are answered at any time; neither settles or changes
 * anything. CIPHERTUNE_E_INVALID: the path is "". CIPHERTUNE_IMPLEMENTATION goes before the file all the same:
 * ciphertune_basis() tells, and answers CIPHERTUNE_E_IMPLEMENTATION where that names what is none. */
CIPHERTUNE_CHECKED
int ciphertune_use_wisdom(const char *path);

/* The file that the environment names: CIPHERTUNE_WISDOM, else ciphertune/wisdom in XDG_CONFIG_HOME, else in
 * ~/.config. `path` has room for `size` bytes, a NUL among them. CIPHERTUNE_E_LENGTH: it needs more;
 * CIPHERTUNE_E_WISDOM_ABSENT: the environment has none of these; CIPHERTUNE_E_WISDOM_REFUSED: this program has another's
 * rights than its caller's, as a setuid one, and goes by nothing that the environment says. */
CIPHERTUNE_CHECKED
int ciphertune_wisdom_path(char *path, size_t size);

/* The name of the implementation that serves `len` bytes of an operation of an algorithm, both named as in wisdom:
 * "AES-128-CTR" and "encrypt", "AES-256-CBC" and "decrypt", "AES-128-GCM" and "seal" or "open", "AES-128-CMAC" and
 * "mac". Of a message of GCM in parts, ciphertune_gcm_stream, that of the longest to seal serves for all. Static; NULL:
 * ciphertune_message() says why. */
const char *ciphertune_chosen(const char *algorithm, const char *operation, size_t len);

/* The same of more than four messages side by side that have `len` bytes on average: CBC and "encrypt", by
 * ciphertune_cbc_many_encrypt(), and CMAC and "mac", by ciphertune_cmac_tags(), and by what takes a key for each. Up to
 * four go by what serves a `len` of 0 here. */
const char *ciphertune_chosen_of_many(const char *algorithm, const char *operation, size_t len);

/* ---- What this library is ---- */

/* Its version, as in "0.1.0". The macros above are those of the header. */
const char *ciphertune_version(void);

/* The name of implementation `index`, counted from 0, as in "vaes512"; NULL after the last. Static. */
const char *ciphertune_implementation_name(size_t index);

/* 1 if this processor can run it, else 0. */
int ciphertune_implementation_available(size_t index);

#ifdef __cplusplus
}
#endif

#endif

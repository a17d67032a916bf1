/* What the provider asks the system for once it is loaded and keys are set: memory alone. Any other call of the system's
 * ends this process.
 *
 *     sandboxed ALGORITHM...
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 256, LEN = 4096, CANNOT = 77 };

static unsigned char text[LEN], record[LEN], keys[64], iv[16];

static EVP_CIPHER *fetched(const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=ciphertune");
    if (cipher == NULL) {
        fprintf(stderr, "sandboxed: no %s\n", name);
        exit(1);
    }
    return cipher;
}

static void check(int answer, const char *what)
{
    if (answer != 1) {
        fprintf(stderr, "sandboxed: %s failed\n", what);
        exit(1);
    }
}

/* Both directions of TLS 1.2 under CBC with a MAC of SHA-1, and what the one made for the other. */
static EVP_CIPHER_CTX *with_record(EVP_CIPHER *cipher, int *len)
{
    EVP_CIPHER_CTX *sends = EVP_CIPHER_CTX_new(), *receives = EVP_CIPHER_CTX_new();
    unsigned version = 0x0303;
    size_t size = 20;
    OSSL_PARAM tls[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
        OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &size),
        OSSL_PARAM_construct_end(),
    };
    check(EVP_EncryptInit_ex2(sends, cipher, keys, iv, tls), "a key to send with");
    check(EVP_EncryptUpdate(sends, record, len, record, 100), "a record");
    check(EVP_DecryptInit_ex2(receives, cipher, keys, iv, tls), "a key to receive with");
    EVP_CIPHER_CTX_free(sends);
    return receives;
}

static void forbid(void)
{
#define ALLOW(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_brk),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mremap),
        ALLOW(SYS_write),
        ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        exit(CANNOT);
}

int main(int argc, char **argv)
{
    EVP_CIPHER_CTX *contexts[MOST], *receives;
    int i, len, count = argc - 1;

    if (count < 1 || count > MOST)
        return 2;
    for (i = 0; i < (int)sizeof keys; i++)
        keys[i] = i;
    for (i = 0; i < count; i++) {
        contexts[i] = EVP_CIPHER_CTX_new();
        check(EVP_EncryptInit_ex2(contexts[i], fetched(argv[i + 1]), keys, iv, NULL), argv[i + 1]);
    }
    receives = with_record(fetched("AES-128-CBC"), &len);

    forbid();
    for (i = 0; i < count; i++) {
        EVP_CIPHER_CTX *copy;
        int n, is_ccm = EVP_CIPHER_CTX_get_mode(contexts[i]) == EVP_CIPH_CCM_MODE;
        if (is_ccm)
            check(EVP_EncryptUpdate(contexts[i], NULL, &n, NULL, LEN), "a length");
        check(EVP_EncryptUpdate(contexts[i], text, &n, text, LEN), argv[i + 1]);
        copy = EVP_CIPHER_CTX_new();
        check(EVP_CIPHER_CTX_copy(copy, contexts[i]), "a copy");
        check(EVP_EncryptFinal_ex(copy, text, &n), "an end");
        check(EVP_EncryptInit_ex2(contexts[i], NULL, NULL, iv, NULL), "the next message");
        EVP_CIPHER_CTX_free(copy);
        EVP_CIPHER_CTX_free(contexts[i]);
    }
    check(EVP_DecryptUpdate(receives, record, &len, record, len), "a record that is opened");
    EVP_CIPHER_CTX_free(receives);
    return 0;
}

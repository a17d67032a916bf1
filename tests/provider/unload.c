/* A program that unloads the provider while threads of the provider's sleep in it, and ends while another one does.
 * `unload CONFIGURATION PROVIDER`: by the one the other is known and not yet active, and has a thread. */
#include <dirent.h>
#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(what)                                                              \
    do {                                                                         \
        if (!(what)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

static int threads(void) {
    int number = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks);
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks))
        number += task->d_name[0] != '.';
    closedir(tasks);
    return number;
}

/* Loads the provider, splits a call among its threads, and unloads it: OpenSSL does that with the last of a context of
 * the library's own. On a thread that ends, since what a thread of Rust's has begun keeps a library in memory. */
static void *use(void *configuration) {
    static unsigned char key[16], data[16 << 20];
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    CHECK(library && OSSL_LIB_CTX_load_config(library, configuration));
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "ciphertune");
    CHECK(provider);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "AES-128-CTR", "provider=ciphertune");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    CHECK(cipher && ctx && EVP_EncryptInit_ex2(ctx, cipher, key, key, NULL));
    /* One that slept for a second has left; another comes with the next call. */
    int len;
    do
        CHECK(EVP_EncryptUpdate(ctx, data, &len, data, sizeof data));
    while (threads() != 3);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    CHECK(OSSL_PROVIDER_unload(provider));
    OSSL_LIB_CTX_free(library);
    return NULL;
}

static void use_and_unload(char *configuration) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, configuration) == 0 && pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    for (int round = 0; round < 2; round++) {
        use_and_unload(argv[1]);
        /* It wakes up, and leaves. */
        struct timespec moment = {0, 20 * 1000 * 1000};
        while (threads() > 1)
            nanosleep(&moment, NULL);
        /* What is only kept by a thread goes with this. */
        void *provider = dlopen(argv[2], RTLD_NOW);
        CHECK(provider && dlclose(provider) == 0);
        CHECK(dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD));
    }
    use_and_unload(argv[1]);
    return 0;
}

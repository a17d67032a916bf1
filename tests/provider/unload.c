/* A program that unloads the provider while threads of the provider's sleep in it, and ends while another one does.
 * `unload CONFIGURATION PROVIDER`: by the one the other is known and not yet active, and has a thread. */
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "../unloading.h"

/* Loads the provider, splits a call among its threads, and unloads it: OpenSSL does that with the last of a context of
 * the library's own. */
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

int main(int argc, char **argv) {
    CHECK(argc == 3);
    unload(use, argv[1], argv[2]);
    return 0;
}

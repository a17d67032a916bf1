/* Fails unless every algorithm that the provider is to offer is fetched from it, as programs fetch: by name alone. A
 * provider that is not there would pass every other test.
 *
 *   is_used ALGORITHM...
 *   is_used --load         only loads what the configuration names, and prints OpenSSL's errors */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int wrong = argc < 2;
    if (argc == 2 && strcmp(argv[1], "--load") == 0) {
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "ciphertune");
        ERR_print_errors_fp(stderr);
        return provider == NULL || !OSSL_PROVIDER_unload(provider);
    }
    for (int i = 1; i < argc; i++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, argv[i], NULL);
        const char *from = cipher ? OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)) : "nowhere";
        if (strcmp(from, "ciphertune") != 0) {
            fprintf(stderr, "is_used: %s comes from %s\n", argv[i], from);
            wrong = 1;
        }
        EVP_CIPHER_free(cipher);
    }
    return wrong;
}

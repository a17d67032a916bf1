/* What the library is and what it goes by on this machine.
 *
 *     cc about.c $(pkg-config --cflags --libs ciphertune) -o about && ./about */
#include <stdio.h>

#include <ciphertune.h>

int main(void)
{
    printf("version %s\n", ciphertune_version());
    for (size_t i = 0; ciphertune_implementation_name(i); i++)
        printf("implementation %s %s\n", ciphertune_implementation_name(i),
               ciphertune_implementation_available(i) ? "runs here" : "needs another processor");

    int basis;
    if (ciphertune_basis(&basis) != CIPHERTUNE_OK) {
        fprintf(stderr, "about: %s\n", ciphertune_message());
        return 1;
    }
    switch (basis) {
    case CIPHERTUNE_BASIS_FORCED:
        printf("basis forced by CIPHERTUNE_IMPLEMENTATION\n");
        break;
    case CIPHERTUNE_BASIS_WISDOM:
        printf("basis wisdom\n");
        break;
    case CIPHERTUNE_BASIS_ESTIMATE:
        printf("basis estimate: %s\n", ciphertune_message());
        break;
    }
    char path[4096];
    if (ciphertune_wisdom_path(path, sizeof path) == CIPHERTUNE_OK)
        printf("wisdom %s\n", path);
    for (size_t len = 16; len <= 1 << 20; len *= 4)
        printf("chosen %s for AES-128-CTR and %s for AES-128-GCM of %zu bytes\n",
               ciphertune_chosen("AES-128-CTR", "encrypt", len), ciphertune_chosen("AES-128-GCM", "seal", len), len);
    return 0;
}

/* A program that unloads the library while threads of the library's sleep in it, and ends while another one does.
 * `unload LIBRARY` */
#define _POSIX_C_SOURCE 200809L

#include <ciphertune.h>

#include "../unloading.h"

/* The library's function of that name, as the header declares it. */
#define FIND(name)             \
    __typeof__(name) *name##_; \
    *(void **)&name##_ = dlsym(library, #name); \
    CHECK(name##_)

/* Loads the library, splits a call among its threads, and unloads it. */
static void *use(void *path)
{
    enum { LEN = 64 << 20 };
    static uint8_t key[16], data[LEN];
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    FIND(ciphertune_threads_available);
    FIND(ciphertune_ctr_new);
    FIND(ciphertune_ctr_set_threads);
    FIND(ciphertune_ctr_apply);
    FIND(ciphertune_ctr_free);
    ciphertune_ctr *ctr;
    CHECK(ciphertune_ctr_new_(&ctr, key, 16, key, 16) == CIPHERTUNE_OK);
    CHECK(ciphertune_ctr_set_threads_(ctr, 1) == CIPHERTUNE_OK);
    size_t helper = ciphertune_threads_available_() > 0;
    /* One that slept for a second has left; another comes with the next call. */
    do
        CHECK(ciphertune_ctr_apply_(ctr, data, data, LEN) == CIPHERTUNE_OK);
    while (threads() != 2 + helper);
    ciphertune_ctr_free_(ctr);
    dlclose(library);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    unload(use, argv[1], argv[1]);
    return 0;
}

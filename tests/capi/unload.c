/* A program that unloads the library while threads of the library's sleep in it, and ends while another one does.
 * `unload LIBRARY` */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ciphertune.h>

#define CHECK(what)                                                       \
    do {                                                                  \
        if (!(what)) {                                                    \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

/* The library's function of that name, as the header declares it. */
#define FIND(name)             \
    __typeof__(name) *name##_; \
    *(void **)&name##_ = dlsym(library, #name); \
    CHECK(name##_)

static size_t threads(void)
{
    size_t number = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks))
        number += task->d_name[0] != '.';
    closedir(tasks);
    return number;
}

/* Loads the library, splits a call among its threads, and unloads it. On a thread that ends, since what a thread of Rust's
 * has begun keeps a library in memory. */
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

static void use_and_unload(char *path)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, path) == 0 && pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    for (int round = 0; round < 2; round++) {
        use_and_unload(argv[1]);
        /* It wakes up, and leaves. */
        struct timespec moment = {0, 20 * 1000 * 1000};
        while (threads() > 1)
            nanosleep(&moment, NULL);
        /* What is only kept by a thread goes with this. */
        void *library = dlopen(argv[1], RTLD_NOW);
        CHECK(library != NULL && dlclose(library) == 0);
        CHECK(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL);
    }
    use_and_unload(argv[1]);
    return 0;
}

/* What the tests that unload a library of ours have in common: a thread uses it, and threads of its own sleep in it. */
#include <dirent.h>
#include <dlfcn.h>
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

/* On a thread that ends, since what a thread of Rust's has begun keeps a library in memory. */
static void use_and_unload(void *(*use)(void *), char *with)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, with) == 0 && pthread_join(thread, NULL) == 0);
}

/* `use` loads the library, has a thread of its own sleep in it, and unloads it. At the end of this another does. */
static void unload(void *(*use)(void *), char *with, const char *path)
{
    for (int round = 0; round < 2; round++) {
        use_and_unload(use, with);
        /* It wakes up, and leaves. */
        struct timespec moment = {0, 20 * 1000 * 1000};
        while (threads() > 1)
            nanosleep(&moment, NULL);
        /* What is only kept by a thread goes with this. */
        void *library = dlopen(path, RTLD_NOW);
        CHECK(library != NULL && dlclose(library) == 0);
        CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) != NULL);
    }
    use_and_unload(use, with);
}

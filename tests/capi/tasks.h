/* For tests of threads. */
#ifndef TASKS_H
#define TASKS_H

#include <dirent.h>

#include "check.h"

/* How many threads this process has. */
static inline size_t threads(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

#endif

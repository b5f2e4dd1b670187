/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* In LD_PRELOAD, this is a system on which exchanging the names of two files fails, or is followed by a pause: for tests of programs. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static int number(const char* name)
{
    const char* const text = getenv(name);
    return text ? atoi(text) : 0;
}

int renameat2(int old_folder, const char* old_path, int new_folder, const char* new_path, unsigned flags);
int renameat2(int old_folder, const char* old_path, int new_folder, const char* new_path, unsigned flags)
{
    int (*real)(int, const char*, int, const char*, unsigned);
    const int refusal = number("SLHC_TEST_RENAME_ERRNO"), pause_ms = number("SLHC_TEST_RENAME_PAUSE_MS");
    struct timespec left = {pause_ms / 1000, pause_ms % 1000 * 1000000L};
    int result, error;
    if (refusal) {
        errno = refusal;
        return -1;
    }
    *(void**)&real = dlsym(RTLD_NEXT, "renameat2");
    result = real(old_folder, old_path, new_folder, new_path, flags);
    error = errno;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
    errno = error;
    return result;
}

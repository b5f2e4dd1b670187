/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* In LD_PRELOAD, this is a system whose random generator fails: for tests of programs. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Python takes random bytes for its own hash tables before it runs anything: with this variable, what asks for fewer than
 * that many bytes gets zeros. */
static size_t served(void)
{
    const char* const below = getenv("SLHC_TEST_RANDOM_BELOW");
    return below ? strtoul(below, NULL, 10) : 0;
}

ssize_t getrandom(void* buffer, size_t size, unsigned flags);
ssize_t getrandom(void* buffer, size_t size, unsigned flags)
{
    (void)flags;
    if (size < served()) {
        memset(buffer, 0, size);
        return (ssize_t)size;
    }
    errno = EIO;
    return -1;
}

int getentropy(void* buffer, size_t size);
int getentropy(void* buffer, size_t size)
{
    return getrandom(buffer, size, 0) < 0 ? -1 : 0;
}

/* The device, which libraries fall back to. */
static int is_random_device(const char* path)
{
    return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

typedef int open_function(const char* path, int flags, ...);

#define INTERPOSE(name)                                                                     \
    int name(const char* path, int flags, ...);                                             \
    int name(const char* path, int flags, ...)                                              \
    {                                                                                       \
        open_function* real;                                                                \
        *(void**)&real = dlsym(RTLD_NEXT, #name);                                          \
        va_list more;                                                                       \
        mode_t mode = 0;                                                                    \
        if (is_random_device(path)) {                                                       \
            errno = ENODEV;                                                                 \
            return -1;                                                                      \
        }                                                                                   \
        va_start(more, flags);                                                              \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(more, mode_t);                     \
        va_end(more);                                                                       \
        return real(path, flags, mode);                                                     \
    }

INTERPOSE(open)
INTERPOSE(open64)

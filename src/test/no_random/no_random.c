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
#include <sys/syscall.h>
#include <sys/types.h>

/* Python takes random bytes for its own hash tables before it runs anything: with this variable, what asks for fewer than
 * that many bytes gets zeros. */
static size_t served(void)
{
    const char* const below = getenv("SLHC_TEST_RANDOM_BELOW");
    return below ? strtoul(below, NULL, 10) : 0;
}

/* With this variable, an error number, the system call is refused with that, and the device works: callers must not turn to it. */
static int refusal(void)
{
    const char* const number = getenv("SLHC_TEST_RANDOM_REFUSAL");
    return number ? atoi(number) : 0;
}

ssize_t getrandom(void* buffer, size_t size, unsigned flags);
ssize_t getrandom(void* buffer, size_t size, unsigned flags)
{
    (void)flags;
    if (size < served()) {
        memset(buffer, 0, size);
        return (ssize_t)size;
    }
    errno = refusal() ? refusal() : EIO;
    return -1;
}

/* Python's os.getrandom() comes this way. */
long syscall(long number, ...);
long syscall(long number, ...)
{
    long (*real)(long, ...);
    long arguments[6];
    va_list more;
    int i;
    *(void**)&real = dlsym(RTLD_NEXT, "syscall");
    va_start(more, number);
    for (i = 0; i < 6; ++i) arguments[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_getrandom) return getrandom((void*)arguments[0], (size_t)arguments[1], (unsigned)arguments[2]);
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int getentropy(void* buffer, size_t size);
int getentropy(void* buffer, size_t size)
{
    return getrandom(buffer, size, 0) < 0 ? -1 : 0;
}

/* The device, which libraries fall back to. */
static int is_random_device(const char* path)
{
    return !refusal() && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
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

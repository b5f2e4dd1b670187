/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* In LD_PRELOAD, this is a system on which exchanging the names of two files fails, or is followed by a pause; on which no file gets a
 * second name, or a signal comes before it does; and on which another program makes a file just before one is renamed: for tests of
 * programs. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int number(const char* name)
{
    const char* const text = getenv(name);
    return text ? atoi(text) : 0;
}

/* A folder has no files without a name where they cannot get one. */
static int refused(int flags)
{
    if (!number("SLHC_TEST_LINK_ERRNO") || (flags & O_TMPFILE) != O_TMPFILE) return 0;
    errno = EOPNOTSUPP;
    return 1;
}

int open(const char* path, int flags, ...)
{
    int (*real)(const char*, int, ...);
    va_list arguments;
    mode_t mode = 0;
    va_start(arguments, flags);
    if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(arguments, mode_t);
    va_end(arguments);
    if (refused(flags)) return -1;
    *(void**)&real = dlsym(RTLD_NEXT, "open");
    return real(path, flags, mode);
}

int open64(const char* path, int flags, ...)
{
    va_list arguments;
    mode_t mode = 0;
    va_start(arguments, flags);
    if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open(path, flags, mode);
}

/* Another program makes a file just before this one gives its own that name. It says so, since its file may be replaced. */
static void make_meanwhile(const char* path)
{
    const int made = number("SLHC_TEST_MAKE_MEANWHILE") ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
    if (made < 0) return;
    (void)!write(made, "junk", 4);
    (void)!write(STDERR_FILENO, "made meanwhile\n", 15);
    close(made);
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
    if (flags & RENAME_NOREPLACE) make_meanwhile(new_path);
    *(void**)&real = dlsym(RTLD_NEXT, "renameat2");
    result = real(old_folder, old_path, new_folder, new_path, flags);
    error = errno;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
    errno = error;
    return result;
}

int linkat(int old_folder, const char* old_path, int new_folder, const char* new_path, int flags)
{
    int (*real)(int, const char*, int, const char*, int);
    const int refusal = number("SLHC_TEST_LINK_ERRNO"), signal_number = number("SLHC_TEST_LINK_SIGNAL");
    if (signal_number) raise(signal_number);
    if (refusal) {
        errno = refusal;
        return -1;
    }
    *(void**)&real = dlsym(RTLD_NEXT, "linkat");
    return real(old_folder, old_path, new_folder, new_path, flags);
}

int rename(const char* old_path, const char* new_path)
{
    int (*real)(const char*, const char*);
    make_meanwhile(new_path);
    *(void**)&real = dlsym(RTLD_NEXT, "rename");
    return real(old_path, new_path);
}

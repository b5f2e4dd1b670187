/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* In LD_PRELOAD, random bytes follow from the text in SLHC_TEST_RANDOM and from a program's arguments, without the folders in
 * them: for tests of programs that can be repeated. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static uint64_t state;

/* FNV-1a */
static void add(const char* text)
{
    do {
        state = (state ^ (unsigned char)*text) * 0x100000001b3;
    } while (*text++);
}

__attribute__((constructor)) static void seed(int argc, char** argv)
{
    const char* const text = getenv("SLHC_TEST_RANDOM");
    int i;
    state = 0xcbf29ce484222325;
    if (text) add(text);
    for (i = 1; i < argc; ++i) add(strrchr(argv[i], '/') ? strrchr(argv[i], '/') : argv[i]);
}

ssize_t getrandom(void* buffer, size_t size, unsigned flags);
ssize_t getrandom(void* buffer, size_t size, unsigned flags)
{
    size_t i;
    (void)flags;
    for (i = 0; i < size; ++i) {
        uint64_t mixed = __atomic_add_fetch(&state, 0x9e3779b97f4a7c15, __ATOMIC_RELAXED); /* splitmix64 */
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        ((unsigned char*)buffer)[i] = (unsigned char)(mixed >> 56);
    }
    return (ssize_t)size;
}

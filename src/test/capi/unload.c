/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* The shared library stays where it is when it is unloaded: a thread that was left alone in a driver may return into it at any time.
 * usage: capi_unload <shared library> */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv)
{
    typedef const char* (*version_function)(void);
    version_function version;
    void* library;
    void* symbol;
    if (argc != 2) return 2;
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, "slhc_version") : NULL;
    if (!symbol) {
        printf("%s\n", dlerror());
        return 1;
    }
    memcpy(&version, &symbol, sizeof(version));
    if (dlclose(library) != 0) {
        printf("%s\n", dlerror());
        return 1;
    }
    if (!dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD)) {
        printf("it is gone\n");
        return 1;
    }
    printf("still there: %s\n", version());
    return 0;
}

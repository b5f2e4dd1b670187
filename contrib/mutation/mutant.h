// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_MUTATION_MUTANT_H
#define SLHCONSENSUS_MUTATION_MUTANT_H

/** The switch of a program that has all its mutants in it, put in front of every file by the compiler's -include.
 *
 *  SLHC_MUTANT           the number of the mutant that the program is; without it, the program is what its sources say
 *  SLHC_MUTANTS_REACHED  a file, a byte for each number: those of the mutants that are reached become 1 */

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slhc_mutation {

inline int g_active{0};
inline volatile unsigned char* g_reached{nullptr}; //!< shared with children and with the process that made the file

/** Before any other constructor, in each file that is compiled: the first one decides. */
[[gnu::constructor(101)]] static void Start()
{
    if (const char* active{std::getenv("SLHC_MUTANT")}) g_active = std::atoi(active);
    const char* path{std::getenv("SLHC_MUTANTS_REACHED")};
    if (!path || g_reached) return;
    const int file{open(path, O_RDWR)};
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0) std::abort();
    void* const bytes{mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)};
    if (bytes == MAP_FAILED) std::abort();
    close(file);
    g_reached = static_cast<volatile unsigned char*>(bytes);
}

inline bool Reach(int id)
{
    if (g_reached) g_reached[id] = 1;
    return id == g_active;
}

} // namespace slhc_mutation

/** Whether the program is this mutant. False while the compiler evaluates, where nothing can be chosen. */
constexpr bool slhc_mutant(int id)
{
    if (__builtin_is_constant_evaluated()) return false; // not std::, so that any version of the language will do
    return slhc_mutation::Reach(id);
}

#endif // SLHCONSENSUS_MUTATION_MUTANT_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/static_program.h>

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace slhc {

bool IsStaticProgram() noexcept
{
#if defined(__linux__)
    // A dynamic program names its dynamic linker, however it was started; a static one has none to name.
    const auto names_linker{[](dl_phdr_info* info, size_t, void*) -> int {
        for (int i{0}; i < info->dlpi_phnum; ++i) {
            if (info->dlpi_phdr[i].p_type == PT_INTERP) return 1;
        }
        return 0;
    }};
    return dl_iterate_phdr(names_linker, nullptr) == 0;
#else
    return false;
#endif
}

} // namespace slhc

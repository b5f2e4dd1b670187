// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/random.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/random.h>

namespace slhc {

void GetStrongRandBytes(std::span<uint8_t> bytes)
{
    while (!bytes.empty()) {
#ifdef __APPLE__ // has no getrandom; getentropy gives 256 bytes at most
        const size_t size{std::min<size_t>(bytes.size(), 256)};
        const ssize_t got{getentropy(bytes.data(), size) == 0 ? static_cast<ssize_t>(size) : -1};
#else
        const ssize_t got{getrandom(bytes.data(), bytes.size(), 0)};
#endif
        if (got < 0) {
            if (errno == EINTR) continue;
            throw std::system_error{errno, std::generic_category(), "getrandom"};
        }
        bytes = bytes.subspan(static_cast<size_t>(got));
    }
}

} // namespace slhc

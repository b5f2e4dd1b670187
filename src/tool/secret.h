// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SECRET_H
#define SLHCONSENSUS_TOOL_SECRET_H

#include <util/cleanse.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::tool {

/** Wipes what it gives back, so that a container's reallocations leave no secret behind either. */
template <typename T>
struct WipingAllocator {
    using value_type = T;

    WipingAllocator() noexcept = default;
    template <typename U>
    WipingAllocator(const WipingAllocator<U>&) noexcept
    {
    }

    T* allocate(size_t n) { return std::allocator<T>{}.allocate(n); }
    void deallocate(T* p, size_t n) noexcept
    {
        memory_cleanse(p, n * sizeof(T));
        std::allocator<T>{}.deallocate(p, n);
    }
    bool operator==(const WipingAllocator&) const noexcept = default;
};

/** Bytes that are wiped when they go. */
using SecretBytes = std::vector<uint8_t, WipingAllocator<uint8_t>>;

/** The whole content of a file that holds a secret, "-" for standard input; read into memory that is wiped.
 *  @throws InputError, also if the file is empty, has more than 4096 bytes, or is what slhtool encrypt wrote */
SecretBytes ReadSecretFile(const std::string& path);

/** The first line of a file, without its end.
 *  @param[in] secret  the file that the passphrase is for: to lose one would be to lose both
 *  @throws InputError, also if the line is empty, or both are one file */
SecretBytes ReadPassphraseFile(const std::string& path, const std::string& secret);

/** The characters of a secret, as a view. */
inline std::string_view AsText(const SecretBytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/** The bytes of a text, as a view. */
inline std::span<const uint8_t> AsBytes(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

/** ReadSecretFile as one line of hexadecimal that spells `size` bytes. */
SecretBytes ReadSecretHexFile(const std::string& path, size_t size);

/** The bytes that hex spells, exactly `size` of them; no error repeats a digit.
 *  @throws InputError */
SecretBytes ParseSecretHex(std::string_view hex, size_t size);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SECRET_H

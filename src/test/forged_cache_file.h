// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FORGED_CACHE_FILE_H
#define SLHCONSENSUS_TEST_FORGED_CACHE_FILE_H

#include <crypto/sha256.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>

namespace slhc::test {

/** Bytes in front of the content of a cache file; the last field is the SHA-256 digest of the content. */
inline constexpr size_t CACHE_FILE_HEADER{8 + 2 * CSHA256::OUTPUT_SIZE};

/** Replace the content of a file that WriteCacheFile wrote, with a digest that fits, unlike after damage. @return its old content */
inline std::string ForgeCacheFile(const std::string& path, std::span<const uint8_t> content)
{
    std::fstream file{path, std::ios::binary | std::ios::in};
    std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    if (bytes.size() < CACHE_FILE_HEADER) throw std::runtime_error{path};
    std::string before{bytes.substr(CACHE_FILE_HEADER)};
    std::array<uint8_t, CSHA256::OUTPUT_SIZE> digest;
    CSHA256{}.Write(content).Finalize(digest.data());
    bytes.resize(CACHE_FILE_HEADER - digest.size());
    bytes.append(digest.begin(), digest.end());
    bytes.append(content.begin(), content.end());
    file = std::fstream{path, std::ios::binary | std::ios::out | std::ios::trunc};
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) throw std::runtime_error{path};
    return before;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_FORGED_CACHE_FILE_H

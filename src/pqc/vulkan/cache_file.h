// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_CACHE_FILE_H
#define SLHCONSENSUS_PQC_VULKAN_CACHE_FILE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Small files that save work between runs. Nothing depends on them: if one is missing or damaged, the work is done again. */
namespace slhc::slhdsa {

inline constexpr size_t MAX_CACHE_FILE_SIZE{64 << 20};

/** Read a file that WriteCacheFile wrote with the same key.
 *  @param[in] key  everything that the content depends on (versions, devices, programs), any bytes
 *  @return nothing if there is none, it is not a regular file, anyone but its owner (this process's user) may write to it,
 *          it was written with another key, it is damaged, or it has more than MAX_CACHE_FILE_SIZE */
[[nodiscard]] std::optional<std::vector<uint8_t>> ReadCacheFile(const std::string& path, std::string_view key);

/** Replace a file atomically, so that readers see either the whole old file or the whole new one. Its directory is created if only the last
 *  part of its path is missing. Only the user of this process may read or write the file.
 *  @return false if it could not be written; what was there before is untouched */
[[nodiscard]] bool WriteCacheFile(const std::string& path, std::string_view key, std::span<const uint8_t> content);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_VULKAN_CACHE_FILE_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_DESCRIPTOR_CHECKSUM_H
#define SLHCONSENSUS_WALLET_DESCRIPTOR_CHECKSUM_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

/** The checksum of output script descriptors (BIP 380, "Checksum"). */
namespace slhc::wallet {

/** A descriptor that is malformed, or that nobody wants. what() is one line with the place first: "column 4: ...". */
class DescriptorError : public std::runtime_error
{
public:
    /** @param[in] position  of the character, counted from 0 */
    DescriptorError(size_t position, const std::string& problem)
        : std::runtime_error{"column " + std::to_string(position + 1) + ": " + problem} {}
};

inline constexpr size_t DESCRIPTOR_CHECKSUM_SIZE{8};

/** The position of the first character that no descriptor may have; npos if there is none. */
size_t FindInvalidDescriptorCharacter(std::string_view descriptor) noexcept;

/** The eight characters that follow "#".
 *  @param[in] descriptor  without them and without "#"
 *  @pre FindInvalidDescriptorCharacter finds none */
std::string DescriptorChecksum(std::string_view descriptor);

/** A descriptor without "#" and its checksum, if it has one.
 *  @throws DescriptorError for a character that no descriptor may have, or a checksum that is not that of the text before it */
std::string_view WithoutDescriptorChecksum(std::string_view text);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_DESCRIPTOR_CHECKSUM_H

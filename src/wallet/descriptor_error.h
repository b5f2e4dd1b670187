// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_DESCRIPTOR_ERROR_H
#define SLHCONSENSUS_WALLET_DESCRIPTOR_ERROR_H

#include <cstddef>
#include <stdexcept>
#include <string>

namespace slhc::wallet {

/** A descriptor that is malformed, or that would lock coins in a way that nobody wants. what() is one line with the place first:
 *  "column 4: ...". */
class DescriptorError : public std::runtime_error
{
public:
    /** @param[in] position  of the character, counted from 0 */
    DescriptorError(size_t position, const std::string& problem)
        : std::runtime_error{"column " + std::to_string(position + 1) + ": " + problem}, m_column{position + 1}, m_problem{problem} {}

    /** Counted from 1. */
    [[nodiscard]] size_t Column() const noexcept { return m_column; }
    /** what() without the place. */
    [[nodiscard]] const std::string& Problem() const noexcept { return m_problem; }

private:
    size_t m_column;
    std::string m_problem;
};

/** A table of public keys that lacks one which a ranged descriptor needs, or has one that the descriptor must not have. */
class KeyTableError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_DESCRIPTOR_ERROR_H

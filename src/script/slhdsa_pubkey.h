// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SLHDSA_PUBKEY_H
#define SLHCONSENSUS_SCRIPT_SLHDSA_PUBKEY_H

#include <pqc/slhdsa/params.h>
#include <script/script.h>
#include <script/sighash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slhc {

/** A key of OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA: 32 bytes are one of 128s. With SCRIPT_VERIFY_SLHDSA_SETS, 33 bytes are one of the
 *  set whose number is the first (doc/bip/parameter-sets.md). A view. */
struct SLHDSAPubKey {
    slhdsa::ParameterSet set;
    std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE> bytes; //!< PK.seed || PK.root

    static constexpr size_t SIZE_WITH_SET{1 + slhdsa::PUBLIC_KEY_SIZE};

    /** Has the set a key type of its own? */
    [[nodiscard]] static constexpr bool HasKeyType(slhdsa::ParameterSet set)
    {
        return set == slhdsa::ParameterSet::SHA2_128_24 || set == slhdsa::ParameterSet::SHA2_128_Q40;
    }

    /** @param[in] element    as the script has it
     *  @param[in] with_sets  SCRIPT_VERIFY_SLHDSA_SETS
     *  @return nothing if its type is unknown, or it is empty */
    [[nodiscard]] static constexpr std::optional<SLHDSAPubKey> Parse(std::span<const uint8_t> element, bool with_sets)
    {
        if (element.size() == slhdsa::PUBLIC_KEY_SIZE) { // opcode-key-unknown
            return SLHDSAPubKey{slhdsa::ParameterSet::SHA2_128S, element.first<slhdsa::PUBLIC_KEY_SIZE>()};
        }
        if (!with_sets || element.size() != SIZE_WITH_SET) return std::nullopt;
        for (const slhdsa::ParameterSetEntry& entry : slhdsa::PARAMETER_SETS) { // sets-key
            if (static_cast<uint8_t>(entry.set) == element[0] && HasKeyType(entry.set)) {
                return SLHDSAPubKey{entry.set, element.last<slhdsa::PUBLIC_KEY_SIZE>()};
            }
        }
        return std::nullopt;
    }

    /** As the script has it. @pre 128s, or HasKeyType(set) */
    [[nodiscard]] std::vector<uint8_t> Element() const
    {
        if (set == slhdsa::ParameterSet::SHA2_128S) return {bytes.begin(), bytes.end()};
        std::vector<uint8_t> element(SIZE_WITH_SET);
        element[0] = static_cast<uint8_t>(set);
        std::copy(bytes.begin(), bytes.end(), element.begin() + 1);
        return element;
    }

    /** sets-message */
    [[nodiscard]] constexpr KeyVersion MessageKeyVersion() const
    {
        return set == slhdsa::ParameterSet::SHA2_128S ? KeyVersion::SLHDSA : KeyVersion::SLHDSA_SETS;
    }
    [[nodiscard]] constexpr size_t SignatureSize() const { return slhdsa::ParamsOf(set).SignatureSize(); }
};

// The work of a block is bounded by its bytes: an element that is large is consumed as a signature once, and no set has more hashes a byte
// than 128s, if every chain is walked whole. (2 and 3 begin compressed keys of secp256k1.)
static_assert([] {
    const auto most{[](slhdsa::Params p) { return p.VerifyCompressions() + p.d * p.len() * (p.w() - 1) / 2; }};
    for (const slhdsa::ParameterSetEntry& entry : slhdsa::PARAMETER_SETS) {
        if (!SLHDSAPubKey::HasKeyType(entry.set)) continue;
        const size_t size{entry.params.SignatureSize()};
        if (size > slhdsa::SIGNATURE_SIZE || size <= MAX_SCRIPT_ELEMENT_SIZE) return false;
        if (most(entry.params) * slhdsa::SIGNATURE_SIZE > most(slhdsa::PARAMS_128S) * size) return false;
        if (static_cast<uint8_t>(entry.set) == 2 || static_cast<uint8_t>(entry.set) == 3) return false;
    }
    return true;
}());

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SLHDSA_PUBKEY_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/psbt.h>

#include <psbt.h>
#include <streams.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace {
constexpr std::string_view IDENTIFIER{"slhdsa"};
constexpr uint64_t SUBTYPE_PARTIAL_SIG{0x00};
constexpr size_t KEY_DATA_SIZE{SLHDSAPubKey::SIZE + uint256::size()};

//! The beginning of a field's key.
std::vector<unsigned char> KeyPrefix()
{
    std::vector<unsigned char> prefix;
    VectorWriter writer{prefix, 0};
    writer << PSBT_IN_PROPRIETARY << std::vector<unsigned char>(IDENTIFIER.begin(), IDENTIFIER.end());
    WriteCompactSize(writer, SUBTYPE_PARTIAL_SIG);
    return prefix;
}
} // namespace

PSBTProprietary SLHDSAPartialSig::ToProprietary() const
{
    const auto& [pubkey, leaf_hash]{pubkey_leaf};
    PSBTProprietary field{
        .subtype = SUBTYPE_PARTIAL_SIG,
        .identifier = {IDENTIFIER.begin(), IDENTIFIER.end()},
        .key = KeyPrefix(),
        .value = sig,
    };
    field.key.insert(field.key.end(), pubkey.begin(), pubkey.end());
    field.key.insert(field.key.end(), leaf_hash.begin(), leaf_hash.end());
    return field;
}

std::optional<SLHDSAPartialSig> SLHDSAPartialSig::FromProprietary(const PSBTProprietary& field)
{
    const auto prefix{KeyPrefix()};
    if (field.key.size() != prefix.size() + KEY_DATA_SIZE || !std::ranges::equal(std::span{field.key}.first(prefix.size()), prefix)) return std::nullopt;
    if (field.value.size() != SLHDSAPubKey::SIGNATURE_SIZE && field.value.size() != SLHDSAPubKey::SIGNATURE_SIZE + 1) return std::nullopt;
    const auto data{std::span{field.key}.last(KEY_DATA_SIZE)};
    return SLHDSAPartialSig{{SLHDSAPubKey{data.first(SLHDSAPubKey::SIZE)}, uint256{data.last(uint256::size())}}, field.value};
}

std::vector<SLHDSAPartialSig> GetSLHDSAPartialSigs(const PSBTInput& input)
{
    std::vector<SLHDSAPartialSig> sigs;
    for (const auto& field : input.m_proprietary) {
        if (auto sig{SLHDSAPartialSig::FromProprietary(field)}) sigs.push_back(std::move(*sig));
    }
    return sigs;
}

void ClearSLHDSAPartialSigs(PSBTInput& input)
{
    std::erase_if(input.m_proprietary, [](const auto& field) { return SLHDSAPartialSig::FromProprietary(field).has_value(); });
}

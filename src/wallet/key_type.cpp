// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/key_type.h>

#include <script/slhdsa_pubkey.h>
#include <util/check.h>
#include <util/hex.h>

namespace slhc::wallet {

std::optional<slhdsa::ParameterSet> SetOfKey(std::span<const uint8_t> public_key)
{
    const auto key{SLHDSAPubKey::Parse(public_key, /*with_sets=*/true)};
    return key ? std::optional{key->set} : std::nullopt;
}

bool IsKey(KeyType type, std::span<const uint8_t> public_key)
{
    return type == KeyType::SCHNORR ? public_key.size() == slhdsa::PUBLIC_KEY_SIZE : SetOfKey(public_key).has_value();
}

std::string KeySetProblem(std::span<const uint8_t> public_key)
{
    assert(public_key.size() == SLHDSAPubKey::SIZE_WITH_SET);
    std::string known, of;
    for (const slhdsa::ParameterSetEntry& entry : slhdsa::PARAMETER_SETS) {
        const auto number{static_cast<uint8_t>(entry.set)};
        if (number == public_key[0] && !slhdsa::IsForTests(entry.set)) of = ", " + std::string{entry.name};
        if (!SLHDSAPubKey::HasKeyType(entry.set)) continue;
        known += (known.empty() ? "" : ", ") + HexStr(std::span{&number, 1}) + ": " + std::string{entry.name};
    }
    return "an SLH-DSA key of 33 bytes begins with the number of a parameter set that scripts know (" + known + "), not with " +
           HexStr(public_key.first(1)) + of;
}

size_t SignatureSize(KeyType type, std::span<const uint8_t> public_key)
{
    if (type == KeyType::SCHNORR) return SCHNORR_SIGNATURE_SIZE;
    const auto set{SetOfKey(public_key)};
    assert(set);
    return slhdsa::ParamsOf(*set).SignatureSize();
}

KeyVersion KeyVersionOf(KeyType type, std::span<const uint8_t> public_key)
{
    if (type == KeyType::SCHNORR) return KeyVersion::BIP340;
    const auto key{SLHDSAPubKey::Parse(public_key, /*with_sets=*/true)};
    assert(key);
    return key->MessageKeyVersion();
}

std::string DescribeSignatureSize(KeyType type, std::span<const uint8_t> public_key)
{
    const std::string size{std::to_string(SignatureSize(type, public_key))};
    if (type == KeyType::SCHNORR || SetOfKey(public_key) == slhdsa::ParameterSet::SHA2_128S) return size;
    return size + " (" + std::string{slhdsa::ParameterSetName(*SetOfKey(public_key))} + ")";
}

std::optional<slhdsa::ParameterSet> SetOfSignature(size_t size)
{
    for (const slhdsa::ParameterSetEntry& entry : slhdsa::PARAMETER_SETS) {
        if (entry.set != slhdsa::ParameterSet::SHA2_128S && !SLHDSAPubKey::HasKeyType(entry.set)) continue;
        if (size == entry.params.SignatureSize() || size == entry.params.SignatureSize() + 1) return entry.set;
    }
    return std::nullopt;
}

std::string KeyTypeName(KeyType type, slhdsa::ParameterSet set)
{
    return type == KeyType::SCHNORR ? "schnorr-bip340" : "slh-dsa-sha2-" + std::string{slhdsa::ParameterSetName(set)};
}

std::string KeyTypeName(KeyType type, std::span<const uint8_t> public_key)
{
    assert(IsKey(type, public_key));
    return KeyTypeName(type, *SetOfKey(public_key));
}

} // namespace slhc::wallet

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/input.h>
#include <capi/tx.h>
#include <pqc/capi/error.h>
#include <script/address.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <script/sighash.h>
#include <script/taptree.h>

#include <algorithm>
#include <optional>
#include <string>

using namespace slhc;
using namespace slhc::capi;

static_assert(SLHC_KEY_VERSION_BIP340 == static_cast<unsigned>(KeyVersion::BIP340));
static_assert(SLHC_KEY_VERSION_SLHDSA == static_cast<unsigned>(KeyVersion::SLHDSA));
static_assert(SLHC_KEY_VERSION_SLHDSA_SETS == static_cast<unsigned>(KeyVersion::SLHDSA_SETS));

int slhc_tx_signature_hash(const slhc_tx* tx, unsigned n_in, unsigned hash_type, unsigned key_version, const unsigned char* leaf_hash,
                           slhc_bytes annex, uint32_t codeseparator, unsigned char hash[32])
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const slhc_tx& spender{Required(tx, "tx")};
        Required(hash, "hash");
        CheckInputIndex(spender.tx, n_in);
        if (hash_type > UINT8_MAX) ThrowArgument("hash_type " + std::to_string(hash_type) + " does not fit in a byte");
        if (key_version != SLHC_KEY_VERSION_BIP340 && key_version != SLHC_KEY_VERSION_SLHDSA &&
            key_version != SLHC_KEY_VERSION_SLHDSA_SETS) {
            ThrowArgument("key_version " + std::to_string(key_version) + " is not one of SLHC_KEY_VERSION_*");
        }
        if (leaf_hash == nullptr && key_version != SLHC_KEY_VERSION_BIP340) {
            ThrowArgument("leaf_hash is NULL (the key path), but key_version is not SLHC_KEY_VERSION_BIP340");
        }

        ScriptExecutionData execdata;
        execdata.m_codeseparator_pos = codeseparator;
        execdata.m_annex_init = true;
        if (const auto bytes{Bytes(annex, "annex.data")}; !bytes.empty()) {
            if (bytes.front() != ANNEX_TAG) ThrowArgument("annex does not begin with 0x50");
            execdata.m_annex_hash = ComputeAnnexHash(bytes);
        }
        if (leaf_hash != nullptr) execdata.m_tapleaf_hash = uint256{FixedBytes<32>(leaf_hash, "leaf_hash")};

        const auto found{SignatureHashSchnorr(execdata, spender.tx, n_in, static_cast<uint8_t>(hash_type),
                                              leaf_hash != nullptr ? SigVersion::TAPSCRIPT : SigVersion::TAPROOT, spender.txdata,
                                              static_cast<KeyVersion>(key_version))};
        if (!found) {
            const bool single{(hash_type & SIGHASH_OUTPUT_MASK) == SIGHASH_SINGLE && n_in >= spender.tx.vout.size()};
            ThrowArgument("hash_type " + std::to_string(hash_type) +
                          (single ? " is SINGLE, but the transaction has no output " + std::to_string(n_in) : " is undefined"));
        }
        std::copy(found->begin(), found->end(), hash);
        return SLHC_OK;
    });
}

int slhc_tapleaf_hash(unsigned leaf_version, slhc_bytes script, unsigned char hash[32])
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const auto bytes{Bytes(script, "script.data")};
        Required(hash, "hash");
        if ((leaf_version & ~unsigned{TAPROOT_LEAF_MASK}) != 0) {
            ThrowArgument("leaf_version " + std::to_string(leaf_version) + " is odd or above 254");
        }
        const uint256 result{ComputeTapleafHash(static_cast<uint8_t>(leaf_version), bytes)};
        std::copy(result.begin(), result.end(), hash);
        return SLHC_OK;
    });
}

int slhc_tapbranch_hash(const unsigned char a[32], const unsigned char b[32], unsigned char hash[32])
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        Required(hash, "hash");
        const uint256 result{ComputeTapbranchHash(FixedBytes<32>(a, "a"), FixedBytes<32>(b, "b"))};
        std::copy(result.begin(), result.end(), hash);
        return SLHC_OK;
    });
}

int slhc_p2tr_output_key(const unsigned char internal_key[32], const unsigned char* root, unsigned char output_key[32], int* parity)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const XOnlyPubKey internal{FixedBytes<32>(internal_key, "internal_key")};
        Required(output_key, "output_key");
        std::optional<uint256> merkle_root;
        if (root != nullptr) merkle_root.emplace(FixedBytes<32>(root, "root"));
        const auto tweaked{internal.CreateTapTweak(merkle_root ? &*merkle_root : nullptr)};
        if (!tweaked) ThrowArgument("internal_key is not the x coordinate of a point on the curve");
        std::ranges::copy(tweaked->first.Bytes(), output_key);
        if (parity != nullptr) *parity = tweaked->second ? 1 : 0;
        return SLHC_OK;
    });
}

int slhc_address_encode(const char* network, unsigned version, slhc_bytes program, char* address)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const Network read_network{ReadNetwork(&Required(network, "network"))};
        const auto bytes{Bytes(program, "program.data")};
        Required(address, "address");
        if (const std::string why{WitnessProgramError(version, bytes.size())}; !why.empty()) ThrowArgument(why);
        const std::string text{EncodeAddress(read_network, {static_cast<uint8_t>(version), {bytes.begin(), bytes.end()}})};
        WriteAddress(text, address);
        return SLHC_OK;
    });
}

int slhc_address_decode(const char* address, slhc_decoded_address* decoded)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        CheckStructSize(Required(decoded, "decoded"), "decoded");
        std::string why;
        const auto found{DecodeAddress(&Required(address, "address"), why)};
        if (!found) throw ApiError{SLHC_ERR_DATA, "address: " + why};
        slhc_decoded_address out SLHC_DECODED_ADDRESS_INIT;
        CopyText(out.prefix, found->hrp);
        out.version = found->program.version;
        out.program_size = found->program.program.size();
        std::copy(found->program.program.begin(), found->program.program.end(), out.program);
        WriteStruct(*decoded, out, "decoded");
        return SLHC_OK;
    });
}

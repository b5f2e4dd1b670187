// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The PSBTs of slhconsensus.h: what parses is written as it was read, and a call that fails changes nothing.

#include <slhwallet.h>
#include <test/fuzz/capi_error.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

using slhc::test::Require;
using slhc::test::RequireError;

namespace {

using PSBTPtr = std::unique_ptr<slhc_psbt, decltype(&slhc_psbt_destroy)>;
using Bytes = std::vector<unsigned char>;

PSBTPtr Parse(const Bytes& bytes)
{
    return {slhc_psbt_parse({bytes.data(), bytes.size()}), slhc_psbt_destroy};
}

Bytes Written(const PSBTPtr& psbt)
{
    slhc_bytes bytes{};
    Require(slhc_psbt_serialize(psbt.get(), &bytes) == SLHC_OK, "a PSBT can be written");
    return {bytes.data, bytes.data + bytes.size};
}

/** The properties of the inputs fit together. */
void CheckInputs(const PSBTPtr& psbt, const Bytes& bytes)
{
    for (unsigned i{0}; i < 4; ++i) {
        slhc_psbt_input input = SLHC_PSBT_INPUT_INIT;
        if (slhc_psbt_get_input(psbt.get(), i, &input) != SLHC_OK) continue;
        Require(input.n_leaves == 0 || input.has_spent_output == 1, "a leaf is one of an output that is known");
        slhc_psbt_leaf leaf = SLHC_PSBT_LEAF_INIT;
        for (size_t n{0}; n < input.n_leaves; ++n) {
            Require(slhc_psbt_get_leaf(psbt.get(), n, &leaf) == SLHC_OK, "a leaf can be read");
            std::array<unsigned char, 32> hash;
            Require(slhc_tapleaf_hash(leaf.leaf_version, leaf.script, hash.data()) == SLHC_OK &&
                        std::equal(hash.begin(), hash.end(), leaf.leaf_hash),
                    "a leaf has its hash");
        }
        Require(slhc_psbt_get_leaf(psbt.get(), input.n_leaves, &leaf) == SLHC_ERROR, "there is no leaf behind the last");
        RequireError(SLHC_ERR_ARGUMENT);
    }
    Require(Written(psbt) == bytes, "to look changes nothing");
}

/** Updater and signer change an input only as far as the PSBT can still be read. */
void CheckRoles(const Bytes& bytes)
{
    const PSBTPtr psbt{Parse(bytes)};
    const auto done{[](int result) {
        if (result != SLHC_OK) RequireError(SLHC_ERR_DATA);
        return result == SLHC_OK;
    }};
    slhc_bytes tx{};
    if (done(slhc_psbt_unsigned_tx(psbt.get(), &tx))) {
        const PSBTPtr made{slhc_psbt_create(tx, 0), slhc_psbt_destroy};
        if (!made) RequireError(SLHC_ERR_DATA);
    }
    const std::array<unsigned char, 1> unknown{0xf0};
    const slhc_bytes field{unknown.data(), unknown.size()};
    Require(slhc_psbt_set_field(psbt.get(), SLHC_PSBT_GLOBAL, 0, field, &field) == SLHC_OK, "any PSBT can have an unknown field");
    slhc_psbt_input input = SLHC_PSBT_INPUT_INIT;
    if (slhc_psbt_get_input(psbt.get(), 0, &input) == SLHC_OK && input.n_leaves > 0) {
        slhc_psbt_leaf leaf = SLHC_PSBT_LEAF_INIT;
        Require(slhc_psbt_get_leaf(psbt.get(), 0, &leaf) == SLHC_OK, "a leaf can be read");
        const Bytes script(leaf.script.data, leaf.script.data + leaf.script.size);
        const Bytes control(leaf.control_block.data, leaf.control_block.data + leaf.control_block.size);
        const slhc_bytes leaf_script{script.data(), script.size()};
        done(slhc_psbt_add_leaf(psbt.get(), 0, {control.data(), control.size()}, leaf.leaf_version, leaf_script));
        done(slhc_psbt_add_preimage(psbt.get(), 0, leaf_script));
        // Most scripts begin with the push of a key.
        std::array<unsigned char, 32> key{};
        // Of a key of another parameter set, its number comes first.
        const size_t before{!script.empty() && script[0] == key.size() + 1 ? 2u : 1u};
        if (script.size() >= key.size() + before) std::copy_n(script.begin() + before, key.size(), key.begin());
        for (const auto& [type, size] : {std::pair{SLHC_KEY_SLHDSA, size_t{7856}}, std::pair{SLHC_KEY_SCHNORR, size_t{64}},
                                         std::pair{SLHC_KEY_SLHDSA_SETS + SLHC_SET_128_24, size_t{3856}}}) {
            size_t n{0};
            if (!done(slhc_psbt_find_to_sign(psbt.get(), type, key.data(), SLHC_PSBT_ASKED_HASH_TYPE, &n)) || n == 0) continue;
            slhc_psbt_to_sign to_sign = SLHC_PSBT_TO_SIGN_INIT;
            Require(slhc_psbt_get_to_sign(psbt.get(), 0, &to_sign) == SLHC_OK, "what is to be signed can be read");
            Bytes signature(size, 0);
            if (to_sign.hash_type != 0) signature.push_back(static_cast<unsigned char>(to_sign.hash_type));
            const int added{slhc_psbt_add_signature(psbt.get(), to_sign.input, to_sign.leaf_hash, type, key.data(),
                                                    {signature.data(), signature.size()})};
            Require(added == SLHC_OK, "a signature that is asked for can be added");
        }
    }
    const Bytes changed{Written(psbt)};
    const PSBTPtr again{Parse(changed)};
    Require(again && Written(again) == changed, "what was changed parses");
}

void CheckCombine(const Bytes& bytes)
{
    const PSBTPtr psbt{Parse(bytes)}, other{Parse(bytes)};
    if (slhc_psbt_combine(psbt.get(), other.get()) != SLHC_OK) RequireError(SLHC_ERR_DATA);
    Require(Written(psbt) == bytes, "combined with itself a PSBT is the same");
}

void CheckFinalize(const Bytes& bytes)
{
    const PSBTPtr psbt{Parse(bytes)};
    const char* missing{nullptr};
    const int result{slhc_psbt_finalize(psbt.get(), &missing)};
    if (result == SLHC_ERROR) {
        RequireError(SLHC_ERR_DATA);
        Require(Written(psbt) == bytes, "what fails changes nothing");
        return;
    }
    Require((result == SLHC_VALID) == (missing[0] == 0), "what is not final lacks something");
    const Bytes finalized{Written(psbt)};
    const PSBTPtr again{Parse(finalized)};
    Require(again && Written(again) == finalized, "what was finalized parses");
    slhc_bytes tx{};
    if (slhc_psbt_extract(psbt.get(), &tx) != SLHC_OK) return RequireError(SLHC_ERR_DATA);
    Require(result == SLHC_VALID && tx.size > 0, "what is extracted is final");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const Bytes bytes(data, data + size);
    const PSBTPtr psbt{Parse(bytes)};
    if (!psbt) { // refused for its bytes
        RequireError(SLHC_ERR_DATA);
        return 0;
    }
    const Bytes written{Written(psbt)};
    Require(written.size() == size, "every byte is written again");
    const PSBTPtr again{Parse(written)};
    Require(again && Written(again) == written, "a PSBT is written as it was read");
    CheckInputs(psbt, written);
    CheckRoles(written);
    CheckCombine(written);
    CheckFinalize(written);
    return 0;
}

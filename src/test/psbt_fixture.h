// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_PSBT_FIXTURE_H
#define SLHCONSENSUS_TEST_PSBT_FIXTURE_H

#include <primitives/serialize.h>
#include <script/script.h>
#include <wallet/psbt.h>
#include <wallet/psbt_finalizer.h>
#include <wallet/psbt_signer.h>
#include <wallet/psbt_updater.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/** Small PSBTs, with keys and signatures that only a test's own verification accepts. */
namespace slhc::test {

using namespace slhc::wallet;
using Bytes = std::vector<uint8_t>;

template <typename F>
std::string Problem(F&& f)
{
    try {
        f();
    } catch (const PSBTError& e) {
        return e.what();
    }
    return "no error";
}

inline bool Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

inline Bytes Key(uint8_t n)
{
    return Bytes(32, n);
}

inline Bytes LE32(uint32_t value)
{
    Bytes bytes;
    VectorWriter writer{bytes};
    WriteU32(writer, value);
    return bytes;
}

inline CMutableTransaction SampleTx(size_t inputs = 2)
{
    CMutableTransaction tx;
    tx.nLockTime = 7;
    for (size_t i = 0; i < inputs; ++i) {
        tx.vin.emplace_back(COutPoint{uint256{static_cast<uint8_t>(i + 1)}, static_cast<uint32_t>(i)}, CScript{},
                            CTxIn::MAX_SEQUENCE_NONFINAL);
    }
    tx.vout.emplace_back(90'000, CScript{} << OP_RETURN);
    return tx;
}

/** 2 of 3 SLH-DSA keys, and a hybrid of an SLH-DSA and a BIP 340 key. */
inline ScriptTree SampleTree()
{
    CScript multi, hybrid;
    multi << Key(1) << OP_CHECKSIGSLHDSA << Key(2) << OP_CHECKSIGADDSLHDSA << Key(3) << OP_CHECKSIGADDSLHDSA << int64_t{2} << OP_NUMEQUAL;
    hybrid << Key(1) << OP_CHECKSIGSLHDSA << OP_VERIFY << Key(7) << OP_CHECKSIG;
    return *ScriptTree::Branch(ScriptTree{multi}, ScriptTree{hybrid});
}

//! The x coordinate of secp256k1's generator: a key like any other.
inline constexpr std::array<uint8_t, 32> INTERNAL_KEY{0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62,
                                               0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce,
                                               0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};

/** A PSBT whose inputs spend these leaves of SampleTree. */
inline PartiallySignedTransaction SamplePSBT(uint32_t version, const std::vector<size_t>& leaves, const InternalKey& internal_key = {})
{
    PartiallySignedTransaction psbt{SampleTx(leaves.size()), version};
    for (size_t i = 0; i < leaves.size(); ++i) {
        SetSpentOutput(psbt, i, {100'000, TreeScriptPubKey(SampleTree(), internal_key)});
        AddLeaves(psbt, i, SampleTree(), std::array{leaves[i]}, internal_key);
    }
    return psbt;
}

/** A PSBT whose only input spends this leaf, the first of two. */
inline PartiallySignedTransaction SpendingLeaf(const CScript& script)
{
    const ScriptTree tree{*ScriptTree::Branch(ScriptTree{script}, ScriptTree{CScript{} << OP_RETURN})};
    PartiallySignedTransaction psbt{SampleTx(1), 0};
    SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(tree, {})});
    AddLeaves(psbt, 0, tree, std::array{size_t{0}}, {});
    return psbt;
}

inline uint256 LeafHash(size_t leaf)
{
    return SampleTree().Leaves()[leaf].hash;
}

inline void AddSLHDSA(PartiallySignedTransaction& psbt, size_t n_in, size_t leaf, uint8_t key, uint8_t fill = 0xaa)
{
    AddSignature(psbt, n_in, LeafHash(leaf), {Key(key), KeyType::SLHDSA}, Bytes(7856, fill));
}

constexpr uint8_t INVALID{0}; //!< what a signature is filled with that NotZero refuses
/** Verifies every signature but those that begin with zeros. */
inline bool NotZero(const LeafKey&, const uint256&, std::span<const uint8_t> signature)
{
    return signature[0] != 0;
}

/** FinalizeInput with NotZero. @return what is missing */
inline std::string Finalize(PartiallySignedTransaction& psbt, size_t n_in)
{
    return FinalizeInput(psbt, n_in, PSBTVerifier{psbt, NotZero});
}

/** The final witness of an input. */
inline std::vector<Bytes> FinalWitness(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const auto witness{PartiallySignedTransaction::Find(psbt.Inputs().at(n_in), PSBT_IN_FINAL_SCRIPTWITNESS)};
    if (!witness) return {};
    SpanReader reader{*witness};
    std::vector<Bytes> stack(reader.ReadCount(1, "witness element count"));
    for (auto& element : stack) {
        const auto bytes{reader.ReadVarBytes("witness element")};
        element.assign(bytes.begin(), bytes.end());
    }
    return stack;
}

/** All maps of a PSBT: the global one, those of the inputs, those of the outputs. */
inline std::vector<PSBTMap> Maps(const PartiallySignedTransaction& psbt)
{
    std::vector<PSBTMap> maps{psbt.Global()};
    maps.insert(maps.end(), psbt.Inputs().begin(), psbt.Inputs().end());
    maps.insert(maps.end(), psbt.Outputs().begin(), psbt.Outputs().end());
    return maps;
}
/** The bytes of a PSBT with these maps, whatever they say. */
inline Bytes WithMaps(const std::vector<PSBTMap>& maps)
{
    Bytes bytes{'p', 's', 'b', 't', 0xff};
    VectorWriter writer{bytes};
    for (const auto& map : maps) {
        for (const auto& [key, value] : map) {
            WriteVarBytes(writer, key);
            WriteVarBytes(writer, value);
        }
        WriteU8(writer, 0);
    }
    return bytes;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_PSBT_FIXTURE_H

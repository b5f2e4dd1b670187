// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_DAMAGED_BLOCKS_H
#define SLHCONSENSUS_TEST_DAMAGED_BLOCKS_H

#include <consensus/block_scripts.h>
#include <script/interpreter.h>
#include <test/batch_fixture.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

/** Blocks with faults at chosen places, made in no time, and their results by the rules. */
namespace slhc {
inline std::ostream& operator<<(std::ostream& os, const BlockScriptFailure& f)
{
    return os << "transaction " << f.tx_index << ", input " << f.input << ", opcode "
              << static_cast<int64_t>(static_cast<int32_t>(f.where.opcode_pos)) << " of script " << static_cast<int>(f.where.script) << ": "
              << ScriptErrorName(f.where.error);
}
} // namespace slhc

namespace slhc::test {

inline constexpr script_verify_flags FLAGS{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT | SCRIPT_VERIFY_P2MR |
                                           SCRIPT_VERIFY_SLHDSA};

/** A verifier for which a signature is valid if it begins with PK.root (FakeBackend). */
struct FakeVerifier {
    std::shared_ptr<slhdsa::test::FakeBackend> cpu{std::make_shared<slhdsa::test::FakeBackend>()};
    std::shared_ptr<slhdsa::test::FakeBackend> device;
    std::shared_ptr<ThreadPool> pool;
    std::shared_ptr<slhdsa::Verifier> verifier;

    explicit FakeVerifier(unsigned threads, std::shared_ptr<slhdsa::test::FakeBackend> with_device = nullptr)
        : device{std::move(with_device)}
        , pool{std::make_shared<ThreadPool>(threads)}
        , verifier{std::make_shared<slhdsa::Verifier>(slhdsa::Backends{.cpu = cpu, .devices = Devices(), .device_only = device != nullptr},
                                                      pool, std::make_shared<Logger>())}
    {
    }

private:
    [[nodiscard]] std::vector<std::shared_ptr<slhdsa::RootDevice>> Devices() const
    {
        std::vector<std::shared_ptr<slhdsa::RootDevice>> devices;
        if (device) devices.push_back(device);
        return devices;
    }
};

/** An input of these blocks and its faults. Its leaf checks two signatures, then that an
 *  element is true:
 *      0 <key>  1 OP_TUCK  2 OP_CHECKSIGSLHDSA  3 OP_DROP  4 OP_CHECKSIGSLHDSA  5 OP_VERIFY  6 OP_VERIFY  7 OP_1 */
struct Damage {
    bool first_signature{false};
    bool second_signature{false};
    bool script{false};         //!< the element is false: the script fails after both checks
    bool signature_size{false}; //!< the second signature has a byte too much, and it is zero: no hash type
    bool control{false};        //!< the script is not in the tree: nothing is run

    /** Its failure by the rules. */
    [[nodiscard]] std::optional<ScriptFailure> Expected() const
    {
        if (control) return {{.error = SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH}};
        if (first_signature) return {{SCRIPT_ERR_SLHDSA_SIG, ScriptRole::LEAF_SCRIPT, 2, OP_CHECKSIGSLHDSA}};
        if (signature_size) return {{SCRIPT_ERR_SLHDSA_SIG_HASHTYPE, ScriptRole::LEAF_SCRIPT, 4, OP_CHECKSIGSLHDSA}};
        if (second_signature) return {{SCRIPT_ERR_SLHDSA_SIG, ScriptRole::LEAF_SCRIPT, 4, OP_CHECKSIGSLHDSA}};
        if (script) return {{SCRIPT_ERR_VERIFY, ScriptRole::LEAF_SCRIPT, 6, OP_VERIFY}};
        return std::nullopt;
    }
};

/** Of n inputs; each kind comes once in `rarity` times. */
inline std::vector<Damage> RandomDamages(std::mt19937& rng, size_t n, unsigned rarity)
{
    const auto sometimes{[&] { return rng() % rarity == 0; }};
    std::vector<Damage> damages(n);
    for (Damage& damage : damages) {
        damage = {.first_signature = sometimes(),
                  .second_signature = sometimes(),
                  .script = sometimes(),
                  .signature_size = sometimes(),
                  .control = sometimes()};
    }
    return damages;
}

inline CScript TwoChecks(Signer& signer, size_t key)
{
    const auto pubkey{signer.SLHDSAKey(key)};
    return CScript{} << std::vector<uint8_t>{pubkey.begin(), pubkey.end()} << OP_TUCK << OP_CHECKSIGSLHDSA << OP_DROP << OP_CHECKSIGSLHDSA
                     << OP_VERIFY << OP_VERIFY << OP_1;
}

/** A transaction with one such input for each damage. */
inline void AddTransaction(BlockBuilder& builder, Signer& signer, const std::vector<Damage>& damages, size_t key = 1)
{
    CMutableTransaction tx{MakeSpend(damages.size())};
    const LeafSpend leaf{LeafSpend::P2MR(TwoChecks(signer, key))};
    const auto spent{MakeSpent(std::vector<CScript>(damages.size(), leaf.script_pub_key))};
    const PrecomputedTransactionData txdata{tx, std::vector<CTxOut>{spent}, /*force=*/true};
    for (uint32_t i = 0; i < damages.size(); ++i) {
        const Damage& damage{damages[i]};
        const uint256 message{leaf.Message(tx, i, txdata, SIGHASH_DEFAULT, KeyVersion::SLHDSA)};
        auto first{signer.SignSLHDSA(key, message)};
        auto second{signer.SignSLHDSA(key, message)};
        if (damage.first_signature) first[3] ^= 1;
        if (damage.second_signature) second[15] ^= 0x80;
        if (damage.signature_size) second.push_back(0);
        tx.vin[i].scriptWitness = leaf.Witness({damage.script ? std::vector<uint8_t>{} : std::vector<uint8_t>{1}, second, first});
        if (damage.control) tx.vin[i].scriptWitness.stack.back().back() ^= 1;
    }
    builder.Add(std::move(tx), spent);
}

inline BlockWithSpent MakeBlock(Signer& signer, const std::vector<std::vector<Damage>>& transactions)
{
    BlockBuilder builder;
    for (const auto& damages : transactions) AddTransaction(builder, signer, damages);
    return std::move(builder).Finish();
}

inline std::optional<BlockScriptFailure> ExpectedFailure(const std::vector<std::vector<Damage>>& transactions)
{
    for (size_t i = 0; i < transactions.size(); ++i) {
        for (uint32_t n = 0; n < transactions[i].size(); ++n) {
            if (const auto expected{transactions[i][n].Expected()}) {
                return BlockScriptFailure{.tx_index = i + 1, .input = n, .where = *expected};
            }
        }
    }
    return std::nullopt;
}

/** Its signatures are valid only for a FakeVerifier. */
inline RealSigner& FakeSigner()
{
    static RealSigner signer{SLHDSAFunctions::Fake()};
    return signer;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_DAMAGED_BLOCKS_H

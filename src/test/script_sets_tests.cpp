// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Keys of other parameter sets in scripts (doc/bip/parameter-sets.md). What is the same as for keys of 128s is in slhdsa_opcode_tests.

#include <pqc/experiment_signer.h>
#include <script/sigcache.h>
#include <script/slhdsa_pubkey.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

using namespace slhc;
using namespace slhc::test;
using slhdsa::ParameterSet;

namespace {

constexpr script_verify_flags SETS{CONSENSUS | SCRIPT_VERIFY_SLHDSA_SETS};
constexpr auto DISCOURAGE_KEY{SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE};
constexpr std::array<ParameterSet, 2> OTHER_SETS{ParameterSet::SHA2_128_24, ParameterSet::SHA2_128_Q40};

const slhdsa::ExperimentSigner& Signer(ParameterSet set)
{
    static constexpr std::array<uint8_t, slhdsa::KEYGEN_SEED_SIZE> SEED{3, 1, 4};
    static const slhdsa::ExperimentSigner small{ParameterSet::SHA2_128_24, SEED}, middle{ParameterSet::SHA2_128_Q40, SEED};
    return set == ParameterSet::SHA2_128_24 ? small : middle;
}

/** A key of a set, and a spend that checks one signature with it. */
struct SetSpend {
    const slhdsa::ExperimentSigner& signer;
    slhdsa::PublicKey key{signer.Key(0)};
    TapSpend spend{};

    explicit SetSpend(ParameterSet set) : signer{Signer(set)} { Check(Element()); }

    [[nodiscard]] Bytes Element() const { return SLHDSAPubKey{signer.Set(), key}.Element(); }
    [[nodiscard]] size_t Size() const { return slhdsa::ParamsOf(signer.Set()).SignatureSize(); }
    void Check(const Bytes& element) { spend.leaf = CScript{} << element << OP_CHECKSIGSLHDSA; }
    [[nodiscard]] Bytes Sign(const uint256& message) const
    {
        Bytes sig(Size());
        signer.Sign(0, *slhdsa::MessagePieces::Pure(message.Bytes(), {}), sig);
        return sig;
    }
    [[nodiscard]] Bytes Sign(KeyVersion key_version = KeyVersion::SLHDSA_SETS, uint8_t hash_type = SIGHASH_DEFAULT) const
    {
        return Sign(spend.Message(hash_type, key_version));
    }
    /** With this on the stack, verified in each way. */
    [[nodiscard]] ScriptError Run(const Bytes& sig, script_verify_flags flags = SETS)
    {
        spend.stack = {sig};
        return RunReal(spend, flags);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(script_sets_tests)

// sets-key, sets-sig-size, sets-message, sets-verify
BOOST_AUTO_TEST_CASE(signatures)
{
    for (const ParameterSet set : OTHER_SETS) {
        for (const Output output : BOTH_OUTPUTS) {
            SetSpend s{set};
            s.spend.output = output;
            const Bytes sig{s.Sign()};
            BOOST_CHECK_EQUAL(s.Run(sig), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(s.Run(WithHashType(s.Sign(KeyVersion::SLHDSA_SETS, SIGHASH_ALL), SIGHASH_ALL)), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(s.Run(WithHashType(sig, SIGHASH_DEFAULT)), SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
            BOOST_CHECK_EQUAL(s.Run(WithHashType(sig, 4)), SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
            for (const auto version : {KeyVersion::BIP340, KeyVersion::SLHDSA}) {
                BOOST_CHECK_EQUAL(s.Run(s.Sign(version)), SCRIPT_ERR_SLHDSA_SIG);
            }
            for (const size_t at : {size_t{0}, s.Size() / 2, s.Size() - 1}) {
                Bytes changed{sig};
                changed[at] ^= 1;
                BOOST_CHECK_EQUAL(s.Run(changed), SCRIPT_ERR_SLHDSA_SIG);
            }
            for (const size_t size : {1, 3855, 3856, 3857, 3858, 5775, 5776, 5777, 5778, 7855, 7856, 7857}) {
                const bool fits{size == s.Size() || size == s.Size() + 1};
                BOOST_CHECK_EQUAL(s.Run(FakeSignature(size, SIGHASH_ALL)), fits ? SCRIPT_ERR_SLHDSA_SIG : SCRIPT_ERR_SLHDSA_SIG_SIZE);
            }
            BOOST_CHECK_EQUAL(s.Run({}), SCRIPT_ERR_EVAL_FALSE);
            BOOST_CHECK_EQUAL(s.Run(FakeSignature(7858)), SCRIPT_ERR_PUSH_SIZE);
        }
    }
}

// sets-flag
BOOST_AUTO_TEST_CASE(without_the_flag_such_a_key_is_of_an_unknown_type)
{
    for (const ParameterSet set : OTHER_SETS) {
        SetSpend s{set};
        for (const Bytes& sig : {s.Sign(), Bytes{1}}) {
            BOOST_CHECK_EQUAL(s.Run(sig, CONSENSUS), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(s.Run(sig, CONSENSUS | DISCOURAGE_KEY), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
        }
        BOOST_CHECK_EQUAL(s.Run(s.Sign(), SETS | DISCOURAGE_KEY), SCRIPT_ERR_OK);
        // With the opcodes still OP_SUCCESSx, the flag does nothing.
        BOOST_CHECK_EQUAL(s.Run({1}, SETS & ~SCRIPT_VERIFY_SLHDSA), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(s.Run({1}), SCRIPT_ERR_SLHDSA_SIG_SIZE);
    }
}

BOOST_AUTO_TEST_CASE(numbers_that_scripts_know)
{
    SetSpend s{ParameterSet::SHA2_128_24};
    for (int number{0}; number < 0x100; ++number) {
        Bytes element{s.Element()};
        element[0] = static_cast<uint8_t>(number);
        s.Check(element);
        const bool known{number == 24 || number == 40};
        BOOST_CHECK_EQUAL(s.Run({1}), known ? SCRIPT_ERR_SLHDSA_SIG_SIZE : SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(s.Run({1}, SETS | DISCOURAGE_KEY),
                          known ? SCRIPT_ERR_SLHDSA_SIG_SIZE : SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
        const auto parsed{SLHDSAPubKey::Parse(element, /*with_sets=*/true)};
        BOOST_CHECK_EQUAL(parsed.has_value(), known);
        if (parsed) BOOST_CHECK(parsed->Element() == element);
    }
    for (const size_t size : {1, 31, 34, 64}) {
        s.Check(Bytes(size, 24));
        BOOST_CHECK_EQUAL(s.Run({1}), SCRIPT_ERR_OK);
    }
    s.Check(Bytes(32, 24)); // a key of 128s
    BOOST_CHECK_EQUAL(s.Run(Bytes(s.Size())), SCRIPT_ERR_SLHDSA_SIG_SIZE);
    s.spend.leaf = CScript{} << s.Element() << OP_CHECKSIG; // BIP 342's opcodes know no such key
    BOOST_CHECK_EQUAL(s.Run({1}), SCRIPT_ERR_OK);
}

BOOST_AUTO_TEST_CASE(a_script_may_mix_sets)
{
    SetSpend small{ParameterSet::SHA2_128_24};
    const SetSpend middle{ParameterSet::SHA2_128_Q40};
    const auto& large{TestKey::Get(1)};
    TapSpend& spend{small.spend};
    spend.leaf = CScript{} << small.Element() << OP_CHECKSIGSLHDSA << Bytes{large.Public().begin(), large.Public().end()}
                           << OP_CHECKSIGADDSLHDSA << middle.Element() << OP_CHECKSIGADDSLHDSA << OP_3 << OP_NUMEQUAL;
    const uint256 message{spend.Message(SIGHASH_DEFAULT, KeyVersion::SLHDSA_SETS)};
    spend.stack = {middle.Sign(message), large.Sign(spend.Message()), small.Sign(message)};
    for (const Verify verify : {Verify::EAGER, Verify::DEFERRED}) {
        BOOST_CHECK_EQUAL(spend.Run(SETS, verify), SCRIPT_ERR_OK);
        for (Bytes& sig : spend.stack) {
            sig[100] ^= 1;
            BOOST_CHECK_EQUAL(spend.Run(SETS, verify), SCRIPT_ERR_SLHDSA_SIG);
            sig[100] ^= 1;
        }
    }
}

BOOST_AUTO_TEST_CASE(the_signature_cache_tells_sets_apart)
{
    SignatureCache cache{size_t{1} << 12};
    const std::array<uint8_t, 32> key{1}, message{2};
    const Bytes sig(3856, 3);
    const auto of{[&](uint8_t set) { return SignedMessage{SignatureScheme::SLHDSA, key, message, sig, set}; }};
    cache.Insert(of(24));
    BOOST_CHECK(cache.Contains(of(24), /*erase=*/false));
    for (const uint8_t other : {0, 40}) BOOST_CHECK(!cache.Contains(of(other), /*erase=*/false));
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhwallet.h>

#include <primitives/block.h>
#include <primitives/transaction.h>
#include <test/allocations.h>
#include <test/json_data.h>
#include <test/preconditions.h>
#include <test/sanitizer.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>
#include <util/base64.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;

/** Every function of the C API without memory: each of its allocations fails once, and from each on all of them do. Such a call reports
 *  that there is no memory, or does its work all the same; it changes nothing, loses nothing, and the next one succeeds. The address
 *  sanitizer's build sees leaks and early frees. */
BOOST_AUTO_TEST_SUITE(capi_memory_tests, *boost::unit_test::precondition(CanForbidAllocations))

namespace {

using ByteVector = std::vector<uint8_t>;
using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;
using TxPtr = std::unique_ptr<slhc_tx, decltype(&slhc_tx_destroy)>;
using PSBTPtr = std::unique_ptr<slhc_psbt, decltype(&slhc_psbt_destroy)>;
using DescriptorPtr = std::unique_ptr<slhc_descriptor, decltype(&slhc_descriptor_destroy)>;

slhc_bytes View(std::span<const uint8_t> bytes) { return {bytes.data(), bytes.size()}; }

/** The outcome of a call: its result and its output. Stored in place, since there is no memory for it. */
struct Outcome {
    int result{SLHC_ERROR};
    std::array<unsigned char, SLHC_SIGNATURE_SIZE> out{};

    bool operator==(const Outcome&) const = default;
};

constexpr auto NoState{[](auto&) { return ByteVector{}; }};

/** A call that is tried again and again.
 *  @tparam T  its object, made anew for each try by prepare() */
template <class T>
struct Call {
    const char* name;
    std::function<T()> prepare;
    std::function<void(T&, Outcome&)> call;
    /** The visible state of the object: a call that fails leaves it as it was, and one that succeeds always changes it in the same way. */
    std::function<ByteVector(T&)> state{NoState};
    /** The number of similar allocations that make one try; the first N_TRIED_EACH are tried one by one. */
    size_t stride{1};
};

/** With a sanitizer, each try takes several times as long. */
constexpr size_t N_TRIED_EACH{SLHC_ADDRESS_SANITIZER ? 25 : 100};

int LastErrorCode()
{
    slhc_error error SLHC_ERROR_INIT;
    return slhc_last_error(&error) == SLHC_OK ? error.code : SLHC_ERR_NONE;
}

/** One way to run out of memory. */
struct Shortage {
    const char* name;
    void (*begin)(size_t);
    bool (*end)(); //!< whether an allocation failed
};

constexpr std::array<Shortage, 2> SHORTAGES{{
    {"all that follow, in the calling thread", ForbidAllocationsAfter,
     [] {
         AllowAllocations();
         return HasAllocationFailed();
     }},
    {"one, in any thread", FailOneAllocationAfter, StopFailingAllocations},
}};

template <class T>
void TryWithoutMemory(const Call<T>& c)
{
    BOOST_TEST_CONTEXT(c.name)
    {
        ByteVector before, after;
        Outcome wanted;
        { // its threads would otherwise meet the failures that are meant for others
            T reference{c.prepare()};
            before = c.state(reference);
            c.call(reference, wanted);
            after = c.state(reference);
        }
        BOOST_REQUIRE_NE(wanted.result, SLHC_ERROR);
        for (const Shortage& shortage : SHORTAGES) {
            size_t n{0}, tries{0}, refused{0};
            for (bool failed{true}; failed; n += n < N_TRIED_EACH ? 1 : c.stride) {
                BOOST_REQUIRE_LT(n, 100'000u);
                ++tries;
                T object{c.prepare()};
                Outcome got;
                shortage.begin(n);
                c.call(object, got);
                failed = shortage.end();
                if (got.result == SLHC_ERROR) {
                    ++refused;
                    BOOST_REQUIRE_MESSAGE(failed, "failed by itself, with " << n << " allocations");
                    BOOST_REQUIRE_EQUAL(LastErrorCode(), SLHC_ERR_MEMORY);
                    BOOST_REQUIRE_MESSAGE(c.state(object) == before, shortage.name << " after " << n << ": something changed");
                    got = {};
                    c.call(object, got);
                }
                BOOST_REQUIRE_MESSAGE(got == wanted, shortage.name << " after " << n << ": result " << got.result << ", or its data");
                BOOST_REQUIRE_MESSAGE(c.state(object) == after, shortage.name << " after " << n << ": another state");
            }
            BOOST_CHECK_MESSAGE(tries > 1, shortage.name << ": no allocation was made, or the failures don't reach it");
            BOOST_TEST_MESSAGE(c.name << ": " << shortage.name << ": " << tries - 1 << " failed, " << refused << " calls said so");
        }
    }
}

/** A call that makes no allocation, once the library's static objects exist: it cannot fail for lack of memory. */
template <class T>
void NeedsNoMemory(const Call<T>& c)
{
    BOOST_TEST_CONTEXT(c.name)
    {
        Outcome wanted;
        {
            T reference{c.prepare()};
            c.call(reference, wanted);
        }
        for (const Shortage& shortage : SHORTAGES) {
            T object{c.prepare()};
            Outcome got;
            shortage.begin(0);
            c.call(object, got);
            BOOST_CHECK_MESSAGE(!shortage.end(), shortage.name << ": it allocates");
            BOOST_CHECK_MESSAGE(got.result != SLHC_ERROR && got == wanted, shortage.name << ": result " << got.result << ", or its data");
        }
    }
}

/** The arguments of calls, made once. */
struct Inputs {
    std::vector<ByteVector> spent;
    std::vector<slhc_bytes> spent_views;
    ByteVector raw_tx, raw_block;
    std::vector<ByteVector> block_spent;
    std::vector<slhc_bytes> block_spent_views;
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> secret_key;
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> public_key;
    std::array<unsigned char, 32> message{};
    std::array<unsigned char, SLHC_SIGNATURE_SIZE> signature;

    Inputs()
    {
        RealSigner signer;
        const SignedSpend spend{SpendKinds({SpendKind::P2MR_SLHDSA, SpendKind::P2MR_SCHNORR, SpendKind::P2TR_KEY_PATH}, signer, 0)};
        raw_tx = SerializeToVector(spend.tx);
        for (const CTxOut& output : spend.spent) spent.push_back(SerializeToVector(output));
        for (const ByteVector& bytes : spent) spent_views.push_back(View(bytes));
        BlockBuilder builder;
        SignedSpend other{spend};
        builder.Add(std::move(other.tx), std::move(other.spent));
        const BlockWithSpent block{std::move(builder).Finish()};
        raw_block = SerializeToVector(block.block);
        for (const CTxOut& output : block.spent_outputs) block_spent.push_back(SerializeToVector(output));
        for (const ByteVector& bytes : block_spent) block_spent_views.push_back(View(bytes));
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{1, 2, 3};
        const ContextPtr context{slhc_context_create(nullptr), slhc_context_destroy};
        const int made{slhc_slhdsa_keygen(context.get(), SLHC_SET_128S, seed.data(), secret_key.data(), public_key.data(), nullptr,
                                          nullptr)};
        BOOST_REQUIRE_EQUAL(made, SLHC_OK);
        const int is_signed{slhc_slhdsa_sign(context.get(), SLHC_SET_128S, secret_key.data(), View(message), {}, nullptr, signature.data(),
                                             nullptr, nullptr)};
        BOOST_REQUIRE_EQUAL(is_signed, SLHC_OK);
    }
    static const Inputs& Get()
    {
        static const Inputs inputs;
        return inputs;
    }
    [[nodiscard]] TxPtr Tx() const
    {
        return {slhc_tx_create(View(raw_tx), spent_views.data(), spent_views.size()), slhc_tx_destroy};
    }
};

slhc_context* CreateContext()
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    options.threads = 2;
    options.log = [](void*, int, const char*, size_t) {};
    return slhc_context_create(&options);
}

using CachePtr = std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)>;

CachePtr Cache() { return {slhc_signature_cache_create(4096), slhc_signature_cache_destroy}; }

ContextPtr Context() { return {CreateContext(), slhc_context_destroy}; }

/** A batch with some checks, one of them invalid on request. */
struct FilledBatch {
    ContextPtr context{Context()};
    BatchPtr batch;

    explicit FilledBatch(size_t checks, bool with_invalid = false, unsigned flags = 0)
        : batch{slhc_batch_create(context.get(), flags), slhc_batch_destroy}
    {
        for (size_t i{0}; i < checks; ++i) BOOST_REQUIRE_EQUAL(Add(with_invalid && i == checks / 2), SLHC_DEFERRED);
    }
    int Add(bool invalid = false) const
    {
        const Inputs& in{Inputs::Get()};
        std::array<unsigned char, SLHC_SIGNATURE_SIZE> signature{in.signature};
        if (invalid) signature[100] ^= 1;
        const std::array<uint64_t, 3> tag{};
        return slhc_batch_add(batch.get(), SLHC_SET_128S, in.public_key.data(), in.message.data(), View(signature), tag.data());
    }
};

template <class T>
void Write(Outcome& outcome, size_t at, const T& value) { std::memcpy(outcome.out.data() + at, &value, sizeof(value)); }

template <class... T>
ByteVector BytesOf(const T&... values)
{
    ByteVector bytes;
    (bytes.insert(bytes.end(), reinterpret_cast<const uint8_t*>(&values), reinterpret_cast<const uint8_t*>(&values) + sizeof(values)), ...);
    return bytes;
}

} // namespace

BOOST_AUTO_TEST_CASE(contexts)
{
    TryWithoutMemory<int>({"slhc_context_create", [] { return 0; }, [](int&, Outcome& o) {
        slhc_context* const context{CreateContext()};
        if (context != nullptr) o.result = SLHC_OK;
        slhc_context_destroy(context);
    }});
    TryWithoutMemory<ContextPtr>({"slhc_context_statistics", Context, [](ContextPtr& context, Outcome& o) {
        slhc_statistics statistics SLHC_STATISTICS_INIT;
        o.result = slhc_context_statistics(context.get(), &statistics);
        Write(o, 0, statistics.threads);
    }});
    TryWithoutMemory<ContextPtr>({"slhc_context_backend_statistics", Context, [](ContextPtr& context, Outcome& o) {
        slhc_backend_statistics statistics SLHC_BACKEND_STATISTICS_INIT;
        o.result = slhc_context_backend_statistics(context.get(), 0, &statistics);
        Write(o, 0, statistics.name);
    }});
    TryWithoutMemory<int>({"slhc_list_backends", [] { return 0; }, [](int&, Outcome& o) {
        slhc_backend_info infos[2]{SLHC_BACKEND_INFO_INIT, SLHC_BACKEND_INFO_INIT};
        size_t total{0};
        o.result = slhc_list_backends(infos, 2, &total);
        Write(o, 0, total);
    }});
    NeedsNoMemory<ContextPtr>({"slhc_context_interrupt", Context, [](ContextPtr& context, Outcome& o) {
        o.result = slhc_context_interrupt(context.get());
    }});
}

BOOST_AUTO_TEST_CASE(transactions)
{
    const Inputs& in{Inputs::Get()};
    TryWithoutMemory<int>({"slhc_signature_cache_create", [] { return 0; }, [&](int&, Outcome& o) {
        if (Cache() != nullptr) o.result = SLHC_OK;
    }});
    TryWithoutMemory<int>({"slhc_tx_create", [] { return 0; }, [&](int&, Outcome& o) {
        const TxPtr tx{in.Tx()};
        if (tx != nullptr) o.result = SLHC_OK;
    }});
    NeedsNoMemory<TxPtr>({"slhc_tx_signature_hash", [&] { return in.Tx(); }, [&](TxPtr& tx, Outcome& o) {
        o.result = slhc_tx_signature_hash(tx.get(), 0, 0, SLHC_KEY_VERSION_SLHDSA, in.message.data(), {}, SLHC_NO_OPCODE,
                                          o.out.data());
    }});
}

BOOST_AUTO_TEST_CASE(inputs)
{
    const Inputs& in{Inputs::Get()};
    struct Verification {
        FilledBatch filled;
        TxPtr tx;
        CachePtr cache;
    };
    const auto prepare{[&] { return Verification{FilledBatch{2}, in.Tx(), Cache()}; }};
    const auto state{[](Verification& v) { return BytesOf(slhc_batch_size(v.filled.batch.get())); }};
    for (const unsigned n_in : {0u, 1u, 2u}) {
        TryWithoutMemory<Verification>({"slhc_verify_input", prepare, [n_in](Verification& v, Outcome& o) {
            o.result = slhc_verify_input(v.filled.context.get(), v.tx.get(), n_in, SLHC_VERIFY_CONSENSUS, v.cache.get(),
                                         nullptr, 7, nullptr);
        }, state});
        TryWithoutMemory<Verification>({"slhc_verify_input with a batch", prepare, [n_in](Verification& v, Outcome& o) {
            o.result = slhc_verify_input(v.filled.context.get(), v.tx.get(), n_in, SLHC_VERIFY_CONSENSUS, v.cache.get(),
                                         v.filled.batch.get(), 7, nullptr);
        }, state});
    }
}

BOOST_AUTO_TEST_CASE(batches)
{
    TryWithoutMemory<ContextPtr>({"slhc_batch_create", Context, [](ContextPtr& context, Outcome& o) {
        const BatchPtr batch{slhc_batch_create(context.get(), 0), slhc_batch_destroy};
        if (batch != nullptr) o.result = SLHC_OK;
    }});
    for (const size_t checks : {size_t{0}, size_t{1}, size_t{16}}) {
        TryWithoutMemory<FilledBatch>({"slhc_batch_add", [checks] { return FilledBatch{checks}; }, [](FilledBatch& f, Outcome& o) {
            o.result = f.Add();
        }, [](FilledBatch& f) { return BytesOf(slhc_batch_size(f.batch.get())); }});
    }
    TryWithoutMemory<ContextPtr>({"slhc_batch_create", Context, [](ContextPtr& context, Outcome& o) {
        const BatchPtr batch{slhc_batch_create(context.get(), SLHC_BATCH_AHEAD), slhc_batch_destroy};
        if (batch != nullptr) o.result = SLHC_OK;
    }});
    // 40 are some groups for workers to take, and a rest.
    const auto ahead{[] {
        FilledBatch filled{0, false, SLHC_BATCH_AHEAD};
        for (size_t i{0}; i < 40; ++i) BOOST_REQUIRE_EQUAL(filled.Add(i == 3), SLHC_DEFERRED);
        return filled;
    }};
    TryWithoutMemory<FilledBatch>({"slhc_batch_verify of what is verified ahead", ahead, [](FilledBatch& f, Outcome& o) {
        o.result = slhc_batch_verify(f.batch.get(), nullptr);
    }, [](FilledBatch& f) {
        const auto verdict{[&](size_t i) { return slhc_batch_verdict(f.batch.get(), i, nullptr); }};
        return BytesOf(slhc_batch_size(f.batch.get()), verdict(3), verdict(39));
    }});
    for (const bool with_invalid : {false, true}) {
        const auto prepare{[with_invalid] { return FilledBatch{3, with_invalid}; }};
        TryWithoutMemory<FilledBatch>({"slhc_batch_verify", prepare, [](FilledBatch& f, Outcome& o) {
            std::array<uint64_t, 3> tag{};
            o.result = slhc_batch_verify(f.batch.get(), tag.data());
            Write(o, 0, tag);
        }, [](FilledBatch& f) {
            std::array<int, 3> verdicts{};
            for (size_t i{0}; i < verdicts.size(); ++i) verdicts[i] = slhc_batch_verdict(f.batch.get(), i, nullptr);
            return BytesOf(slhc_batch_size(f.batch.get()), verdicts);
        }});
    }
    const auto verified{[] {
        FilledBatch filled{3, true};
        BOOST_REQUIRE_EQUAL(slhc_batch_verify(filled.batch.get(), nullptr), SLHC_INVALID);
        return filled;
    }};
    for (const size_t i : {size_t{0}, size_t{1}}) {
        NeedsNoMemory<FilledBatch>({"slhc_batch_verdict", verified, [i](FilledBatch& f, Outcome& o) {
            std::array<uint64_t, 3> tag{};
            o.result = slhc_batch_verdict(f.batch.get(), i, tag.data());
            Write(o, 0, tag);
        }});
    }
}

BOOST_AUTO_TEST_CASE(blocks)
{
    const Inputs& in{Inputs::Get()};
    for (const bool cached : {false, true}) {
        TryWithoutMemory<ContextPtr>({"slhc_verify_block_scripts", Context, [&in, cached](ContextPtr& context, Outcome& o) {
            const CachePtr cache{cached ? Cache() : CachePtr{nullptr, slhc_signature_cache_destroy}};
            slhc_failure failure SLHC_FAILURE_INIT;
            o.result = slhc_verify_block_scripts(context.get(), View(in.raw_block), in.block_spent_views.data(),
                                                 in.block_spent_views.size(), SLHC_VERIFY_CONSENSUS, cache.get(), SLHC_CACHE_STORE,
                                                 &failure);
        }});
    }
}

BOOST_AUTO_TEST_CASE(signatures)
{
    const Inputs& in{Inputs::Get()};
    TryWithoutMemory<ContextPtr>({"slhc_slhdsa_keygen", Context, [](ContextPtr& context, Outcome& o) {
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{9};
        o.result = slhc_slhdsa_keygen(context.get(), SLHC_SET_128F, seed.data(), o.out.data(), o.out.data() + SLHC_SECRET_KEY_SIZE,
                                      nullptr, nullptr);
    }, NoState, 29});
    TryWithoutMemory<ContextPtr>({"slhc_slhdsa_sign", Context, [&in](ContextPtr& context, Outcome& o) {
        o.result = slhc_slhdsa_sign(context.get(), SLHC_SET_128S, in.secret_key.data(), View(in.message), {}, nullptr, o.out.data(),
                                    nullptr, nullptr);
    }, NoState, 29});
    NeedsNoMemory<int>({"slhc_slhdsa_verify", [] { return 0; }, [&in](int&, Outcome& o) {
        o.result = slhc_slhdsa_verify(SLHC_SET_128S, in.public_key.data(), View(in.message), {}, View(in.signature));
    }});
    using SignerPtr = std::unique_ptr<slhc_experiment_signer, decltype(&slhc_experiment_signer_destroy)>;
    const auto make_signer{[] {
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{9};
        return SignerPtr{slhc_experiment_signer_create(SLHC_SET_128F, seed.data()), slhc_experiment_signer_destroy};
    }};
    TryWithoutMemory<int>({"slhc_experiment_signer_create", [] { return 0; }, [&make_signer](int&, Outcome& o) {
        if (make_signer() != nullptr) o.result = SLHC_OK;
    }});
    NeedsNoMemory<SignerPtr>({"slhc_experiment_public_key", make_signer, [](SignerPtr& signer, Outcome& o) {
        o.result = slhc_experiment_public_key(signer.get(), 1, o.out.data());
    }});
    NeedsNoMemory<SignerPtr>({"slhc_experiment_sign", make_signer, [&in](SignerPtr& signer, Outcome& o) {
        std::array<unsigned char, 17088> signature;
        o.result = slhc_experiment_sign(signer.get(), 1, View(in.message), {}, signature.data());
        std::copy_n(signature.begin(), o.out.size(), o.out.begin());
    }});
    for (const size_t n : {size_t{1}, size_t{5}}) {
        TryWithoutMemory<ContextPtr>({"slhc_slhdsa_verify_many", Context, [&in, n](ContextPtr& context, Outcome& o) {
            std::array<slhc_verify_job, 5> jobs;
            jobs.fill({sizeof(slhc_verify_job), SLHC_SET_128S, in.public_key.data(), View(in.message), {}, View(in.signature)});
            std::array<int, 5> verdicts{};
            o.result = slhc_slhdsa_verify_many(context.get(), jobs.data(), n, verdicts.data());
            Write(o, 0, verdicts);
        }});
    }
}

BOOST_AUTO_TEST_CASE(scripts_and_addresses)
{
    const Inputs& in{Inputs::Get()};
    TryWithoutMemory<int>({"slhc_scan_leaf", [] { return 0; }, [&in](int&, Outcome& o) {
        unsigned found{0};
        o.result = slhc_scan_leaf(View(in.message), &found);
        Write(o, 0, found);
    }});
    NeedsNoMemory<int>({"slhc_tapleaf_hash", [] { return 0; }, [&in](int&, Outcome& o) {
        o.result = slhc_tapleaf_hash(0xc0, View(in.signature), o.out.data());
    }});
    NeedsNoMemory<int>({"slhc_tapbranch_hash", [] { return 0; }, [&in](int&, Outcome& o) {
        o.result = slhc_tapbranch_hash(in.message.data(), in.public_key.data(), o.out.data());
    }});
    const ByteVector point{TryParseHex("50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0").value()};
    NeedsNoMemory<int>({"slhc_p2tr_output_key", [] { return 0; }, [&point](int&, Outcome& o) {
        o.result = slhc_p2tr_output_key(point.data(), nullptr, o.out.data(), nullptr);
    }});
    TryWithoutMemory<int>({"slhc_address_encode", [] { return 0; }, [&in](int&, Outcome& o) {
        o.result = slhc_address_encode("regtest", 2, View(in.message), reinterpret_cast<char*>(o.out.data()));
    }});
    char address[SLHC_ADDRESS_SIZE];
    BOOST_REQUIRE_EQUAL(slhc_address_encode("regtest", 2, View(in.message), address), SLHC_OK);
    TryWithoutMemory<int>({"slhc_address_decode", [] { return 0; }, [&address](int&, Outcome& o) {
        slhc_decoded_address decoded SLHC_DECODED_ADDRESS_INIT;
        o.result = slhc_address_decode(address, &decoded);
        Write(o, 0, decoded.program);
    }});
}

BOOST_AUTO_TEST_CASE(descriptors)
{
    const std::string key(64, '7');
    const std::string text{"mr({pk_slhdsa([d34db33f/87h]" + std::string(64, '5') + "),and_v(v:pk_slhdsa(" + key + "),older(10))})"};
    const auto parse{[&text] { return DescriptorPtr{slhc_descriptor_parse(text.c_str(), 0), slhc_descriptor_destroy}; }};
    TryWithoutMemory<int>({"slhc_descriptor_parse", [] { return 0; }, [&parse](int&, Outcome& o) {
        if (parse() != nullptr) o.result = SLHC_OK;
    }});
    NeedsNoMemory<int>({"slhc_descriptor_checksum", [] { return 0; }, [&text](int&, Outcome& o) {
        o.result = slhc_descriptor_checksum(text.c_str(), reinterpret_cast<char*>(o.out.data()));
    }});
    NeedsNoMemory<DescriptorPtr>({"slhc_descriptor_get_info, _get_key and _get_leaf", parse, [](DescriptorPtr& descriptor, Outcome& o) {
        slhc_descriptor_info info SLHC_DESCRIPTOR_INFO_INIT;
        slhc_descriptor_key k SLHC_DESCRIPTOR_KEY_INIT;
        slhc_descriptor_leaf leaf SLHC_DESCRIPTOR_LEAF_INIT;
        const bool good{slhc_descriptor_get_info(descriptor.get(), &info) == SLHC_OK &&
                        slhc_descriptor_get_key(descriptor.get(), 0, &k) == SLHC_OK &&
                        slhc_descriptor_get_leaf(descriptor.get(), 1, &leaf) == SLHC_OK};
        o.result = good ? SLHC_OK : SLHC_ERROR;
        Write(o, 0, leaf.leaf_hash);
    }});
    TryWithoutMemory<DescriptorPtr>({"slhc_descriptor_address", parse, [](DescriptorPtr& descriptor, Outcome& o) {
        o.result = slhc_descriptor_address(descriptor.get(), "regtest", reinterpret_cast<char*>(o.out.data()));
    }});
}

BOOST_AUTO_TEST_CASE(psbts)
{
    // Two signers' copies of one PSBT, for a leaf that needs both.
    const auto vector{[](const char* name) {
        return DecodeBase64(ReadJson("psbt_slhdsa.json").at(0).at(name).get<std::string>()).value();
    }};
    const ByteVector a{vector("signed_a")}, b{vector("signed_b")};
    const auto parse{[](const ByteVector& bytes) { return PSBTPtr{slhc_psbt_parse(View(bytes)), slhc_psbt_destroy}; }};
    const PSBTPtr other{parse(b)};
    const auto of_a{[&] { return parse(a); }};
    const auto serialized{[](PSBTPtr& psbt) {
        slhc_bytes bytes;
        BOOST_REQUIRE_EQUAL(slhc_psbt_serialize(psbt.get(), &bytes), SLHC_OK);
        return ByteVector(bytes.data, bytes.data + bytes.size);
    }};
    const auto combined{[&] {
        PSBTPtr psbt{parse(a)};
        BOOST_REQUIRE_EQUAL(slhc_psbt_combine(psbt.get(), other.get()), SLHC_OK);
        return psbt;
    }};
    TryWithoutMemory<int>({"slhc_psbt_parse", [] { return 0; }, [&](int&, Outcome& o) {
        if (parse(a) != nullptr) o.result = SLHC_OK;
    }});
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_serialize", of_a, [](PSBTPtr& psbt, Outcome& o) {
        slhc_bytes bytes;
        o.result = slhc_psbt_serialize(psbt.get(), &bytes);
        if (o.result == SLHC_OK) Write(o, 0, bytes.size);
    }});
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_get_input and _get_leaf", of_a, [](PSBTPtr& psbt, Outcome& o) {
        slhc_psbt_input input SLHC_PSBT_INPUT_INIT;
        slhc_psbt_leaf leaf SLHC_PSBT_LEAF_INIT;
        o.result = slhc_psbt_get_input(psbt.get(), 0, &input);
        if (o.result == SLHC_OK) o.result = slhc_psbt_get_leaf(psbt.get(), 0, &leaf);
        Write(o, 0, leaf.leaf_hash);
    }, serialized});
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_unsigned_tx", of_a, [](PSBTPtr& psbt, Outcome& o) {
        slhc_bytes tx;
        o.result = slhc_psbt_unsigned_tx(psbt.get(), &tx);
        if (o.result == SLHC_OK) Write(o, 0, tx.size);
    }, serialized});
    const ByteVector field{0xf0}, value{1, 2, 3};
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_set_field", of_a, [&](PSBTPtr& psbt, Outcome& o) {
        const slhc_bytes bytes{View(value)};
        o.result = slhc_psbt_set_field(psbt.get(), SLHC_PSBT_INPUT, 0, View(field), &bytes);
    }, serialized});
    const ByteVector public_key(32, 1);
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_find_to_sign", of_a, [&](PSBTPtr& psbt, Outcome& o) {
        size_t n{0};
        o.result = slhc_psbt_find_to_sign(psbt.get(), SLHC_KEY_SLHDSA, public_key.data(), SLHC_PSBT_ASKED_HASH_TYPE, &n);
        Write(o, 0, n);
    }, serialized});
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_combine", of_a, [&other](PSBTPtr& psbt, Outcome& o) {
        o.result = slhc_psbt_combine(psbt.get(), other.get());
    }, serialized});
    for (const auto& start : {std::function<PSBTPtr()>{combined}, std::function<PSBTPtr()>{of_a}}) {
        TryWithoutMemory<PSBTPtr>({"slhc_psbt_finalize", start, [](PSBTPtr& psbt, Outcome& o) {
            const char* missing{nullptr};
            o.result = slhc_psbt_finalize(psbt.get(), &missing);
            if (o.result != SLHC_ERROR) Write(o, 0, std::strlen(missing));
        }, serialized});
    }
    const auto finalized{[&] {
        PSBTPtr psbt{combined()};
        BOOST_REQUIRE_EQUAL(slhc_psbt_finalize(psbt.get(), nullptr), SLHC_VALID);
        return psbt;
    }};
    TryWithoutMemory<PSBTPtr>({"slhc_psbt_extract", finalized, [](PSBTPtr& psbt, Outcome& o) {
        slhc_bytes tx;
        o.result = slhc_psbt_extract(psbt.get(), &tx);
        if (o.result == SLHC_OK) Write(o, 0, tx.size);
    }, serialized});
}

BOOST_AUTO_TEST_SUITE_END()

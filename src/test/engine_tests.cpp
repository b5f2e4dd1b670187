// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>
#include <test/engine_fixture.h>
#include <test/random_source.h>

#include <crypto/cpu_features.h>
#include <pqc/cpu/hash_layout.h>
#include <pqc/cpu/kernel_splitter.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/judge.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/wots.h>
#include <pqc/top_tree_cache.h>
#include <test/numbers_128s.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#ifdef __x86_64__
#include <cpuid.h>
#endif

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using namespace slhc::slhdsa::lanes;

namespace {

/** WOTS+ keys and trees for kernels to work on, each with a key, a place in the hypertree and a prefix of its own. */
struct Places {
    std::vector<Node> seeds;
    std::vector<HashContext> contexts;
    std::vector<ADRS> addresses;
    std::vector<BlockPrefix> prefixes;

    Places(size_t n, ADRSType type, std::mt19937_64& random) : seeds(n), addresses(n)
    {
        for (size_t i{0}; i < n; ++i) {
            FillRandom(seeds[i], random);
            contexts.emplace_back(seeds[i]);
            addresses[i].setLayerAddress(random() % D);
            addresses[i].setTreeAddress(random() >> 10);
            addresses[i].setTypeAndClear(type);
            if (type != ADRSType::TREE) addresses[i].setKeyPairAddress(random() % 512);
            prefixes.push_back(MakeBlockPrefix(contexts[i].SeedState(), addresses[i]));
        }
    }
};

/** Chains [begin, end) for the kernels, and their results by algorithm 5. Each LEN belong to one key. */
class ChainCases
{
public:
    explicit ChainCases(std::mt19937_64& random) : m_places{40, ADRSType::WOTS_HASH, random} {}

    void Add(std::mt19937_64& random, uint8_t begin, uint8_t end)
    {
        const size_t key{m_items.size() / LEN};
        const auto chain_address{static_cast<uint8_t>(m_items.size() % LEN)};
        m_items.push_back({static_cast<uint16_t>(key), chain_address, begin, end});
        Node& in{m_in.emplace_back()};
        FillRandom(in, random);
        const size_t place{key % m_places.prefixes.size()};
        ADRS adrs{m_places.addresses[place]};
        adrs.setChainAddress(chain_address);
        m_expected.push_back(chain(m_places.contexts[place], in, begin, begin < end ? uint32_t{end} - begin : 0, adrs));
    }

    /** Run them, in this order, with every kernel that takes so many; `in_place`: results overwrite the values. */
    void Check(const NamedKernels& engine, bool in_place = false) const
    {
        Check(engine.name, engine.kernels.chains, in_place);
        for (const FoldedKernel& folded : {engine.kernels.folded, engine.kernels.folded_side_by_side}) {
            if (folded.chains == nullptr || Size() > FOLDED_ROWS * folded.lanes) continue;
            Check(engine.name + ", folded into " + std::to_string(folded.lanes) + " lanes", folded.chains, in_place);
        }
    }

    void Check(const std::string& name, decltype(Kernels::chains) kernel, bool in_place) const
    {
        std::vector<Node> in{m_in}, out(m_in.size());
        std::vector<ChainKey> keys;
        for (size_t i{0}; i < m_in.size(); i += LEN) {
            keys.push_back(
                {&m_places.prefixes[keys.size() % m_places.prefixes.size()], in[i].data(), in_place ? in[i].data() : out[i].data()});
        }
        kernel(keys.data(), m_items.data(), m_items.size());
        const std::vector<Node>& result{in_place ? in : out};
        for (size_t i{0}; i < result.size(); ++i) {
            if (result[i] != m_expected[i]) BOOST_ERROR(name << ": chain " << i << " of " << result.size() << " is wrong");
        }
    }

    [[nodiscard]] size_t Size() const { return m_items.size(); }

private:
    Places m_places;
    std::vector<ChainItem> m_items;
    std::vector<Node> m_in;
    std::vector<Node> m_expected;
};

} // namespace

BOOST_AUTO_TEST_SUITE(engine_tests)

BOOST_AUTO_TEST_CASE(engines_are_offered_where_the_machine_has_them)
{
    const auto engines{CpuEngines().All()};
    BOOST_REQUIRE(!engines.empty());
    BOOST_CHECK_EQUAL(engines.back().Isa(), "portable");
    BOOST_CHECK(engines.back().IsOffered());
    for (const CpuEngine& engine : engines) {
        if (engine.IsOffered()) BOOST_CHECK_EQUAL(engine.Create()->Name(), engine.Name());
    }
    namespace cpu = slhc::cpu;
    constexpr std::pair<std::string_view, cpu::FeatureMask> NEEDED[]{
        {"avx2", cpu::AVX2},
        {"avx512", cpu::AVX512},
        {"avx512sha", cpu::AVX512 | cpu::SHA_NI | cpu::SSE41 | cpu::FREE_SSE_AVX_SWITCH},
        {"shani", cpu::SHA_NI | cpu::SSE41},
        {"armv8", cpu::ARM_SHA2},
    };
    for (const auto& [isa, features] : NEEDED) {
        if (const CpuEngine* const engine{CpuEngines().Find(isa)}) BOOST_CHECK_MESSAGE(engine->IsOffered() == cpu::Has(features), isa);
    }
    const slhc::cpu::ScopedFeatureMask nothing{0};
    for (const CpuEngine& engine : engines) BOOST_CHECK_EQUAL(engine.IsOffered(), engine.Isa() == "portable");
}

/** Where SSE and AVX code cannot alternate freely, the engine that has both takes 300 times as long as any other. */
BOOST_AUTO_TEST_CASE(no_engine_alternates_where_that_is_slow)
{
    const slhc::cpu::ScopedFeatureMask slow_switch{~slhc::cpu::FeatureMask{slhc::cpu::FREE_SSE_AVX_SWITCH}};
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (engine.Isa() == "avx512sha") BOOST_CHECK(!engine.IsOffered());
    }
    BOOST_CHECK(CpuEngines().Best().Name() != "cpu:avx512sha");
}

/** Zen 3 pays for the switch, so being AMD's is not enough. */
BOOST_AUTO_TEST_CASE(no_processor_without_avx512_alternates_freely)
{
    using namespace slhc::cpu;
    BOOST_CHECK(!Has(FREE_SSE_AVX_SWITCH) || Has(AVX512));
}

#ifdef __x86_64__

/** True if the upper half of any of ymm0 to ymm15 is in use, by bit 2 of XINUSE, on processors with XGETBV(1). Intel SDM
 *  volume 1, section 13.6. */
[[gnu::always_inline]] inline bool UpperHalvesInUse()
{
    uint32_t low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return (low & 4) != 0;
}

bool TellsUpperHalves()
{
    uint32_t eax{0}, ebx, ecx, edx;
    constexpr uint32_t XGETBV_1{1U << 2};
    if (!slhc::cpu::Has(slhc::cpu::AVX2) || !__get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx) || (eax & XGETBV_1) == 0) return false;
    __asm__ __volatile__("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
    const bool used{UpperHalvesInUse()};
    __asm__ __volatile__("vzeroupper" :::);
    return used && !UpperHalvesInUse();
}

/** SHA instructions and everything else in legacy SSE encoding are slow where kernels leave the upper halves of vector
 *  registers in use: each must clean up, after groups of any size. */
BOOST_AUTO_TEST_CASE(kernels_leave_upper_halves_clean)
{
    if (!TellsUpperHalves()) {
        BOOST_TEST_MESSAGE("SKIPPED: this processor does not say whether the upper halves of its vector registers are in use");
        return;
    }
    constexpr size_t MOST{96};
    const BlockPrefix prefix{};
    std::array<uint8_t, MOST * 128> bytes{};
    std::array<uint8_t, MOST * N> out;
    const std::array<uint32_t, 8> midstate{};
    const ChainKey key{&prefix, bytes.data(), out.data()};
    std::vector<ChainItem> chains;
    std::vector<PathItem> paths;
    std::vector<MessageItem> messages;
    for (size_t i{0}; i < MOST; ++i) {
        chains.push_back({0, static_cast<uint8_t>(i), 0, static_cast<uint8_t>(i % W)});
        paths.push_back({&prefix, bytes.data(), bytes.data(), out.data() + i * N, 0});
        messages.push_back({midstate.data(), bytes.data() + i * 128, out.data() + i * N});
    }
    for (const NamedKernels& engine : KernelsUnderTest()) {
        for (size_t n{0}; n <= MOST; ++n) {
            engine.kernels.chains(&key, chains.data(), n);
            const bool after_chains{UpperHalvesInUse()};
            engine.kernels.paths(paths.data(), n, {.leaf = true, .first = 0, .last = 2});
            const bool after_paths{UpperHalvesInUse()};
            engine.kernels.messages(messages.data(), n, 2);
            const bool after_messages{UpperHalvesInUse()};
            BOOST_CHECK_MESSAGE(!after_chains, engine.name << ": " << n << " chains");
            BOOST_CHECK_MESSAGE(!after_paths, engine.name << ": " << n << " paths");
            BOOST_CHECK_MESSAGE(!after_messages, engine.name << ": " << n << " messages");
        }
    }
}

#endif // __x86_64__

BOOST_AUTO_TEST_CASE(chains_of_any_number_and_length_are_those_of_the_scalar_code)
{
    constexpr uint8_t LAST{W - 1};
    std::mt19937_64 random{slhc::test::Seed(1)};
    for (const NamedKernels& engine : KernelsUnderTest()) {
        // Any number of chains, of any pieces, in any order.
        for (size_t n{0}; n <= 65; ++n) {
            ChainCases cases{random};
            for (size_t i{0}; i < n; ++i) cases.Add(random, random() % W, random() % W);
            cases.Check(engine);
        }
        // All of them long; all of them with nothing to do; one long among short, and short among long, at each place.
        for (const uint8_t begin : {uint8_t{0}, uint8_t{7}, LAST}) {
            ChainCases cases{random};
            for (size_t i{0}; i < 70; ++i) cases.Add(random, begin, LAST);
            cases.Check(engine);
            cases.Check(engine, /*in_place=*/true);
        }
        for (size_t odd_one{0}; odd_one < 33; ++odd_one) {
            ChainCases long_one{random}, short_one{random};
            for (size_t i{0}; i < 33; ++i) {
                long_one.Add(random, i == odd_one ? 0 : LAST - 1, LAST);
                short_one.Add(random, i == odd_one ? LAST : 0, LAST);
            }
            long_one.Check(engine);
            short_one.Check(engine);
        }
        // Every piece of a chain.
        ChainCases cases{random};
        for (uint8_t begin{0}; begin < W; ++begin) {
            for (uint8_t end{0}; end < W; ++end) cases.Add(random, begin, end);
        }
        cases.Check(engine);
    }
}

/** Lanes that go on to other chains: full rows, one chain more and one less; random digits, and the extreme ones, for which nobody has
 *  found a signature. */
BOOST_AUTO_TEST_CASE(folded_chains_are_those_of_the_scalar_code)
{
    constexpr uint8_t LAST{W - 1};
    std::mt19937_64 random{slhc::test::Seed(12)};
    size_t kernels{0};
    for (const NamedKernels& engine : KernelsUnderTest()) {
        for (const FoldedKernel& folded : {engine.kernels.folded, engine.kernels.folded_side_by_side}) {
            if (folded.chains == nullptr) continue;
            ++kernels;
            const std::string name{engine.name + ", folded into " + std::to_string(folded.lanes) + " lanes"};
            const auto check{[&](size_t n, auto digit, bool sorted = false) {
                std::vector<uint8_t> begins;
                for (size_t i{0}; i < n; ++i) begins.push_back(static_cast<uint8_t>(digit(i)));
                if (sorted) std::ranges::sort(begins);
                ChainCases cases{random};
                for (const uint8_t begin : begins) cases.Add(random, begin, LAST);
                for (const bool in_place : {false, true}) cases.Check(name, folded.chains, in_place);
            }};
            const size_t most{FOLDED_ROWS * folded.lanes};
            for (size_t rows{1}; rows <= FOLDED_ROWS; ++rows) {
                for (const size_t n : {rows * folded.lanes - 1, rows * folded.lanes, rows * folded.lanes + 1}) {
                    if (n > most) continue;
                    check(n, [&](size_t) { return random() % W; });
                    check(n, [&](size_t) { return random() % W; }, /*sorted=*/true);
                }
            }
            check(most, [](size_t) { return 0; });
            check(most, [](size_t) { return LAST; });
            check(most, [](size_t i) { return i % 2 == 0 ? 0 : LAST; });
            check(most, [](size_t i) { return i % 2 == 0 ? LAST : 0; });
            check(most, [&](size_t i) { return i < most / 2 ? 0 : LAST; });
            check(most, [&](size_t i) { return i < most / 2 ? LAST : 0; });
            // A lane alone goes on while the others stand, or stands while they go on.
            for (size_t odd_one{0}; odd_one < 2 * folded.lanes; ++odd_one) {
                check(2 * folded.lanes, [&](size_t i) { return i == odd_one ? 0 : LAST; });
                check(2 * folded.lanes, [&](size_t i) { return i == odd_one ? LAST : LAST - 1; });
            }
        }
    }
    if (kernels == 0) BOOST_TEST_MESSAGE("SKIPPED: this machine has no kernels that fold chains");
}

BOOST_AUTO_TEST_CASE(chains_100000)
{
    std::mt19937_64 random{slhc::test::Seed(2)};
    ChainCases cases{random};
    while (cases.Size() < 100'000) cases.Add(random, random() % W, W - 1);
    for (const NamedKernels& engine : KernelsUnderTest()) cases.Check(engine);
}

BOOST_AUTO_TEST_CASE(paths_are_those_of_the_scalar_code)
{
    std::mt19937_64 random{slhc::test::Seed(4)};
    const Places places{40, ADRSType::FORS_TREE, random};
    std::vector<std::array<Node, 13>> data(67); // the start of a path, then its siblings
    for (auto& path : data) {
        for (Node& node : path) FillRandom(node, random);
    }
    const PathShape shapes[]{{true, 0, 12}, {true, 0, 0}, {false, 0, 9}, {false, 3, 4}, {false, 0, 1}, {false, 5, 12}, {false, 4, 4}};
    for (const NamedKernels& engine : KernelsUnderTest()) {
        for (const PathShape& shape : shapes) {
            for (size_t n{0}; n <= data.size(); ++n) {
                std::vector<Node> out(n), expected(n);
                std::vector<PathItem> items;
                for (size_t i{0}; i < n; ++i) {
                    const size_t place{i % places.prefixes.size()};
                    uint32_t index{static_cast<uint32_t>(random() % (K << A)) >> shape.first};
                    items.push_back({&places.prefixes[place], data[i][0].data(), data[i][1].data(), out[i].data(), index});

                    const HashContext& hash{places.contexts[place]};
                    ADRS adrs{places.addresses[place]};
                    adrs.setTreeIndex(index);
                    Node node{shape.leaf ? hash.F(adrs, data[i][0]) : data[i][0]};
                    for (uint32_t height{shape.first + 1}; height <= shape.last; ++height) {
                        const Node& sibling{data[i][height - shape.first]};
                        const bool odd{index % 2 == 1};
                        index /= 2;
                        adrs.setTreeHeight(height);
                        adrs.setTreeIndex(index);
                        node = odd ? hash.H(adrs, sibling, node) : hash.H(adrs, node, sibling);
                    }
                    expected[i] = node;
                }
                engine.kernels.paths(items.data(), n, shape);
                BOOST_CHECK_MESSAGE(out == expected, engine.name << ": " << n << " paths from " << shape.first << " to " << shape.last);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(compressed_keys_are_those_of_the_scalar_code)
{
    std::mt19937_64 random{slhc::test::Seed(5)};
    const Places places{67, ADRSType::WOTS_PK, random};
    std::vector<TMessage<LEN>> messages(places.prefixes.size());
    std::vector<std::array<Node, LEN>> values(places.prefixes.size());
    for (size_t i{0}; i < messages.size(); ++i) {
        messages[i].SetAddress(places.addresses[i]);
        for (size_t j{0}; j < LEN; ++j) {
            FillRandom(values[i][j], random);
            std::copy(values[i][j].begin(), values[i][j].end(), messages[i].Value(j));
        }
    }
    for (const NamedKernels& engine : KernelsUnderTest()) {
        for (size_t n{0}; n <= messages.size(); ++n) {
            std::vector<Node> out(n);
            std::vector<MessageItem> items;
            for (size_t i{0}; i < n; ++i) items.push_back({places.contexts[i].SeedState().data(), messages[i].Blocks(), out[i].data()});
            engine.kernels.messages(items.data(), n, TMessage<LEN>::BLOCKS);
            for (size_t i{0}; i < n; ++i) {
                BOOST_CHECK_MESSAGE(out[i] == places.contexts[i].T_l(places.addresses[i], values[i]),
                                    engine.name << ": message " << i << " of " << n);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(real_signatures_lead_to_their_roots)
{
    for (const auto& engine : EnginesUnderTest()) {
        for (const Signed& s : RealSignatures()) {
            const RootJob job{PrepareRootJob({s.public_key.data(), *MessagePieces::Pure(s.message, {}), s.signature})};
            BOOST_CHECK(RootMatches(RootsOf(*engine, {&job, 1})[0], s.public_key.data()));
        }
    }
}

BOOST_AUTO_TEST_CASE(roots_of_every_batch_size_are_those_of_the_scalar_code)
{
    std::mt19937_64 random{slhc::test::Seed(6)};
    RandomJobs random_jobs{390, random};
    const std::span<const RootJob> jobs{random_jobs.jobs};
    const auto expected{RootsOf(*CreatePortableEngine(), jobs)};
    std::vector<size_t> sizes;
    for (size_t n{0}; n <= 65; ++n) sizes.push_back(n);
    for (const size_t limit : {96, 128, 160, 256, 384}) sizes.insert(sizes.end(), {limit - 1, limit, limit + 1});

    for (const auto& engine : EnginesUnderTest()) {
        for (const size_t n : sizes) {
            const auto offset{static_cast<size_t>(random() % (jobs.size() - n + 1))};
            const auto roots{RootsOf(*engine, jobs.subspan(offset, n))};
            BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin() + offset), engine->Name() << ", batch of " << n);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_place_of_a_bad_signature)
{
    std::mt19937_64 random{slhc::test::Seed(7)};
    RandomJobs random_jobs{45, random};
    const auto portable{CreatePortableEngine()};
    auto expected{RootsOf(*portable, random_jobs.jobs)};
    const auto engines{EnginesUnderTest()};
    for (size_t bad{0}; bad < expected.size(); ++bad) {
        uint8_t& byte{random_jobs.signatures[bad][N + random() % (SIGNATURE_SIZE - N)]};
        byte ^= 1 << random() % 8;
        const Root before{expected[bad]};
        expected[bad] = RootsOf(*portable, {&random_jobs.jobs[bad], 1})[0];
        BOOST_CHECK(expected[bad] != before);
        for (const auto& engine : engines) {
            BOOST_CHECK_MESSAGE(RootsOf(*engine, random_jobs.jobs) == expected, engine->Name() << ", place " << bad);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_node_of_a_signature)
{
    std::mt19937_64 random{slhc::test::Seed(8)};
    RandomJobs random_jobs{1, random};
    const auto portable{CreatePortableEngine()};
    const auto engines{EnginesUnderTest()};
    const Root whole{RootsOf(*portable, random_jobs.jobs)[0]};
    for (size_t at{N}; at < SIGNATURE_SIZE; at += N) {
        random_jobs.signatures[0][at + random() % N] ^= 0x80;
        const auto expected{RootsOf(*portable, random_jobs.jobs)};
        BOOST_CHECK(expected[0] != whole);
        for (const auto& engine : engines) {
            BOOST_CHECK_MESSAGE(RootsOf(*engine, random_jobs.jobs) == expected, engine->Name() << ", byte " << at);
        }
    }
    // R alone is of no consequence here: the message was hashed before.
    const auto with_r{RootsOf(*portable, random_jobs.jobs)};
    random_jobs.signatures[0][0] ^= 1;
    for (const auto& engine : engines) BOOST_CHECK(RootsOf(*engine, random_jobs.jobs) == with_r);
}

BOOST_AUTO_TEST_CASE(several_threads_in_one_engine)
{
    std::mt19937_64 random{slhc::test::Seed(9)};
    RandomJobs random_jobs{40, random};
    const auto expected{RootsOf(*CreatePortableEngine(), random_jobs.jobs)};
    for (const auto& engine : EnginesUnderTest()) {
        std::array<bool, 4> right{};
        std::vector<std::thread> threads;
        for (bool& ok : right) {
            threads.emplace_back([&] {
                ok = true;
                for (int round{0}; round < 5; ++round) {
                    std::vector<Root> roots(expected.size());
                    ok = engine->ComputeRoots(random_jobs.jobs, roots) == BackendStatus::OK && roots == expected && ok;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        BOOST_CHECK_MESSAGE(std::ranges::all_of(right, [](bool ok) { return ok; }), engine->Name());
    }
}

/** Keys and signatures are those of the scalar code, to the byte, on one thread and on several. */
BOOST_AUTO_TEST_CASE(keys_and_signatures_are_those_of_the_scalar_code)
{
    std::mt19937_64 random{slhc::test::Seed(11)};
    ThreadPool one{1}, several{3};
    for (int round{0}; round < 2; ++round) {
        std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
        std::array<uint8_t, N> addrnd;
        std::array<uint8_t, 100> message;
        FillRandom(seed, random);
        FillRandom(addrnd, random);
        FillRandom(message, random);
        SecretKey sk;
        PublicKey pk;
        Signature expected;
        slh_keygen_internal(seed, sk, pk);
        const auto pieces{*MessagePieces::Pure(message, std::span{addrnd}.first(round))};
        slh_sign_internal(pieces, sk, addrnd, expected);

        for (const CpuEngine& engine : CpuEngines().All()) {
            if (!engine.IsOffered() || !engine.Kernels()) continue;
            SecretKey engine_sk;
            PublicKey engine_pk;
            BOOST_CHECK(lanes::GenerateKey(*engine.Kernels(), several, ParameterSet::SHA2_128S, seed, engine_sk, engine_pk));
            BOOST_CHECK_MESSAGE(engine_sk == sk && engine_pk == pk, engine.Isa() << ": key");
            for (ThreadPool* const pool : {&one, &several}) {
                Signature sig;
                BOOST_CHECK(lanes::Sign(*engine.Kernels(), *pool, ParameterSet::SHA2_128S, pieces, sk, addrnd, sig));
                BOOST_CHECK_MESSAGE(sig == expected, engine.Isa() << ": signature");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_signer_in_front)
{
    const Signed& real{RealSignatures()[0]};
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    for (size_t j{0}; j < seed.size(); ++j) seed[j] = static_cast<uint8_t>(j); // as in batch_fixture.h
    SecretKey sk;
    PublicKey pk;
    ThreadPool pool{2};
    BOOST_CHECK(GenerateKey(pool, ParameterSet::SHA2_128S, seed, sk, pk));
    BOOST_CHECK(pk == real.public_key);
    Signature sig;
    BOOST_CHECK(Sign(pool, ParameterSet::SHA2_128S, real.message, {}, sk, nullptr, sig));
    BOOST_CHECK(sig == real.signature);
    // Additional randomness goes into the signature; both are valid.
    const std::array<uint8_t, N> addrnd{1};
    BOOST_CHECK(Sign(pool, ParameterSet::SHA2_128S, real.message, {}, sk, addrnd.data(), sig));
    BOOST_CHECK(sig != real.signature);
    BOOST_CHECK(slh_verify(real.message, sig, {}, pk));

    Signature untouched{};
    BOOST_CHECK(!Sign(pool, ParameterSet::SHA2_128S, real.message, std::array<uint8_t, MAX_CONTEXT_SIZE + 1>{}, sk, nullptr, untouched));
    pool.Interrupt();
    BOOST_CHECK(!Sign(pool, ParameterSet::SHA2_128S, real.message, {}, sk, nullptr, untouched));
    BOOST_CHECK(untouched == Signature{});
    // The engines take an interrupt from the pool.
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered() || !engine.Kernels()) continue;
        const auto pieces{*MessagePieces::Pure(real.message, {})};
        BOOST_CHECK(!lanes::Sign(*engine.Kernels(), pool, ParameterSet::SHA2_128S, pieces, sk, addrnd, untouched));
        BOOST_CHECK(untouched == Signature{});
    }
}

BOOST_AUTO_TEST_CASE(top_trees_are_cached)
{
    const auto& kernels{CpuEngines().Best().Kernels()};
    if (!kernels) {
        BOOST_TEST_MESSAGE("SKIPPED: top_trees_are_cached: this machine has the scalar code alone");
        return;
    }
    ThreadPool pool{2};
    const auto pieces{*MessagePieces::Pure(RealSignatures()[0].message, {})};
    const std::array<uint8_t, N> addrnd{};
    const auto sign{[&](const SecretKey& sk, TopTreeCache* cache) {
        Signature sig;
        BOOST_CHECK(lanes::Sign(*kernels, pool, ParameterSet::SHA2_128S, pieces, sk, addrnd, sig, cache));
        return sig;
    }};
    // Keys that differ in one part each; PK.root takes no part in the trees, but it is a part of the key.
    std::vector<SecretKey> keys(5);
    for (size_t i{0}; i < 4; ++i) keys[i + 1][i * N] = 1;
    std::vector<Signature> expected;
    for (const SecretKey& sk : keys) expected.push_back(sign(sk, nullptr));

    TopTreeCache cache{3};
    for (int round{0}; round < 2; ++round) {
        for (size_t i{0}; i < keys.size(); ++i) {
            BOOST_CHECK(sign(keys[i], &cache) == expected[i]);
            BOOST_CHECK_LE(cache.Size(), 3U);
        }
    }
    // The last one is there and is used; the first one was forgotten.
    std::vector<Node> nodes(16);
    BOOST_CHECK(!cache.Get(PARAMS_128S, keys[0], nodes));
    BOOST_CHECK(cache.Get(PARAMS_128S, keys[4], nodes));
    for (Node& node : nodes) node[0] ^= 1;
    cache.Put(PARAMS_128S, keys[4], nodes);
    BOOST_CHECK(sign(keys[4], &cache) != expected[4]);
    // Using a key keeps it: 2 is the oldest, until it is asked for.
    BOOST_CHECK(cache.Get(PARAMS_128S, keys[2], nodes));
    cache.Put(PARAMS_128S, keys[0], nodes);
    BOOST_CHECK(cache.Get(PARAMS_128S, keys[2], nodes));
    BOOST_CHECK(!cache.Get(PARAMS_128S, keys[3], nodes));
    BOOST_CHECK_EQUAL(cache.Size(), 3U);
}

BOOST_AUTO_TEST_CASE(smallest_top_tree_caches)
{
    const SecretKey first{1}, second{2};
    const std::vector<Node> stored(3, Node{7});
    std::vector<Node> nodes(3), more(4);

    TopTreeCache none{0};
    none.Put(PARAMS_128S, first, stored);
    BOOST_CHECK(!none.Get(PARAMS_128S, first, nodes));
    BOOST_CHECK_EQUAL(none.Size(), 0U);

    TopTreeCache one{1};
    one.Put(PARAMS_128S, first, stored);
    BOOST_CHECK(one.Get(PARAMS_128S, first, nodes));
    BOOST_CHECK(nodes == stored);
    BOOST_CHECK(!one.Get(PARAMS_128S, first, more));
    BOOST_CHECK(!one.Get(ParamsOf(ParameterSet::SHA2_128F), first, nodes));
    one.Put(PARAMS_128S, first, stored); // again: still one
    BOOST_CHECK_EQUAL(one.Size(), 1U);
    one.Put(PARAMS_128S, second, stored);
    BOOST_CHECK(!one.Get(PARAMS_128S, first, nodes));
    BOOST_CHECK(one.Get(PARAMS_128S, second, nodes));
}

BOOST_AUTO_TEST_SUITE_END()

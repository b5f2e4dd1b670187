// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>
#include <test/engine_fixture.h>
#include <test/random_source.h>

#include <crypto/cpu_features.h>
#include <pqc/backends.h>
#include <pqc/cpu/cpu_engine.h>
#include <pqc/cpu/known_answers.h>
#include <pqc/slhdsa/message.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using namespace slhc::slhdsa::lanes;

/** Engines with a fault in them. */
namespace {

/** Chooses the items of a call that come out wrong; null: none. */
template <class Item>
using Hits = std::function<bool(const Item* items, size_t n, size_t i)>;

/** Kernels of a real engine with faults. One for each function pointer in a table. */
template <int>
struct Faulty {
    static inline const Kernels* s_honest{nullptr};
    static inline Hits<ChainItem> s_chains;
    static inline std::array<Hits<ChainItem>, 2> s_folded; //!< in one group, in two
    static inline Hits<PathItem> s_paths;
    static inline Hits<MessageItem> s_messages;
    static inline Hits<KeyItem> s_keys;
    static inline size_t s_message_blocks{0}; //!< only messages of that many blocks are wrong; 0: those of any
    static inline std::atomic<size_t> s_calls{0};
    static inline std::atomic<size_t> s_hashes{0};

    static void Reset(const Kernels& honest)
    {
        s_honest = &honest;
        s_chains = nullptr;
        s_folded = {};
        s_paths = nullptr;
        s_messages = nullptr;
        s_keys = nullptr;
        s_message_blocks = 0;
        s_calls = 0;
        s_hashes = 0;
    }

    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n) { RunChains(s_honest->chains, s_chains, keys, items, n); }
    static void Folded(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        RunChains(s_honest->folded.chains, s_folded[0], keys, items, n);
    }
    static void FoldedSideBySide(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        RunChains(s_honest->folded_side_by_side.chains, s_folded[1], keys, items, n);
    }
    static void RunChains(decltype(Kernels::chains) kernel, const Hits<ChainItem>& hits, const ChainKey* keys, const ChainItem* items,
                          size_t n)
    {
        ++s_calls;
        for (size_t i{0}; i < n; ++i) s_hashes += items[i].begin < items[i].end ? items[i].end - items[i].begin : 0;
        kernel(keys, items, n);
        for (size_t i{0}; hits && i < n; ++i) {
            if (items[i].begin < items[i].end && hits(items, n, i)) Spoil(keys[items[i].key].out + N * items[i].chain);
        }
    }
    static void Paths(const PathItem* items, size_t n, PathShape shape)
    {
        ++s_calls;
        s_hashes += n * (shape.leaf + shape.last - shape.first);
        s_honest->paths(items, n, shape);
        for (size_t i{0}; s_paths && i < n; ++i) {
            if (s_paths(items, n, i)) Spoil(items[i].out);
        }
    }
    static void Messages(const MessageItem* items, size_t n, size_t n_blocks)
    {
        ++s_calls;
        s_hashes += n * n_blocks;
        s_honest->messages(items, n, n_blocks);
        for (size_t i{0}; s_messages && (s_message_blocks == 0 || s_message_blocks == n_blocks) && i < n; ++i) {
            if (s_messages(items, n, i)) Spoil(items[i].out);
        }
    }
    static void Keys(const KeyItem* items, size_t n, KeyShape shape)
    {
        ++s_calls;
        s_hashes += n * shape.chains * (1 + shape.steps);
        s_honest->keys(items, n, shape);
        for (size_t i{0}; s_keys && i < n; ++i) {
            if (s_keys(items, n, i)) Spoil(items[i].out);
        }
    }
    static void Spoil(uint8_t* out) { out[N - 1] ^= 0x10; }

    /** With the lanes of the honest ones. */
    static const Kernels& Table()
    {
        static Kernels s_table;
        s_table = {s_honest->lanes, s_honest->cohort, Chains, Paths, Messages};
        if (s_honest->keys) s_table.keys = Keys;
        if (s_honest->folded.chains) s_table.folded = {s_honest->folded.lanes, Folded};
        if (s_honest->folded_side_by_side.chains) s_table.folded_side_by_side = {s_honest->folded_side_by_side.lanes, FoldedSideBySide};
        return s_table;
    }
};

using FaultyWide = Faulty<0>;
using FaultyNarrow = Faulty<1>;

constexpr auto ALL{[](const auto*, size_t, size_t) { return true; }};

/** The way in which kernels put items into lanes: groups of the given sizes, the largest first, each as long as more items are left than
 *  fit the next smaller one. */
struct Grouping {
    std::vector<size_t> sizes;
    bool filled_up; //!< a group may have fewer items than lanes

    /** True if item i of n is in that lane of a group of that size. */
    [[nodiscard]] bool IsIn(size_t size, size_t lane, size_t n, size_t i) const
    {
        size_t begin{0};
        while (true) {
            const size_t left{n - begin};
            size_t s{0};
            while (s + 1 < sizes.size() && (filled_up ? left <= sizes[s + 1] : left < sizes[s])) ++s;
            if (i < begin + sizes[s]) return sizes[s] == size && i == begin + lane;
            begin += sizes[s];
        }
    }
};

const Grouping STREAMS{{4, 2, 1}, false};

/** True if chain i takes a step as the given one of `size` streams side by side: each stream takes the next chain when its own ends, as in
 *  sha_kernels.h. */
bool IsInStream(size_t size, size_t lane, const ChainItem* items, size_t n, size_t i)
{
    struct Stream {
        size_t item;
        size_t left;
    };
    std::vector<Stream> active;
    size_t next{0};
    while (true) {
        while (active.size() < STREAMS.sizes[0] && next < n) {
            if (items[next].begin < items[next].end) active.push_back({next, size_t{items[next].end} - items[next].begin});
            ++next;
        }
        if (active.empty()) return false;
        for (size_t s{0}; s < active.size(); ++s) {
            if (active[s].item == i && STREAMS.IsIn(size, lane, active.size(), s)) return true;
            --active[s].left;
        }
        for (size_t s{0}; s < active.size();) {
            if (active[s].left > 0) {
                ++s;
            } else if (const size_t first{next}; first < n && items[first].begin < items[first].end) {
                active[s++] = {next++, size_t{items[first].end} - items[first].begin};
            } else {
                active[s] = active.back();
                active.pop_back();
            }
        }
    }
}

boost::test_tools::assertion_result HasKernels(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{!KernelsUnderTest().empty()};
    result.message() << "this machine has the scalar code alone";
    return result;
}

/** Some kernels that are right on this machine. */
const Kernels& SomeKernels() { return KernelsUnderTest().front().kernels; }

std::string_view HasAll() { return {}; }

/** A wide and a narrow engine, with the faults that the test put into FaultyWide and FaultyNarrow, before the scalar code. */
std::unique_ptr<CpuEngineSet> MakeSet(std::string_view (*lacks)() = HasAll, std::string_view rival = {})
{
    const EngineParts parts[]{
        {.name = "cpu:wide", .how = "wide", .lacks = lacks, .kernels = &FaultyWide::Table(), .narrow_isa = "narrow", .rival_isa = rival},
        {.name = "cpu:narrow", .how = "narrow", .lacks = lacks, .kernels = &FaultyNarrow::Table()},
        {.name = "cpu:portable", .how = "scalar", .lacks = HasAll},
    };
    return std::make_unique<CpuEngineSet>(parts);
}

struct Log {
    std::vector<std::string> lines;
    DeviceOptions options{.logger = std::make_shared<const Logger>(LogLevel::WARNING,
                                                                   [this](LogLevel, std::string_view line) { lines.emplace_back(line); }),
                          .cache_dir = {}};
};

/** The engine that is selected verifies, and names itself so. */
void CheckSelected(const CpuEngineSet& engines, std::string_view name, std::string_view expected, const std::vector<std::string>& logged)
{
    Log log;
    std::string error;
    const auto backends{SelectBackends(name, log.options, error, engines)};
    BOOST_REQUIRE_MESSAGE(backends, error);
    BOOST_CHECK_EQUAL(backends->cpu->Name(), expected);
    BOOST_CHECK_EQUAL_COLLECTIONS(log.lines.begin(), log.lines.end(), logged.begin(), logged.end());
    std::mt19937_64 random{slhc::test::Seed(1)};
    const RandomJobs jobs{40, random};
    BOOST_CHECK(RootsOf(*backends->cpu, jobs.jobs) == RootsOf(*CreatePortableEngine(), jobs.jobs));
}

void CheckRefused(const CpuEngineSet& engines, std::string_view name, std::string_view expected, const std::vector<std::string>& logged)
{
    Log log;
    std::string error;
    BOOST_CHECK(!SelectBackends(name, log.options, error, engines));
    BOOST_CHECK_EQUAL(error, expected);
    BOOST_CHECK_EQUAL_COLLECTIONS(log.lines.begin(), log.lines.end(), logged.begin(), logged.end());
}

/** The list of engines names the fault of each; one that is wrong is not available. */
void CheckFaults(const CpuEngineSet& engines, const std::vector<std::string>& expected)
{
    const auto infos{ListEngines(engines)};
    BOOST_REQUIRE_EQUAL(infos.size(), expected.size());
    for (size_t i{0}; i < infos.size(); ++i) {
        BOOST_CHECK_EQUAL(infos[i].fault, expected[i]);
        BOOST_CHECK(!infos[i].available || infos[i].fault.empty());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(cpu_engine_tests)

BOOST_AUTO_TEST_CASE(what_is_right_is_found_to_be_right)
{
    BOOST_CHECK(FindsSampleRoot(*CreatePortableEngine()));
    for (const auto& engine : EnginesUnderTest()) BOOST_CHECK_MESSAGE(FindsSampleRoot(*engine), engine->Name());
    for (const NamedKernels& engine : KernelsUnderTest()) BOOST_CHECK_MESSAGE(FindWrongKernel(engine.kernels).empty(), engine.name);
    // It is right even where it is too slow to be offered.
#ifdef SLHC_ENABLE_AVX512SHA
    if (slhc::cpu::Has(slhc::cpu::AVX512 | slhc::cpu::SHA_NI | slhc::cpu::SSE41)) BOOST_CHECK(FindWrongKernel(g_avx512sha_kernels).empty());
#endif
}

/** One lane that is wrong, in groups of one size alone: whatever the lane and the size, it is found. */
BOOST_AUTO_TEST_CASE(a_fault_in_any_lane_is_found)
{
    for (const NamedKernels& engine : KernelsUnderTest()) {
        const size_t lanes{engine.kernels.lanes};
        const bool streams{engine.name == "shani" || engine.name == "armv8"};
        const bool side_by_side{engine.name == "avx512" || engine.name == "avx512sha"};
        const Grouping grouping{streams ? STREAMS : side_by_side ? Grouping{{2 * lanes, lanes}, true} : Grouping{{lanes}, true}};
        const Grouping of_messages{engine.name == "avx512sha" ? STREAMS : grouping};
        FaultyWide::Reset(engine.kernels);
        BOOST_CHECK(FindWrongKernel(FaultyWide::Table()).empty());
        for (const size_t size : grouping.sizes) {
            for (size_t lane{0}; lane < size; ++lane) {
                BOOST_TEST_CONTEXT(engine.name << ": lane " << lane << " of " << size)
                {
                    FaultyWide::Reset(engine.kernels);
                    FaultyWide::s_chains = [&](const ChainItem* items, size_t n, size_t i) {
                        return streams ? IsInStream(size, lane, items, n, i) : grouping.IsIn(size, lane, n, i);
                    };
                    BOOST_CHECK_EQUAL(FindWrongKernel(FaultyWide::Table()), "chains");
                    FaultyWide::Reset(engine.kernels);
                    FaultyWide::s_paths = [&](const PathItem*, size_t n, size_t i) { return grouping.IsIn(size, lane, n, i); };
                    BOOST_CHECK_EQUAL(FindWrongKernel(FaultyWide::Table()), "paths");
                }
            }
        }
        for (const size_t size : of_messages.sizes) {
            for (size_t lane{0}; lane < size; ++lane) {
                FaultyWide::Reset(engine.kernels);
                FaultyWide::s_messages = [&](const MessageItem*, size_t n, size_t i) { return of_messages.IsIn(size, lane, n, i); };
                BOOST_CHECK_MESSAGE(FindWrongKernel(FaultyWide::Table()) == "messages", engine.name << ": lane " << lane << " of " << size);
            }
        }
        for (const size_t size : grouping.sizes) {
            for (size_t lane{0}; engine.kernels.keys && lane < size; ++lane) {
                FaultyWide::Reset(engine.kernels);
                FaultyWide::s_keys = [&](const KeyItem*, size_t n, size_t i) { return grouping.IsIn(size, lane, n, i); };
                BOOST_CHECK_MESSAGE(FindWrongKernel(FaultyWide::Table()) == "keys", engine.name << ": lane " << lane << " of " << size);
            }
        }
        const FoldedKernel folded[]{engine.kernels.folded, engine.kernels.folded_side_by_side};
        for (size_t k{0}; k < std::size(folded); ++k) {
            if (folded[k].chains == nullptr) continue;
            // Each lane in its first chain and in its second.
            for (size_t place{0}; place < 2 * folded[k].lanes; ++place) {
                FaultyWide::Reset(engine.kernels);
                FaultyWide::s_folded[k] = [&](const ChainItem*, size_t, size_t i) { return i == place; };
                BOOST_CHECK_MESSAGE(FindWrongKernel(FaultyWide::Table()) == "folded chains",
                                    engine.name << ": chain " << place << " in " << folded[k].lanes << " lanes");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_wrong_engine_is_left_out, *boost::unit_test::precondition(HasKernels))
{
    const Kernels& honest{SomeKernels()};
    const auto reset{[&] {
        FaultyWide::Reset(honest);
        FaultyNarrow::Reset(honest);
    }};
    reset();
    CheckSelected(*MakeSet(), "cpu", "cpu:wide", {});
    CheckSelected(*MakeSet(), "cpu:narrow", "cpu:narrow", {});

    // Each kernel of the first engine: the next one takes its place, and asking for it by name says why.
    const std::function<void()> faults[]{[] { FaultyWide::s_chains = ALL; }, [] { FaultyWide::s_paths = ALL; },
                                         [] { FaultyWide::s_messages = ALL; }};
    const std::string kernels[]{"chains", "paths", "messages"};
    for (size_t i{0}; i < std::size(faults); ++i) {
        reset();
        faults[i]();
        const std::string reason{"its " + kernels[i] + " differ from the scalar code's"};
        const auto engines{MakeSet()};
        const std::vector<std::string> log{"cpu:wide is not used: " + reason};
        CheckSelected(*engines, "cpu", "cpu:narrow", log);
        CheckRefused(*engines, "cpu:wide", "backend 'cpu:wide': " + reason, log);
        BOOST_CHECK_EQUAL(engines->Best().Name(), "cpu:narrow"); // signs
        CheckFaults(*engines, {reason, "", ""});
        // Named before anything else was tried.
        CheckRefused(*MakeSet(), "cpu:wide", "backend 'cpu:wide': " + reason, log);
    }

    // A fault that no single kernel showed, since messages of another length were tried.
    reset();
    FaultyWide::s_messages = ALL;
    FaultyWide::s_message_blocks = 10;
    BOOST_CHECK(FindWrongKernel(FaultyWide::Table()).empty());
    CheckSelected(*MakeSet(), "cpu", "cpu:narrow", {"cpu:wide is not used: its roots differ from the scalar code's"});

    // All of them: the scalar code.
    reset();
    FaultyWide::s_paths = ALL;
    FaultyNarrow::s_chains = ALL;
    CheckSelected(*MakeSet(), "cpu", "cpu:portable",
                  {"cpu:wide is not used: its paths differ from the scalar code's",
                   "cpu:narrow is not used: its chains differ from the scalar code's"});
    BOOST_CHECK(!MakeSet()->Best().Kernels());
    CheckFaults(*MakeSet(), {"its paths differ from the scalar code's", "its chains differ from the scalar code's", ""});
}

BOOST_AUTO_TEST_CASE(wrong_narrow_kernels_are_not_paired, *boost::unit_test::precondition(HasKernels))
{
    const Kernels& honest{SomeKernels()};
    for (const bool wrong : {false, true}) {
        FaultyWide::Reset(honest);
        FaultyNarrow::Reset(honest);
        if (wrong) FaultyNarrow::s_paths = [](const PathItem*, size_t n, size_t i) { return n == 1 && i == 0; };
        const auto engines{MakeSet()};
        const std::string log{"cpu:narrow is not used: its paths differ from the scalar code's"};
        CheckSelected(*engines, "cpu", "cpu:wide", wrong ? std::vector{log} : std::vector<std::string>{});
        const size_t before{FaultyNarrow::s_calls};
        std::mt19937_64 random{slhc::test::Seed(2)};
        const RandomJobs one{1, random};
        BOOST_CHECK(RootsOf(*engines->Best().Create(), one.jobs) == RootsOf(*CreatePortableEngine(), one.jobs));
        BOOST_CHECK_EQUAL(FaultyNarrow::s_calls > before, !wrong);
    }
}

BOOST_AUTO_TEST_CASE(engines_prove_themselves_once_and_when_needed, *boost::unit_test::precondition(HasKernels))
{
    const Kernels& honest{SomeKernels()};
    FaultyWide::Reset(honest);
    FaultyNarrow::Reset(honest);
    const auto engines{MakeSet()};
    BOOST_CHECK_EQUAL(FaultyWide::s_calls, 0U);
    BOOST_CHECK(engines->Find("portable")->IsOffered());
    BOOST_CHECK_EQUAL(FaultyWide::s_calls, 0U);
    BOOST_CHECK(engines->Find("narrow")->IsOffered());
    BOOST_CHECK_EQUAL(FaultyWide::s_calls, 0U);
    std::vector<std::thread> threads;
    std::atomic<int> offered{0};
    for (int i{0}; i < 4; ++i) threads.emplace_back([&] { offered += engines->Best().Name() == "cpu:wide"; });
    for (std::thread& thread : threads) thread.join();
    BOOST_CHECK_EQUAL(offered, 4);
    const size_t calls{FaultyWide::s_calls};
    BOOST_CHECK_GT(calls, 0U);
    BOOST_CHECK(engines->Find("wide")->IsOffered());
    (void)engines->Best().Create();
    BOOST_CHECK_EQUAL(FaultyWide::s_calls, calls);
    BOOST_CHECK(engines->Find("nothing") == nullptr);
}

/** Every process that verifies or signs does this first: below a millisecond, at some 20 to 40 ns for each hash. */
BOOST_AUTO_TEST_CASE(choosing_takes_few_hashes, *boost::unit_test::precondition(HasKernels))
{
    const Kernels& honest{SomeKernels()};
    const auto hashes{[] { return FaultyWide::s_hashes + FaultyNarrow::s_hashes; }};
    for (const std::string_view rival : {"", "narrow"}) {
        FaultyWide::Reset(honest);
        FaultyNarrow::Reset(honest);
        const auto engines{MakeSet(HasAll, rival)};
        (void)engines->Best();
        BOOST_CHECK_LE(hashes(), rival.empty() ? 14'000U : 22'000U);
        const size_t once{hashes()};
        (void)engines->Best();
        BOOST_CHECK_EQUAL(hashes(), once);
    }
}

/** Instructions that the machine lacks are not tried. */
BOOST_AUTO_TEST_CASE(what_the_machine_lacks_is_not_run, *boost::unit_test::precondition(HasKernels))
{
    const Kernels& honest{SomeKernels()};
    FaultyWide::Reset(honest);
    FaultyNarrow::Reset(honest);
    const auto engines{MakeSet([]() -> std::string_view { return "it is the wrong day"; })};
    CheckSelected(*engines, "cpu", "cpu:portable", {});
    CheckRefused(*engines, "cpu:wide", "backend 'cpu:wide': it is the wrong day", {});
    BOOST_CHECK(!engines->Find("wide")->WasWrong());
    CheckFaults(*engines, {"", "", ""});
    BOOST_CHECK_EQUAL(ListEngines(*engines)[0].description, "CPU engine, not offered: it is the wrong day");
    BOOST_CHECK_EQUAL(FaultyWide::s_calls + FaultyNarrow::s_calls, 0U);
}

BOOST_AUTO_TEST_SUITE_END()

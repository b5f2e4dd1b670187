// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** bench_kappa: BIP 340, SHA-256 and SLH-DSA in turns on one thread, as JSON with the CPU time of every round, for `bench.py kappa`.
 *
 *      bench_kappa ROUNDS SECONDS      SECONDS: the least time of a measurement in a round
 *
 *  It depends on libslhdsa and libsecp256k1 alone. What is measured, in us of one operation:
 *
 *      bip340                          a verification by libsecp256k1
 *      bip340/<implementation>         the same with our compression function in the place of its own (0.8 and later)
 *      sha256/libsecp256k1             a compression in a message of 64 KiB, by libsecp256k1's own code
 *      sha256/<implementation>         the same by one of ours
 *      F/<engine>                      one step of many WOTS+ chains of one length
 *      verify/<engine>/<set>/<batch>   a verification, from key, message and signature to the verdict */

#include <bench/clocks.h>
#include <bench/peers.h>

#include <crypto/sha256.h>
#include <pqc/cpu/engines.h>
#include <pqc/experiment_signer.h>
#include <pqc/slhdsa/hash_functions.h>
#include <pqc/verifier.h>
#include <util/threadpool.h>

#include <secp256k1.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::bench;

namespace {

struct Measurement {
    std::string name;
    size_t operations; //!< of one call
    std::function<void()> run;
    std::vector<double> us{};
};

constexpr size_t MESSAGE_BLOCKS{1024};
constexpr size_t KEYS{64}, CHAINS{32};
constexpr size_t BATCHES[]{1, 512};
constexpr size_t DISTINCT{1024}; //!< signatures of a set

/** Valid signatures of one set, each of another key. */
class Signatures
{
public:
    explicit Signatures(ParameterSet set)
    {
        std::mt19937_64 random{static_cast<uint64_t>(set)};
        std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
        std::ranges::generate(seed, [&] { return static_cast<uint8_t>(random()); });
        const ExperimentSigner signer{set, seed};
        for (size_t i{0}; i < DISTINCT; ++i) {
            Made& made{m_all[i]};
            std::ranges::generate(made.message, [&] { return static_cast<uint8_t>(random()); });
            made.key = signer.Key(i);
            made.bytes.resize(ParamsOf(set).SignatureSize());
            const auto message{*MessagePieces::Pure(made.message, {})};
            signer.Sign(i, message, made.bytes);
            m_checks.push_back({made.key.data(), message, made.bytes, set});
        }
    }

    /** Verify the next ones. @throws std::logic_error  for a wrong verdict */
    void Verify(Verifier& verifier, size_t n)
    {
        if (m_next + n > DISTINCT) m_next = 0;
        std::vector<Verdict> verdicts(n);
        const bool done{verifier.VerifyMany(std::span{m_checks}.subspan(m_next, n), verdicts)};
        if (!done || std::ranges::count(verdicts, Verdict::VALID) != std::ssize(verdicts)) throw std::logic_error{"a wrong verdict"};
        m_next += n;
    }

private:
    struct Made {
        PublicKey key;
        std::array<uint8_t, 32> message;
        std::vector<uint8_t> bytes;
    };
    std::vector<Made> m_all{DISTINCT};
    std::vector<CheckView> m_checks;
    size_t m_next{0};
};

sha256::TransformFunction g_transform; //!< libsecp256k1 takes a function without a context

void Transform(uint32_t* state, const unsigned char* blocks, size_t n)
{
    sha256::State own;
    std::copy_n(state, own.size(), own.begin());
    g_transform(own, blocks, n);
    std::ranges::copy(own, state);
}

/** Steps of KEYS * CHAINS chains, all of the same length. */
std::function<void()> Steps(const CpuEngine& engine)
{
    constexpr uint8_t LENGTH{lanes::MAX_FOLDED_STEPS};
    if (!engine.Kernels()) { // the scalar code
        return [] {
            const HashContext hash{Node{}};
            ADRS adrs;
            Node value{};
            for (uint32_t i{0}; i < KEYS * CHAINS * LENGTH; ++i) {
                adrs.setHashAddress(i);
                value = hash.F(adrs, value);
            }
            if (value == Node{}) throw std::logic_error{"a wrong hash"};
        };
    }
    return [&kernels = *engine.Kernels(), prefix = lanes::BlockPrefix{}, values = std::vector<uint8_t>(KEYS * CHAINS * N)]() mutable {
        std::vector<lanes::ChainKey> keys;
        std::vector<lanes::ChainItem> items;
        for (uint16_t key{0}; key < KEYS; ++key) {
            uint8_t* const first{values.data() + key * CHAINS * N};
            keys.push_back({&prefix, first, first});
            for (uint8_t chain{0}; chain < CHAINS; ++chain) items.push_back({key, chain, 0, LENGTH});
        }
        kernels.Chains(keys, items);
    };
}

std::vector<Measurement> All()
{
    std::vector<Measurement> all;
    const auto add_peer{[&](std::string name, std::unique_ptr<Peer> peer) {
        all.push_back({std::move(name), 1, [peer = std::shared_ptr<Peer>{std::move(peer)}] { peer->Run(); }});
    }};
    add_peer("bip340", MakeBip340Peer());
    const std::vector<uint8_t> message(64 * MESSAGE_BLOCKS);
    all.push_back({"sha256/libsecp256k1", MESSAGE_BLOCKS + 3, [message] { // the tag, the block of its hash, and the padding
        uint8_t hash[32];
        if (!secp256k1_tagged_sha256(secp256k1_context_static, hash, message.data(), 1, message.data(), message.size())) {
            throw std::logic_error{"libsecp256k1 does not hash"};
        }
    }});
    const auto implementations{sha256::AvailableImplementations()};
    for (const auto& one : implementations) {
        all.push_back({"sha256/" + std::string{one.name}, MESSAGE_BLOCKS, [one, message] {
            sha256::State state{sha256::INITIAL};
            one.transform(state, message.data(), MESSAGE_BLOCKS);
            if (state == sha256::INITIAL) throw std::logic_error{"a wrong hash"};
        }});
    }
    g_transform = implementations.front().transform;
    if (auto peer{MakeBip340Peer(Transform)}) add_peer("bip340/" + std::string{implementations.front().name}, std::move(peer));

    std::vector<std::shared_ptr<Signatures>> sets;
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        sets.push_back(IsForTests(entry.set) ? nullptr : std::make_shared<Signatures>(entry.set));
    }
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered()) continue;
        const std::string isa{engine.Isa()};
        all.push_back({"F/" + isa, KEYS * CHAINS * lanes::MAX_FOLDED_STEPS, Steps(engine)});
        const auto verifier{std::make_shared<Verifier>(Backends{.cpu = engine.Create()}, std::make_shared<ThreadPool>(1),
                                                       std::make_shared<Logger>())};
        for (size_t i{0}; i < sets.size(); ++i) {
            if (!sets[i]) continue;
            for (const size_t batch : BATCHES) {
                all.push_back({"verify/" + isa + "/" + std::string{PARAMETER_SETS[i].name} + "/" + std::to_string(batch), batch,
                               [verifier, batch, set = sets[i]] { set->Verify(*verifier, batch); }});
            }
        }
    }
    return all;
}

void Measure(Measurement& one, double seconds)
{
    const double begin{ThreadCpuTime()};
    size_t done{0};
    double spent{0};
    do {
        one.run();
        done += one.operations;
        spent = ThreadCpuTime() - begin;
    } while (spent < seconds);
    one.us.push_back(1e6 * spent / static_cast<double>(done));
}

} // namespace

int main(int argc, char** argv)
{
    const int rounds{argc == 3 ? std::atoi(argv[1]) : 0};
    const double seconds{argc == 3 ? std::atof(argv[2]) : 0};
    if (rounds < 1 || !(seconds > 0)) {
        std::fprintf(stderr, "bench_kappa ROUNDS SECONDS: two numbers above 0\n");
        return 2;
    }
    try {
        auto all{All()};
        double ghz{0};
        for (int round{0}; round < rounds; ++round) {
            if (const double spent{TimeAdditions()}; spent > 0) ghz = std::max(ghz, 1e-9 * ADDITIONS / spent);
            for (Measurement& one : all) Measure(one, seconds);
        }
        std::printf("{\"compiler\": \"%s\", \"flags\": \"%s\", \"libsecp256k1\": \"%s\", \"ghz\": %.3g, \"rounds\": {", SLHC_BENCH_COMPILER,
                    SLHC_BENCH_FLAGS, SLHC_BENCH_SECP256K1_VERSION, ghz);
        for (size_t i{0}; i < all.size(); ++i) {
            std::printf("%s\n\"%s\": [", i > 0 ? "," : "", all[i].name.c_str());
            for (size_t j{0}; j < all[i].us.size(); ++j) std::printf("%s%.4g", j > 0 ? ", " : "", all[i].us[j]);
            std::printf("]");
        }
        std::printf("}}\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench_kappa: %s\n", e.what());
        return 1;
    }
    return 0;
}

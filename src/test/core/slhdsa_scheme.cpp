// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/slhdsa_scheme.h>

#include <crypto/hash.h>
#include <pqc/judge.h>
#include <test/util/verifier.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace slhc::test {

namespace {

using slhdsa::N;

/** R comes first, then the string that leads to the root. */
constexpr size_t ROOT_AT{N};

slhdsa::Root QuickRoot(const slhdsa::RootJob& job)
{
    auto hasher{TaggedHash("QuickSLHDSA")};
    hasher.Write({job.pk_seed, N});
    const slhdsa::Params params{slhdsa::ParamsOf(job.set)};
    hasher.Write(std::span{job.md}.first(params.MdSize()));
    std::array<uint8_t, 13> indices;
    for (size_t i{0}; i < 8; ++i) indices[i] = static_cast<uint8_t>(job.idx_tree >> (8 * i));
    for (size_t i{0}; i < 4; ++i) indices[8 + i] = static_cast<uint8_t>(job.idx_leaf >> (8 * i));
    indices[12] = static_cast<uint8_t>(job.set);
    hasher.Write(indices);
    hasher.Write({job.signature + ROOT_AT + N, params.SignatureSize() - ROOT_AT - N});
    const auto digest{hasher.Digest()};
    slhdsa::Root root;
    for (size_t i{0}; i < N; ++i) root[i] = job.signature[ROOT_AT + i] ^ digest[i];
    return root;
}

class QuickBackend final : public slhdsa::RootBackend
{
public:
    [[nodiscard]] std::string_view Name() const noexcept override { return "cpu:quick"; }
    [[nodiscard]] size_t PreferredJobs() const noexcept override { return 1; }
    [[nodiscard]] slhdsa::BackendStatus ComputeRoots(std::span<const slhdsa::RootJob> jobs, std::span<slhdsa::Root> roots) override
    {
        std::ranges::transform(jobs, roots.begin(), QuickRoot);
        return slhdsa::BackendStatus::OK;
    }
};

std::shared_ptr<slhdsa::Verifier> QuickVerifier()
{
    return std::make_shared<slhdsa::Verifier>(slhdsa::Backends{.cpu = std::make_shared<QuickBackend>()},
                                              std::make_shared<ThreadPool>(1), std::make_shared<Logger>());
}

slhdsa::CheckView View(slhdsa::ParameterSet set, const uint8_t* public_key, std::span<const uint8_t> message, std::span<const uint8_t> ctx,
                       std::span<const uint8_t> signature)
{
    const auto pieces{slhdsa::MessagePieces::Pure(message, ctx)};
    if (!pieces) throw std::logic_error{"a context of more than 255 bytes"};
    return {public_key, *pieces, signature, set};
}

int QuickVerify(int set, const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx, slhc_bytes signature)
{
    const auto check{View(static_cast<slhdsa::ParameterSet>(set), public_key, {message.data, message.size}, {ctx.data, ctx.size},
                          {signature.data, signature.size})};
    return QuickSLHDSA().verifier->VerifyNow(check) ? SLHC_VALID : SLHC_INVALID;
}

std::vector<uint8_t> QuickSign(const SLHDSATestKey& key, const uint256& message)
{
    std::vector<uint8_t> signature(slhdsa::ParamsOf(key.set).SignatureSize());
    for (size_t i{0}; i < signature.size(); ++i) signature[i] = message.Bytes()[i % 32] ^ static_cast<uint8_t>(i / 32);
    std::fill_n(signature.begin() + ROOT_AT, N, uint8_t{0});
    const slhdsa::Root root{QuickRoot(slhdsa::PrepareRootJob(View(key.set, key.pubkey.data(), message.Bytes(), {}, signature)))};
    for (size_t i{0}; i < N; ++i) signature[ROOT_AT + i] = root[i] ^ key.pubkey[N + i];
    return signature;
}

std::vector<uint8_t> RealSign(const SLHDSATestKey& key, const uint256& message)
{
    std::vector<uint8_t> signature(slhdsa::ParamsOf(key.set).SignatureSize());
    key.signer->Sign(0, *slhdsa::MessagePieces::Pure(message.Bytes(), {}), signature);
    return signature;
}

} // namespace

const std::array<SLHDSATestKey, N_SLHDSA_KEYS>& SLHDSATestKeys()
{
    using enum slhdsa::ParameterSet;
    static const auto keys{[] {
        std::array<SLHDSATestKey, N_SLHDSA_KEYS> result;
        constexpr std::array<slhdsa::ParameterSet, N_SLHDSA_KEYS> SETS{SHA2_128S, SHA2_128S, SHA2_128_24, SHA2_128_Q40};
        for (size_t i{0}; i < result.size(); ++i) {
            std::array<uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed;
            seed.fill(static_cast<uint8_t>(i + 1));
            const auto signer{std::make_shared<const slhdsa::ExperimentSigner>(SETS[i], seed)};
            result[i] = {.set = SETS[i], .pubkey = signer->Key(0), .signer = signer};
        }
        return result;
    }()};
    return keys;
}

const SLHDSAScheme& RealSLHDSA()
{
    static const SLHDSAScheme scheme{.sign = RealSign, .verify = slhc_slhdsa_verify, .verifier = MakeVerifier("cpu", 1)};
    return scheme;
}

const SLHDSAScheme& QuickSLHDSA()
{
    static const SLHDSAScheme scheme{.sign = QuickSign, .verify = QuickVerify, .verifier = QuickVerifier()};
    return scheme;
}

} // namespace slhc::test

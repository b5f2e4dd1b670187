// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_PARAMS_H
#define SLHCONSENSUS_PQC_SLHDSA_PARAMS_H

#include <util/check.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/** The parameters of FIPS 205, section 11, for SHA-256 and n = 16, and the sizes that follow from them.
 *  All sizes are bytes unless the name says otherwise. */
namespace slhc::slhdsa {

inline constexpr size_t N{16};                   //!< n: hash output, and each part of a key
inline constexpr size_t PUBLIC_KEY_SIZE{2 * N};  //!< PK.seed || PK.root
inline constexpr size_t SECRET_KEY_SIZE{4 * N};  //!< SK.seed || SK.prf || PK.seed || PK.root
inline constexpr size_t KEYGEN_SEED_SIZE{3 * N}; //!< SK.seed || SK.prf || PK.seed
inline constexpr size_t MAX_CONTEXT_SIZE{255};

using PublicKey = std::array<uint8_t, PUBLIC_KEY_SIZE>; //!< PK.seed || PK.root

/** The numbers of a parameter set: a template argument of what depends on them. */
struct Params {
    size_t h;    //!< height of the hypertree, in levels
    size_t d;    //!< layers of the hypertree
    size_t a;    //!< height of a FORS tree
    size_t k;    //!< number of FORS trees
    size_t lg_w; //!< bits that one WOTS+ chain signs

    [[nodiscard]] constexpr size_t h_prime() const { return h / d; }           //!< height of one XMSS tree
    [[nodiscard]] constexpr size_t w() const { return size_t{1} << lg_w; }     //!< length of a WOTS+ chain, in values
    [[nodiscard]] constexpr size_t len1() const { return 8 * N / lg_w; }       //!< chains that sign the message
    [[nodiscard]] constexpr size_t len() const { return len1() + len2(); }     //!< chains of one WOTS+ key
    [[nodiscard]] constexpr size_t m() const { return MdSize() + TreeIndexSize() + LeafIndexSize(); } //!< message digest

    /** Chains that sign the checksum: algorithm 1, gen_len2. */
    [[nodiscard]] constexpr size_t len2() const
    {
        const size_t max_checksum{len1() * (w() - 1)};
        size_t len2{1};
        for (size_t capacity{w()}; capacity <= max_checksum; capacity *= w()) ++len2;
        return len2;
    }

    // The parts of the message digest: lines 6 to 8 of algorithm 19
    [[nodiscard]] constexpr size_t MdSize() const { return (k * a + 7) / 8; } //!< what FORS signs
    [[nodiscard]] constexpr size_t TreeIndexSize() const { return (h - h_prime() + 7) / 8; }
    [[nodiscard]] constexpr size_t LeafIndexSize() const { return (h_prime() + 7) / 8; }

    [[nodiscard]] constexpr size_t ForsSigSize() const { return k * (1 + a) * N; }
    [[nodiscard]] constexpr size_t WotsSigSize() const { return len() * N; }
    [[nodiscard]] constexpr size_t XmssSigSize() const { return (len() + h_prime()) * N; }
    [[nodiscard]] constexpr size_t HtSigSize() const { return d * XmssSigSize(); }
    [[nodiscard]] constexpr size_t SignatureSize() const { return N + ForsSigSize() + HtSigSize(); } //!< R || SIG_FORS || SIG_HT

    /** Blocks that T_l hashes, behind that of PK.seed: a compressed address, l values, padding. */
    [[nodiscard]] static constexpr size_t TBlocks(size_t l) { return (22 + l * N + 1 + 8 + 63) / 64; }
    /** SHA-256 compressions of a verification, about: for shares of work. A chain counts half its length; R, the key and a message of 34
     *  bytes take four blocks, PK.seed one. contrib/bench/cost_model.py has the exact mean. */
    [[nodiscard]] constexpr size_t VerifyCompressions() const
    {
        return 5 + k * (1 + a) + TBlocks(k) + d * (len() * (w() - 1) / 2 + TBlocks(len()) + h_prime());
    }

    /** Can the code of this folder compute it? Its indexes have 64 bits for a tree of the hypertree, which is also what a compressed
     *  address has (section 11.2), and 32 for a leaf; base_2b takes digits of 24 bits. */
    [[nodiscard]] constexpr bool IsSupported() const
    {
        return d >= 1 && d <= 256 && h >= d && h % d == 0 && h_prime() < 32 && h - h_prime() <= 64 && a >= 1 && a <= 24 && k >= 1 &&
               k <= size_t{1} << (32 - a) && lg_w >= 1 && lg_w <= 8 && 8 * N % lg_w == 0;
    }

    friend constexpr bool operator==(const Params&, const Params&) = default;
};

/** A set by its number. */
enum class ParameterSet : uint8_t {
#define SLHC_PARAMETER_SET(id, name, number, h, d, a, k, lg_w) id = number,
#include <pqc/slhdsa/parameter_sets.def>
};

struct ParameterSetEntry {
    ParameterSet set;
    std::string_view name; //!< as on the command line
    Params params;
};

inline constexpr std::array PARAMETER_SETS{
#define SLHC_PARAMETER_SET(id, name, number, h, d, a, k, lg_w) ParameterSetEntry{ParameterSet::id, name, {h, d, a, k, lg_w}},
#include <pqc/slhdsa/parameter_sets.def>
};

/** Call function.operator()<P>() with the numbers of a set. */
template <typename Function>
constexpr decltype(auto) WithParams(ParameterSet set, const Function& function)
{
    switch (set) {
#define SLHC_PARAMETER_SET(id, name, number, h, d, a, k, lg_w) \
    case ParameterSet::id:                                     \
        return function.template operator()<Params{h, d, a, k, lg_w}>();
#include <pqc/slhdsa/parameter_sets.def>
    }
    assert(false);
}

[[nodiscard]] constexpr Params ParamsOf(ParameterSet set)
{
    return WithParams(set, []<Params P>() { return P; });
}

/** Its place in PARAMETER_SETS. */
[[nodiscard]] constexpr size_t IndexOf(ParameterSet set)
{
    size_t i{0};
    while (PARAMETER_SETS[i].set != set) ++i;
    return i;
}

/** Small enough for tests to go through every key and digest, and without any security. */
[[nodiscard]] constexpr bool IsForTests(ParameterSet set) { return set >= ParameterSet::TINY; }

[[nodiscard]] constexpr std::string_view ParameterSetName(ParameterSet set)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        if (entry.set == set) return entry.name;
    }
    assert(false);
}

/** For users: not the sets for tests. */
[[nodiscard]] constexpr std::optional<ParameterSet> ParameterSetByName(std::string_view name)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        if (entry.name == name && !IsForTests(entry.set)) return entry.set;
    }
    return std::nullopt;
}

// FIPS 205, table 2
static_assert(ParamsOf(ParameterSet::SHA2_128S).h_prime() == 9 && ParamsOf(ParameterSet::SHA2_128S).m() == 30 &&
              ParamsOf(ParameterSet::SHA2_128S).len() == 35);
static_assert(ParamsOf(ParameterSet::SHA2_128F).h_prime() == 3 && ParamsOf(ParameterSet::SHA2_128F).m() == 34 &&
              ParamsOf(ParameterSet::SHA2_128F).len() == 35 && ParamsOf(ParameterSet::SHA2_128F).SignatureSize() == 17088);
// As their authors say
static_assert(ParamsOf(ParameterSet::SHA2_128_24).SignatureSize() == 3856);
static_assert(ParamsOf(ParameterSet::SHA2_128_Q40).SignatureSize() == 5776);

/** Bytes of the largest FORS part of a digest. */
inline constexpr size_t MAX_MD_SIZE{[] {
    size_t size{0};
    for (const ParameterSetEntry& entry : PARAMETER_SETS) size = entry.params.MdSize() > size ? entry.params.MdSize() : size;
    return size;
}()};

/** SLH-DSA-SHA2-128s, the set of the rules. */
inline constexpr Params PARAMS_128S{ParamsOf(ParameterSet::SHA2_128S)};
inline constexpr size_t SIGNATURE_SIZE{7856};
static_assert(SIGNATURE_SIZE == PARAMS_128S.SignatureSize());

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_PARAMS_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_PARAMS_H
#define SLHCONSENSUS_PQC_SLHDSA_PARAMS_H

#include <array>
#include <cstddef>
#include <cstdint>

/** SLH-DSA-SHA2-128s: the parameters of FIPS 205, section 11, table 2, and the sizes that follow from them.
 *  All sizes are bytes unless the name says otherwise. */
namespace slhc::slhdsa {

inline constexpr size_t N{16};           //!< n: hash output, and each part of a key
inline constexpr size_t H{63};           //!< h: height of the hypertree, in levels
inline constexpr size_t D{7};            //!< d: layers of the hypertree
inline constexpr size_t H_PRIME{H / D};  //!< h': height of one XMSS tree
inline constexpr size_t A{12};           //!< a: height of a FORS tree
inline constexpr size_t K{14};           //!< k: number of FORS trees
inline constexpr size_t LG_W{4};         //!< lg_w: bits that one WOTS+ chain signs
inline constexpr size_t M{30};           //!< m: message digest

inline constexpr size_t W{size_t{1} << LG_W};  //!< w: length of a WOTS+ chain, in values
inline constexpr size_t LEN1{8 * N / LG_W};    //!< len_1: chains that sign the message
inline constexpr size_t LEN2{3};               //!< len_2: chains that sign the checksum
inline constexpr size_t LEN{LEN1 + LEN2};      //!< len: chains of one WOTS+ key

inline constexpr size_t FORS_SIG_SIZE{K * (A + 1) * N};
inline constexpr size_t XMSS_SIG_SIZE{(LEN + H_PRIME) * N};
inline constexpr size_t HT_SIG_SIZE{D * XMSS_SIG_SIZE};

inline constexpr size_t PUBLIC_KEY_SIZE{2 * N};  //!< PK.seed || PK.root
inline constexpr size_t SECRET_KEY_SIZE{4 * N};  //!< SK.seed || SK.prf || PK.seed || PK.root
inline constexpr size_t KEYGEN_SEED_SIZE{3 * N}; //!< SK.seed || SK.prf || PK.seed
inline constexpr size_t SIGNATURE_SIZE{N + FORS_SIG_SIZE + HT_SIG_SIZE}; //!< R || SIG_FORS || SIG_HT
inline constexpr size_t MAX_CONTEXT_SIZE{255};

inline constexpr size_t FORS_DIGEST_SIZE{(K * A + 7) / 8}; //!< md, the first part of the digest

using PublicKey = std::array<uint8_t, PUBLIC_KEY_SIZE>; //!< PK.seed || PK.root

static_assert(LEN == 35);
static_assert(SIGNATURE_SIZE == 7856);
static_assert(FORS_DIGEST_SIZE + (H - H_PRIME + 7) / 8 + (H_PRIME + 7) / 8 == M);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_PARAMS_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_NUMBERS_128S_H
#define SLHCONSENSUS_TEST_NUMBERS_128S_H

#include <pqc/slhdsa/params.h>

#include <cstddef>

/** The numbers of 128s by their names in FIPS 205, for tests of that set. */
namespace slhc::slhdsa {

inline constexpr size_t H{PARAMS_128S.h};
inline constexpr size_t D{PARAMS_128S.d};
inline constexpr size_t H_PRIME{PARAMS_128S.h_prime()};
inline constexpr size_t A{PARAMS_128S.a};
inline constexpr size_t K{PARAMS_128S.k};
inline constexpr size_t M{PARAMS_128S.m()};
inline constexpr size_t W{PARAMS_128S.w()};
inline constexpr size_t LEN1{PARAMS_128S.len1()};
inline constexpr size_t LEN{PARAMS_128S.len()};
inline constexpr size_t FORS_SIG_SIZE{PARAMS_128S.ForsSigSize()};
inline constexpr size_t WOTS_SIG_SIZE{PARAMS_128S.WotsSigSize()};
inline constexpr size_t XMSS_SIG_SIZE{PARAMS_128S.XmssSigSize()};
inline constexpr size_t FORS_DIGEST_SIZE{PARAMS_128S.MdSize()};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_TEST_NUMBERS_128S_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The SHA-256 compression function (FIPS 180-4, section 6.2.2) on named scalars: an indexed array would go
// to memory. A schedule word is computed right before the round that takes it, which keeps few of them alive.

// The constants of the rounds.
#define K0 0x428a2f98u
#define K1 0x71374491u
#define K2 0xb5c0fbcfu
#define K3 0xe9b5dba5u
#define K4 0x3956c25bu
#define K5 0x59f111f1u
#define K6 0x923f82a4u
#define K7 0xab1c5ed5u
#define K8 0xd807aa98u
#define K9 0x12835b01u
#define K10 0x243185beu
#define K11 0x550c7dc3u
#define K12 0x72be5d74u
#define K13 0x80deb1feu
#define K14 0x9bdc06a7u
#define K15 0xc19bf174u
#define K16 0xe49b69c1u
#define K17 0xefbe4786u
#define K18 0x0fc19dc6u
#define K19 0x240ca1ccu
#define K20 0x2de92c6fu
#define K21 0x4a7484aau
#define K22 0x5cb0a9dcu
#define K23 0x76f988dau
#define K24 0x983e5152u
#define K25 0xa831c66du
#define K26 0xb00327c8u
#define K27 0xbf597fc7u
#define K28 0xc6e00bf3u
#define K29 0xd5a79147u
#define K30 0x06ca6351u
#define K31 0x14292967u
#define K32 0x27b70a85u
#define K33 0x2e1b2138u
#define K34 0x4d2c6dfcu
#define K35 0x53380d13u
#define K36 0x650a7354u
#define K37 0x766a0abbu
#define K38 0x81c2c92eu
#define K39 0x92722c85u
#define K40 0xa2bfe8a1u
#define K41 0xa81a664bu
#define K42 0xc24b8b70u
#define K43 0xc76c51a3u
#define K44 0xd192e819u
#define K45 0xd6990624u
#define K46 0xf40e3585u
#define K47 0x106aa070u
#define K48 0x19a4c116u
#define K49 0x1e376c08u
#define K50 0x2748774cu
#define K51 0x34b0bcb5u
#define K52 0x391c0cb3u
#define K53 0x4ed8aa4au
#define K54 0x5b9cca4fu
#define K55 0x682e6ff3u
#define K56 0x748f82eeu
#define K57 0x78a5636fu
#define K58 0x84c87814u
#define K59 0x8cc70208u
#define K60 0x90befffau
#define K61 0xa4506cebu
#define K62 0xbef9a3f7u
#define K63 0xc67178f2u

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define SIGMA0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define SIGMA1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define sigma0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define sigma1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define CH(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
// Written as a choice, for which some processors have an instruction: where x and y differ, z decides.
#define MAJ(x, y, z) CH((x) ^ (y), z, y)

// One round; the caller rotates the names of the state instead of its values. kw: constant plus schedule word.
#define ROUND(a, b, c, d, e, f, g, h, kw) { uint t1 = h + SIGMA1(e) + CH(e, f, g) + (kw); d += t1; h = t1 + SIGMA0(a) + MAJ(a, b, c); }

// w[t] from w[t - 16] (replaced), w[t - 15], w[t - 7], w[t - 2]
#define EXPAND(w, w15, w7, w2) w += sigma1(w2) + (w7) + sigma0(w15);

// Rounds 0 to 15, which use the block as it is; and 16 later rounds, each of which expands it first; on the variables
// a to h and w0 to w15 of the caller. The first are apart since a chain has constants in them.

#define ROUNDS_0_TO_15 \
    ROUND(a, b, c, d, e, f, g, h, K0 + w0) \
    ROUND(h, a, b, c, d, e, f, g, K1 + w1) \
    ROUND(g, h, a, b, c, d, e, f, K2 + w2) \
    ROUND(f, g, h, a, b, c, d, e, K3 + w3) \
    ROUND(e, f, g, h, a, b, c, d, K4 + w4) \
    ROUND(d, e, f, g, h, a, b, c, K5 + w5) \
    ROUND(c, d, e, f, g, h, a, b, K6 + w6) \
    ROUND(b, c, d, e, f, g, h, a, K7 + w7) \
    ROUND(a, b, c, d, e, f, g, h, K8 + w8) \
    ROUND(h, a, b, c, d, e, f, g, K9 + w9) \
    ROUND(g, h, a, b, c, d, e, f, K10 + w10) \
    ROUND(f, g, h, a, b, c, d, e, K11 + w11) \
    ROUND(e, f, g, h, a, b, c, d, K12 + w12) \
    ROUND(d, e, f, g, h, a, b, c, K13 + w13) \
    ROUND(c, d, e, f, g, h, a, b, K14 + w14) \
    ROUND(b, c, d, e, f, g, h, a, K15 + w15)

#define SIXTEEN_ROUNDS(k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15) \
    EXPAND(w0, w1, w9, w14) ROUND(a, b, c, d, e, f, g, h, k0 + w0) \
    EXPAND(w1, w2, w10, w15) ROUND(h, a, b, c, d, e, f, g, k1 + w1) \
    EXPAND(w2, w3, w11, w0) ROUND(g, h, a, b, c, d, e, f, k2 + w2) \
    EXPAND(w3, w4, w12, w1) ROUND(f, g, h, a, b, c, d, e, k3 + w3) \
    EXPAND(w4, w5, w13, w2) ROUND(e, f, g, h, a, b, c, d, k4 + w4) \
    EXPAND(w5, w6, w14, w3) ROUND(d, e, f, g, h, a, b, c, k5 + w5) \
    EXPAND(w6, w7, w15, w4) ROUND(c, d, e, f, g, h, a, b, k6 + w6) \
    EXPAND(w7, w8, w0, w5) ROUND(b, c, d, e, f, g, h, a, k7 + w7) \
    EXPAND(w8, w9, w1, w6) ROUND(a, b, c, d, e, f, g, h, k8 + w8) \
    EXPAND(w9, w10, w2, w7) ROUND(h, a, b, c, d, e, f, g, k9 + w9) \
    EXPAND(w10, w11, w3, w8) ROUND(g, h, a, b, c, d, e, f, k10 + w10) \
    EXPAND(w11, w12, w4, w9) ROUND(f, g, h, a, b, c, d, e, k11 + w11) \
    EXPAND(w12, w13, w5, w10) ROUND(e, f, g, h, a, b, c, d, k12 + w12) \
    EXPAND(w13, w14, w6, w11) ROUND(d, e, f, g, h, a, b, c, k13 + w13) \
    EXPAND(w14, w15, w7, w12) ROUND(c, d, e, f, g, h, a, b, k14 + w14) \
    EXPAND(w15, w0, w8, w13) ROUND(b, c, d, e, f, g, h, a, k15 + w15)

#define ROUNDS_16_TO_31 SIXTEEN_ROUNDS(K16, K17, K18, K19, K20, K21, K22, K23, K24, K25, K26, K27, K28, K29, K30, K31)
#define ROUNDS_32_TO_47 SIXTEEN_ROUNDS(K32, K33, K34, K35, K36, K37, K38, K39, K40, K41, K42, K43, K44, K45, K46, K47)
#define ROUNDS_48_TO_63 SIXTEEN_ROUNDS(K48, K49, K50, K51, K52, K53, K54, K55, K56, K57, K58, K59, K60, K61, K62, K63)

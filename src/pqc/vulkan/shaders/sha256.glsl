// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The SHA-256 compression function (FIPS 180-4, section 6.2.2) on named scalars: an indexed array would go
// to memory. A schedule word is computed right before the round that takes it, which keeps few of them alive.

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define SIGMA0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define SIGMA1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define sigma0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define sigma1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define CH(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJ(x, y, z) (((x) & (y)) ^ ((z) & ((x) ^ (y))))

// One round; the caller rotates the names of the state instead of its values. kw: constant plus schedule word.
#define ROUND(a, b, c, d, e, f, g, h, kw) { uint t1 = h + SIGMA1(e) + CH(e, f, g) + (kw); d += t1; h = t1 + SIGMA0(a) + MAJ(a, b, c); }

// w[t] from w[t - 16] (replaced), w[t - 15], w[t - 7], w[t - 2]
#define EXPAND(w, w15, w7, w2) w += sigma1(w2) + (w7) + sigma0(w15);

// Rounds that use the block as it is, those that expand it for the first time, and the rest; on the variables
// a to h and w0 to w15 of the caller. The two steps are apart since a chain has constants in the first two.

#define ROUNDS_0_TO_15 \
    ROUND(a, b, c, d, e, f, g, h, 0x428a2f98u + w0) \
    ROUND(h, a, b, c, d, e, f, g, 0x71374491u + w1) \
    ROUND(g, h, a, b, c, d, e, f, 0xb5c0fbcfu + w2) \
    ROUND(f, g, h, a, b, c, d, e, 0xe9b5dba5u + w3) \
    ROUND(e, f, g, h, a, b, c, d, 0x3956c25bu + w4) \
    ROUND(d, e, f, g, h, a, b, c, 0x59f111f1u + w5) \
    ROUND(c, d, e, f, g, h, a, b, 0x923f82a4u + w6) \
    ROUND(b, c, d, e, f, g, h, a, 0xab1c5ed5u + w7) \
    ROUND(a, b, c, d, e, f, g, h, 0xd807aa98u + w8) \
    ROUND(h, a, b, c, d, e, f, g, 0x12835b01u + w9) \
    ROUND(g, h, a, b, c, d, e, f, 0x243185beu + w10) \
    ROUND(f, g, h, a, b, c, d, e, 0x550c7dc3u + w11) \
    ROUND(e, f, g, h, a, b, c, d, 0x72be5d74u + w12) \
    ROUND(d, e, f, g, h, a, b, c, 0x80deb1feu + w13) \
    ROUND(c, d, e, f, g, h, a, b, 0x9bdc06a7u + w14) \
    ROUND(b, c, d, e, f, g, h, a, 0xc19bf174u + w15)

#define ROUNDS_16_TO_31 \
    EXPAND(w0, w1, w9, w14) ROUND(a, b, c, d, e, f, g, h, 0xe49b69c1u + w0) \
    EXPAND(w1, w2, w10, w15) ROUND(h, a, b, c, d, e, f, g, 0xefbe4786u + w1) \
    EXPAND(w2, w3, w11, w0) ROUND(g, h, a, b, c, d, e, f, 0x0fc19dc6u + w2) \
    EXPAND(w3, w4, w12, w1) ROUND(f, g, h, a, b, c, d, e, 0x240ca1ccu + w3) \
    EXPAND(w4, w5, w13, w2) ROUND(e, f, g, h, a, b, c, d, 0x2de92c6fu + w4) \
    EXPAND(w5, w6, w14, w3) ROUND(d, e, f, g, h, a, b, c, 0x4a7484aau + w5) \
    EXPAND(w6, w7, w15, w4) ROUND(c, d, e, f, g, h, a, b, 0x5cb0a9dcu + w6) \
    EXPAND(w7, w8, w0, w5) ROUND(b, c, d, e, f, g, h, a, 0x76f988dau + w7) \
    EXPAND(w8, w9, w1, w6) ROUND(a, b, c, d, e, f, g, h, 0x983e5152u + w8) \
    EXPAND(w9, w10, w2, w7) ROUND(h, a, b, c, d, e, f, g, 0xa831c66du + w9) \
    EXPAND(w10, w11, w3, w8) ROUND(g, h, a, b, c, d, e, f, 0xb00327c8u + w10) \
    EXPAND(w11, w12, w4, w9) ROUND(f, g, h, a, b, c, d, e, 0xbf597fc7u + w11) \
    EXPAND(w12, w13, w5, w10) ROUND(e, f, g, h, a, b, c, d, 0xc6e00bf3u + w12) \
    EXPAND(w13, w14, w6, w11) ROUND(d, e, f, g, h, a, b, c, 0xd5a79147u + w13) \
    EXPAND(w14, w15, w7, w12) ROUND(c, d, e, f, g, h, a, b, 0x06ca6351u + w14) \
    EXPAND(w15, w0, w8, w13) ROUND(b, c, d, e, f, g, h, a, 0x14292967u + w15)

#define ROUNDS_32_TO_63 \
    EXPAND(w0, w1, w9, w14) ROUND(a, b, c, d, e, f, g, h, 0x27b70a85u + w0) \
    EXPAND(w1, w2, w10, w15) ROUND(h, a, b, c, d, e, f, g, 0x2e1b2138u + w1) \
    EXPAND(w2, w3, w11, w0) ROUND(g, h, a, b, c, d, e, f, 0x4d2c6dfcu + w2) \
    EXPAND(w3, w4, w12, w1) ROUND(f, g, h, a, b, c, d, e, 0x53380d13u + w3) \
    EXPAND(w4, w5, w13, w2) ROUND(e, f, g, h, a, b, c, d, 0x650a7354u + w4) \
    EXPAND(w5, w6, w14, w3) ROUND(d, e, f, g, h, a, b, c, 0x766a0abbu + w5) \
    EXPAND(w6, w7, w15, w4) ROUND(c, d, e, f, g, h, a, b, 0x81c2c92eu + w6) \
    EXPAND(w7, w8, w0, w5) ROUND(b, c, d, e, f, g, h, a, 0x92722c85u + w7) \
    EXPAND(w8, w9, w1, w6) ROUND(a, b, c, d, e, f, g, h, 0xa2bfe8a1u + w8) \
    EXPAND(w9, w10, w2, w7) ROUND(h, a, b, c, d, e, f, g, 0xa81a664bu + w9) \
    EXPAND(w10, w11, w3, w8) ROUND(g, h, a, b, c, d, e, f, 0xc24b8b70u + w10) \
    EXPAND(w11, w12, w4, w9) ROUND(f, g, h, a, b, c, d, e, 0xc76c51a3u + w11) \
    EXPAND(w12, w13, w5, w10) ROUND(e, f, g, h, a, b, c, d, 0xd192e819u + w12) \
    EXPAND(w13, w14, w6, w11) ROUND(d, e, f, g, h, a, b, c, 0xd6990624u + w13) \
    EXPAND(w14, w15, w7, w12) ROUND(c, d, e, f, g, h, a, b, 0xf40e3585u + w14) \
    EXPAND(w15, w0, w8, w13) ROUND(b, c, d, e, f, g, h, a, 0x106aa070u + w15) \
    EXPAND(w0, w1, w9, w14) ROUND(a, b, c, d, e, f, g, h, 0x19a4c116u + w0) \
    EXPAND(w1, w2, w10, w15) ROUND(h, a, b, c, d, e, f, g, 0x1e376c08u + w1) \
    EXPAND(w2, w3, w11, w0) ROUND(g, h, a, b, c, d, e, f, 0x2748774cu + w2) \
    EXPAND(w3, w4, w12, w1) ROUND(f, g, h, a, b, c, d, e, 0x34b0bcb5u + w3) \
    EXPAND(w4, w5, w13, w2) ROUND(e, f, g, h, a, b, c, d, 0x391c0cb3u + w4) \
    EXPAND(w5, w6, w14, w3) ROUND(d, e, f, g, h, a, b, c, 0x4ed8aa4au + w5) \
    EXPAND(w6, w7, w15, w4) ROUND(c, d, e, f, g, h, a, b, 0x5b9cca4fu + w6) \
    EXPAND(w7, w8, w0, w5) ROUND(b, c, d, e, f, g, h, a, 0x682e6ff3u + w7) \
    EXPAND(w8, w9, w1, w6) ROUND(a, b, c, d, e, f, g, h, 0x748f82eeu + w8) \
    EXPAND(w9, w10, w2, w7) ROUND(h, a, b, c, d, e, f, g, 0x78a5636fu + w9) \
    EXPAND(w10, w11, w3, w8) ROUND(g, h, a, b, c, d, e, f, 0x84c87814u + w10) \
    EXPAND(w11, w12, w4, w9) ROUND(f, g, h, a, b, c, d, e, 0x8cc70208u + w11) \
    EXPAND(w12, w13, w5, w10) ROUND(e, f, g, h, a, b, c, d, 0x90befffau + w12) \
    EXPAND(w13, w14, w6, w11) ROUND(d, e, f, g, h, a, b, c, 0xa4506cebu + w13) \
    EXPAND(w14, w15, w7, w12) ROUND(c, d, e, f, g, h, a, b, 0xbef9a3f7u + w14) \
    EXPAND(w15, w0, w8, w13) ROUND(b, c, d, e, f, g, h, a, 0xc67178f2u + w15)

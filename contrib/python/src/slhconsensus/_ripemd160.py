# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""RIPEMD-160 for fingerprints: hashlib has it only where OpenSSL loads its legacy provider, which Ubuntu 22.04's does not."""

from __future__ import annotations

from collections.abc import Sequence

# Dobbertin, Bosselaers, Preneel: RIPEMD-160, a strengthened version of RIPEMD (1996), appendix A
_RHO = (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8)
_SHIFTS = ((11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8), (12, 13, 11, 15, 6, 9, 9, 7, 12, 15, 11, 13, 7, 8, 7, 7),
           (13, 15, 14, 11, 7, 7, 6, 8, 13, 14, 13, 12, 5, 5, 6, 9), (14, 11, 12, 14, 8, 6, 5, 5, 15, 12, 15, 14, 9, 9, 8, 6),
           (15, 12, 13, 13, 9, 5, 8, 6, 14, 11, 12, 11, 8, 6, 5, 5))
_LEFT = (0x00000000, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E)
_RIGHT = (0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0x00000000)
_MASK = 0xFFFFFFFF


def _f(j: int, x: int, y: int, z: int) -> int:
    return (x ^ y ^ z, (x & y) | (~x & z), (x | ~y) ^ z, (x & z) | (y & ~z), x ^ (y | ~z))[j] & _MASK


def _line(state: list[int], block: list[int], order: list[int], constants: Sequence[int], functions: Sequence[int]) -> tuple[int, ...]:
    a, b, c, d, e = state
    for j in range(5):
        for i in range(16):
            word = order[i]
            t = (a + _f(functions[j], b, c, d) + block[word] + constants[j]) & _MASK
            s = _SHIFTS[j][word]
            t = (((t << s) | (t >> (32 - s))) + e) & _MASK
            a, e, d, c, b = e, d, ((c << 10) | (c >> 22)) & _MASK, b, t
        order = [_RHO[word] for word in order]
    return a, b, c, d, e


def ripemd160(data: bytes) -> bytes:
    """The hash of data."""
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    padded = data + b"\x80" + bytes(-(len(data) + 9) % 64) + (8 * len(data)).to_bytes(8, "little")
    for at in range(0, len(padded), 64):
        block = [int.from_bytes(padded[at + i:at + i + 4], "little") for i in range(0, 64, 4)]
        left = _line(h, block, list(range(16)), _LEFT, range(5))
        right = _line(h, block, [(9 * i + 5) % 16 for i in range(16)], _RIGHT, range(4, -1, -1))
        h = [(h[(i + 1) % 5] + left[(i + 2) % 5] + right[(i + 3) % 5]) & _MASK for i in range(5)]
    return b"".join(word.to_bytes(4, "little") for word in h)

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""BIP 340: signatures over secp256k1, and the tweak of BIP 341. Slow, and not for secrets: nothing here is constant-time."""

from hashlib import sha256

P = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
# A point is (x, y, z) in Jacobian coordinates, or None: infinity.
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8, 1)


def tagged_hash(tag, data):
    """hash_tag(data) of BIP 340."""
    prefix = sha256(tag.encode()).digest()
    return sha256(prefix + prefix + data).digest()


def double(a):
    if a is None:
        return None
    x, y, z = a
    y2 = y * y % P
    s, m = 4 * x * y2 % P, 3 * x * x % P
    x3 = (m * m - 2 * s) % P
    return x3, (m * (s - x3) - 8 * y2 * y2) % P, 2 * y * z % P


def add(a, b):
    if a is None or b is None:
        return b if a is None else a
    (x1, y1, z1), (x2, y2, z2) = a, b
    zz1, zz2 = z1 * z1 % P, z2 * z2 % P
    u1, u2, s1, s2 = x1 * zz2 % P, x2 * zz1 % P, y1 * z2 * zz2 % P, y2 * z1 * zz1 % P
    if u1 == u2:
        return double(a) if s1 == s2 else None
    h, r = u2 - u1, s2 - s1
    h2 = h * h % P
    h3, v = h * h2 % P, u1 * h2 % P
    x3 = (r * r - h3 - 2 * v) % P
    return x3, (r * (v - x3) - s1 * h3) % P, h * z1 * z2 % P


def multiply(k, a):
    result = None
    for bit in bin(k)[2:]:
        result = double(result)
        if bit == "1":
            result = add(result, a)
    return result


def affine(a):
    """x and y of a point that is not infinity."""
    x, y, z = a
    inverse = pow(z, P - 2, P)
    return x * inverse**2 % P, y * inverse**3 % P


def lift_x(x):
    """The point with this x and an even y, or None if there is none."""
    if x >= P:
        return None
    y = pow(x**3 + 7, (P + 1) // 4, P)
    if y * y % P != (x**3 + 7) % P:
        return None
    return x, y if y % 2 == 0 else P - y, 1


def public_key(secret):
    """The 32-byte public key of a secret, an integer."""
    return affine(multiply(secret, G))[0].to_bytes(32, "big")


def sign(message, secret, aux=bytes(32)):
    """BIP 340's default signing; secret is an integer."""
    x, y = affine(multiply(secret, G))
    d = secret if y % 2 == 0 else ORDER - secret
    t = (d ^ int.from_bytes(tagged_hash("BIP0340/aux", aux), "big")).to_bytes(32, "big")
    k = int.from_bytes(tagged_hash("BIP0340/nonce", t + x.to_bytes(32, "big") + message), "big") % ORDER
    rx, ry = affine(multiply(k, G))
    k = k if ry % 2 == 0 else ORDER - k
    e = _challenge(rx.to_bytes(32, "big"), x.to_bytes(32, "big"), message)
    return rx.to_bytes(32, "big") + ((k + e * d) % ORDER).to_bytes(32, "big")


def _challenge(r, key, message):
    return int.from_bytes(tagged_hash("BIP0340/challenge", r + key + message), "big") % ORDER


def verify(message, key, signature):
    """BIP 340's Verify for a 32-byte key and a 64-byte signature."""
    point = lift_x(int.from_bytes(key, "big"))
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if point is None or r >= P or s >= ORDER:
        return False
    found = add(multiply(s, G), multiply(ORDER - _challenge(signature[:32], key, message), point))
    if found is None:
        return False
    x, y = affine(found)
    return y % 2 == 0 and x == r


def tweak(key, merkle_root):
    """BIP 341's output key for an internal key: its 32 bytes and the parity of y; None if there is none."""
    point = lift_x(int.from_bytes(key, "big"))
    t = int.from_bytes(tagged_hash("TapTweak", key + merkle_root), "big")
    if point is None or t >= ORDER:
        return None
    tweaked = add(point, multiply(t, G))
    if tweaked is None:
        return None
    x, y = affine(tweaked)
    return x.to_bytes(32, "big"), y % 2

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""SLH-DSA-SHA2-128s: key generation, signing and verification, as FIPS 205 writes them.

Each function has the number of its algorithm. Byte strings are bytes; an address (ADRS) is a tuple, compressed to 22 bytes where it is hashed
(FIPS 205, section 11.2). Verification fills a trace, if it is given one, with the values that it computes on its way."""

from hashlib import sha256
import hmac
from struct import Struct

# Table 2: SLH-DSA-SHA2-128s
N, H, D, H_PRIME, A, K, LG_W, M = 16, 63, 7, 9, 12, 14, 4, 30
W = 1 << LG_W
LEN_1 = 8 * N // LG_W
LEN_2 = 3
LEN = LEN_1 + LEN_2
PUBLIC_KEY_SIZE = 2 * N
SIGNATURE_SIZE = (1 + K * (1 + A) + H + D * LEN) * N

# Address types, section 4.2
WOTS_HASH, WOTS_PK, TREE, FORS_TREE, FORS_ROOTS, WOTS_PRF, FORS_PRF = range(7)

_compressed_address = Struct(">BQBIII").pack  # section 11.2: 22 of the 32 bytes

compressions = 0  # how often the compression function of SHA-256 ran, for the cost model


def _hash(pk_seed, adrs, data):
    """Section 11.2.1: Trunc_n(SHA-256(PK.seed || toByte(0, 64 - n) || ADRSc || data)); F, H, T_l and PRF differ in their data alone."""
    global compressions
    # The block of PK.seed is hashed once for a key, and not counted again. 9 bytes at least are padding.
    compressions += (len(data) + 22 + 9 + 63) // 64
    state = _seed_state(pk_seed).copy()
    state.update(_compressed_address(*adrs) + data)  # layer, tree, type, and three words whose meaning depends on the type
    return state.digest()[:N]


_states = {}


def _seed_state(pk_seed):
    if pk_seed not in _states:
        _states.clear()
        _states[pk_seed] = sha256(pk_seed + bytes(64 - N))
    return _states[pk_seed]


def _mgf1(seed, size):
    """MGF1 with SHA-256 (RFC 8017, B.2.1)."""
    return b"".join(sha256(seed + counter.to_bytes(4, "big")).digest() for counter in range((size + 31) // 32))[:size]


def h_msg(r, pk_seed, pk_root, m):
    """H_msg of section 11.2.1."""
    return _mgf1(r + pk_seed + sha256(r + pk_seed + pk_root + m).digest(), M)


def prf_msg(sk_prf, opt_rand, m):
    """PRF_msg of section 11.2.1."""
    return hmac.new(sk_prf, opt_rand + m, "sha256").digest()[:N]


def base_2b(x, b, out_len):
    """Algorithm 4: the first out_len groups of b bits."""
    value, bits = int.from_bytes(x, "big"), 8 * len(x)
    return [(value >> (bits - b * (i + 1))) & ((1 << b) - 1) for i in range(out_len)]


# One-time signatures: section 5. An address within a tree is (layer, tree); a key pair is its index in the tree.

def chain(x, start, steps, pk_seed, at, key_pair, index):
    """Algorithm 5."""
    for j in range(start, start + steps):
        x = _hash(pk_seed, (*at, WOTS_HASH, key_pair, index, j), x)
    return x


def _digits(message):
    """Lines 1 to 7 of algorithms 7 and 8: 32 digits of the message, 3 of the checksum."""
    digits = base_2b(message, LG_W, LEN_1)
    checksum = sum(W - 1 - digit for digit in digits)
    return digits + base_2b((checksum << 4).to_bytes(2, "big"), LG_W, LEN_2)


def wots_pk_gen(sk_seed, pk_seed, at, key_pair):
    """Algorithm 6."""
    ends = b""
    for i in range(LEN):
        secret = _hash(pk_seed, (*at, WOTS_PRF, key_pair, i, 0), sk_seed)
        ends += chain(secret, 0, W - 1, pk_seed, at, key_pair, i)
    return _hash(pk_seed, (*at, WOTS_PK, key_pair, 0, 0), ends)


def wots_sign(message, sk_seed, pk_seed, at, key_pair):
    """Algorithm 7."""
    signature = b""
    for i, digit in enumerate(_digits(message)):
        secret = _hash(pk_seed, (*at, WOTS_PRF, key_pair, i, 0), sk_seed)
        signature += chain(secret, 0, digit, pk_seed, at, key_pair, i)
    return signature


def wots_pk_from_sig(signature, message, pk_seed, at, key_pair):
    """Algorithm 8."""
    ends = b""
    for i, digit in enumerate(_digits(message)):
        ends += chain(signature[N * i:N * (i + 1)], digit, W - 1 - digit, pk_seed, at, key_pair, i)
    return _hash(pk_seed, (*at, WOTS_PK, key_pair, 0, 0), ends)


# Merkle trees: sections 6 and 7

def _tree(leaves, pk_seed, at, kind, key_pair, first):
    """All nodes of a tree over these leaves, the lowest level first; first is the index of the first leaf (algorithms 9 and 15)."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below, height = levels[-1], len(levels)
        levels.append([_hash(pk_seed, (*at, kind, key_pair, height, (first >> height) + i), below[2 * i] + below[2 * i + 1]) for i in range(len(below) // 2)])
    return levels


def _authentication_path(levels, index):
    return b"".join(level[(index >> height) ^ 1] for height, level in enumerate(levels[:-1]))


def _root_from_path(node, index, path, pk_seed, at, kind, key_pair, first):
    """The common part of algorithms 11 and 17: from a leaf to the root."""
    for height in range(1, len(path) // N + 1):
        sibling = path[N * (height - 1):N * height]
        pair = sibling + node if (index >> (height - 1)) & 1 else node + sibling
        node = _hash(pk_seed, (*at, kind, key_pair, height, (first + index) >> height), pair)
    return node


def xmss_tree(sk_seed, pk_seed, at):
    """Algorithm 9, for all nodes at once."""
    return _tree([wots_pk_gen(sk_seed, pk_seed, at, i) for i in range(1 << H_PRIME)], pk_seed, at, TREE, 0, 0)


def xmss_pk_from_sig(index, signature, message, pk_seed, at, trace=None):
    """Algorithm 11."""
    node = wots_pk_from_sig(signature[:N * LEN], message, pk_seed, at, index)
    root = _root_from_path(node, index, signature[N * LEN:], pk_seed, at, TREE, 0, 0)
    if trace is not None:
        trace.append({"layer": at[0], "tree": at[1], "leaf": index, "wots_pk": node.hex(), "root": root.hex()})
    return root


def ht_pk_from_sig(message, signature, pk_seed, idx_tree, idx_leaf, trace=None):
    """Algorithm 13, up to the comparison: the candidate of each layer is the message of the next."""
    size = N * (H_PRIME + LEN)
    for layer in range(D):
        message = xmss_pk_from_sig(idx_leaf, signature[size * layer:size * (layer + 1)], message, pk_seed, (layer, idx_tree), trace)
        idx_leaf, idx_tree = idx_tree & ((1 << H_PRIME) - 1), idx_tree >> H_PRIME
    return message


# Few-time signatures: section 8

def fors_sign(indices, sk_seed, pk_seed, at, key_pair):
    """Algorithm 16."""
    signature = b""
    for i, index in enumerate(indices):
        first = i << A
        secrets = [_hash(pk_seed, (*at, FORS_PRF, key_pair, 0, first + j), sk_seed) for j in range(1 << A)]
        leaves = [_hash(pk_seed, (*at, FORS_TREE, key_pair, 0, first + j), secret) for j, secret in enumerate(secrets)]
        signature += secrets[index] + _authentication_path(_tree(leaves, pk_seed, at, FORS_TREE, key_pair, first), index)
    return signature


def fors_pk_from_sig(signature, indices, pk_seed, at, key_pair, trace=None):
    """Algorithm 17."""
    roots = b""
    for i, index in enumerate(indices):
        part = signature[N * (A + 1) * i:N * (A + 1) * (i + 1)]
        leaf = _hash(pk_seed, (*at, FORS_TREE, key_pair, 0, (i << A) + index), part[:N])
        roots += _root_from_path(leaf, index, part[N:], pk_seed, at, FORS_TREE, key_pair, i << A)
    if trace is not None:
        trace.extend(roots[N * i:N * (i + 1)].hex() for i in range(K))
    return _hash(pk_seed, (*at, FORS_ROOTS, key_pair, 0, 0), roots)


def _split(digest):
    """Lines 7 to 12 of algorithms 19 and 20: FORS indices, tree, leaf."""
    md, rest = digest[:(K * A + 7) // 8], digest[(K * A + 7) // 8:]
    tree_size = (H - H_PRIME + 7) // 8
    idx_tree = int.from_bytes(rest[:tree_size], "big") & ((1 << (H - H_PRIME)) - 1)
    idx_leaf = int.from_bytes(rest[tree_size:], "big") & ((1 << H_PRIME) - 1)
    return base_2b(md, A, K), idx_tree, idx_leaf


# The internal functions: section 9

def slh_keygen_internal(sk_seed, sk_prf, pk_seed):
    """Algorithm 18: the secret key SK.seed || SK.prf || PK.seed || PK.root; its last 32 bytes are the public key."""
    return sk_seed + sk_prf + pk_seed + _cached_tree(sk_seed, pk_seed, (D - 1, 0))[-1][0]


_trees = {}


def _cached_tree(sk_seed, pk_seed, at):
    """Of each key, the top tree is remembered, which every signature needs."""
    if at[0] != D - 1:
        return xmss_tree(sk_seed, pk_seed, at)
    if (sk_seed, pk_seed) not in _trees:
        _trees[sk_seed, pk_seed] = xmss_tree(sk_seed, pk_seed, at)
    return _trees[sk_seed, pk_seed]


def slh_sign_internal(m, secret_key, addrnd=None):
    """Algorithm 19. Without addrnd, PK.seed takes its place: the deterministic version."""
    sk_seed, sk_prf, pk_seed, pk_root = (secret_key[N * i:N * (i + 1)] for i in range(4))
    r = prf_msg(sk_prf, pk_seed if addrnd is None else addrnd, m)
    indices, idx_tree, idx_leaf = _split(h_msg(r, pk_seed, pk_root, m))
    signature = fors_sign(indices, sk_seed, pk_seed, (0, idx_tree), idx_leaf)
    node = fors_pk_from_sig(signature, indices, pk_seed, (0, idx_tree), idx_leaf)
    for layer in range(D):  # algorithms 12 and 10
        at = (layer, idx_tree)
        levels = _cached_tree(sk_seed, pk_seed, at)
        signature += wots_sign(node, sk_seed, pk_seed, at, idx_leaf) + _authentication_path(levels, idx_leaf)
        node = levels[-1][0]
        idx_leaf, idx_tree = idx_tree & ((1 << H_PRIME) - 1), idx_tree >> H_PRIME
    return r + signature


def slh_verify_internal(m, signature, public_key, trace=None):
    """Algorithm 20. The trace, a dict, gets what is computed on the way."""
    if len(signature) != SIGNATURE_SIZE:
        return False
    pk_seed, pk_root = public_key[:N], public_key[N:]
    r, sig_fors, sig_ht = signature[:N], signature[N:N * (1 + K * (1 + A))], signature[N * (1 + K * (1 + A)):]
    digest = h_msg(r, pk_seed, pk_root, m)
    indices, idx_tree, idx_leaf = _split(digest)
    roots, layers = ([], []) if trace is not None else (None, None)
    fors_pk = fors_pk_from_sig(sig_fors, indices, pk_seed, (0, idx_tree), idx_leaf, roots)
    root = ht_pk_from_sig(fors_pk, sig_ht, pk_seed, idx_tree, idx_leaf, layers)
    if trace is not None:
        trace.update(m_prime=m.hex(), r=r.hex(), digest=digest.hex(), fors_indices=indices, idx_tree=idx_tree, idx_leaf=idx_leaf,
                     fors_roots=roots, fors_pk=fors_pk.hex(), layers=layers, pk_root=pk_root.hex())
    return root == pk_root


# The pure version: section 10

def m_prime(message, ctx=b""):
    """Line 8 of algorithm 22, 4 of algorithm 24."""
    return b"\x00" + bytes([len(ctx)]) + ctx + message


def slh_sign(message, ctx, secret_key, addrnd=None):
    """Algorithm 22."""
    return slh_sign_internal(m_prime(message, ctx), secret_key, addrnd)


def slh_verify(message, signature, ctx, public_key, trace=None):
    """Algorithm 24."""
    return len(ctx) <= 255 and slh_verify_internal(m_prime(message, ctx), signature, public_key, trace)

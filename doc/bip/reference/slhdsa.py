# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""SLH-DSA-SHA2-128s: key generation, signing and verification, as FIPS 205 writes them; and the same with other parameters, if they are given.

Each function has the number of its algorithm; p is the parameter set. Byte strings are bytes; an address (ADRS) is a tuple, compressed to 22 bytes
where it is hashed (FIPS 205, section 11.2). Verification fills a trace, if it is given one, with the values that it computes on its way."""

from dataclasses import dataclass
from hashlib import sha256
import hmac
from struct import Struct

N = 16  # of each set here


@dataclass(frozen=True)
class ParameterSet:
    """A row of table 2, and what follows from it."""

    name: str
    h: int
    d: int
    a: int
    k: int
    lg_w: int

    @property
    def h_prime(self):
        return self.h // self.d

    @property
    def w(self):
        return 1 << self.lg_w

    @property
    def len_1(self):
        return 8 * N // self.lg_w

    @property
    def len_2(self):
        """Algorithm 1."""
        return ((self.len_1 * (self.w - 1)).bit_length() - 1) // self.lg_w + 1

    @property
    def len(self):
        return self.len_1 + self.len_2

    @property
    def m(self):
        return (self.k * self.a + 7) // 8 + (self.h - self.h_prime + 7) // 8 + (self.h_prime + 7) // 8

    @property
    def signature_size(self):
        return (1 + self.k * (1 + self.a) + self.h + self.d * self.len) * N


SLH_DSA_SHA2_128S = ParameterSet("128s", 63, 7, 12, 14, 4)
SETS = {p.name: p for p in (
    SLH_DSA_SHA2_128S, ParameterSet("128f", 66, 22, 6, 33, 4),
    ParameterSet("128-24", 22, 1, 24, 6, 2),  # SP 800-230, initial public draft
    ParameterSet("128-q40", 45, 5, 13, 10, 4))}  # SHRINCS, stateless part

# Of the set of this document
PUBLIC_KEY_SIZE = 2 * N
SIGNATURE_SIZE = SLH_DSA_SHA2_128S.signature_size

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


def h_msg(p, r, pk_seed, pk_root, m):
    """H_msg of section 11.2.1."""
    return _mgf1(r + pk_seed + sha256(r + pk_seed + pk_root + m).digest(), p.m)


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


def _digits(p, message):
    """Lines 1 to 7 of algorithms 7 and 8: the digits of the message, and of its checksum."""
    digits = base_2b(message, p.lg_w, p.len_1)
    checksum = sum(p.w - 1 - digit for digit in digits)
    size = (p.len_2 * p.lg_w + 7) // 8
    return digits + base_2b((checksum << (8 * size - p.len_2 * p.lg_w)).to_bytes(size, "big"), p.lg_w, p.len_2)


def wots_pk_gen(p, sk_seed, pk_seed, at, key_pair):
    """Algorithm 6."""
    ends = b""
    for i in range(p.len):
        secret = _hash(pk_seed, (*at, WOTS_PRF, key_pair, i, 0), sk_seed)
        ends += chain(secret, 0, p.w - 1, pk_seed, at, key_pair, i)
    return _hash(pk_seed, (*at, WOTS_PK, key_pair, 0, 0), ends)


def wots_sign(p, message, sk_seed, pk_seed, at, key_pair):
    """Algorithm 7."""
    signature = b""
    for i, digit in enumerate(_digits(p, message)):
        secret = _hash(pk_seed, (*at, WOTS_PRF, key_pair, i, 0), sk_seed)
        signature += chain(secret, 0, digit, pk_seed, at, key_pair, i)
    return signature


def wots_pk_from_sig(p, signature, message, pk_seed, at, key_pair):
    """Algorithm 8."""
    ends = b""
    for i, digit in enumerate(_digits(p, message)):
        ends += chain(signature[N * i:N * (i + 1)], digit, p.w - 1 - digit, pk_seed, at, key_pair, i)
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


def xmss_tree(p, sk_seed, pk_seed, at):
    """Algorithm 9, for all nodes at once."""
    return _tree([wots_pk_gen(p, sk_seed, pk_seed, at, i) for i in range(1 << p.h_prime)], pk_seed, at, TREE, 0, 0)


def xmss_pk_from_sig(p, index, signature, message, pk_seed, at, trace=None):
    """Algorithm 11."""
    node = wots_pk_from_sig(p, signature[:N * p.len], message, pk_seed, at, index)
    root = _root_from_path(node, index, signature[N * p.len:], pk_seed, at, TREE, 0, 0)
    if trace is not None:
        trace.append({"layer": at[0], "tree": at[1], "leaf": index, "wots_pk": node.hex(), "root": root.hex()})
    return root


def ht_pk_from_sig(p, message, signature, pk_seed, idx_tree, idx_leaf, trace=None):
    """Algorithm 13, up to the comparison: the candidate of each layer is the message of the next."""
    size = N * (p.h_prime + p.len)
    for layer in range(p.d):
        message = xmss_pk_from_sig(p, idx_leaf, signature[size * layer:size * (layer + 1)], message, pk_seed, (layer, idx_tree), trace)
        idx_leaf, idx_tree = idx_tree & ((1 << p.h_prime) - 1), idx_tree >> p.h_prime
    return message


# Few-time signatures: section 8

def fors_sign(p, indices, sk_seed, pk_seed, at, key_pair):
    """Algorithm 16."""
    signature = b""
    for i, index in enumerate(indices):
        first = i << p.a
        secrets = [_hash(pk_seed, (*at, FORS_PRF, key_pair, 0, first + j), sk_seed) for j in range(1 << p.a)]
        leaves = [_hash(pk_seed, (*at, FORS_TREE, key_pair, 0, first + j), secret) for j, secret in enumerate(secrets)]
        signature += secrets[index] + _authentication_path(_tree(leaves, pk_seed, at, FORS_TREE, key_pair, first), index)
    return signature


def fors_pk_from_sig(p, signature, indices, pk_seed, at, key_pair, trace=None):
    """Algorithm 17."""
    roots = b""
    for i, index in enumerate(indices):
        part = signature[N * (p.a + 1) * i:N * (p.a + 1) * (i + 1)]
        leaf = _hash(pk_seed, (*at, FORS_TREE, key_pair, 0, (i << p.a) + index), part[:N])
        roots += _root_from_path(leaf, index, part[N:], pk_seed, at, FORS_TREE, key_pair, i << p.a)
    if trace is not None:
        trace.extend(roots[N * i:N * (i + 1)].hex() for i in range(p.k))
    return _hash(pk_seed, (*at, FORS_ROOTS, key_pair, 0, 0), roots)


def _split(p, digest):
    """Lines 6 to 10 of algorithm 19, 9 to 13 of algorithm 20: FORS indices, tree, leaf."""
    md, rest = digest[:(p.k * p.a + 7) // 8], digest[(p.k * p.a + 7) // 8:]
    tree_size = (p.h - p.h_prime + 7) // 8
    idx_tree = int.from_bytes(rest[:tree_size], "big") & ((1 << (p.h - p.h_prime)) - 1)
    idx_leaf = int.from_bytes(rest[tree_size:], "big") & ((1 << p.h_prime) - 1)
    return base_2b(md, p.a, p.k), idx_tree, idx_leaf


# The internal functions: section 9

def slh_keygen_internal(sk_seed, sk_prf, pk_seed, p=SLH_DSA_SHA2_128S):
    """Algorithm 18: the secret key SK.seed || SK.prf || PK.seed || PK.root; its last 32 bytes are the public key."""
    return sk_seed + sk_prf + pk_seed + _cached_tree(p, sk_seed, pk_seed, (p.d - 1, 0))[-1][0]


_trees = {}


def _cached_tree(p, sk_seed, pk_seed, at):
    """Of each key, the top tree is remembered, which every signature needs."""
    if at[0] != p.d - 1:
        return xmss_tree(p, sk_seed, pk_seed, at)
    if (p, sk_seed, pk_seed) not in _trees:
        _trees[p, sk_seed, pk_seed] = xmss_tree(p, sk_seed, pk_seed, at)
    return _trees[p, sk_seed, pk_seed]


def slh_sign_internal(m, secret_key, addrnd=None, p=SLH_DSA_SHA2_128S):
    """Algorithm 19. Without addrnd, PK.seed takes its place: the deterministic version."""
    sk_seed, sk_prf, pk_seed, pk_root = (secret_key[N * i:N * (i + 1)] for i in range(4))
    r = prf_msg(sk_prf, pk_seed if addrnd is None else addrnd, m)
    indices, idx_tree, idx_leaf = _split(p, h_msg(p, r, pk_seed, pk_root, m))
    signature = fors_sign(p, indices, sk_seed, pk_seed, (0, idx_tree), idx_leaf)
    node = fors_pk_from_sig(p, signature, indices, pk_seed, (0, idx_tree), idx_leaf)
    for layer in range(p.d):  # algorithms 12 and 10
        at = (layer, idx_tree)
        levels = _cached_tree(p, sk_seed, pk_seed, at)
        signature += wots_sign(p, node, sk_seed, pk_seed, at, idx_leaf) + _authentication_path(levels, idx_leaf)
        node = levels[-1][0]
        idx_leaf, idx_tree = idx_tree & ((1 << p.h_prime) - 1), idx_tree >> p.h_prime
    return r + signature


def slh_verify_internal(m, signature, public_key, trace=None, p=SLH_DSA_SHA2_128S):
    """Algorithm 20. The trace, a dict, gets what is computed on the way."""
    if len(signature) != p.signature_size:
        return False
    pk_seed, pk_root = public_key[:N], public_key[N:]
    r, sig_fors, sig_ht = signature[:N], signature[N:N * (1 + p.k * (1 + p.a))], signature[N * (1 + p.k * (1 + p.a)):]
    digest = h_msg(p, r, pk_seed, pk_root, m)
    indices, idx_tree, idx_leaf = _split(p, digest)
    roots, layers = ([], []) if trace is not None else (None, None)
    fors_pk = fors_pk_from_sig(p, sig_fors, indices, pk_seed, (0, idx_tree), idx_leaf, roots)
    root = ht_pk_from_sig(p, fors_pk, sig_ht, pk_seed, idx_tree, idx_leaf, layers)
    if trace is not None:
        trace.update(m_prime=m.hex(), r=r.hex(), digest=digest.hex(), fors_indices=indices, idx_tree=idx_tree, idx_leaf=idx_leaf,
                     fors_roots=roots, fors_pk=fors_pk.hex(), layers=layers, pk_root=pk_root.hex())
    return root == pk_root


# The pure version: section 10

def m_prime(message, ctx=b""):
    """Line 8 of algorithm 22, 4 of algorithm 24."""
    return b"\x00" + bytes([len(ctx)]) + ctx + message


def slh_sign(message, ctx, secret_key, addrnd=None, p=SLH_DSA_SHA2_128S):
    """Algorithm 22."""
    return slh_sign_internal(m_prime(message, ctx), secret_key, addrnd, p)


def slh_verify(message, signature, ctx, public_key, trace=None, p=SLH_DSA_SHA2_128S):
    """Algorithm 24."""
    return len(ctx) <= 255 and slh_verify_internal(m_prime(message, ctx), signature, public_key, trace, p)

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Valid SLH-DSA-SHA2-128s signatures that are expensive to verify, and cheap to make for the one who makes the key.

A verifier sees one path through the trees, and no sibling on that path has to be the root of anything. So the owner of a key that was made for this
needs no trees: the siblings are free, each value of the uppermost one gives the layer above another message to sign, at one hash a try, and the
message with the longest chains is kept. PK.root commits to one leaf of the top tree; R is tried until the digest leads there (512 times on average)."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "doc/bip/reference"))
import slhdsa  # noqa: E402

P = slhdsa.SLH_DSA_SHA2_128S
TOP_LEAF = 0
FREE = bytes(slhdsa.N)  # siblings that nobody has to choose


def _steps(message):
    return sum(P.w - 1 - digit for digit in slhdsa._digits(P, message))


def _search(candidates):
    """(candidate, message) with the most steps; candidates yields such pairs."""
    return max(candidates, key=lambda pair: _steps(pair[1]))


def _siblings(tries):
    return (i.to_bytes(slhdsa.N, "big") for i in range(tries))


def make_key(sk_seed, pk_seed):
    """PK.seed || PK.root: the root that follows from one WOTS+ key and free siblings."""
    leaf = slhdsa.wots_pk_gen(P, sk_seed, pk_seed, (P.d - 1, 0), TOP_LEAF)
    return pk_seed + slhdsa._root_from_path(leaf, TOP_LEAF, FREE * P.h_prime, pk_seed, (P.d - 1, 0), slhdsa.TREE, 0, 0)


def _randomizer(public_key, m_prime):
    for number in range(1 << 32):
        r = number.to_bytes(slhdsa.N, "big")
        indices, idx_tree, idx_leaf = slhdsa._split(P, slhdsa.h_msg(P, r, public_key[:slhdsa.N], public_key[slhdsa.N:], m_prime))
        if idx_tree >> (P.h_prime * (P.d - 2)) == TOP_LEAF:
            return r, indices, idx_tree, idx_leaf
    raise RuntimeError("no R leads to the leaf")


def sign(sk_seed, public_key, m_prime, tries):
    """A signature that slh_verify_internal accepts, the best of so many tries for each layer."""
    pk_seed = public_key[:slhdsa.N]
    r, indices, idx_tree, idx_leaf = _randomizer(public_key, m_prime)

    # FORS: secrets and siblings are free. The uppermost sibling of the last tree changes the FORS public key.
    at, tree_size = (0, idx_tree), slhdsa.N * (P.a + 1)
    below = FREE * ((P.a + 1) * P.k - 1)
    signature, message = _search((fors, slhdsa.fors_pk_from_sig(P, fors, indices, pk_seed, at, idx_leaf)) for fors in (below + last for last in _siblings(tries)))
    assert len(signature) == P.k * tree_size

    for layer in range(P.d):
        at = (layer, idx_tree)
        signature += slhdsa.wots_sign(P, message, sk_seed, pk_seed, at, idx_leaf)
        leaf = slhdsa.wots_pk_gen(P, sk_seed, pk_seed, at, idx_leaf)
        path = FREE * (P.h_prime - 1)
        paths = (path + last for last in (_siblings(tries) if layer < P.d - 1 else [FREE]))
        path, message = _search((path, slhdsa._root_from_path(leaf, idx_leaf, path, pk_seed, at, slhdsa.TREE, 0, 0)) for path in paths)
        signature += path
        idx_leaf, idx_tree = idx_tree & ((1 << P.h_prime) - 1), idx_tree >> P.h_prime
    assert message == public_key[slhdsa.N:]
    return r + signature

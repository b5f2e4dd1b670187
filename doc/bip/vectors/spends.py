# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Builds spends for the test vectors, with the reference model. Everything is derived from a seed."""

import sys
from dataclasses import replace
from functools import partial
from hashlib import sha256, sha512
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

import bip340  # noqa: E402
import slhdsa  # noqa: E402
from interpreter import CODESEP_NONE, KEY_VERSION_BIP340, KEY_VERSION_SLHDSA, KEY_VERSION_SLHDSA_SETS, SET_NUMBERS  # noqa: E402
from script import CODES, encode_number, push  # noqa: E402
from transaction import (SIGHASH_ALL, SIGHASH_ANYONECANPAY, SIGHASH_NONE, SIGHASH_SINGLE, Tx, TxIn, TxOut, ser_tx, signature_hash,  # noqa: E402
                         signature_message, tapbranch_hash, tapleaf_hash)

SEED = b"slhdsa-tapscript vectors 1"
LARGE = 521


def derive(label, size=32):
    """Bytes that depend on the seed and the label alone."""
    return b"".join(sha256(SEED + label.encode() + bytes([i])).digest() for i in range((size + 31) // 32))[:size]


def flip(data, at, bits=1):
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1:]


class SlhKey:
    """public: as a script has it."""

    def __init__(self, name, params=slhdsa.SLH_DSA_SHA2_128S, pk_seed=None):
        seed = sha512(SEED + name.encode()).digest()[:48]
        sk_seed, sk_prf, pk_seed = seed[:16], seed[16:32], pk_seed or seed[32:48]
        self.name, self.seed, self.params, self.corner = name, seed, params, None
        if params.h_prime > 2 * Corner.HEIGHT:
            self.corner = Corner(params, sk_seed, pk_seed)
            self.secret = sk_seed + sk_prf + pk_seed + self.corner.root
        else:
            self.secret = slhdsa.slh_keygen_internal(sk_seed, sk_prf, pk_seed, params)
        self.public = bytes(number for number, p in SET_NUMBERS.items() if p == params) + self.secret[32:]

    def sign(self, m, addrnd=None):
        if self.corner:
            return self.corner.sign(m)
        return slhdsa.slh_sign_internal(m, self.secret, addrnd, self.params)


class Corner:
    """A key whose maker needs no trees: PK.root follows from the first 2^height leaves of the top one, and from siblings above them that are zeros.
    So is every value of a signature below that tree. R is tried until the digest leads to a leaf that there is."""

    HEIGHT = 10

    def __init__(self, params, sk_seed, pk_seed, height=HEIGHT):
        self.params, self.sk_seed, self.pk_seed, self.top = params, sk_seed, pk_seed, (params.d - 1, 0)
        self.levels = slhdsa.xmss_tree(replace(params, h=height, d=1), sk_seed, pk_seed, self.top)
        self.root = slhdsa.xmss_pk_from_sig(params, 0, self.one_time(bytes(slhdsa.N), 0), bytes(slhdsa.N), pk_seed, self.top)

    def one_time(self, message, leaf):
        """An XMSS signature of the top tree."""
        path = slhdsa._authentication_path(self.levels, leaf)
        path += bytes(self.params.h_prime * slhdsa.N - len(path))
        return slhdsa.wots_sign(self.params, message, self.sk_seed, self.pk_seed, self.top, leaf) + path

    def free(self, size, tries, public_key):
        """(Values of a signature, what they sign for the next layer): of so many last siblings, the one that costs a verifier the most steps."""
        values = (bytes(slhdsa.N * (size - 1)) + i.to_bytes(slhdsa.N, "big") for i in range(tries))
        return min(((value, public_key(value)) for value in values), key=lambda pair: sum(slhdsa._digits(self.params, pair[1])))

    def sign(self, m, tries=1):
        p = self.params
        for number in count():
            r = sha256(m + number.to_bytes(4, "big")).digest()[:slhdsa.N]
            indices, tree, leaf = slhdsa._split(p, slhdsa.h_msg(p, r, self.pk_seed, self.root, m))
            if (tree << p.h_prime | leaf) >> (p.h - p.h_prime) < len(self.levels[0]):
                break
        signature, node = self.free(p.k * (1 + p.a), tries, lambda fors: slhdsa.fors_pk_from_sig(p, fors, indices, self.pk_seed, (0, tree), leaf))
        for layer in range(p.d - 1):
            xmss, node = self.free(p.len + p.h_prime, tries, partial(slhdsa.xmss_pk_from_sig, p, leaf, message=node, pk_seed=self.pk_seed, at=(layer, tree)))
            signature += xmss
            leaf, tree = tree & ((1 << p.h_prime) - 1), tree >> p.h_prime
        return r + signature + self.one_time(node, leaf)


class SchnorrKey:
    def __init__(self, name):
        self.secret = int.from_bytes(derive(name), "big") % bip340.ORDER
        self.public = bip340.public_key(self.secret)


def asm(text, **values):
    """A script: opcode names without OP_, numbers, <hex>, $name for a push of values[name], raw bytes as 0x.."""
    script = b""
    for word in text.split():
        if word.startswith("$"):
            script += push(values[word[1:]])
        elif word.startswith("<"):
            script += push(bytes.fromhex(word[1:-1]))
        elif word.startswith("0x"):
            script += bytes.fromhex(word[2:])
        elif word == "-1":
            script += b"\x4f"
        elif word.lstrip("-").isdigit():
            script += b"\x00" if word == "0" else bytes([0x50 + int(word)]) if 1 <= int(word) <= 16 else push(encode_number(int(word)))
        else:
            script += bytes([CODES["OP_" + word]])
    return script


# A script with this has an SLH-DSA opcode, and does nothing.
MENTION = asm("0 IF CHECKSIGSLHDSA ENDIF")


def unchecked(tx, spent, index, hash_type, annex, extension):
    """msg of a signer that does not check hash types: each bit means what it means in those that are allowed, and an output that is not there
    is left out."""
    selection = hash_type & 3 or SIGHASH_ALL
    if selection == SIGHASH_SINGLE and index >= len(tx.outputs):
        selection = SIGHASH_NONE
    msg = signature_message(tx, spent, index, hash_type & SIGHASH_ANYONECANPAY | selection, annex, extension)
    return msg[:1] + bytes([hash_type]) + msg[2:]


def with_zeros(tx, spent, index, hash_type, annex, extension):
    """msg of such a signer for SIGHASH_SINGLE without its output, with zeros in the place of sha_single_output."""
    msg = unchecked(tx, spent, index, hash_type, annex, extension)
    end = len(msg) - len(extension)
    return msg[:end] + bytes(32) + extension


class Sign:
    """A witness element: a signature, made when the transaction is known. What is signed can be told to differ from what is spent.
    annex: of the input that it signs, as hex or "none", if not its own; message: what makes msg, such as unchecked."""

    def __init__(self, key, hash_type, key_version, codesep, m_prime, edit, leaf, addrnd, annex, message):
        self.key, self.hash_type, self.codesep, self.m_prime, self.edit, self.leaf = key, hash_type, codesep, m_prime, edit, leaf
        self.addrnd, self.annex, self.message = addrnd, annex, message
        schnorr = isinstance(key, SchnorrKey)
        self.size = (64 if schnorr else key.params.signature_size) + (hash_type is not None)
        self.key_version = key_version
        if key_version is None:
            self.key_version = KEY_VERSION_BIP340 if schnorr else KEY_VERSION_SLHDSA if len(key.public) == 32 else KEY_VERSION_SLHDSA_SETS

    def make(self, tx, spent, index, annex, leaf_hash):
        if self.annex is not None:
            annex = None if self.annex == "none" else bytes.fromhex(self.annex)
        extension = None if leaf_hash is None else (self.leaf or leaf_hash) + bytes([self.key_version]) + self.codesep.to_bytes(4, "little")
        message = signature_hash(self.message(tx, spent, index, self.hash_type or 0, annex, extension))
        if isinstance(self.key, SchnorrKey):
            signature = bip340.sign(message, self.key.secret)
        else:
            signature = cached_sign(self.m_prime(message), self.key, self.addrnd)
        if self.hash_type is not None:
            signature += bytes([self.hash_type])
        return self.edit(signature)


_signatures = {}


def cached_sign(m, key, addrnd=None):
    if (m, key.public, addrnd) not in _signatures:
        _signatures[m, key.public, addrnd] = key.sign(m, addrnd)
    return _signatures[m, key.public, addrnd]


INTERNAL = SchnorrKey("internal key")


def output_of(kind, leaf_version, script, path):
    """scriptPubKey and control block of a leaf under these siblings, p2mr or p2tr, and the leaf's hash."""
    leaf_hash = node = tapleaf_hash(leaf_version, script)
    for at in range(0, len(path), 32):
        node = tapbranch_hash(node, path[at:at + 32])
    if kind == "p2mr":
        return b"\x52\x20" + node, bytes([leaf_version | 1]) + path, leaf_hash
    output_key, parity = bip340.tweak(INTERNAL.public, node)
    return b"\x51\x20" + output_key, bytes([leaf_version | parity]) + INTERNAL.public + path, leaf_hash


def spend(name, script, stack, output="p2mr", depth=1, leaf_version=0xC0, annex=None, flags="consensus", index=0, inputs=1, outputs=1, version=2,
          locktime=0, sequence=0xFFFFFFFD, amount=100_000, edit_control=None, edit_witness=None, scriptpubkey=None, edit_tx=None, script_sig=b"", key=None,
          other_script=b"\x51", other_witness=(), prevout_n=0, output_script=None, path=None):
    """A transaction whose input (index) spends an output by this leaf script: (tx, spent outputs). The edits damage what was made."""
    if path is None:
        path = b"".join(derive(f"{name} path {i}") for i in range(depth))
    script_pubkey, control, leaf_hash = output_of("p2tr" if output == "p2tr" else "p2mr", leaf_version, script, path)
    if output == "key":
        script_pubkey, control, leaf_hash = b"\x51\x20" + key.public, None, None
    elif output not in ("p2mr", "p2tr"):
        script_pubkey, control = output, None
    if scriptpubkey is not None:
        script_pubkey = scriptpubkey
    spent = [TxOut(amount + i, script_pubkey if i == index else other_script) for i in range(inputs)]
    ins = [TxIn(derive(f"{name} outpoint {i}") + (prevout_n + i).to_bytes(4, "little"), script_sig if i == index else b"", sequence, list(other_witness))
           for i in range(inputs)]
    outs = [TxOut(amount - 10_000 + i, output_script or b"\x51\x20" + derive(f"{name} output {i}")) for i in range(outputs)]
    tx = Tx(version, ins, outs, locktime)
    witness = [element.make(tx, spent, index, annex, leaf_hash) if isinstance(element, Sign) else element for element in stack]
    if control is not None:
        witness += [script, edit_control(control) if edit_control else control]
    if annex is not None:
        witness.append(annex)
    if edit_witness:
        witness = edit_witness(witness)
    ins[index] = ins[index]._replace(witness=witness)
    tx = tx._replace(inputs=ins)
    if edit_tx:
        tx, spent = edit_tx(tx, spent)
    return {"tx": ser_tx(tx).hex(), "spent_outputs": [{"amount": o.amount, "script_pubkey": o.script_pubkey.hex()} for o in spent], "flags": flags,
            "input": index}

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Descriptors of the Python package: the scripts written here once more, and the rules of errors."""

import hashlib
import json

import pytest
import slhconsensus as slhc
from conftest import DATA
from slhconsensus import (OP_CHECKSIG, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_CHECKSIGVERIFY, OP_NUMEQUAL, OP_VERIFY, ArgumentError, CScript,
                          DataError, Descriptor, ScriptTree, descriptor_checksum)

POINT = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
A, B, C = ("%02x" % byte * 32 for byte in (1, 2, 3))

INPUT = "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#\"\\ "
GENERATOR = (0xF5DEE51989, 0xA9FDCA3312, 0x1BAB10E32D, 0x3706B1677A, 0x644D626FFD)


def tagged_hash(tag, data):
    """BIP 340's."""
    digest = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(digest + digest + data).digest()


def checksum(text):
    """BIP 380's, as polynomials over the bits of symbols."""
    values = [INPUT.index(c) for c in text]
    symbols = []
    for i in range(0, len(values), 3):
        part = values[i:i + 3]
        symbols += [value & 31 for value in part]
        symbols.append(sum((value >> 5) * 3 ** (len(part) - 1 - j) for j, value in enumerate(part)))
    state = 1
    for symbol in symbols + [0] * 8:
        top, state = state >> 35, (state & (1 << 35) - 1) << 5 ^ symbol
        for i, generator in enumerate(GENERATOR):
            state ^= generator * (top >> i & 1)
    return "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[(state ^ 1) >> 5 * (7 - i) & 31] for i in range(8))


def test_checksum(rng):
    """The BIP's vector, and texts of every length and character against the code above."""
    assert descriptor_checksum("raw(deadbeef)") == checksum("raw(deadbeef)") == "89f8spxm"
    for length in range(60):
        text = "".join(rng.choices(INPUT.replace("#", ""), k=length))
        assert descriptor_checksum(text) == checksum(text), text
    with pytest.raises(DataError, match="column 14: '#': give the descriptor without its checksum"):
        descriptor_checksum("raw(deadbeef)#89f8spxm")


def test_scripts_and_addresses():
    """A descriptor gives what the package's own scripts and trees give."""
    multi = CScript([bytes.fromhex(A), OP_CHECKSIGSLHDSA, bytes.fromhex(B), OP_CHECKSIGADDSLHDSA, bytes.fromhex(C), OP_CHECKSIGADDSLHDSA, 2,
                     OP_NUMEQUAL])
    hybrid = CScript([bytes.fromhex(A), OP_CHECKSIGSLHDSA, OP_VERIFY, bytes.fromhex(POINT), OP_CHECKSIG])
    late = CScript([bytes.fromhex(POINT), OP_CHECKSIGVERIFY, 52560, slhc.OP_CHECKSEQUENCEVERIFY])
    tree = ScriptTree([multi, [hybrid, late]])
    text = f"{{multi_slhdsa(2,{A},{B},{C}),{{and_v(v:pk_slhdsa({A}),pk({POINT})),and_v(v:pk({POINT}),older(52560))}}}}"
    p2mr = Descriptor(f"mr({text})")
    assert str(p2mr) == f"mr({text})#{checksum(f'mr({text})')}"
    assert p2mr.type == "mr" and p2mr.merkle_root == tree.root and p2mr.internal_key is None
    assert p2mr.script_pubkey() == tree.script_pubkey()
    assert [p2mr.address(network) for network in slhc.Network] == [tree.address(network) for network in slhc.Network]
    assert [leaf.witness([b"x"]) for leaf in p2mr.leaves] == [leaf.witness([b"x"]) for leaf in tree.leaves]
    assert [leaf.hash for leaf in p2mr.leaves] == [leaf.hash for leaf in tree.leaves]
    assert [key.public_key.hex() for key in p2mr.keys] == [A, B, C, A, POINT, POINT]
    assert {key.type for key in p2mr.keys} == {"slh-dsa-sha2-128s", "schnorr-bip340"}
    of_sets = Descriptor(f"mr({{pk_slhdsa(18{A}),pk_slhdsa(28{A})}})")
    assert [(key.type, key.public_key.hex()) for key in of_sets.keys] == [("slh-dsa-sha2-128-24", f"18{A}"), ("slh-dsa-sha2-128-q40", f"28{A}")]
    p2tr = Descriptor(f"tr({POINT},{text})")
    assert p2tr.script_pubkey() == tree.taproot().script_pubkey() and p2tr.internal_key.hex() == POINT
    assert [leaf.control_block for leaf in p2tr.leaves] == [tree.taproot().control_block(leaf) for leaf in tree.leaves]
    assert Descriptor("raw(deadbeef)").script_pubkey() == bytes.fromhex("deadbeef")
    address = p2mr.address("regtest")
    assert Descriptor(f"addr({address})").script_pubkey() == p2mr.script_pubkey()
    assert Descriptor(str(p2mr), require_checksum=True) == p2mr and hash(Descriptor(str(p2mr))) == hash(p2mr)


def test_vectors():
    """src/test/data/descriptors.json: scripts and control blocks lead to the output, as BIP 341 and BIP 360 fold them."""
    vectors = json.loads((DATA / "descriptors.json").read_text())
    for vector in vectors["valid"]:
        descriptor = Descriptor(vector["descriptor"])
        assert str(descriptor) == vector["normal"] and vector["normal"][-8:] == checksum(vector["normal"][:-9])
        assert descriptor.script_pubkey().hex() == vector["script_pubkey"]
        assert [leaf.script.hex() for leaf in descriptor.leaves] == [leaf["script"] for leaf in vector["leaves"]]
        for leaf in vector["leaves"]:
            block = bytes.fromhex(leaf["control_block"])
            node = tagged_hash("TapLeaf", bytes([block[0] & 0xFE, len(leaf["script"]) // 2]) + bytes.fromhex(leaf["script"]))
            base = 1 if descriptor.type == "mr" else 33
            for start in range(base, len(block), 32):
                node = tagged_hash("TapBranch", b"".join(sorted((node, block[start:start + 32]))))
            program = node if descriptor.type == "mr" else slhc.TaprootOutput.make(node, block[1:33]).output_key
            assert program.hex() == vector["script_pubkey"][4:]
    for vector in vectors["invalid"]:
        with pytest.raises(DataError) as refusal:
            Descriptor(vector["descriptor"])
        assert str(refusal.value).removeprefix("slhc_descriptor_parse: ") in vector["error"]  # slhc_error cuts long messages


@pytest.mark.parametrize(("text", "message"), [
    (f"mr(pk_slhdsa({A}))", "column 4: a P2MR .P2TSH. output with a single leaf can be spent by anyone"),
    (f"tr({POINT},older(1))", "column 69: anyone could spend this leaf"),
    (f"tr({POINT})#aaaaaaaa", "column 70: the checksum is 'aaaaaaaa'"),
    ("raw(ü)", "column 5: a character that no descriptor has"),
    ("raw()", "column 5: expected a script in hex"),
    ("", "column 1: a descriptor begins with"),
])
def test_refusals(text, message):
    """With the place."""
    with pytest.raises(DataError, match=message):
        Descriptor(text)


def test_arguments():
    """Text that is no descriptor at all; the end of a line is no part of one."""
    assert Descriptor(" raw(deadbeef)\r\n") == Descriptor("raw(deadbeef)")
    with pytest.raises(DataError, match="column 14: expected '#'"):
        Descriptor("raw(deadbeef)", require_checksum=True)
    with pytest.raises(DataError, match="checksum"):
        Descriptor("raw(deadbeef)", require_checksum=1 << 40)
    with pytest.raises(ArgumentError, match="descriptor is not Unicode: surrogates not allowed at position 4"):
        Descriptor("raw(\ud800)")
    with pytest.raises(ArgumentError, match="zero byte"):
        Descriptor("raw(00)\0")
    with pytest.raises(TypeError):
        Descriptor(b"raw(00)")
    with pytest.raises(DataError, match="has no address"):
        Descriptor("raw(deadbeef)").address("regtest")
    with pytest.raises(ArgumentError, match="network"):
        Descriptor("raw(deadbeef)").address("regtext")

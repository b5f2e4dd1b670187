# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Transactions and blocks of the Python package: parsed, built and serialized."""

import pytest
from slhconsensus import (OP_CHECKSIG, SEQUENCE_FINAL, ArgumentError, CBlock, COutPoint, CScript, CTransaction, CTxIn, CTxInWitness, CTxOut,
                          DataError, PrecomputedTransaction, ScriptTree, sign_input, verify_input)

# The first transaction of the first block, and its header
GENESIS_TX = ("01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f"
              "4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2"
              "052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b"
              "8d578a4c702b6bf11d5fac00000000")
GENESIS_TXID = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
GENESIS_HASH = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"


def spending():
    """A transaction with two inputs, of which the second has a witness."""
    tx = CTransaction([CTxIn(COutPoint("11" * 32, 7), b"\x51", 5), CTxIn(COutPoint(b"\x22" * 32, 0))],
                      [CTxOut(1, CScript([OP_CHECKSIG])), CTxOut(2**40, b"")], nLockTime=9, version=3)
    tx.witness(1)[:] = [b"", b"element", bytes(300)]
    return tx


def test_genesis():
    tx = CTransaction.from_hex(GENESIS_TX)
    assert (tx.txid_hex, tx.wtxid_hex) == (GENESIS_TXID, GENESIS_TXID)
    assert tx.is_coinbase() and tx.wit.is_null()
    assert tx.vout[0].nValue == 50 * 100_000_000
    assert tx.serialize().hex() == GENESIS_TX
    assert tx.get_weight() == 4 * len(GENESIS_TX) // 2 and tx.get_vsize() == len(GENESIS_TX) // 2
    block = CBlock(1, bytes(32), tx.txid, 1231006505, 0x1D00FFFF, 2083236893, [tx])
    assert block.hash_hex == GENESIS_HASH
    assert block.calc_merkle_root() == block.hashMerkleRoot
    again = CBlock.from_hex(block.serialize().hex())
    assert again == block and again.hash == block.hash


def test_witness_round_trip():
    tx = spending()
    again = CTransaction.from_bytes(tx.serialize())
    assert again.serialize() == tx.serialize()
    assert again.wit.vtxinwit[1].scriptWitness.stack == [b"", b"element", bytes(300)]
    assert again.wit.vtxinwit[0] == CTxInWitness()
    assert tx.txid != tx.wtxid
    assert CTransaction.from_bytes(tx.serialize_without_witness()).txid == tx.txid
    assert tx.get_weight() == 3 * len(tx.serialize_without_witness()) + len(tx.serialize())
    assert (again.version, again.nLockTime, again.vin[0].nSequence, again.vin[1].nSequence) == (3, 9, 5, SEQUENCE_FINAL)
    assert again.vin[0].prevout == COutPoint("11" * 32, 7) and not again.is_coinbase()
    assert len({again.vin[0].prevout, COutPoint("11" * 32, 7), again.vin[1].prevout}) == 2


def test_order_of_hashes():
    outpoint = COutPoint("00" * 31 + "01", 0)
    assert outpoint.hash == b"\x01" + bytes(31)
    assert repr(outpoint) == f"COutPoint('{'00' * 31}01', 0)"
    assert COutPoint().is_null() and not outpoint.is_null()
    with pytest.raises(DataError, match="is not hex"):
        COutPoint("xx" * 32)
    with pytest.raises(DataError, match="has 1 byte, not the 32 of an id"):
        COutPoint("00")
    with pytest.raises(ArgumentError, match="hash has 31 bytes, not 32"):
        COutPoint(bytes(31))


def test_witnesses_may_be_fewer_but_not_more():
    tx = spending()
    assert CTransaction.from_bytes(tx.serialize()) == tx
    tx.wit.vtxinwit = [CTxInWitness.of([b"x"])]
    assert CTransaction.from_bytes(tx.serialize()).wit.vtxinwit == [CTxInWitness.of([b"x"]), CTxInWitness()]
    tx.wit.vtxinwit = [CTxInWitness.of([b"x"])] * 3
    with pytest.raises(DataError, match="3 witnesses for 2 inputs"):
        tx.serialize()


@pytest.mark.parametrize("size", [0, 1, 0xFC, 0xFD, 0xFFFF, 0x10000])
def test_sizes_of_scripts(size):
    output = CTxOut(5, bytes(size))
    assert CTxOut.from_bytes(output.serialize()) == output


def test_every_truncation_is_refused():
    raw = spending().serialize()
    for size in range(len(raw)):
        with pytest.raises(DataError):
            CTransaction.from_bytes(raw[:size])
    with pytest.raises(DataError, match="transaction: 1 byte after its end"):
        CTransaction.from_bytes(raw + b"\0")


@pytest.mark.parametrize(("text", "says"), [
    ("zz", "transaction: not hex"), ("0200000000020000", "the flag of the extended format is 2, not 1"),
    ("02000000fd0100", "number of inputs: the number at position 4 is longer than necessary"),
    ("02000000ffffffffffffffffff", "outpoint: expected 32 bytes at position 13, but 0 are left"),
    ("020000000001000000000000", "the format is extended, but no input has a witness"),
])
def test_malformed_transactions(text, says):
    with pytest.raises(DataError, match=says):
        CTransaction.from_hex(text)


def test_parsers_agree_on_damaged_transactions(rng):
    """The library parses whatever this package parses, alike, and neither crashes."""
    raw = spending().serialize()
    parsed = 0
    for _ in range(2000):
        damaged = bytearray(raw)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            tx = CTransaction.from_bytes(damaged)
        except DataError:
            with pytest.raises(DataError):
                PrecomputedTransaction(damaged, [])
            continue
        parsed += 1
        PrecomputedTransaction(damaged, [CTxOut()] * len(tx.vin))
    assert parsed > 100


@pytest.mark.parametrize(("tx", "spent", "error", "says"), [
    (b"", [], DataError, "byte 0"), (b"\x02\0\0\0\1", [], DataError, "data ends too early"),
    (spending().serialize(), [], ArgumentError, "n_spent is 0, but the transaction has 2 inputs"),
    (spending().serialize(), [CTxOut()] * 3, ArgumentError, "n_spent is 3"),
    (spending(), [CTxOut(), b"\0"], DataError, r"spent_outputs\[1\]"),
    (spending(), [CTxOut(), CTxOut().serialize() + b"\0"], DataError, r"spent_outputs\[1\]"),
    ("00", [], TypeError, "tx must be bytes, not str"), (spending(), [CTxOut(), "00"], TypeError, r"spent_outputs\[1\] must be bytes, not str"),
])
def test_transactions_that_the_library_refuses(tx, spent, error, says):
    with pytest.raises(error, match=says):
        PrecomputedTransaction(tx, spent)


@pytest.mark.parametrize(("made", "says"), [
    (COutPoint(n=-1), r"COutPoint.n is -1, not between 0 and 2\^32 - 1"), (COutPoint(n=2**32), "COutPoint.n is 4294967296"),
    (CTxIn(nSequence=2**32), "nSequence is 4294967296"), (CTransaction(version=-1), "version is -1"),
    (CTransaction(nLockTime=2**32), "nLockTime is 4294967296"), (CTxOut(2**63), r"nValue is 9223372036854775808, not between -2\^63 and 2\^63 - 1"),
    (CTxOut(-2**63 - 1), "nValue is -9223372036854775809"), (CTransaction([CTxIn()], [CTxOut(2**63)]), "nValue is"),
    (CBlock(nVersion=-1), "nVersion is -1"), (CBlock(nTime=2**32), "nTime is"), (CBlock(nBits=-1), "nBits is"), (CBlock(nNonce=2**32), "nNonce is"),
])
def test_numbers_out_of_range(made, says):
    with pytest.raises(ArgumentError, match=says):
        made.serialize()


def test_fields_with_other_names():
    with pytest.raises(AttributeError, match="sequence"):
        CTxIn().sequence = 5


def test_numbers_that_are_none():
    with pytest.raises(TypeError, match="nValue must be an int, not float"):
        CTxOut(0.5).serialize()
    with pytest.raises(TypeError, match="nSequence must be an int, not str"):
        CTxIn(nSequence="5").serialize()
    assert CTxOut.from_bytes(CTxOut(-1).serialize()).nValue == -1  # what Bitcoin's format can say; no valid transaction has it


def test_malformed_blocks():
    raw = CBlock(vtx=[spending()]).serialize()
    for size in (0, 79, 80, len(raw) - 1):
        with pytest.raises(DataError):
            CBlock.from_bytes(raw[:size])
    with pytest.raises(DataError, match="block: 2 bytes after its end"):
        CBlock.from_bytes(raw + b"\0\0")
    with pytest.raises(DataError, match="block: not hex"):
        CBlock.from_hex("0")
    with pytest.raises(ArgumentError, match="hashMerkleRoot has 31 bytes"):
        CBlock(hashMerkleRoot=bytes(31)).serialize()


def test_merkle_roots():
    a, b, c = (bytes([i]) * 32 for i in range(3))
    root = CBlock.merkle_root
    assert root([]) == bytes(32) and root([a]) == a
    assert root([a, b, c]) == root([a, b, c, c]) == root([root([a, b]), root([c, c])])


def test_ctransaction_is_not_what_is_verified(keys):
    """The one is taken for the other once, and the error says what to do."""
    tx = CTransaction([CTxIn()], [CTxOut()])
    leaf = ScriptTree(CScript([OP_CHECKSIG])).leaves[0]
    for call in (lambda: verify_input(tx, 0), lambda: sign_input(tx, 0, leaf, keys["alice"])):
        with pytest.raises(TypeError, match=r"must be a PrecomputedTransaction, not CTransaction: PrecomputedTransaction\(tx, spent_outputs\)"):
            call()

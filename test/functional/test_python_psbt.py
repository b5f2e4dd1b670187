# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The Python package's partially signed transactions: the BIPs' vectors, several signers, and what slhtool makes of the same bytes."""

import base64
import hashlib
import json
import os
import subprocess

import pytest

import slhconsensus as slhc
from conftest import DATA
from slhconsensus import (OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY, OP_CHECKSIG, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA,
                          OP_CODESEPARATOR, OP_DROP, OP_EQUALVERIFY, OP_NUMEQUAL, OP_RETURN, OP_SHA256, OP_VERIFY, CScript, Psbt)

VECTORS = json.loads((DATA / "bip_psbt.json").read_text())
TOOL = os.environ.get("SLHTOOL")


def raw(text):
    return base64.b64decode(text)


def two_of_three(keys):
    names = ["alice", "bob", "carol"]
    public = [bytes(keys[name].public_key) for name in names]
    multi = CScript([public[0], OP_CHECKSIGSLHDSA, public[1], OP_CHECKSIGADDSLHDSA, public[2], OP_CHECKSIGADDSLHDSA, 2, OP_NUMEQUAL])
    return slhc.ScriptTree([multi, CScript([OP_RETURN])])


def start(tree, version=0, taproot=None, leaf=0, pays_to=CScript([OP_RETURN])):
    tx = slhc.CTransaction([slhc.CTxIn(slhc.COutPoint(b"\x11" * 32, 0), b"", 144)], [slhc.CTxOut(90_000, pays_to)], 500)
    psbt = Psbt(tx, version)
    psbt.set_spent_output(0, slhc.CTxOut(100_000, (taproot or tree).script_pubkey()))
    psbt.add_leaf(0, tree, tree.leaves[leaf], taproot)
    return psbt


# The BIPs' vectors


@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=lambda vector: f"{vector['bip']}: {vector['case']}")
def test_invalid(vector):
    with pytest.raises(slhc.DataError):
        Psbt.from_bytes(raw(vector["psbt"]))


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda vector: f"{vector['bip']}: {vector['case']}")
def test_valid(vector):
    psbt = Psbt.from_base64(vector["psbt"])
    assert len(psbt.serialize()) == len(raw(vector["psbt"]))
    again = Psbt.from_bytes(psbt.serialize())
    assert (again.globals, again.inputs, again.outputs) == (psbt.globals, psbt.inputs, psbt.outputs)


@pytest.mark.parametrize("vector", VECTORS["lock_time"], ids=lambda vector: vector["case"])
def test_lock_time(vector):
    psbt = Psbt.from_base64(vector["psbt"])
    if vector["lock_time"] is None:
        with pytest.raises(slhc.DataError, match="no nLockTime can express both"):
            psbt.unsigned_tx()
    else:
        assert psbt.unsigned_tx().nLockTime == vector["lock_time"]


def test_roles():
    roles = {name: Psbt.from_base64(text) for name, text in VECTORS["roles"].items() if name != "extracted"}
    assert Psbt(roles["created"].unsigned_tx()).serialize() == raw(VECTORS["roles"]["created"])
    assert roles["signed_a"].combine([roles["signed_b"]]).inputs == roles["combined"].inputs
    assert roles["unknown_a"].combine([roles["unknown_b"]]).serialize() == raw(VECTORS["roles"]["unknown_combined"])
    assert roles["finalized"].extract(verify=False).serialize().hex() == VECTORS["roles"]["extracted"]
    # Core's witnesses, by the library: the vector has both inputs' outputs
    roles["finalized"].extract()
    with pytest.raises(slhc.StateError, match="input 0 is not final"):
        roles["combined"].extract()


def test_slhdsa_field():
    """doc/psbt.md's field, of two signers: what is written is the same to the byte, and valid."""
    def digest(data):
        return hashlib.sha256(data).hexdigest()
    for vector in json.loads((DATA / "psbt_slhdsa.json").read_text()):
        combined = Psbt.from_base64(vector["signed_a"]).combine([Psbt.from_base64(vector["signed_b"])])
        assert digest(combined.serialize()) == vector["combined_sha256"]
        assert combined.finalize() == ([], []) and digest(combined.serialize()) == vector["finalized_sha256"]
        tx = combined.extract()
        assert digest(tx.serialize()) == vector["transaction_sha256"] and tx.txid_hex == vector["txid"]


# Several signers


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("taproot", [False, True])
def test_two_of_three(keys, version, taproot):
    tree = two_of_three(keys)
    psbt = start(tree, version, tree.taproot() if taproot else None)
    assert psbt.fee() == 10_000
    alice, carol = Psbt.from_base64(psbt.to_base64()), Psbt.from_base64(psbt.to_base64())
    assert alice.sign(keys["alice"]) == 1 and alice.sign(keys["alice"]) == 0 and carol.sign(keys["carol"]) == 1
    assert alice.finalize() == (["input 0: needs 2 signatures, but has 1"], [])
    both = carol.combine([alice])
    assert both.finalize() == ([], [])
    tx = both.extract()
    assert tx.nLockTime == 500 and tx.vin[0].nSequence == 144
    assert [len(element) for element in tx.witness(0)[:3]] == [7856, 0, 7856]
    assert both.spent_output(0) == psbt.spent_output(0)


def test_hybrid_with_a_preimage(keys, schnorr):
    public, preimage = bytes(keys["alice"].public_key), b"secret"
    digest = hashlib.sha256(preimage).digest()
    leaf = CScript([OP_SHA256, digest, OP_EQUALVERIFY, public, OP_CHECKSIGSLHDSA, OP_VERIFY, schnorr.public, OP_CHECKSIG])
    psbt = start(slhc.ScriptTree([leaf, CScript([OP_RETURN])]))
    leaf_hash = psbt.leaves(0)[0].hash
    psbt.add_signature(0, leaf_hash, schnorr.public, schnorr.sign(psbt.signature_hash(0, leaf_hash, slhc.KEY_VERSION_BIP340)))
    psbt.sign(keys["alice"])
    assert psbt.finalize() == ([f"input 0: needs the preimage of {digest.hex()}"], [])
    with pytest.raises(slhc.DataError, match="input 0: no leaf in the PSBT asks for the preimage of"):
        psbt.add_preimage(0, b"another")
    with pytest.raises(slhc.DataError, match="input 0: the preimage has more than the 520 bytes"):
        psbt.add_preimage(0, bytes(521))
    psbt.add_preimage(0, preimage)
    assert psbt.finalize() == ([], [])
    psbt.extract()


def test_preimage_beside_a_leaf_that_does_not_decode():
    """Whichever leaf comes first, and also a hash that stands before the place where a leaf is cut off: as for slhtool."""
    cut_off = b"\x4c"
    for i in range(8):  # control blocks have hashes, by which leaves are sorted
        preimages = [bytes([i]), bytes([i, i])]
        hashes = [hashlib.sha256(preimage).digest() for preimage in preimages]
        tree = slhc.ScriptTree([CScript([OP_SHA256, hashes[0], OP_EQUALVERIFY]), CScript([OP_SHA256, hashes[1]]) + cut_off])
        psbt = start(tree)
        psbt.add_leaf(0, tree, tree.leaves[1])
        for preimage in preimages:
            psbt.add_preimage(0, preimage)
        with pytest.raises(slhc.DataError, match="no leaf in the PSBT asks for the preimage of"):
            psbt.add_preimage(0, b"another")


def test_hash_type(keys):
    psbt = start(two_of_three(keys))
    psbt.set_field(0, 0x03, (2).to_bytes(4, "little"))
    with pytest.raises(slhc.DataError, match="asks for hash type 2, not 0"):
        psbt.sign(keys["alice"])
    with pytest.raises(slhc.DataError, match="asks for hash type 2, not 1"):
        psbt.sign(keys["alice"], hash_type=slhc.SigHash.ALL)
    psbt.sign(keys["alice"], hash_type=slhc.SigHash.NONE)
    psbt.sign(keys["bob"], hash_type=slhc.SigHash.NONE)
    assert psbt.finalize() == ([], [])
    psbt.extract()


def test_all_is_signed_for_the_asking(keys):
    """It commits to as much as DEFAULT."""
    psbt = start(two_of_three(keys))
    psbt.set_field(0, 0x03, (1).to_bytes(4, "little"))
    assert psbt.sign(keys["alice"]) + psbt.sign(keys["bob"]) == 2 and psbt.finalize() == ([], [])
    assert psbt.extract().witness(0)[1][7856:] == b"\x01"


def test_refusals(keys):
    tree = two_of_three(keys)
    psbt = start(tree)
    with pytest.raises(slhc.DataError, match="spends another output"):
        psbt.set_spent_output(0, slhc.CTxOut(1, tree.script_pubkey()))
    with pytest.raises(slhc.DataError, match="does not have this tree"):
        psbt.add_leaf(0, tree, tree.leaves[0], tree.taproot())
    with pytest.raises(slhc.DataError, match="no leaf"):
        psbt.add_signature(0, bytes(32), bytes(keys["alice"].public_key), bytes(7856))
    with pytest.raises(slhc.DataError, match="no leaf .* of this kind"):
        psbt.add_signature(0, tree.leaves[0].hash, bytes(keys["alice"].public_key), bytes(64))
    with pytest.raises(slhc.DataError, match="wrong value"):
        psbt.add_signature(0, tree.leaves[0].hash, bytes(keys["alice"].public_key), bytes(7855))
    with pytest.raises(slhc.ArgumentError, match="no input 1"):
        psbt.leaves(1)
    with pytest.raises(slhc.ArgumentError, match="leaf_hash has 1 byte, not 32"):
        psbt.sign(keys["alice"], leaf_hash=b"1")
    with pytest.raises(slhc.DataError, match="no input has a leaf 3131"):
        psbt.sign(keys["alice"], leaf_hash=b"1" * 32)
    assert psbt.combine([]).sign(keys["alice"], leaf_hash=bytearray(tree.leaves[0].hash)) == 1
    for text in "\u00e9", psbt.to_base64() + "\u00e9", "cHNid", "*":
        with pytest.raises(slhc.DataError, match="not base64: "):
            Psbt.from_base64(text)
    with pytest.raises(slhc.DataError, match="^(?!not base64)"):
        Psbt.from_base64("")
    other = start(tree, 2)
    with pytest.raises(slhc.DataError, match="convert one of them"):
        psbt.combine([other])


# What somebody may have done to it


@pytest.mark.parametrize("version", [0, 2])
def test_dictionaries_that_somebody_edited(keys, version):
    """What they cannot be is said, and is no KeyError, nor a wrong number."""
    def edited(edit, call):
        psbt = start(two_of_three(keys), version)
        edit(psbt)
        with pytest.raises(slhc.DataError):
            call(psbt)

    for call in Psbt.unsigned_tx, Psbt.fee, lambda psbt: psbt.outpoint(0):
        edited(lambda psbt: (psbt.globals.clear(), psbt.inputs[0].clear()), call)
        edited(lambda psbt: setattr(psbt, "version", 2 - version), call)
    for name in "inputs", "outputs":
        for call in Psbt.unsigned_tx, Psbt.fee:
            edited(lambda psbt, name=name: getattr(psbt, name).clear(), call)
            edited(lambda psbt, name=name: getattr(psbt, name).append({}), call)
    edited(lambda psbt: psbt.inputs.append({}), lambda psbt: psbt.outpoint(1))
    for control_block, value in (b"", b""), (b"", b"\xc0"), (b"\xc1" + bytes(32), b""):
        edited(lambda psbt, field=b"\x15" + control_block, value=value: psbt.inputs[0].update({field: value}), lambda psbt: psbt.leaves(0))

    def spends_nothing(psbt):
        psbt.inputs[0].clear()
        psbt.inputs[0].update({**start(two_of_three(keys), version).inputs[0], b"\x00": slhc.CTransaction().serialize()})
        del psbt.inputs[0][b"\x01"]

    edited(spends_nothing, lambda psbt: psbt.spent_output(0))


@pytest.mark.parametrize("field_type", [-1, 2**64])
def test_field_types_that_are_none(keys, field_type):
    with pytest.raises(slhc.ArgumentError, match="field type is"):
        start(two_of_three(keys)).set_field(0, field_type, b"")


PREIMAGE = b"secret"
SHA256 = hashlib.sha256(PREIMAGE).digest()


@pytest.mark.parametrize(("field_type", "digest"), [
    (0x0A, bytes.fromhex("cd98bf0202ef07e38e87f6bd9445e5e7331e2c78")), (0x0B, SHA256),
    (0x0C, bytes.fromhex("d1b64100879ad93ceaa3c15929b6fe8550f54967")), (0x0D, hashlib.sha256(SHA256).digest()),
], ids=["RIPEMD160", "SHA256", "HASH160", "HASH256"])
def test_preimages_are_checked(keys, field_type, digest):
    """As the library checks them, which would refuse the whole PSBT afterwards."""
    psbt = start(two_of_three(keys))
    psbt.set_field(0, field_type, PREIMAGE, digest)
    assert psbt.drop_invalid() == [] and Psbt.from_bytes(psbt.serialize()).inputs == psbt.inputs
    before = psbt.serialize()
    for value in b"another", b"", digest:
        with pytest.raises(slhc.DataError, match=r"input 0: PSBT_IN_\w+ has a wrong value"):
            psbt.set_field(0, field_type, value, digest)
    assert psbt.serialize() == before
    with pytest.raises(slhc.DataError, match=r"input 0: PSBT_IN_\w+ has a wrong value"):
        Psbt.from_bytes(before.replace(PREIMAGE, b"SECRET"))


def test_large_preimages(keys):
    large = bytes(100_000)
    digest = bytes.fromhex("a367a7afad13b435c933d0ceb71d5878850426a7")
    psbt = start(two_of_three(keys))
    psbt.set_field(0, 0x0A, large, digest)
    psbt.set_field(0, 0x0C, PREIMAGE, bytes.fromhex("d1b64100879ad93ceaa3c15929b6fe8550f54967"))
    assert Psbt.from_bytes(psbt.serialize()).inputs == psbt.inputs
    for field_type in 0x0A, 0x0C:
        with pytest.raises(slhc.DataError, match=r"input 0: PSBT_IN_\w+160 has a wrong value"):
            psbt.set_field(0, field_type, large + b"\x00", digest)


def test_invalid_signature(keys):
    """It is not used, nothing is lost for it, it can be dropped or replaced, and a copy with a valid one wins."""
    tree = two_of_three(keys)
    psbt = start(tree)
    alice, leaf_hash = bytes(keys["alice"].public_key), tree.leaves[0].hash
    psbt.sign(keys["bob"])
    good = psbt.combine([])
    good.sign(keys["alice"])
    psbt.add_signature(0, leaf_hash, alice, bytes(7856))
    before = psbt.serialize()
    missing, left_out = psbt.finalize()
    assert missing[0].startswith(f"input 0: needs 2 signatures, but has 1; not used: the signature by {alice.hex()} is not valid")
    assert [str(wrong) for wrong in left_out] == [f"input 0: the signature by {alice.hex()} is not valid for this transaction"]
    assert psbt.serialize() == before and psbt.wrong_fields() == left_out

    with pytest.raises(slhc.DataError, match=f"input 0: the signature by {alice.hex()} is not valid .*; somebody damaged the PSBT"):
        psbt.sign(keys["carol"])
    three, again = psbt.combine([]), psbt.combine([])
    assert three.sign(keys["carol"], despite_invalid=True) == 1
    assert three.finalize() == ([], left_out)
    three.extract()
    assert again.sign(keys["alice"], despite_invalid=True) == 1 and again.finalize() == ([], [])
    again.extract()
    for order in [(psbt, good), (good, psbt)]:
        both = order[0].combine([order[1]])
        assert both.inputs == good.inputs and both.finalize() == ([], [])
    assert psbt.drop_invalid() == left_out and psbt.drop_invalid() == []
    assert psbt.sign(keys["carol"]) == 1 and psbt.finalize() == ([], [])


@pytest.mark.parametrize("field_type, key_data, value, why", [
    (0x13, b"", b"\x55" * 64, "no key path"),
    (0x08, b"", b"\x01\x01\x01", "does not spend the output"),
    (0x18, b"", bytes(32), "PSBT_IN_TAP_MERKLE_ROOT"),
    (0x14, bytes(64), bytes(64), "the signature by 0000"),
    (0x15, b"\xc1" * 33, b"\x51\xc0", "is not one of the output that is spent"),
    (0x17, b"", b"\x02" * 32, "PSBT_IN_TAP_INTERNAL_KEY: the P2MR output that is spent has no internal key"),
    (0x03, b"", b"\x01\x00\x00\x00", "PSBT_IN_SIGHASH_TYPE asks for another hash type"),
], ids=["key path", "final witness", "root", "stray signature", "leaf", "internal key", "hash type"])
def test_fields_that_somebody_put_in(keys, field_type, key_data, value, why):
    psbt = start(two_of_three(keys))
    psbt.sign(keys["alice"])
    kept = {whole: held for whole, held in psbt.inputs[0].items() if whole != bytes([field_type]) + key_data}
    psbt.set_field(0, field_type, value, key_data)
    with pytest.raises(slhc.DataError, match=why):
        psbt.sign(keys["bob"])
    (wrong,) = psbt.wrong_fields()
    assert why in wrong.why and wrong.field == bytes([field_type]) + key_data
    assert psbt.drop_invalid() == [wrong] and psbt.inputs[0] == kept
    assert psbt.sign(keys["bob"]) == 1 and psbt.finalize() == ([], [])
    psbt.extract()


def test_output_tree_that_does_not_fit(keys):
    """It can be removed, and no signature depends on it."""
    psbt = start(two_of_three(keys))
    before = psbt.serialize()
    psbt.outputs[0][b"\x06"] = bytes.fromhex("01c0015101c00151")
    (wrong,) = psbt.wrong_fields()
    assert wrong.of_output and wrong.field == b"\x06" and str(wrong).startswith("output 0: PSBT_OUT_TAP_TREE")
    assert psbt.sign(keys["alice"]) == 1 and psbt.sign(keys["bob"]) == 1
    done = psbt.combine([])
    assert done.finalize() == ([], [])
    done.extract()
    for held in psbt.inputs:
        for field in [field for field in held if field.startswith(b"\xfc")]:
            del held[field]
    assert psbt.drop_invalid() == [wrong] and psbt.serialize() == before


def test_change_that_anyone_can_spend(keys):
    """A P2MR output with a single leaf is not the signer's, whatever its leaf asks for."""
    leaf = b"\x20" + bytes(keys["alice"].public_key) + b"\x7f"
    tag = hashlib.sha256(b"TapLeaf").digest()
    root = hashlib.sha256(tag + tag + b"\xc0" + bytes([len(leaf)]) + leaf).digest()
    psbt = start(two_of_three(keys), pays_to=CScript(b"\x52\x20" + root))
    psbt.outputs[0][b"\x06"] = b"\x00\xc0" + bytes([len(leaf)]) + leaf
    assert psbt.wrong_fields() == [] and psbt.drop_invalid() == []
    with pytest.raises(slhc.DataError, match=r"not signed: output 0: a P2MR \(P2TSH\) output with a single leaf can be spent by anyone"):
        psbt.sign(keys["alice"], despite_invalid=True)


def test_outputs_of_more_than_the_inputs(keys):
    tree = two_of_three(keys)
    tx = slhc.CTransaction([slhc.CTxIn(slhc.COutPoint(b"\x11" * 32, 0))], [slhc.CTxOut(100_001, CScript([OP_RETURN]))])
    psbt = Psbt(tx)
    psbt.set_spent_output(0, slhc.CTxOut(100_000, tree.script_pubkey()))
    psbt.add_leaf(0, tree, tree.leaves[0])
    with pytest.raises(slhc.DataError, match="not signed: the outputs get 1 satoshi more"):
        psbt.sign(keys["alice"], despite_invalid=True)


def test_work_is_linear(keys, monkeypatch):
    """The transaction is not parsed again for each input."""
    previous = [slhc.CTransaction([slhc.CTxIn(slhc.COutPoint(b"\x11" * 32, n))], [slhc.CTxOut(1000, CScript([OP_RETURN]))]) for n in range(50)]
    psbt = Psbt(slhc.CTransaction([slhc.CTxIn(slhc.COutPoint(tx.txid, 0)) for tx in previous], [slhc.CTxOut(49_000, CScript([OP_RETURN]))]))
    for n_in, tx in enumerate(previous):
        psbt.inputs[n_in][b"\x00"] = tx.serialize()  # PSBT_IN_NON_WITNESS_UTXO
    read, parsed = slhc.CTransaction.read_without_witness, []
    monkeypatch.setattr(slhc.CTransaction, "read_without_witness", lambda reader: parsed.append(reader) or read(reader))
    again = Psbt.from_bytes(psbt.serialize())
    assert again.fee() == 1000 and again.outpoint(49) == slhc.COutPoint(previous[49].txid, 0)
    assert len(parsed) < 10
    again.outpoint(0).n = 7  # a copy
    assert again.outpoint(0).n == 0


def test_leaves_that_ask_for_no_signature(keys):
    """One that cannot be decoded, or is of another version, neither stands in the way nor is it signed."""
    check = [bytes(keys["alice"].public_key), OP_CHECKSIGSLHDSA]
    tree = slhc.ScriptTree([CScript(check), [slhc.Leaf(CScript(check), 0xC2), slhc.Leaf(CScript(b"\x4c"), 0xC2)]])
    psbt = start(tree)
    for leaf in tree.leaves[1:]:
        psbt.add_leaf(0, tree, leaf)
    with pytest.raises(slhc.DataError, match="no leaf"):
        psbt.add_signature(0, tree.leaves[1].hash, bytes(keys["alice"].public_key), bytes(7856))
    assert psbt.sign(keys["alice"]) == 1
    assert psbt.finalize() == ([], [])
    psbt.extract()


def test_code_separator(keys):
    """What a key behind it signs is another hash: sign() leaves that to others, and nobody judges it."""
    alice, bob = (bytes(keys[name].public_key) for name in ["alice", "bob"])
    tree = slhc.ScriptTree([CScript([alice, OP_CHECKSIGSLHDSA, OP_VERIFY, OP_CODESEPARATOR, bob, OP_CHECKSIGSLHDSA]), CScript([OP_RETURN])])
    psbt = start(tree)
    assert psbt.sign(keys["bob"]) == 0 and psbt.sign(keys["alice"]) == 1
    with pytest.raises(slhc.DataError, match="no leaf"):
        psbt.add_signature(0, tree.leaves[0].hash, bob, bytes(7856))
    psbt.add_signature(0, tree.leaves[0].hash, alice, bytes(7856))
    assert psbt.wrong_fields() == []


def test_combine_names_the_right_one(keys):
    psbt = start(two_of_three(keys))
    for number in [1, 2, 3]:
        others = [psbt.combine([]) for _ in range(3)]
        others[number - 1].inputs[0][b"\x18"] = bytes(32)  # PSBT_IN_TAP_MERKLE_ROOT
        with pytest.raises(slhc.DataError, match=f"PSBT {number}, input 0: two values of PSBT_IN_TAP_MERKLE_ROOT"):
            psbt.combine(others)
    with pytest.raises(slhc.DataError, match="PSBT 2 has version 2, and PSBT 0 version 0"):
        psbt.combine([psbt, start(two_of_three(keys), 2)])


def test_extract_of_what_can_never_be_valid(keys):
    """A signature commits to the amounts, whatever they are: each input is valid."""
    psbt = start(two_of_three(keys))
    psbt.set_field(0, 0x01, slhc.CTxOut(1, two_of_three(keys).script_pubkey()).serialize())
    for name in "alice", "bob":
        leaf_hash = psbt.leaves(0)[0].hash
        psbt.add_signature(0, leaf_hash, bytes(keys[name].public_key), keys[name].sign(psbt.signature_hash(0, leaf_hash)))
    assert psbt.finalize() == ([], [])
    with pytest.raises(slhc.StateError, match="the outputs get 89999 satoshis more than the inputs have"):
        psbt.extract()
    psbt.extract(verify=False)


def test_transactions_without_inputs_or_outputs(keys):
    """They may be added to a PSBT, and not to what is extracted."""
    psbt = Psbt(slhc.CTransaction([], [slhc.CTxOut(0, CScript([OP_RETURN]))]))
    assert psbt.wrong_fields() == [] and psbt.finalize() == (["the transaction has no inputs: bad-txns-vin-empty"], [])
    with pytest.raises(slhc.StateError, match="the transaction has no inputs"):
        psbt.extract()
    psbt.extract(verify=False)


@pytest.mark.parametrize("amount", [-1, 21_000_000 * 100_000_000 + 1])
@pytest.mark.parametrize("version", [0, 2])
def test_amounts_that_are_none(amount, version):
    tx = slhc.CTransaction([slhc.CTxIn(slhc.COutPoint(b"\x11" * 32, 0))], [slhc.CTxOut(amount, CScript([OP_RETURN]))])
    with pytest.raises(slhc.ArgumentError, match="an output's amount"):
        Psbt(tx, version)


def test_leaves_and_lock_times(keys):
    """A leaf whose lock time the transaction does not meet is neither signed nor finalized."""
    public = bytes(keys["alice"].public_key)
    checked = [public, OP_CHECKSIGSLHDSA]
    leaves = [CScript([145, OP_CHECKSEQUENCEVERIFY, OP_DROP, *checked]), CScript([144, OP_CHECKSEQUENCEVERIFY, OP_DROP, *checked]),
              CScript([500, OP_CHECKLOCKTIMEVERIFY, OP_DROP, *checked])]
    tree = slhc.ScriptTree([leaves[0], [leaves[1], leaves[2]]])
    psbt = start(tree)
    for leaf in tree.leaves[1:]:
        psbt.add_leaf(0, tree, leaf)
    one = psbt.combine([])
    assert one.sign(keys["alice"], leaf_hash=tree.leaves[2].hash) == 1
    assert psbt.sign(keys["alice"]) == 2
    for signed in [one, psbt]:
        assert signed.finalize() == ([], [])
        signed.extract()
    # One that was signed all the same
    early = start(slhc.ScriptTree([leaves[0], leaves[1]]))
    leaf_hash = early.leaves(0)[0].hash
    early.add_signature(0, leaf_hash, public, keys["alice"].sign(early.signature_hash(0, leaf_hash)))
    assert early.finalize().missing == ["input 0: needs an age of 145 blocks, but the input's nSequence 144 means 144 blocks"]


def test_modifiable_flags(keys):
    """As signatures are added, less may be changed; of two PSBTs, what both allow."""
    parts = []
    for name, hash_type, flags in [("alice", slhc.SigHash.DEFAULT, 0), ("bob", slhc.SigHash.SINGLE | slhc.SigHash.ANYONECANPAY, 5)]:
        psbt = start(two_of_three(keys), 2)
        psbt.globals[b"\x06"] = b"\x03"
        psbt.sign(keys[name], hash_type=hash_type)
        assert psbt.globals[b"\x06"] == bytes([flags])
        parts.append(psbt)
    assert parts[0].combine(parts[1:]).globals[b"\x06"] == b"\x04"


def test_combining_changes_what_is_signed(keys):
    """In version 2, by a field that the signer did not have. Nothing is lost as long as the parts are there."""
    psbt, other = start(two_of_three(keys), 2), start(two_of_three(keys), 2)
    del psbt.inputs[0][b"\x10"]  # PSBT_IN_SEQUENCE
    psbt.sign(keys["alice"])
    (wrong,) = psbt.combine([other]).wrong_fields()
    assert bytes(keys["alice"].public_key).hex() in wrong.why and psbt.wrong_fields() == []


# slhtool reads and writes the same


@pytest.mark.skipif(TOOL is None, reason="SLHTOOL is not set")
def test_same_as_slhtool(keys, tmp_path):
    def tool(*args):
        result = subprocess.run([TOOL, "psbt", *map(str, args)], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    alice = tmp_path / "alice.key"
    keys["alice"].to_file(alice)
    for version in [0, 2]:
        psbt = start(two_of_three(keys), version, pays_to=CScript([OP_NUMEQUAL]))
        assert tool("update", psbt.to_base64()) == psbt.to_base64()
        shown = json.loads(tool("show", psbt.to_base64(), "--json"))
        assert shown["txid"] == psbt.unsigned_tx().txid_hex and shown["fee"] == psbt.fee()
        signed = Psbt.from_base64(tool("sign", psbt.to_base64(), "--key", alice, "--yes"))
        assert signed.sign(keys["alice"]) == 0
        signed.sign(keys["bob"])
        assert Psbt.from_base64(tool("finalize", signed.to_base64())).extract().serialize().hex() == tool("extract", tool("finalize", signed.to_base64()))
        assert signed.finalize() == ([], [])
        assert tool("extract", signed.to_base64()) == signed.extract().serialize().hex()
    for vector in VECTORS["valid"]:
        if Psbt.from_base64(vector["psbt"]).inputs:
            assert tool("update", vector["psbt"]) == Psbt.from_base64(vector["psbt"]).to_base64()

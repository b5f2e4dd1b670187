# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Spends of P2MR outputs as a wallet would make them, to be copied from, and what the package's own functions take and refuse.

More kinds of spends, as files without code, are in scenarios/.
"""

from dataclasses import replace

import pytest
from slhconsensus import (OP_0, OP_2, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_CHECKSIGVERIFY, OP_CODESEPARATOR, OP_NUMEQUAL, OP_RETURN,
                          OP_VERIFY, SIGNATURE_SIZE, ArgumentError, Batch, COutPoint, CScript, CTransaction, CTxIn, CTxOut, Leaf,
                          OneLeafTreeError, PrecomputedTransaction, ScriptTree, SigHash, Verdict, VerifyFlags, break_signature, flip,
                          p2mr_script_pubkey, sign_input, sign_spends, verify_input, with_hash_type)
from slhconsensus import Spend as PackageSpend
from slhconsensus.testing import ExperimentSigner

NEVER = CScript([OP_RETURN])  # the second leaf, which a tree must have


class Spend:
    """A transaction that spends one output with this script."""

    def __init__(self, context, script_pubkey):
        self.context = context
        self.coins = [CTxOut(100_000, script_pubkey)]
        self.tx = CTransaction([CTxIn(COutPoint("11" * 32, 0))], [CTxOut(99_000, CScript([OP_0, bytes(20)]))])

    def sign(self, leaf, key, hash_type=SigHash.DEFAULT, **kwargs):
        """The signature of a key, as it goes into the witness."""
        return sign_input(PrecomputedTransaction(self.tx, self.coins), 0, leaf, key, hash_type, **kwargs)

    def verify(self, witness, flags=VerifyFlags.CONSENSUS):
        """The script error, or None if the input is valid: the same at once and with a batch."""
        self.tx.witness(0)[:] = witness
        tx = PrecomputedTransaction(self.tx, self.coins)
        eager = verify_input(tx, 0, flags, context=self.context)
        with Batch(self.context) as batch:
            deferred = verify_input(tx, 0, flags, batch=batch, context=self.context)
            if deferred.verdict is Verdict.DEFERRED:
                failure = batch.verify().failure
                error = failure.script_error if failure else None
            else:
                error = deferred.script_error
        assert error == eager.script_error
        assert bool(eager) == (error is None)
        return error


def spoil(signature, position=1000):
    """The signature with one bit turned."""
    return signature[:position] + bytes([signature[position] ^ 1]) + signature[position + 1:]


def test_single_key(context, keys):
    tree = ScriptTree([CScript([keys["alice"].public_key.data, OP_CHECKSIGSLHDSA]), NEVER])
    leaf = tree.leaves[0]
    spend = Spend(context, tree.script_pubkey())
    signature = spend.sign(leaf, keys["alice"])
    assert len(signature) == SIGNATURE_SIZE
    assert spend.verify(leaf.witness([signature])) is None
    assert spend.verify(leaf.witness([spend.sign(leaf, keys["alice"], SigHash.ALL)])) is None
    assert spend.verify(leaf.witness([spend.sign(leaf, keys["bob"])])) == "SCRIPT_ERR_SLHDSA_SIG"
    assert spend.verify(leaf.witness([spoil(signature)])) == "SCRIPT_ERR_SLHDSA_SIG"
    assert spend.verify(leaf.witness([b""])) == "SCRIPT_ERR_EVAL_FALSE"
    assert spend.verify(leaf.witness([])) == "SCRIPT_ERR_INVALID_STACK_OPERATION"


@pytest.mark.parametrize(("parameter_set", "size"), [("128-24", 3856), ("128-q40", 5776)])
def test_key_of_another_set(context, parameter_set, size):
    """The number of the set stands before the key, and the rules need a flag."""
    signer = ExperimentSigner(bytes(48), parameter_set)
    key, other = signer.key(1), signer.key(2)
    tree = ScriptTree([CScript([key.public_key.element, OP_CHECKSIGSLHDSA]), NEVER])
    leaf, flags = tree.leaves[0], VerifyFlags.CONSENSUS | VerifyFlags.SLHDSA_SETS
    spend = Spend(context, tree.script_pubkey())
    signature = spend.sign(leaf, key)
    assert len(signature) == size
    assert spend.verify(leaf.witness([signature]), flags) is None
    assert spend.verify(leaf.witness([spend.sign(leaf, key, SigHash.ALL)]), flags) is None
    for wrong in (spend.sign(leaf, other), spoil(signature)):
        assert spend.verify(leaf.witness([wrong]), flags) == "SCRIPT_ERR_SLHDSA_SIG"
        assert spend.verify(leaf.witness([wrong])) is None
    assert spend.verify(leaf.witness([signature[:-1]]), flags) == "SCRIPT_ERR_SLHDSA_SIG_SIZE"
    how = PackageSpend(tree, lambda signer: [signer.slhdsa(key)])
    tx = sign_spends(CTransaction([CTxIn(COutPoint("ab" * 32, 0))], [CTxOut(99_000, how.script_pubkey)]), [how], spend.coins)
    assert [verify_input(PrecomputedTransaction(one, spend.coins), 0, flags).script_error for one in (tx, break_signature(tx))] == [
        None, "SCRIPT_ERR_SLHDSA_SIG"]


def test_a_key_that_no_script_knows(context):
    tree = ScriptTree([NEVER, NEVER])
    with pytest.raises(ArgumentError, match="no script knows keys of the parameter set 128f"):
        Spend(context, tree.script_pubkey()).sign(tree.leaves[0], ExperimentSigner(bytes(48), "128f").key())


def test_hash_types_are_no_flags():
    """SINGLE is a name of its own, and what is named together is the number that a signature has at its end."""
    assert list(SigHash) == [0, 1, 2, 3, 0x80]
    assert repr(SigHash.SINGLE) == "<SigHash.SINGLE: 3>"
    assert repr(SigHash.SINGLE | SigHash.ANYONECANPAY) == "131"
    with pytest.raises(ValueError):
        SigHash(0x84)


def test_a_changed_transaction(context, keys):
    tree = ScriptTree([CScript([keys["alice"].public_key.data, OP_CHECKSIGSLHDSA]), NEVER])
    leaf = tree.leaves[0]
    spend = Spend(context, tree.script_pubkey())
    everything, no_outputs = spend.sign(leaf, keys["alice"]), spend.sign(leaf, keys["alice"], SigHash.NONE)
    spend.tx.vout[0].nValue -= 1
    assert spend.verify(leaf.witness([everything])) == "SCRIPT_ERR_SLHDSA_SIG"
    assert spend.verify(leaf.witness([no_outputs])) is None
    spend.coins[0].nValue += 1
    assert spend.verify(leaf.witness([no_outputs])) == "SCRIPT_ERR_SLHDSA_SIG"


def test_two_of_three(context, keys):
    alice, bob, carol = keys.values()
    script = CScript([alice.public_key.data, OP_CHECKSIGSLHDSA, bob.public_key.data, OP_CHECKSIGADDSLHDSA,
                      carol.public_key.data, OP_CHECKSIGADDSLHDSA, OP_2, OP_NUMEQUAL])
    tree = ScriptTree([script, NEVER])
    leaf = tree.leaves[0]
    spend = Spend(context, tree.script_pubkey())
    a, b, c = (spend.sign(leaf, key) for key in (alice, bob, carol))
    # The signature of the first key is on top; a key that does not sign has an empty one.
    assert spend.verify(leaf.witness([b"", b, a])) is None
    assert spend.verify(leaf.witness([c, b"", a])) is None
    assert spend.verify(leaf.witness([c, b, b""])) is None
    assert spend.verify(leaf.witness([b"", b"", a])) == "SCRIPT_ERR_EVAL_FALSE"
    assert spend.verify(leaf.witness([c, b, a])) == "SCRIPT_ERR_EVAL_FALSE"
    assert spend.verify(leaf.witness([b"", spoil(b), a])) == "SCRIPT_ERR_SLHDSA_SIG"
    assert spend.verify(leaf.witness([b"", a, b])) == "SCRIPT_ERR_SLHDSA_SIG"


def test_annex(context, keys):
    tree = ScriptTree([CScript([keys["alice"].public_key.data, OP_CHECKSIGSLHDSA]), NEVER])
    leaf = tree.leaves[0]
    spend = Spend(context, tree.script_pubkey())
    annex = b"\x50 what a soft fork may define"
    signature = spend.sign(leaf, keys["alice"], annex=annex)
    assert spend.verify(leaf.witness([signature], annex)) is None
    assert spend.verify(leaf.witness([signature], annex + b"!")) == "SCRIPT_ERR_SLHDSA_SIG"
    assert spend.verify(leaf.witness([signature])) == "SCRIPT_ERR_SLHDSA_SIG"
    for wrong in b"annex", b"":
        with pytest.raises(ValueError, match="annex does not begin with 0x50"):
            leaf.witness([signature], wrong)
        with pytest.raises(ValueError, match="annex does not begin with 0x50"):
            spend.sign(leaf, keys["alice"], annex=wrong)


def test_leaf_version_that_looks_like_an_annex(context):
    """BIP 341 has no leaf version 0x50: with an even parity bit the control block would be taken for an annex."""
    tree = ScriptTree([Leaf(NEVER, 0x50), NEVER])
    with pytest.raises(ArgumentError, match="leaf version 0x50"):
        tree.taproot().control_block(tree.leaves[0])
    # The control block of a P2MR output has the low bit set, always.
    assert tree.leaves[0].control_block[0] == 0x51
    assert Spend(context, tree.script_pubkey()).verify(tree.leaves[0].witness([])) is None


def test_hash_types_that_are_none():
    for wrong in 0x100, -1:
        with pytest.raises(ArgumentError, match="hash_type is"):
            with_hash_type(bytes(64), wrong)


class Device:
    """A signer that is no SecretKey."""

    def __init__(self, key):
        self.key = key
        self.public_key = key.public_key
        self.cut = 0

    def sign(self, message):
        return self.key.sign(message, deterministic=True)[self.cut:]


def test_a_signer_of_ones_own(context, keys):
    device = Device(keys["alice"])
    tree = ScriptTree([CScript([device.public_key.data, OP_CHECKSIGSLHDSA]), NEVER])
    spend, leaf = Spend(context, tree.script_pubkey()), tree.leaves[0]
    for hash_type in (SigHash.DEFAULT, SigHash.ALL):
        signature = spend.sign(leaf, device, hash_type)
        assert signature == spend.sign(leaf, keys["alice"], hash_type, deterministic=True)
        assert spend.verify(leaf.witness([signature])) is None
    with pytest.raises(ArgumentError, match="deterministic and context are for a SecretKey alone"):
        spend.sign(leaf, device, deterministic=True)
    device.cut = 1
    with pytest.raises(ArgumentError, match="signature"):
        spend.sign(leaf, device)
    for other in (keys["alice"].public_key, object(), None):
        with pytest.raises(TypeError, match="key must be a SecretKey, or have public_key and sign"):
            spend.sign(leaf, other)


@pytest.mark.parametrize("p2tr", [False, True])
def test_spends_of_the_package(context, keys, schnorr, p2tr):
    """The package's Spend: outputs, witnesses, and changes of them."""
    leaves = [CScript([schnorr.public, OP_CHECKSIGVERIFY, keys["alice"].public_key.data, OP_CHECKSIGSLHDSA]), NEVER]
    good = PackageSpend(ScriptTree(leaves), lambda signer: [signer.slhdsa(keys["alice"], SigHash.ALL), signer.schnorr(schnorr)], p2tr=p2tr, annex=b"\x50")
    coin = CTxOut(100_000, good.script_pubkey)

    def error(how, change=lambda tx: tx):
        tx = CTransaction([CTxIn(COutPoint("11" * 32, n)) for n in range(2)], [CTxOut(99_000, NEVER)])
        tx = change(sign_spends(tx, [None, how], [coin, coin]))
        assert tx.witness(0) == []
        return verify_input(PrecomputedTransaction(tx, [coin, coin]), 1, context=context).script_error

    assert error(good) is None
    assert error(good, lambda tx: break_signature(tx, 1)) == "SCRIPT_ERR_SLHDSA_SIG"
    assert error(replace(good, change=lambda witness: [b"", *witness])) == "SCRIPT_ERR_CLEANSTACK"
    assert error(replace(good, change=lambda witness: [witness[0], flip(witness[1]), *witness[2:]])) == "SCRIPT_ERR_SCHNORR_SIG"
    assert error(replace(good, leaf=1, stack=lambda signer: [])) == "SCRIPT_ERR_OP_RETURN"
    alone = PackageSpend(ScriptTree(NEVER), lambda signer: [], p2tr=p2tr)
    if not p2tr:
        with pytest.raises(OneLeafTreeError):
            alone.script_pubkey
        alone = replace(alone, anyone_can_spend=True)
    assert len(alone.script_pubkey) == 34


def test_one_leaf_tree(context, keys):
    tree = ScriptTree(CScript([keys["alice"].public_key.data, OP_CHECKSIGSLHDSA]))
    for make in (tree.script_pubkey, lambda: tree.address("regtest")):
        with pytest.raises(OneLeafTreeError, match="can be spent by anyone.*add a second leaf, for example OP_RETURN"):
            make()
    # This is why.
    script_pubkey = tree.script_pubkey(anyone_can_spend=True)
    assert script_pubkey == p2mr_script_pubkey(tree.root)
    assert tree.address("regtest", anyone_can_spend=True).startswith("bcrt1z")
    spend = Spend(context, script_pubkey)
    assert spend.verify(tree.leaves[0].witness([])) is None
    policy = VerifyFlags.CONSENSUS | VerifyFlags.DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM
    assert spend.verify(tree.leaves[0].witness([]), policy) == "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM"


def test_taproot_output(context, keys):
    tree = ScriptTree(CScript([keys["alice"].public_key.data, OP_CHECKSIGSLHDSA]))
    output, leaf = tree.taproot(), tree.leaves[0]
    spend = Spend(context, output.script_pubkey())
    signature = spend.sign(leaf, keys["alice"])
    assert spend.verify(output.witness(leaf, [signature])) is None
    assert spend.verify(output.witness(leaf, [spoil(signature)])) == "SCRIPT_ERR_SLHDSA_SIG"
    annex = b"\x50"
    assert spend.verify(output.witness(leaf, [spend.sign(leaf, keys["alice"], annex=annex)], annex)) is None
    assert output.address("regtest").startswith("bcrt1p")


def test_code_separator(context, keys):
    alice, bob = keys["alice"], keys["bob"]
    tree = ScriptTree([CScript([alice.public_key.data, OP_CHECKSIGSLHDSA, OP_VERIFY, OP_CODESEPARATOR, bob.public_key.data, OP_CHECKSIGSLHDSA]), NEVER])
    leaf = tree.leaves[0]
    spend = Spend(context, tree.script_pubkey())
    a = spend.sign(leaf, alice)
    assert spend.verify(leaf.witness([spend.sign(leaf, bob, codeseparator=3), a])) is None
    assert spend.verify(leaf.witness([spend.sign(leaf, bob), a])) == "SCRIPT_ERR_SLHDSA_SIG"

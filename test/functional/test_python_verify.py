# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Verification by the Python package: inputs, batches, blocks, contexts, and every error that a person can run into."""

import gc
import math
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import slhconsensus as slhc
from conftest import ROOT
from slhconsensus import (OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_NUMEQUAL, OP_RETURN, SIGNATURE_SIZE, ArgumentError, BackendError, Batch,
                          CacheMode, CBlock, COutPoint, Context, CScript, CTransaction, CTxIn, CTxOut, DataError,
                          InterruptedContextError, LogLevel, PrecomputedTransaction, Psbt, ScriptTree, SecretKey, SignatureCache, StateError, Verdict, VerifyFlags,
                          push_number, script_error_name, script_number, sign_input, verify_block_scripts, verify_input, verify_many)
from slhconsensus.testing import ExperimentSigner

FLAGS = VerifyFlags.CONSENSUS
DECLARATIONS = Path(os.environ["SLHCONSENSUS_LIBRARY"]).with_name("slhconsensus.cdef")


def test_version():
    """The package's, the library's and the project's; test_wheel.sh compares the wheel's."""
    project = re.search(r"^project\(slhconsensus\n  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert slhc.__version__ == slhc.version() == project[1]


class Spends:
    """Signed transactions with two inputs each, and a block of them."""

    def __init__(self, keys, context, n):
        alice, bob = keys["alice"], keys["bob"]
        single = CScript([alice.public_key.data, OP_CHECKSIGSLHDSA])
        double = CScript([alice.public_key.data, OP_CHECKSIGSLHDSA, bob.public_key.data, OP_CHECKSIGADDSLHDSA, 2, OP_NUMEQUAL])
        self.tree = ScriptTree([single, [double, CScript([OP_RETURN])]])
        self.coins = [CTxOut(10_000, self.tree.script_pubkey()), CTxOut(20_000, self.tree.script_pubkey())]
        self.txs = []
        one, two, _ = self.tree.leaves
        for i in range(n):
            tx = CTransaction([CTxIn(COutPoint(bytes([i + 1]) * 32, j)) for j in range(2)], [CTxOut(29_000, b"\x51")])
            unsigned = PrecomputedTransaction(tx, self.coins)
            sign = {"deterministic": True, "context": context}
            tx.witness(0)[:] = one.witness([sign_input(unsigned, 0, one, alice, **sign)])
            tx.witness(1)[:] = two.witness([sign_input(unsigned, 1, two, bob, **sign), sign_input(unsigned, 1, two, alice, **sign)])
            self.txs.append(tx)

    def transaction(self, i, spoilt=()):
        """Transaction i; spoilt: (input, element of its witness) whose bits are to be wrong."""
        return PrecomputedTransaction(self.raw(i, spoilt), self.coins)

    def raw(self, i, spoilt=()):
        tx = CTransaction.from_bytes(self.txs[i].serialize())
        for n_in, element in spoilt:
            stack = tx.witness(n_in)
            stack[element] = stack[element][:99] + bytes([stack[element][99] ^ 1]) + stack[element][100:]
        return tx

    def block(self, spoilt=None):
        """A block with all of them; spoilt: by transaction, as for transaction()."""
        coinbase = CTransaction([CTxIn(COutPoint(), b"\x02\x51\x51")], [CTxOut(5000, b"\x51")])
        block = CBlock(vtx=[coinbase, *(self.raw(i, (spoilt or {}).get(i, ())) for i in range(len(self.txs)))])
        block.add_witness_commitment()
        return block

    @property
    def block_coins(self):
        return self.coins * len(self.txs)


@pytest.fixture(scope="module")
def spends(keys, context):
    return Spends(keys, context, 4)


def test_inputs(spends, context):
    for n_in in range(2):
        result = verify_input(spends.transaction(0), n_in, context=context)
        assert result and result.verdict is Verdict.VALID and result.script_error is None
    result = verify_input(spends.transaction(0, [(1, 0)]), 1, context=context)
    assert not result and result.verdict is Verdict.INVALID and result.script_error == "SCRIPT_ERR_SLHDSA_SIG"


def test_deferred_is_not_verified(spends, context):
    with Batch(context) as batch:
        result = verify_input(spends.transaction(0), 0, batch=batch, context=context)
        assert result.verdict is Verdict.DEFERRED and result.script_error is None
        with pytest.raises(TypeError, match="neither valid nor invalid before its batch is verified"):
            assert result


@pytest.mark.parametrize("ahead", [False, True])
def test_batch(spends, context, ahead):
    with Batch(context) as batch:
        assert len(batch) == 0 and batch.verify() and batch.verify().valid
    with Batch(context, ahead=ahead) as batch:
        for tag in range(16):  # enough for a thread to take some ahead
            for n_in in range(2):
                assert verify_input(spends.transaction(tag % 4), n_in, batch=batch, tag=tag, context=context).verdict is Verdict.DEFERRED
        assert len(batch) == 48
        assert {verdict for verdict, _ in batch.verdicts()} == {Verdict.DEFERRED}
        result = batch.verify()
        assert result and result.failure is None
        assert {verdict for verdict, _ in batch.verdicts()} == {Verdict.VALID}


@pytest.mark.parametrize("ahead", [False, True])
def test_first_failure_by_tag_input_and_opcode(spends, context, ahead):
    """Whatever the order of addition."""
    with Batch(context, ahead=ahead) as batch:
        for tag, spoilt in ((7, [(0, 0)]), (3, [(1, 0), (1, 1)]), (5, [])):
            transaction = spends.transaction(tag % 4, spoilt)
            for n_in in (1, 0):
                assert verify_input(transaction, n_in, batch=batch, tag=tag, context=context).verdict is Verdict.DEFERRED
        result = batch.verify()
        assert not result and not result.valid
        failure = result.failure
        assert (failure.tag, failure.input, failure.opcode_pos, failure.script_error) == (3, 1, 1, "SCRIPT_ERR_SLHDSA_SIG")
        assert (failure.script, failure.opcode) == ("leaf script", 0x7F)
        assert str(failure) == "transaction 3, input 1, leaf script, opcode 1: SCRIPT_ERR_SLHDSA_SIG"
        assert batch.verify() == result
        failed = [(origin.tag, origin.input, origin.opcode_pos) for verdict, origin in batch.verdicts() if verdict is Verdict.INVALID]
        assert failed == [(7, 0, 1), (3, 1, 1), (3, 1, 3)]


def test_a_verified_batch_is_closed(spends, context, keys):
    with Batch(context) as batch:
        assert batch.verify()
        with pytest.raises(StateError, match="has been verified"):
            verify_input(spends.transaction(0), 0, batch=batch, context=context)
        with pytest.raises(StateError):
            batch.add(keys["alice"].public_key.data, bytes(32), bytes(SIGNATURE_SIZE))


def test_an_input_that_fails_joins_no_batch(spends, context):
    with Batch(context) as batch:
        transaction = spends.raw(0)
        transaction.witness(1)[0] = b""  # one signature of two: what the script leaves is false
        result = verify_input(PrecomputedTransaction(transaction, spends.coins), 1, batch=batch, context=context)
        assert result.verdict is Verdict.INVALID and result.script_error == "SCRIPT_ERR_EVAL_FALSE"
        assert len(batch) == 0


def test_adding_directly(keys, context):
    key = keys["alice"]
    signature = key.sign(bytes(32), context=context)
    with Batch(context) as batch:
        batch.add(key.public_key.data, bytes(32), signature, tag=1)
        batch.add(key.public_key.data, bytes(32), signature[:-1], tag=2, input=8, opcode_pos=9)
        failure = batch.verify().failure
        assert (failure.tag, failure.input, failure.opcode_pos) == (2, 8, 9)
        for arguments, says in (((bytes(31), bytes(32), b""), "public_key has 31"), ((bytes(32), bytes(33), b""), "message has 33")):
            with pytest.raises(ArgumentError, match=says):
                batch.add(*arguments)
        with pytest.raises(ArgumentError, match="tag is -1"):
            batch.add(bytes(32), bytes(32), b"", tag=-1)
        with pytest.raises(ArgumentError, match="'128x' is not a parameter set"):
            batch.add(bytes(32), bytes(32), b"", "128x")


def test_adding_another_set(context):
    signer = ExperimentSigner(bytes(48), "128-q40")
    with Batch(context) as batch:
        batch.add(signer.public_key().data, bytes(32), signer.sign(bytes(32)), "128-q40")
        assert batch.verify()


def test_batch_outlives_its_context(spends):
    with Context(backend="cpu") as own:
        batch = Batch(own)
        assert verify_input(spends.transaction(0), 0, batch=batch, context=own).verdict is Verdict.DEFERRED
    gc.collect()
    assert batch.verify()
    batch.close()


def test_threads_add_at_once(spends, context):
    with Batch(context) as batch:
        def add(tag):
            for n_in in range(2):
                verify_input(spends.transaction(tag), n_in, batch=batch, tag=tag, context=context)
        threads = [threading.Thread(target=add, args=(tag,)) for tag in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(batch) == 12 and batch.verify()


@pytest.mark.parametrize(("n_in", "flags", "says"), [
    (2, FLAGS, "n_in is 2, but the transaction has 2 inputs"), (2**32, FLAGS, "n_in is 4294967296"), (-1, FLAGS, "n_in is -1"),
    (0, 1 << len(list(VerifyFlags)), "unknown script verification flags 0x"), (0, 1 << 64, "flags is 18446744073709551616"),
    (0, VerifyFlags.WITNESS, "flags: "), (0, VerifyFlags.CLEANSTACK, "flags: "),
])
def test_usage_errors(n_in, flags, says, spends, context):
    with pytest.raises(ArgumentError, match=says):
        verify_input(spends.transaction(0), n_in, flags, context=context)


def test_numbers_that_python_does_not_print(spends, context):
    """Its limit is thousands of digits, beyond which str() is an error of its own."""
    number, says = 10**5000, "a number of 16610 bits"
    psbt = Psbt(spends.txs[0])
    for call in (lambda: verify_input(spends.transaction(0), number, context=context), CTxOut(number).serialize, lambda: Psbt(CTransaction(), number),
                 lambda: psbt.spent_output(number)):
        with pytest.raises((ArgumentError, DataError), match=says):
            call()
    with pytest.raises(TypeError, match="n_in must be an int, not float"):
        psbt.spent_output(7.5)


def test_wrong_types(spends, context):
    with pytest.raises(TypeError, match="n_in must be an int, not str"):
        verify_input(spends.transaction(0), "0", context=context)
    with pytest.raises(TypeError, match="flags must be an int, not NoneType"):
        verify_input(spends.transaction(0), 0, None, context=context)


TREE = ScriptTree([b"\x51", b"\x52"])
TAPROOT = TREE.taproot()


def knowing_its_spent_output():
    psbt = Psbt(CTransaction([CTxIn()]))
    psbt.set_spent_output(0, CTxOut(1, TREE.script_pubkey()))
    return psbt


@pytest.mark.parametrize(("call", "says"), [
    (lambda: Batch(1), "context must be a Context, not int"),
    (lambda: verify_many([], "cpu"), "context must be a Context, not str"), (lambda: verify_block_scripts(b"", [], context=""), "context must be a Context, not str"),
    (lambda: SecretKey.from_seed(bytes(48)).sign(b"", context=()), "context must be a Context, not tuple"),
    (lambda: Psbt([b""]), "tx must be a CTransaction, not list"), (lambda: Psbt(CTransaction()).sign(1), "secret must be a SecretKey, not int"),
    (lambda: Psbt(CTransaction()).combine([Psbt(CTransaction()), "x"]), r"others\[1\] must be a Psbt, not str"), (lambda: Psbt.from_base64([]), "text must be a str, not list"),
    (lambda: Psbt(CTransaction([CTxIn()])).set_spent_output(0, b""), "output must be a CTxOut, not bytes"),
    (lambda: knowing_its_spent_output().set_spent_output(0, b""), "output must be a CTxOut, not bytes"),
    (lambda: knowing_its_spent_output().set_spent_output(0, None), "output must be a CTxOut, not NoneType"),
    (lambda: Psbt(CTransaction([CTxIn()])).add_leaf(0, 1, TREE.leaves[0]), "tree must be a ScriptTree, not int"),
    (lambda: Psbt(CTransaction([CTxIn()])).add_leaf(0, TREE, b""), "leaf must be a TreeLeaf, not bytes"),
    (lambda: Psbt(CTransaction([CTxIn()])).add_leaf(0, TREE, TREE.leaves[0], bytes(32)), "taproot must be a TaprootOutput, not bytes"),
    (lambda: TAPROOT.control_block(5), "leaf must be a TreeLeaf, not int"), (lambda: TAPROOT.witness(5, []), "leaf must be a TreeLeaf, not int"),
    (lambda: TREE.leaf("51"), "script must be bytes, not str"), (lambda: push_number(math.nan), "number must be an int, not float"),
    (lambda: push_number(1.0), "number must be an int, not float"), (lambda: script_number("1"), "number must be an int, not str"),
])
def test_arguments_of_other_types(call, says):
    """Each is named, before anything else is made of it."""
    with pytest.raises(TypeError, match=says):
        call()


def test_signing_with_other_types(spends, keys):
    for leaf, key, says in ((5, keys["alice"], "leaf must be a TreeLeaf, not int"), (TREE.leaves[0], bytes(64), "key must be a SecretKey, or have public_key and sign\\(\\), not bytes")):
        with pytest.raises(TypeError, match=says):
            sign_input(spends.transaction(0), 0, leaf, key)
    with pytest.raises(TypeError, match="batch must be a Batch, not int"):
        verify_input(spends.transaction(0), 0, batch=0)


def test_cffi_knows_every_function_and_number_of_the_headers():
    header = "".join((ROOT / "src" / name).read_text() for name in ("slhdsa.h", "slhconsensus.h", "slhwallet.h"))
    functions = set(re.findall(r"^SLHC_API [^;(]*?(slhc_\w+)\(", header, re.MULTILINE))
    numbers = set(re.findall(r"^#define (SLHC_\w+) [^{]", header, re.MULTILINE))
    assert len(functions) > 30 and len(numbers) > 60
    assert functions | numbers == set(dir(slhc._library.lib))


def test_flags_are_those_of_the_header():
    names = {name.removeprefix("SLHC_VERIFY_"): value for name, value in slhc._library.CONSTANTS.items() if name.startswith("SLHC_VERIFY_")}
    assert names == {name: int(flag) for name, flag in VerifyFlags.__members__.items()}
    assert FLAGS & VerifyFlags.P2MR and not FLAGS & VerifyFlags.CLEANSTACK


def test_script_errors():
    assert script_error_name(0) == slhc.SCRIPT_ERRORS[0] == "SCRIPT_ERR_OK"
    for number in (len(slhc.SCRIPT_ERRORS), -1, 2**31 - 1, 2**31, 2**32, 2**40, -2**40):
        assert script_error_name(number) == "SCRIPT_ERR_UNKNOWN_ERROR"
    assert {"SCRIPT_ERR_EVAL_FALSE", "SCRIPT_ERR_SLHDSA_SIG", "SCRIPT_ERR_SLHDSA_SIG_SIZE", "SCRIPT_ERR_SLHDSA_SIG_HASHTYPE"} <= set(slhc.SCRIPT_ERRORS)
    assert len(set(slhc.SCRIPT_ERRORS)) == len(slhc.SCRIPT_ERRORS) > 50


def test_signature_hash(spends, keys):
    """Each argument is signed, and what makes no sense is refused."""
    tx = spends.transaction(0)
    leaf = spends.tree.leaves[0]
    hashes = [tx.signature_hash(0, leaf_hash=leaf.hash), tx.signature_hash(1, leaf_hash=leaf.hash), tx.signature_hash(0, 1, leaf_hash=leaf.hash),
              tx.signature_hash(0, leaf_hash=spends.tree.leaves[1].hash), tx.signature_hash(0, leaf_hash=leaf.hash, annex=b"\x50"),
              tx.signature_hash(0, leaf_hash=leaf.hash, key_version=slhc.KEY_VERSION_BIP340),
              tx.signature_hash(0, leaf_hash=leaf.hash, codeseparator=0), tx.signature_hash(0, key_version=slhc.KEY_VERSION_BIP340)]
    assert len(set(hashes)) == len(hashes)
    for arguments, says in (({"n_in": 2}, "n_in is 2"), ({"n_in": 1, "hash_type": 3}, "no output 1"), ({"n_in": 0, "hash_type": 4}, "hash_type 4 is undefined"),
                            ({"n_in": 0, "leaf_hash": bytes(31)}, "leaf_hash has 31"), ({"n_in": 0, "key_version": 1}, "key_version 1"),
                            ({"n_in": 0, "leaf_hash": None}, "the key path"), ({"n_in": 0, "annex": b"\x51"}, "annex does not begin with 0x50")):
        with pytest.raises(ArgumentError, match=says):
            tx.signature_hash(**{"leaf_hash": leaf.hash, **arguments})


def test_bip341_key_path(schnorr, context):
    """A P2TR output without scripts, spent with its key: the library's signature hash is what another one's signature signs."""
    coins = [CTxOut(5000, CScript([1, schnorr.public]))]
    tx = CTransaction([CTxIn(COutPoint("33" * 32, 0))], [CTxOut(4000, b"\x51")])
    message = PrecomputedTransaction(tx, coins).signature_hash(0, key_version=slhc.KEY_VERSION_BIP340)
    tx.witness(0)[:] = [schnorr.sign(message)]
    assert verify_input(PrecomputedTransaction(tx, coins), 0, context=context)
    coins[0].nValue += 1
    assert verify_input(PrecomputedTransaction(tx, coins), 0, context=context).script_error == "SCRIPT_ERR_SCHNORR_SIG"


def test_block(spends, context):
    block = spends.block()
    result = verify_block_scripts(block, spends.block_coins, context=context)
    assert result and result.failure is None
    assert verify_block_scripts(block.serialize(), [coin.serialize() for coin in spends.block_coins], context=context)


def test_first_failure_of_a_block(spends, context):
    block = spends.block({1: [(1, 1)], 3: [(0, 0)]})
    failure = verify_block_scripts(block, spends.block_coins, context=context).failure
    assert (failure.tag, failure.input, failure.opcode_pos, failure.script_error) == (2, 1, 1, "SCRIPT_ERR_SLHDSA_SIG")
    # A script that fails by itself, before any signature that is wrong
    block.vtx[1].witness(1)[-2] += b"\x51"
    failure = verify_block_scripts(block, spends.block_coins, context=context).failure
    assert (failure.tag, failure.input, failure.opcode_pos, failure.script_error) == (1, 1, None, "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH")
    assert str(failure) == "transaction 1, input 1: SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH"


def test_malformed_blocks_and_coins(spends, context):
    raw = spends.block().serialize()
    with pytest.raises(DataError):
        verify_block_scripts(raw[:-1], spends.block_coins, context=context)
    with pytest.raises(ArgumentError, match="n_spent is 7, but the block without its coinbase has 8 inputs"):
        verify_block_scripts(raw, spends.block_coins[:-1], context=context)
    with pytest.raises(DataError, match=r"spent_outputs\[7\]"):
        verify_block_scripts(raw, [*spends.block_coins[:-1], b""], context=context)
    with pytest.raises(ArgumentError, match="unknown script verification flags"):
        verify_block_scripts(raw, spends.block_coins, 1 << 40, context=context)
    for mode, says in ((7, "cache_mode 7 is not one of"), (1 << 40, "cache_mode is 1099511627776"), (-1, "cache_mode is -1")):
        with pytest.raises(ArgumentError, match=says):
            verify_block_scripts(raw, spends.block_coins, cache=SignatureCache(), cache_mode=mode, context=context)
    with pytest.raises(TypeError, match="cache_mode must be an int, not str"):
        verify_block_scripts(raw, spends.block_coins, cache=SignatureCache(), cache_mode="1", context=context)


def test_signature_cache(spends):
    with Context(backend="cpu") as own:
        block, coins, cache = spends.block(), spends.block_coins, SignatureCache()
        for mode in (CacheMode.STORE, CacheMode.ERASE_ON_HIT):
            assert verify_block_scripts(block, coins, cache=cache, cache_mode=mode, context=own)
            assert own.statistics().backends[0].signatures == 12
        assert verify_block_scripts(block, coins, context=own)
        assert own.statistics().backends[0].signatures == 24
        with Batch(own) as batch:
            assert verify_input(spends.transaction(0), 0, batch=batch, context=own).verdict is Verdict.DEFERRED
            assert verify_input(spends.transaction(0), 0, cache=SignatureCache(1 << 20), batch=batch, context=own).verdict is Verdict.DEFERRED
            cache = SignatureCache()
            assert verify_input(spends.transaction(0), 0, cache=cache, context=own)
            assert verify_input(spends.transaction(0), 0, cache=cache, batch=batch, context=own).verdict is Verdict.VALID
    with pytest.raises(ArgumentError, match="size is -1"):
        SignatureCache(-1)


def test_statistics_and_backends():
    names = {backend.name: backend for backend in slhc.list_backends()}
    assert names["cpu:portable"].available and names["cpu:portable"].description
    with Context(backend="cpu:portable", threads=2) as own:
        statistics = own.statistics()
        assert statistics.threads == 2
        cpu = statistics.backends[0]
        assert (cpu.name, cpu.is_device, cpu.ready, cpu.retired, cpu.failed_calls, cpu.wrong_roots) == ("cpu:portable", False, True, False, 0, 0)
        assert (cpu.state, cpu.process_id, cpu.program) == ("ready", None, "")


@pytest.mark.parametrize("name", ["cpu:portable", "cpu:avx2", "cpu:shani", "cpu:avx512", "cpu:avx512sha", "cpu:armv8", "vulkan:0"])
def test_backends_agree(name, spends):
    """Each one of this build and machine finds the same first failure, and none where there is none."""
    if not any(backend.name == name and backend.available for backend in slhc.list_backends()):
        pytest.skip(f"{name} is not available here")
    with Context(backend=name) as own:
        is_device = name.startswith("vulkan:")
        if is_device:  # it opens in a thread of its own, and the CPU verifies until then
            end = time.monotonic() + 120
            while not (device := own.statistics().backends[-1]).ready:
                assert not device.retired and time.monotonic() < end, device
                time.sleep(0.01)
            assert device.state == "ready" and Path(f"/proc/{device.process_id}/exe").samefile(device.program)
        for spoilt, first in (((), None), ([(1, 1)], (2, 1, 1)), ([(1, 0), (0, 0)], (2, 0, 1))):
            with Batch(own) as batch:
                for tag in range(4):
                    transaction = spends.transaction(tag, spoilt if tag >= 2 else ())
                    for n_in in range(2):
                        assert verify_input(transaction, n_in, batch=batch, tag=tag, context=own).verdict is Verdict.DEFERRED
                failure = batch.verify().failure
            assert first == (failure and (failure.tag, failure.input, failure.opcode_pos))
        backends = own.statistics().backends
        assert sum(backend.wrong_roots + backend.failed_calls for backend in backends) == 0
        assert backends[-1].is_device == is_device and backends[-1].signatures > 0
    assert not is_device or not Path(f"/proc/{device.process_id}").exists()


def test_log():
    lines = []
    with Context(backend="cpu:portable", log=lambda level, message: lines.append((level, message)), log_level=LogLevel.DEBUG) as own:
        own.statistics()
        with Batch(own) as batch:
            assert batch.verify()
    assert all(isinstance(level, LogLevel) and message and "\n" not in message for level, message in lines)
    assert any("cpu:portable" in message for _, message in lines)


def test_interrupt(spends):
    with Context(backend="cpu") as own, Batch(own) as batch:
        verify_input(spends.transaction(0), 0, batch=batch, context=own)
        own.interrupt()
        with pytest.raises(InterruptedContextError):
            batch.verify()
        with pytest.raises(InterruptedContextError):
            verify_block_scripts(spends.block(), spends.block_coins, context=own)


@pytest.mark.parametrize(("options", "error", "says"), [
    ({"backend": "quantum"}, BackendError, "unknown backend 'quantum'; known here are auto, cpu"),
    ({"backend": "cpu:quantum"}, BackendError, "quantum"), ({"backend": "vulkan:99"}, BackendError, "vulkan"),
    ({"backend": "vulkan", "device_program": "/none/slhgpu"}, BackendError, "vulkan: cannot start /none/slhgpu: No such file or directory"),
    ({"device_program": "slhgpu\0"}, ArgumentError, "device_program contains a zero byte"),
    ({"backend": "cpu\0"}, ArgumentError, "backend contains a zero byte"), ({"backend": "\ud800"}, ArgumentError, "backend is not Unicode"),
    ({"cache_dir": "\ud800"}, ArgumentError, "cache_dir is not Unicode"), ({"threads": -1}, ArgumentError, "threads is -1"),
    ({"threads": "2"}, TypeError, "threads must be an int"),
    ({"log_level": 1 << 40}, ArgumentError, "log_level is 1099511627776"), ({"log_level": -1}, ArgumentError, "log_level is -1"),
    ({"log_level": "1"}, TypeError, "log_level must be an int"), ({"log_level": 4}, ArgumentError, "log_level is 4, not a LogLevel"),
    ({"log_level": 4, "log": print}, ArgumentError, "log_level is 4, not a LogLevel"), ({"log": 5}, TypeError, "log must be callable, not int"),
    ({"log": "stderr"}, TypeError, "log must be callable, not str"),
])
def test_contexts_that_cannot_be_made(options, error, says):
    with pytest.raises(error, match=says):
        Context(**options)


def test_paths(tmp_path):
    for folder in tmp_path, str(tmp_path), Path(os.fsdecode(bytes(tmp_path / "not") + b"\xff utf-8")):
        with Context(backend="cpu:portable", cache_dir=folder) as own:
            assert own.statistics().backends[0].name == "cpu:portable"
    with pytest.raises(TypeError, match="PathLike"):
        Context(cache_dir=5)
    with pytest.raises(TypeError, match="PathLike"):
        Context(device_program=5)


def test_closed_objects(spends):
    own = Context(backend="cpu")
    batch = Batch(own)
    own.close()
    own.close()
    with pytest.raises(StateError, match="the context is closed"):
        verify_input(spends.transaction(0), 0, context=own)
    with pytest.raises(StateError, match="the context is closed"):
        Batch(own)
    batch.close()
    with pytest.raises(StateError, match="the batch is closed"):
        len(batch)


def python(code, **environment):
    """A Python of its own that runs this code."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, **environment})


def test_default_context_reads_the_environment():
    code = "import slhconsensus as s; print(s.default_context().statistics().threads, s.default_context() is s.default_context())"
    assert python(code, SLHC_BACKEND="cpu", SLHC_THREADS="3").stdout == "3 True\n"
    result = python(code, SLHC_BACKEND="nonsense")
    assert result.returncode == 1 and "BackendError: slhc_context_create: unknown backend 'nonsense'" in result.stderr


def test_what_is_open_is_closed_at_exit():
    result = python("import slhconsensus as s\nc = s.Context(); b = s.Batch(c); k = [c, b]; k.append(k)\nprint(b.verify().valid)")
    assert (result.returncode, result.stdout, result.stderr) == (0, "True\n", "")


def test_library_that_is_not_there(tmp_path):
    result = python("import slhconsensus", SLHCONSENSUS_LIBRARY=str(tmp_path / "none.so"))
    assert "none.so': no such file" in result.stderr and "ImportError" in result.stderr
    text = tmp_path / "text.so"
    text.write_text("no library")
    result = python("import slhconsensus", SLHCONSENSUS_LIBRARY=str(text))
    assert f"ImportError: {text}: slhconsensus.cdef is neither" in result.stderr
    shutil.copy(DECLARATIONS, tmp_path)
    result = python("import slhconsensus", SLHCONSENSUS_LIBRARY=str(text))
    assert f"ImportError: {text}: " in result.stderr


def test_library_of_another_kind(tmp_path):
    """A library without the functions of the header."""
    import _struct
    if not getattr(_struct, "__file__", None):
        pytest.skip("this Python has no extension module in a file")
    library = tmp_path / "struct.so"
    library.symlink_to(_struct.__file__)
    shutil.copy(DECLARATIONS, tmp_path)
    result = python("import slhconsensus", SLHCONSENSUS_LIBRARY=str(library))
    assert f"ImportError: {library}: " in result.stderr and "slhc_version" in result.stderr


def test_fork(spends):
    """In a child, what the parent made can only be closed; contexts of its own work, and the default one is made anew."""
    parents = slhc.default_context()
    with Context(backend="cpu", threads=2) as own, Batch(own, ahead=True) as batch:
        assert verify_input(spends.transaction(0), 0, batch=batch, context=own).verdict is Verdict.DEFERRED
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for call in (own.statistics, own.interrupt, parents.statistics, lambda: Batch(own),
                             lambda: verify_input(spends.transaction(0), 0, context=own), lambda: verify_block_scripts(b"", [], context=own),
                             lambda: len(batch), lambda: list(batch.verdicts()), batch.verify):
                    with pytest.raises(StateError, match=r"^the [a-z ]+ was made before a fork\(\) of this process, which needs a context of its own$"):
                        call()
                for inherited in (batch, own):
                    inherited.close()
                assert slhc.default_context() is not parents
                assert verify_block_scripts(spends.block(), spends.block_coins)
                with Batch() as made_here:
                    assert verify_input(spends.transaction(0), 0, batch=made_here).verdict is Verdict.DEFERRED
                    assert len(made_here) == 1 and made_here.verify()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(batch) == 1 and batch.verify()
    assert slhc.default_context() is parents


BUSY = """
import threading, time
from slhconsensus import *
key = SecretKey.from_seed(bytes(48))
context = Context(backend="cpu", threads=2)
jobs = [VerifyJob(key.public_key, b"m", key.sign(b"m", context=context))] * 2000
started = threading.Event()
def work():
    try:
        while True:
            started.set()
            assert all(verify_many(jobs, context))
    except StateError:
        print("closed")
thread = threading.Thread(target=work, daemon=True)
thread.start()
started.wait()
time.sleep(0.05)
"""


def test_default_context_after_it_was_closed():
    result = python("""
from slhconsensus import default_context
with default_context() as first:
    assert default_context() is first and not first.closed
assert first.closed and default_context() is not first and default_context().statistics().threads
""", SLHC_BACKEND="cpu")
    assert (result.returncode, result.stderr) == (0, "")


def test_closed_while_in_use():
    """A call of another thread ends well, and then the context is closed for it too."""
    result = python(BUSY + "context.close()\nthread.join()")
    assert (result.returncode, result.stdout, result.stderr) == (0, "closed\n", "")


def test_end_of_the_program_while_in_use():
    """A daemon thread is in the library when the program ends: nothing is freed under it."""
    result = python(BUSY + "print('end')")
    assert result.returncode == 0 and result.stdout.startswith("end\n")

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool psbt with a PSBT from somebody who damages signatures, hides what is signed, or wants one for something else."""

import base64
import hashlib
import json
import re

import pytest

from psbt_files import (HYBRID, INTERNAL_KEY, TWO_OF_THREE, addresses, compact_size, create, files, finish, maps, raw, sign, with_input_field, write,  # noqa: F401
                        write_maps)
from tool import TXID, bad, ok, ok_json, run

SIGNATURE_SIZE = 7856


@pytest.fixture
def damage(files, tmp_path):
    """A copy of a PSBT whose signature by somebody has a bit flipped."""
    def damaged(psbt, name):
        data = bytearray(raw(psbt))
        at = data.index(b"slhdsa\x00" + bytes.fromhex(files.pub[name]))
        data[at + 7 + 64 + 3 + SIGNATURE_SIZE // 2] ^= 1
        return write(tmp_path / f"damaged_{psbt.stem}_{name}.psbt", bytes(data))
    return damaged


def valid(psbt):
    """Of each key of the first leaf, whether its signature is valid; None without one."""
    return [each.get("valid") for each in ok_json("psbt", "show", f"@{psbt}")["inputs"][0]["leaves"][0]["signatures"]]


# One invalid signature does not stop the others


def test_finalize_uses_the_valid_ones(files, create, damage, tmp_path):
    three = damage(sign(files, create(TWO_OF_THREE), "alice", "bob", "carol", out=tmp_path / "three.psbt"), "bob")
    final = tmp_path / "final.psbt"
    done = run("psbt", "finalize", f"@{three}", "--force", "--out", final)
    assert done.returncode == 0
    assert done.stderr == f"not used: input 0: the signature by {files.pub['bob']} is not valid for this transaction\n"
    ok("psbt", "extract", f"@{final}", "--force", "--out", tmp_path / "spend.json")
    left_out = json.loads(run("psbt", "finalize", f"@{three}", "--json").stdout)["left_out"]
    assert [(each["input"], files.pub["bob"] in each["why"]) for each in left_out] == [(0, True)]

    two = damage(sign(files, create(TWO_OF_THREE), "alice", "bob", out=tmp_path / "two.psbt"), "bob")
    assert ok_json("psbt", "show", f"@{two}")["next"] == "sign"
    refused = run("psbt", "finalize", f"@{two}", "--force", "--out", tmp_path / "never.psbt")
    assert refused.returncode == 1 and not (tmp_path / "never.psbt").exists()
    assert refused.stdout.startswith("input 0 needs 2 signatures, but has 1; not used: the signature by " + files.pub["bob"])


def test_combine_takes_the_valid_one(files, create, damage, tmp_path):
    start = create(TWO_OF_THREE)
    alice, bob = (sign(files, start, name, out=tmp_path / f"{name}.psbt") for name in ["alice", "bob"])
    both = tmp_path / "both.psbt"
    for order in [[alice, damage(bob, "bob"), bob], [damage(bob, "bob"), bob, alice], [alice, bob, damage(bob, "bob")]]:
        ok("psbt", "combine", *(f"@{path}" for path in order), "--force", "--out", both)
        assert valid(both) == [True, True, None]
        finish(both, tmp_path)
    bad("psbt", "combine", f"@{alice}", f"@{damage(bob, 'bob')}", says=["PSBT 1: input 0", files.pub["bob"], "--drop-invalid", "--unchecked"])


def test_drop_invalid(files, create, damage, tmp_path):
    start = create(TWO_OF_THREE)
    both = damage(sign(files, start, "alice", "bob", out=tmp_path / "both.psbt"), "bob")
    clean = tmp_path / "clean.psbt"
    dropped = run("psbt", "update", f"@{both}", "--drop-invalid", "--force", "--out", clean)
    assert dropped.returncode == 0
    assert dropped.stderr == f"dropped: input 0: the signature by {files.pub['bob']} is not valid for this transaction\n"
    assert valid(clean) == [True, None, None]
    finish(sign(files, clean, "carol", out=tmp_path / "2.psbt"), tmp_path)
    told = ok_json("psbt", "update", f"@{both}", "--drop-invalid")
    assert [each["input"] for each in told["dropped"]] == [0] and told["warnings"] == []
    assert ok_json("psbt", "update", f"@{clean}", "--drop-invalid")["dropped"] == []
    # Nothing is called valid that nobody can judge.
    data = raw(both)
    at = data.index(b"\x01\x01\x2b")  # PSBT_IN_WITNESS_UTXO: 43 bytes
    unknown = write(tmp_path / "unknown.psbt", data[:at] + data[at + 3 + 43:])
    bad("psbt", "update", f"@{unknown}", "--drop-invalid", says=["--drop-invalid", "what input 0 spends is not known"])
    tree, _ = files.tree(TWO_OF_THREE.format(**files.pub), "OP_RETURN")
    told = ok_json("psbt", "update", f"@{unknown}", "--drop-invalid", "--tree", f"@{tree}", "--input", 0, "--amount", 100_000)
    assert [each["input"] for each in told["dropped"]] == [0]


def test_signing_again_replaces_an_invalid_signature(files, create, damage, tmp_path):
    alice = damage(sign(files, create(TWO_OF_THREE), "alice", out=tmp_path / "alice.psbt"), "alice")
    bad("psbt", "sign", f"@{alice}", "--key", files.key("alice"), "--yes", says=["input 0", files.pub["alice"], "--despite-invalid"])
    again = sign(files, alice, "alice", "carol", out=tmp_path / "again.psbt", options=["--despite-invalid"])
    assert valid(again) == [True, None, True]
    finish(again, tmp_path)


@pytest.mark.parametrize("key, value", [
    (b"\x13", b"\x55" * 64),                                              # PSBT_IN_TAP_KEY_SIG, which P2MR does not have
    (b"\x08", b"\x01\x01\x01"),                                           # a final witness
    (b"\x15" + b"\xc1" * 33, b"\x51\xc0"),                                # a leaf of another tree
    (b"\x18", bytes(32)),                                                 # another merkle root
    (b"\x17", b"\x02" * 32),                                              # an internal key, which P2MR does not have
    (b"\x14" + bytes(64), bytes(64)),                                     # a signature by nobody for nothing
], ids=["key path", "final witness", "leaf", "root", "internal key", "stray signature"])
def test_fields_that_somebody_put_in(files, create, tmp_path, key, value):
    """No signer is fooled, nothing that was there is lost, and the field can be removed."""
    start = create(TWO_OF_THREE)
    signed = sign(files, start, "alice", "bob", out=tmp_path / "signed.psbt")
    data = raw(signed)
    if key == b"\x18":
        at = data.index(b"\x01\x18\x20") + 3
        hostile = write(tmp_path / "hostile.psbt", data[:at] + value + data[at + 32:])
    else:
        hostile = with_input_field(signed, tmp_path / "hostile.psbt", key, value)
    bad("psbt", "sign", f"@{hostile}", "--key", files.key("carol"), "--yes", says="input 0")
    bad("psbt", "combine", f"@{hostile}", f"@{signed}", says="input 0") if key != b"\x18" else bad("psbt", "combine", f"@{hostile}", f"@{signed}", says="two values of PSBT_IN_TAP_MERKLE_ROOT")
    clean = tmp_path / "clean.psbt"
    assert run("psbt", "update", f"@{hostile}", "--drop-invalid", "--force", "--out", clean).returncode == 0
    if key == b"\x18":
        assert len(raw(clean)) == len(data) - 35
    else:
        assert raw(clean) == data
    finish(clean, tmp_path)


def test_combine_names_who_changed_what_is_signed(files, create, tmp_path):
    """A field of one PSBT can make a signature of another invalid. The one with the signature is not to blame."""
    start = create(TWO_OF_THREE, "--psbt-version", 2)
    sequence = b"\x01\x10\x04\xfe\xff\xff\xff"
    assert raw(start).count(sequence) == 1
    write(start, raw(start).replace(sequence, b""))
    alice, bob = (sign(files, start, name, out=tmp_path / f"{name}.psbt") for name in ["alice", "bob"])
    data = raw(bob)
    at = data.index(b"\x01\x0e\x20")  # PSBT_IN_PREVIOUS_TXID
    unsigned = raw(start)
    unsigned_at = unsigned.index(b"\x01\x0e\x20")
    changed = write(tmp_path / "changed.psbt", unsigned[:unsigned_at] + b"\x01\x10\x04\x05\x00\x00\x00" + unsigned[unsigned_at:])
    for order in [[alice, changed], [changed, alice]]:
        where = order.index(changed)
        bad("psbt", "combine", *(f"@{path}" for path in order),
            says=[f"PSBT {where}: input 0: PSBT_IN_SEQUENCE changes what was signed", files.pub["alice"], f"which comes from PSBT {1 - where} and is valid there"])
    # With a signature of its own that it makes invalid, it shows by itself.
    changed = write(tmp_path / "changed.psbt", data[:at] + b"\x01\x10\x04\x05\x00\x00\x00" + data[at:])
    result = run("psbt", "combine", f"@{alice}", f"@{changed}")
    assert result.returncode == 2 and "PSBT 1: " in result.stderr


def test_combine_names_the_field_that_matters(files, create, tmp_path):
    """Not one beside it, which changes nothing."""
    start = create(TWO_OF_THREE, "--psbt-version", 2)
    for field in [b"\x01\x10\x04\xfe\xff\xff\xff", b"\x01\x03\x04\x00\x00\x00\x00"]:  # PSBT_IN_SEQUENCE, PSBT_GLOBAL_FALLBACK_LOCKTIME
        assert raw(start).count(field) == 1
        write(start, raw(start).replace(field, b""))
    alice = sign(files, start, "alice", out=tmp_path / "alice.psbt")
    data = raw(start)
    at = data.index(b"\x01\x0e\x20")  # PSBT_IN_PREVIOUS_TXID
    lock_time, sequence = b"\x01\x03\x04\x00\x00\x00\x00", b"\x01\x10\x04\x05\x00\x00\x00"
    changed = write(tmp_path / "changed.psbt", data[:5] + lock_time + data[5:at] + sequence + data[at:])
    bad("psbt", "combine", f"@{alice}", f"@{changed}", says="PSBT 1: input 0: PSBT_IN_SEQUENCE changes what was signed")
    harmless = write(tmp_path / "harmless.psbt", data[:5] + lock_time + data[5:])
    ok("psbt", "combine", f"@{alice}", f"@{harmless}", "--force", "--out", tmp_path / "both.psbt")


def test_combine_is_not_misled_by_lock_times(files, addresses, tmp_path):
    """Some of the lock times that inputs require contradict each other without the rest; all of them change nothing."""
    tree, _ = files.tree(f"pk_schnorr({files.pub['dave']})", "OP_RETURN")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": n, "amount": 100_000, "tree": f"@{tree}"} for n in range(3)],
                                "outputs": [{"address": addresses["regtest"]}]}))
    start = tmp_path / "start.psbt"
    ok("psbt", "create", spec, "--psbt-version", 2, "--out", start)

    def field(kind, value):
        return bytes([1, kind, 4]) + value.to_bytes(4, "little")

    def with_fields(name, *fields):
        """With the lock time 10, and these fields of inputs, which have no sequence numbers else."""
        head, *inputs = raw(start).replace(field(0x10, 0xfffffffe), b"").replace(field(0x03, 0), field(0x03, 10)).split(b"\x01\x0e\x20")
        assert len(inputs) == len(fields)
        return write(tmp_path / f"{name}.psbt", head + b"".join(own + b"\x01\x0e\x20" + rest for own, rest in zip(fields, inputs)))

    signed = sign(files, with_fields("unsigned", b"", b"", b""), "dave", out=tmp_path / "signed.psbt")
    height, both, sequence = field(0x12, 10), field(0x11, 1_700_000_000) + field(0x12, 10), field(0x10, 5)
    changed = with_fields("changed", height, both, sequence)
    for order in [[signed, changed], [changed, signed]]:
        bad("psbt", "combine", *(f"@{path}" for path in order),
            says=[f"PSBT {order.index(changed)}: input 2: PSBT_IN_SEQUENCE changes what was signed", f"comes from PSBT {order.index(signed)}"])
    assert run("psbt", "combine", f"@{signed}", f"@{with_fields('harmless', height, both, b'')}").returncode == 0


def test_show_judges_the_key_path(files, create, tmp_path):
    start = create(TWO_OF_THREE, "--internal-key", INTERNAL_KEY)
    assert "key_path" not in ok_json("psbt", "show", f"@{start}")["inputs"][0]
    hostile = with_input_field(start, tmp_path / "hostile.psbt", b"\x13", b"\x55" * 64 + b"\x02")  # PSBT_IN_TAP_KEY_SIG, NONE
    shown = ok_json("psbt", "show", f"@{hostile}")
    assert shown["inputs"][0]["key_path"] == {"sighash": "NONE", "valid": False} and shown["next"] == "sign"
    assert any("the key path's signature" in warning for warning in shown["warnings"])
    assert "key path" in (text := ok("psbt", "show", f"@{hostile}")) and "INVALID signature, hash type NONE" in text


def test_show_of_an_undefined_hash_type(create, tmp_path):
    hostile = with_input_field(create(TWO_OF_THREE), tmp_path / "hostile.psbt", b"\x03", (4).to_bytes(4, "little"))  # PSBT_IN_SIGHASH_TYPE
    shown = ok_json("psbt", "show", f"@{hostile}")
    assert shown["inputs"][0]["sighash"] == 4 and any("undefined" in warning for warning in shown["warnings"])
    assert re.search(r"\n  hash type: +4\n", ok("psbt", "show", f"@{hostile}"))


def test_hash_type_of_an_input_of_another_kind(files, create, tmp_path):
    """P2WPKH has hash types that taproot lacks. They are the other signer's business, and do not keep ours from being shown and signed."""
    start = raw(create(TWO_OF_THREE))
    end = 8 + start[7]  # of the unsigned transaction, which has one input and one output
    tx = start[8:12] + b"\x02" + start[13:54] + b"\x22" * 32 + bytes(4) + b"\x00" + b"\xff" * 4 + start[54:end]
    spent = (1_000).to_bytes(8, "little") + b"\x16\x00\x14" + b"\x11" * 20
    theirs = b"\x01\x01" + compact_size(len(spent)) + spent + b"\x01\x03\x04\x41\x00\x00\x00" + b"\x00"  # ALL with a bit that means nothing
    mixed = write(tmp_path / "mixed.psbt", b"psbt\xff\x01\x00" + compact_size(len(tx)) + tx + start[end:-1] + theirs + start[-1:])
    assert ok_json("psbt", "show", f"@{mixed}")["inputs"][1]["sighash"] == 0x41
    text = r"\n  hash type: +65\n"
    assert re.search(text, ok("psbt", "show", f"@{mixed}"))
    assert re.search(text, ok("psbt", "sign", f"@{mixed}", "--key", files.key("alice"), "--any-fee", "--yes", "--out", tmp_path / "signed.psbt"))


def test_modifiable_flags_of_one_alone(create, tmp_path):
    """A PSBT without PSBT_GLOBAL_TX_MODIFIABLE permits nothing (BIP 370)."""
    start = create(TWO_OF_THREE, "--psbt-version", 2)
    flags = b"\x01\x06\x01"
    assert flags not in raw(start)
    open_to_all = write(tmp_path / "open.psbt", raw(start)[:5] + flags + b"\x03" + raw(start)[5:])
    for order in [[start, open_to_all], [open_to_all, start]]:
        ok("psbt", "combine", *(f"@{path}" for path in order), "--force", "--out", tmp_path / "combined.psbt")
        assert flags + b"\x00" in raw(tmp_path / "combined.psbt")
    ok("psbt", "combine", f"@{open_to_all}", f"@{open_to_all}", "--force", "--out", tmp_path / "combined.psbt")
    assert flags + b"\x03" in raw(tmp_path / "combined.psbt")


@pytest.mark.parametrize("options, says", [
    (["--leaf", "0"], "--leaf: needs --tree"),
    (["--output", "0"], "--output: needs --tree"),
    (["--amount", "5"], "--amount: needs --tree"),
    (["--internal-key", INTERNAL_KEY], "--internal-key: needs --tree"),
    (["--input", "0"], "--input: needs --tree, --preimage or --sighash"),
    (["--tree", "{OP_1,OP_RETURN}", "--output", "0", "--leaf", "0"], "--leaf: is about an input, and cannot be combined with --output"),
    (["--tree", "{OP_1,OP_RETURN}", "--output", "0", "--amount", "5"], "--amount: is about an input, and cannot be combined with --output"),
])
def test_update_refuses_options_that_do_nothing(create, options, says):
    bad("psbt", "update", f"@{create(TWO_OF_THREE)}", *options, says=says)


def with_output_fields(psbt, path, fields):
    """A copy of a PSBT with one output, whose map is the last one."""
    data = raw(psbt)
    assert data.endswith(b"\x00")
    return write(path, data[:-1] + b"".join(compact_size(len(key)) + key + compact_size(len(value)) + value for key, value in fields) + b"\x00")


NUMS_KEY = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"  # of BIP 341
OUT_INTERNAL_KEY, OUT_TREE = b"\x05", b"\x06"
TREE_OF_ANYONE = bytes.fromhex("01c0015101c00151")


@pytest.mark.parametrize("fields, taproot, n_wrong, says", [
    ([(OUT_TREE, TREE_OF_ANYONE)], False, 1, "output 0: PSBT_OUT_TAP_TREE is not the tree of the output"),
    ([(OUT_INTERNAL_KEY, b"\x02" * 32)], False, 1, "output 0: PSBT_OUT_TAP_INTERNAL_KEY: the output has no internal key"),
    ([(OUT_INTERNAL_KEY, bytes.fromhex(INTERNAL_KEY)), (OUT_TREE, TREE_OF_ANYONE)], True, 2, "output 0: PSBT_OUT_TAP_TREE is not the tree of the output"),
    ([(OUT_INTERNAL_KEY, b"\xff" * 32), (OUT_TREE, TREE_OF_ANYONE)], True, 2, "output 0: PSBT_OUT_TAP_TREE is not the tree of the output"),
], ids=["tree", "internal key", "taproot", "no such key"])
def test_output_trees_that_do_not_fit(files, create, tmp_path, fields, taproot, n_wrong, says):
    """They are shown and can be removed, and stop nobody: no signature depends on them."""
    start = create(TWO_OF_THREE)
    if taproot:
        data = raw(start)
        at = data.index(bytes.fromhex("225220"))
        start = write(start, data[:at + 1] + b"\x51" + data[at + 2:])
    hostile = with_output_fields(start, tmp_path / "hostile.psbt", fields)
    shown = ok_json("psbt", "show", f"@{hostile}")
    assert shown["warnings"][0].startswith(says) and "--drop-invalid" in shown["warnings"][0] and "tree" not in shown["outputs"][0]
    assert says in ok("psbt", "show", f"@{hostile}")
    signed = sign(files, hostile, "alice", "bob", out=tmp_path / "signed.psbt")
    result = run("psbt", "combine", f"@{signed}", f"@{hostile}", "--unchecked", "--out", tmp_path / "both.psbt")
    assert result.returncode == 0 and says in result.stderr
    bad("psbt", "combine", f"@{start}", f"@{hostile}", says=["PSBT 1: output 0", "--drop-invalid"])
    finish(signed, tmp_path)
    dropped = ok_json("psbt", "update", f"@{hostile}", "--drop-invalid", "--force", "--out", tmp_path / "clean.psbt")["dropped"]
    assert [each["output"] for each in dropped] == [0] * n_wrong and raw(tmp_path / "clean.psbt") == raw(start)


def paying_to(psbt, path, script_pubkey):
    """A copy of a PSBT whose P2MR output has another script of the same size."""
    data = raw(psbt)
    at = data.index(bytes.fromhex("225220")) + 1
    return write(path, data[:at] + bytes.fromhex(script_pubkey) + data[at + 34:])


def test_amounts_of_more_than_there_is(files, create, addresses, tmp_path):
    """A PSBT that nobody can use is still shown, without a fee."""
    data = raw(create(TWO_OF_THREE, "--to", f"{addresses['regtest']}=30000", "--to", f"{addresses['regtest']}=50000", "--fee", 10_000))
    for amount in 30_000, 50_000:
        assert data.count(amount.to_bytes(8, "little")) == 1
        data = data.replace(amount.to_bytes(8, "little"), (11_000_000 * 10**8).to_bytes(8, "little"))
    hostile = write(tmp_path / "hostile.psbt", data)
    says = "inputs or outputs of more than 21,000,000 bitcoin: the transaction can never be valid"
    shown = ok_json("psbt", "show", f"@{hostile}")
    assert says in shown["warnings"] and shown["next"] == "none" and "fee" not in shown
    assert "none: these amounts cannot be" in ok("psbt", "show", f"@{hostile}")
    bad("psbt", "sign", f"@{hostile}", "--key", files.key("alice"), "--yes", "--any-fee", says=["not signed", says])


def tapleaf_hash(script):
    tag = hashlib.sha256(b"TapLeaf").digest()
    return hashlib.sha256(tag + tag + b"\xc0" + compact_size(len(script)) + script).hexdigest()


def test_change_that_anyone_can_spend(files, create, tmp_path):
    """A tree whose only leaf asks for the signer's own signature is no change of the signer's: its P2MR output is open."""
    leaf = b"\x20" + bytes.fromhex(files.pub["alice"]) + b"\x7f"
    psbt = paying_to(create(TWO_OF_THREE), tmp_path / "single.psbt", "5220" + tapleaf_hash(leaf))
    says = "output 0: a P2MR (P2TSH) output with a single leaf can be spent by anyone"
    bad("psbt", "update", f"@{psbt}", "--tree", f"pk_slhdsa({files.pub['alice']})", "--output", 0, says=says)
    hostile = with_output_fields(psbt, tmp_path / "hostile.psbt", [(OUT_TREE, b"\x00\xc0" + compact_size(len(leaf)) + leaf)])
    shown = ok_json("psbt", "show", f"@{hostile}")
    assert shown["warnings"][0].startswith(says) and shown["next"] == "none"
    for options in [], ["--despite-invalid", "--any-fee"]:
        bad("psbt", "sign", f"@{hostile}", "--key", files.key("alice"), "--yes", *options, says=["not signed", says])


def test_change_with_a_leaf_that_anyone_can_spend(files, create, tmp_path):
    """What address warns of when it is made, the signer of a PSBT reads too."""
    tree, told = files.tree(f"pk_slhdsa({files.pub['alice']})", "OP_1")
    psbt = paying_to(create(TWO_OF_THREE), tmp_path / "open.psbt", told["script_pubkey"])
    warning = "output 0: leaf 1: " + told["leaves"][1]["warning"]
    updated = run("psbt", "update", f"@{psbt}", "--tree", f"@{tree}", "--output", 0, "--out", tmp_path / "updated.psbt")
    assert updated.returncode == 0 and f"WARNING: {warning}" in updated.stderr
    assert ok_json("psbt", "show", f"@{tmp_path / 'updated.psbt'}")["warnings"] == [warning]
    assert warning in ok("psbt", "sign", f"@{tmp_path / 'updated.psbt'}", "--key", files.key("alice"), "--yes", "--out", tmp_path / "signed.psbt")


class Coin:
    """What a tree locks, with an internal key or without."""

    def __init__(self, files, leaves, internal_key=None):
        self.path, told = files.tree(*leaves)
        self.member = {"tree": f"@{self.path}", **({"internal_key": internal_key} if internal_key else {})}
        self.options = ["--tree", f"@{self.path}", *(["--internal-key", internal_key] if internal_key else [])]
        made = ok_json("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", 100_000, *self.options, "--to", told["addresses"]["regtest"])
        shown = ok_json("psbt", "show", made["psbt"])["inputs"][0]
        self.address, self.script_pubkey = shown["address"], shown["script_pubkey"]


@pytest.fixture
def coins_to_first(tmp_path):
    """A PSBT that spends two coins, by their first leaves, to the script of the first one. shown: with all leaves of it that can be signed for"""
    def made(first, second, shown=False):
        spec, start = tmp_path / "spec.json", tmp_path / "start.psbt"
        spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": n, "amount": 100_000, **coin.member, "leaf": 0} for n, coin in enumerate([first, second])],
                                    "outputs": [{"address": first.address}]}))
        ok("psbt", "create", spec, "--force", "--out", start)
        if shown:
            ok("psbt", "update", f"@{start}", *first.options, "--force", "--out", start)
        return start
    return made


def test_change_that_is_somebody_elses(files, tmp_path):
    """An input of an attacker makes an output to its script no change of the signer's, nor does a tree in which the signer has no key."""
    (ours, told), (theirs, theirs_told) = (files.tree(f"pk_slhdsa({files.pub[name]})", "OP_RETURN") for name in ("alice", "bob"))
    spec, start = tmp_path / "spec.json", tmp_path / "start.psbt"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": n, "amount": 100_000, "tree": f"@{tree}"} for n, tree in enumerate([ours, theirs])],
                                "outputs": [{"address": told["addresses"]["regtest"], "amount": 50_000}, {"address": theirs_told["addresses"]["regtest"]}]}))
    ok("psbt", "create", spec, "--out", start)
    for n, tree in enumerate([ours, theirs]):
        ok("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--output", n, "--force", "--out", start)
    assert "only_these_keys" not in ok_json("psbt", "show", f"@{start}")["outputs"][1]  # whose keys?
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice")]
    outputs = ok_json(*args)["outputs"]
    assert [each["only_these_keys"] for each in outputs] == [True, False] and not any("others_may_spend" in each for each in outputs)
    assert [each["leaves_of_these_keys"] for each in outputs] == [[{"leaf": 0, "public_key": files.pub["alice"]}], []]
    text = ok(*args, "--yes", "--out", tmp_path / "signed.psbt")
    mine, other = text[text.index("output 0:"):].split("output 1:")
    assert re.search("back to: +the script of input 0\n", mine) and f"{files.pub['alice']} in leaf 0\n" in mine
    assert "back to" not in other and "the script of input 1, which none of these keys signs\n" in other
    assert "none: no leaf asks for one of these keys\n" in other


NOT_SHOWN = "by leaves that the PSBT does not show (psbt update --output says the tree)"


def test_script_of_an_input_that_others_can_spend(files, coins_to_first, tmp_path):
    """An attacker adds a coin of their own, in whose tree the signer has a leaf, and pays the change there."""
    alice, bob = (f"pk_slhdsa({files.pub[name]})" for name in ("alice", "bob"))
    ours = Coin(files, [alice, "OP_RETURN"])
    for evil, how in [(Coin(files, [alice, bob]), NOT_SHOWN),
                      (Coin(files, [alice, f"older(144) {alice}"], INTERNAL_KEY), "by the key path, whoever has the internal key")]:
        start = coins_to_first(evil, ours, shown="internal_key" in evil.member)
        args = ["psbt", "sign", f"@{start}", "--key", files.key("alice"), "--any-fee"]
        made = ok_json(*args)
        (output,) = made["outputs"]
        assert output["only_these_keys"] is False and output["others_may_spend"] == how and output["script_of_all_signed_inputs"] is False
        assert made["warnings"] == [f"output 0: it has the script of input 0, of which these keys sign a leaf, but others may spend it: {how}"]
        text = ok(*args, "--yes", "--force", "--out", tmp_path / "signed.psbt")
        assert "back to" not in text and re.search("  has: +the script of input 0, of which these keys sign a leaf\n", text)
        assert f"may spend it, too: {how}\n" in text and f"WARNING: {made['warnings'][0]}" in re.sub(": +", ": ", text)
    # Where all leaves are shown, it is known which one.
    start = coins_to_first(Coin(files, [alice, bob]), ours, shown=True)
    assert ok_json("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--any-fee")["outputs"][0]["others_may_spend"] == f"by leaf {leaf_number(start, files.pub['bob'])}: it needs none of these keys"
    # Back to where everything comes from that is signed for, nobody gains anything.
    vault = Coin(files, [TWO_OF_THREE.format(**files.pub), "OP_RETURN"])
    args = ["psbt", "sign", f"@{coins_to_first(vault, vault)}", "--key", files.key("alice"), "--any-fee"]
    made = ok_json(*args)
    assert made["outputs"][0]["only_these_keys"] is False and made["outputs"][0]["script_of_all_signed_inputs"] is True and made["warnings"] == []
    text = ok(*args, "--yes", "--force", "--out", tmp_path / "signed.psbt")
    assert "back to" not in text and "the script of input 0, as every coin that these keys sign for\n" in text and "  others: " in text


@pytest.mark.parametrize("internal_key", [None, NUMS_KEY], ids=["P2MR", "P2TR"])
def test_whole_tree_of_an_input(files, coins_to_first, internal_key):
    """That nobody else can spend a coin shows if the PSBT has every leaf of its tree."""
    mine = f"pk_slhdsa({files.pub['alice']})"
    coin = Coin(files, [mine, f"older(144) {mine}", f"older(145) {mine}", f"older(146) {mine}", f"older(147) {mine}"], internal_key)
    other = Coin(files, [mine, "OP_RETURN"])
    whole = coins_to_first(coin, other, shown=True)
    fields = maps(whole)
    leaves = [key for key in fields[1] if key[0] == 0x15]  # PSBT_IN_TAP_LEAF_SCRIPT
    assert len(leaves) == 5

    def output():
        return ok_json("psbt", "sign", f"@{whole}", "--key", files.key("alice"), "--any-fee")["outputs"][0]
    assert output()["only_these_keys"] is True and output()["others_must_sign"] is False
    for leaf in leaves:  # without this one
        others = {key: value for key, value in fields[1].items() if key != leaf}
        write_maps(whole, [fields[0], others, *fields[2:]])
        assert len(ok_json("psbt", "show", f"@{whole}")["inputs"][0]["leaves"]) == 4
        assert output()["only_these_keys"] is False and output()["others_may_spend"] == NOT_SHOWN


@pytest.mark.parametrize("leaf, only, others_must_sign", [
    ("pk_slhdsa({alice})", True, False),
    (HYBRID, True, True),
    ("multi_slhdsa(2,{alice},{bob})", True, True),
    ("multi_slhdsa(3,{alice},{bob},{carol})", True, True),
    (TWO_OF_THREE, False, None),
    ("multi_slhdsa(1,{alice},{bob})", False, None),
    # A threshold that bob satisfies alone
    ("<{bob}> OP_CHECKSIGSLHDSA <{bob}> OP_CHECKSIGADDSLHDSA <{alice}> OP_CHECKSIGADDSLHDSA OP_2 OP_NUMEQUAL", False, None),
    ("<{alice}> OP_CHECKSIGSLHDSA OP_0 OP_BOOLAND", False, None),
])
def test_leaves_that_others_satisfy(files, create, tmp_path, leaf, only, others_must_sign):
    tree, told = files.tree(leaf.format(**files.pub), "OP_RETURN")
    psbt = paying_to(create("pk_slhdsa({alice})"), tmp_path / "psbt", told["script_pubkey"])
    assert run("psbt", "update", f"@{psbt}", "--tree", f"@{tree}", "--output", 0, "--force", "--out", psbt).returncode == 0
    (output,) = ok_json("psbt", "sign", f"@{psbt}", "--key", files.key("alice"))["outputs"]
    assert output["only_these_keys"] is only and output.get("others_must_sign") is others_must_sign
    assert ("others_may_spend" in output) is not only


def test_internal_keys(files, create, tmp_path):
    """A tree in which the signer has every leaf is no protection from whoever has the internal key."""
    unknown = "whoever has the internal key {} can spend it by the key path, whatever its leaves ask for"
    for key, names, owner, says in [(INTERNAL_KEY, ["alice"], "unknown", ": whoever has it can spend by the key path"), (NUMS_KEY, ["alice"], "nobody", "nobody has the secret key"),
                                    (files.pub["dave"], ["alice", "dave"], "these keys", "one of these keys"), (files.pub["dave"], ["alice"], "unknown", ": whoever has it")]:
        coin = Coin(files, [f"pk_slhdsa({files.pub['alice']})", "OP_RETURN"], key)
        psbt = paying_to(create("pk_slhdsa({alice})", "--internal-key", key), tmp_path / "psbt", coin.script_pubkey)
        ok("psbt", "update", f"@{psbt}", *coin.options, "--output", 0, "--force", "--out", psbt)
        args = ["psbt", "sign", f"@{psbt}", *(arg for name in names for arg in ("--key", files.key(name)))]
        made = ok_json(*args)
        assert [(each["internal_key"], each["internal_key_owner"]) for each in (made["inputs"][0], made["outputs"][0])] == [(key, owner)] * 2
        assert made["outputs"][0]["only_these_keys"] is (owner != "unknown")
        assert made["warnings"] == ([f"output 0: {unknown.format(key)}"] if owner == "unknown" else [])
        text = ok(*args, "--yes", "--force", "--out", tmp_path / "signed.psbt")
        assert len(re.findall(f"  internal key: +{key}.*{says}", text)) == 2 and ("WARNING" in text) == (owner == "unknown")
        # Whose it is is not known without keys, but it is said.
        shown = ok_json("psbt", "show", f"@{psbt}")
        assert shown["outputs"][0]["internal_key"] == key and shown["warnings"] == []
        assert len(re.findall(f"  internal key: +{key}", ok("psbt", "show", f"@{psbt}"))) == 2
    # Without the tree, it may be another one.
    psbt = paying_to(create("pk_slhdsa({alice})"), tmp_path / "psbt", coin.script_pubkey)
    psbt = with_output_fields(psbt, psbt, [(OUT_INTERNAL_KEY, bytes.fromhex(NUMS_KEY))])
    assert ok_json("psbt", "show", f"@{psbt}")["outputs"][0]["internal_key_owner"] == "unverified"


def test_key_in_a_leaf_that_cannot_be_judged(files, create, tmp_path):
    """It does not make the leaf one that the key can spend."""
    tree, told = files.tree(f"pk_slhdsa({files.pub['alice']})", f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA OP_0 OP_BOOLAND")
    psbt = paying_to(create("pk_slhdsa({alice})"), tmp_path / "psbt", told["script_pubkey"])
    assert run("psbt", "update", f"@{psbt}", "--tree", f"@{tree}", "--output", 0, "--force", "--out", psbt).returncode == 0
    args = ["psbt", "sign", f"@{psbt}", "--key", files.key("alice")]
    (output,) = ok_json(*args)["outputs"]
    assert output["leaves_of_these_keys"] == [{"leaf": 0, "public_key": files.pub["alice"]}]
    (other,) = output["other_leaves_with_these_keys"]
    assert other["leaf"] == 1 and other["public_key"] == files.pub["alice"] and "OP_0" in other["why"]
    text = ok(*args, "--yes", "--force", "--out", tmp_path / "signed.psbt")
    assert f"{files.pub['alice']} in leaf 0\n" in text and f"{files.pub['alice']} in leaf 1\n" not in text
    assert f"{files.pub['alice']} is in leaf 1, but it is not known what that leaf takes: it has OP_0" in text


def test_output_tree_that_nobody_can_judge(files, create, tmp_path):
    """Other outputs have no tree; that of a P2TR output is not known without its internal key."""
    start = create(TWO_OF_THREE)
    data = raw(start)
    at = data.index(bytes.fromhex("225220"))
    for script, says in [("5120" + INTERNAL_KEY, "not known without PSBT_OUT_TAP_INTERNAL_KEY"), ("0020" + INTERNAL_KEY, "PSBT_OUT_TAP_TREE: the output has no tree")]:
        changed = write(tmp_path / "changed.psbt", data[:at + 1] + bytes.fromhex(script) + data[at + 35:])
        hostile = with_output_fields(changed, tmp_path / "hostile.psbt", [(OUT_TREE, TREE_OF_ANYONE)])
        (warning,) = ok_json("psbt", "show", f"@{hostile}")["warnings"]
        assert warning.startswith("output 0: ") and says in warning
        assert len(ok_json("psbt", "update", f"@{hostile}", "--drop-invalid")["dropped"]) == (script[:2] == "00")
        finish(sign(files, hostile, "alice", "bob", out=tmp_path / "signed.psbt"), tmp_path)


def test_hash_type_that_no_signature_has(files, create, tmp_path):
    """A field that asks for another hash type makes good signatures useless: that is said, and it can be removed."""
    start = create(TWO_OF_THREE)
    alice, bob = (sign(files, start, name, out=tmp_path / f"{name}.psbt") for name in ["alice", "bob"])
    hostile = with_input_field(bob, tmp_path / "hostile.psbt", b"\x03", b"\x01\x00\x00\x00")
    says = f"input 0: PSBT_IN_SIGHASH_TYPE asks for another hash type than that of the signature by {files.pub['bob']}"
    bad("psbt", "combine", f"@{alice}", f"@{hostile}", says=["PSBT 1: input 0: PSBT_IN_SIGHASH_TYPE", "--drop-invalid"])
    shown = ok_json("psbt", "show", f"@{hostile}")
    assert shown["next"] == "update" and shown["warnings"][0].startswith(says) and "--drop-invalid" in shown["warnings"][0]
    bad("psbt", "sign", f"@{hostile}", "--key", files.key("carol"), "--yes", says=[says, "--drop-invalid"])
    clean = tmp_path / "clean.psbt"
    assert [each["field"] for each in ok_json("psbt", "update", f"@{hostile}", "--drop-invalid", "--force", "--out", clean)["dropped"]] == ["03"]
    assert raw(clean) == raw(bob)
    ok("psbt", "update", f"@{hostile}", "--sighash", "DEFAULT", "--force", "--out", clean)
    finish(sign(files, clean, "carol", out=tmp_path / "both.psbt"), tmp_path)
    # One that is not defined
    undefined = with_input_field(bob, tmp_path / "hostile.psbt", b"\x03", b"\x04\x00\x00\x00")
    assert raw(write(clean, base64.b64decode(ok_json("psbt", "update", f"@{undefined}", "--drop-invalid")["psbt"]))) == raw(bob)
    # A signature that leaves something open cannot take the field away.
    none = sign(files, start, "alice", out=tmp_path / "none.psbt", options=["--sighash", "NONE"])
    asks = with_input_field(none, tmp_path / "asks.psbt", b"\x03", b"\x01\x00\x00\x00")
    (dropped,) = ok_json("psbt", "update", f"@{asks}", "--drop-invalid")["dropped"]
    assert dropped["why"] == f"the signature by {files.pub['alice']} has another hash type than PSBT_IN_SIGHASH_TYPE asks for"


# What is signed is shown whole


def test_whole_leaf(files, create, addresses, tmp_path):
    """Of a long leaf, every key can be checked: in what create, sign, show and sighash print, and in JSON as bytes."""
    leaf = "multi_slhdsa(2,{alice},{bob},{carol}) OP_VERIFY pk_schnorr({dave})".format(**files.pub)
    tree, data = files.tree(leaf, "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"]]
    start = tmp_path / "start.psbt"
    text = data["tree"].split(",OP_RETURN")[0].lstrip("{")
    assert len(text) > 280 and all(key in text for key in files.pub.values())
    assert text in ok("psbt", "create", *coin, "--force", "--out", start)
    assert text in ok("sighash", *coin) and text in ok("psbt", "show", f"@{start}")
    assert text in ok("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes", "--force", "--out", tmp_path / "alice.psbt")
    script = data["leaves"][0]["script"]
    for planned in [ok_json("psbt", "create", *coin), ok_json("sighash", *coin)]:
        assert planned["inputs"][0]["leaf_script"] == text and planned["inputs"][0]["leaf_script_hex"] == script
    for shown in [ok_json("psbt", "show", f"@{start}"), ok_json("psbt", "sign", f"@{start}", "--key", files.key("alice"))]:
        assert shown["inputs"][0]["leaves"][0]["asm"] == text and shown["inputs"][0]["leaves"][0]["script"] == script


# Leaves and lock times


@pytest.fixture
def two_ways(files, addresses, tmp_path):
    """A PSBT in which alice alone can spend after a while, and with bob at once."""
    tree, _ = files.tree(f"older(144) pk_slhdsa({files.pub['alice']})", f"multi_slhdsa(2,{files.pub['alice']},{files.pub['bob']})")

    def made(sequence):
        start = tmp_path / f"{sequence}.psbt"
        ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--leaf", 1, "--sequence", sequence,
           "--to", addresses["regtest"], "--force", "--out", start)
        ok("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--force", "--out", start)
        return start
    return made


def leaf_number(psbt, part):
    (number,) = [leaf["leaf"] for leaf in ok_json("psbt", "show", f"@{psbt}")["inputs"][0]["leaves"] if part in leaf["asm"]]
    return number


def test_lock_times_that_the_transaction_does_not_meet(files, two_ways, tmp_path):
    start = two_ways(0xFFFFFFFE)
    older = leaf_number(start, "OP_CHECKSEQUENCEVERIFY")
    shown = ok_json("psbt", "show", f"@{start}")["inputs"][0]["leaves"][older]
    assert shown["missing"] == "needs an age of 144 blocks, but the input's nSequence 4294967294 means none"
    signed = ok_json("psbt", "sign", f"@{start}", "--key", files.key("alice"))
    assert [each["leaf"] for each in signed["added"]] == [1 - older]
    assert signed["not_signed"] == [f"input 0, leaf {older}: {shown['missing']}"]
    assert f"leaf {1 - older} with {files.pub['alice']}" in run("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes").stderr
    bad("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--leaf", older, "--yes", says=[f"input 0, leaf {older}", "needs an age of 144 blocks"])
    # The other leaf is finalized, whatever the order of the fields is.
    finish(sign(files, start, "alice", "bob", out=tmp_path / "signed.psbt"), tmp_path)


def test_leaf_that_the_lock_times_allow(files, addresses, tmp_path):
    """A leaf is chosen that can be spent with the lock times that are given; one that cannot be is a warning."""
    tree, data = files.tree(f"older(144) pk_slhdsa({files.pub['alice']})", f"after(500) pk_slhdsa({files.pub['bob']})", f"pk_slhdsa({files.pub['carol']})", "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"]]
    for options, leaf in [([], 0), (["--sequence", 3], 1), (["--sequence", 144], 0), (["--sequence", 3, "--locktime", 499], 2), (["--sequence", 3, "--locktime", 500], 1)]:
        for command in [["psbt", "create"], ["sighash"]]:
            made = ok_json(*command, *coin, *options)
            assert made["inputs"][0]["leaf"] == leaf and made["warnings"] == []
            assert made["inputs"][0]["leaf_hash"] == data["leaves"][leaf]["leaf_hash"]
    for options, says in [(["--sequence", 3, "--leaf", 0], "this transaction cannot spend leaf 0: needs an age of 144 blocks"),
                          (["--locktime", 499, "--leaf", 1], "this transaction cannot spend leaf 1: needs")]:
        for command in [["psbt", "create"], ["sighash"]]:
            (warning,) = ok_json(*command, *coin, *options)["warnings"]
            assert warning.startswith("input 0: " + says)
            result = run(*command, *coin, *options)
            assert result.returncode == 0 and says in result.stdout + result.stderr


def test_where_coins_come_from(files, create):
    """So that the script of an input, where change goes, can be told from others."""
    start = create(HYBRID)
    address = ok_json("psbt", "show", f"@{start}")["inputs"][0]["address"]
    assert "from:" in ok("psbt", "show", f"@{start}") and address in ok("psbt", "show", f"@{start}")


def test_sign_one_leaf(files, two_ways, tmp_path):
    start = two_ways(144)
    older = leaf_number(start, "OP_CHECKSEQUENCEVERIFY")
    leaves = ok_json("psbt", "show", f"@{start}")["inputs"][0]["leaves"]
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice")]
    assert [each["leaf"] for each in ok_json(*args)["added"]] == [0, 1]
    for wanted in [older, leaves[older]["leaf_hash"], leaves[older]["leaf_hash"].upper()]:
        assert [each["leaf"] for each in ok_json(*args, "--leaf", wanted)["added"]] == [older]
    assert [each["leaf"] for each in ok_json(*args, "--leaf", 1 - older, "--input", 0)["added"]] == [1 - older]
    for wanted in [2, "00" * 32]:
        bad(*args, "--leaf", wanted, says=["none of these keys", "--leaf"])
    bad(*args, "--leaf", "x", says="--leaf")
    bad(*args, "--input", 1, says="--input: there is no input 1")
    finish(sign(files, start, "alice", out=tmp_path / "signed.psbt", options=["--leaf", older]), tmp_path)


# Amounts and preimages


def test_outputs_of_more_than_the_inputs(files, create, tmp_path):
    start = create(HYBRID)
    data = raw(start)
    fee = ok_json("psbt", "show", f"@{start}")["fee"]
    poor = write(tmp_path / "poor.psbt", data.replace((100_000).to_bytes(8, "little"), (100_000 - fee - 1).to_bytes(8, "little")))
    args = ["psbt", "sign", f"@{poor}", "--key", files.key("alice"), "--yes"]
    for options in [[], ["--any-fee"], ["--any-fee", "--json"]]:
        bad(*args, *options, says=["not signed", "the outputs get 1 satoshi more than the inputs have"])
    shown = ok_json("psbt", "show", f"@{poor}")
    assert any("can never be valid" in warning for warning in shown["warnings"]) and shown["next"] == "none" and "feerate" not in shown
    assert "none: the outputs get more than the inputs have" in ok("psbt", "show", f"@{poor}")


def test_preimages_that_nothing_asks_for(files, create, tmp_path):
    start = create(HYBRID)
    bad("psbt", "update", f"@{start}", "--preimage", "00ff", says=["--preimage", "input 0", "no leaf in the PSBT asks for the preimage of"])
    bad("psbt", "update", f"@{start}", "--preimage", "00ff", "--input", 0, says=["--preimage", "input 0"])
    digest = hashlib.sha256(b"\x00\xff").hexdigest()
    wanted = create(f"sha256({digest}) pk_slhdsa({{alice}})", name="wanted")
    ok("psbt", "update", f"@{wanted}", "--preimage", "00ff")
    tree, data = files.tree(f"sha256({digest}) pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]]
    bad("psbt", "create", *coin, "--preimage", "01", says="asks for the preimage")


@pytest.mark.parametrize("inputs, outputs, reason", [(0, 0, "vin"), (0, 1, "vin"), (1, 0, "vout")])
def test_transactions_without_inputs_or_outputs(tmp_path, inputs, outputs, reason):
    """All inputs are final where there are none: that is no transaction yet."""
    tx_input = b"\x11" * 32 + bytes(4) + b"\x00" + bytes(4)
    tx = b"\x02\x00\x00\x00" + bytes([inputs]) + inputs * tx_input + bytes([outputs]) + outputs * (bytes(8) + b"\x01\x6a") + bytes(4)
    spent = (1_000).to_bytes(8, "little") + b"\x22\x53\x20" + b"\x11" * 32  # a witness program of the future, which anyone can spend
    final = b"\x01\x01" + compact_size(len(spent)) + spent + b"\x01\x08\x01\x00\x00"
    empty = write(tmp_path / "empty.psbt", b"psbt\xff\x01\x00" + compact_size(len(tx)) + tx + b"\x00" + inputs * final + outputs * b"\x00")
    for verb in "finalize", "extract":
        bad("psbt", verb, f"@{empty}", says=f"bad-txns-{reason}-empty")
    shown = ok_json("psbt", "show", f"@{empty}")
    assert shown["next"] == "none" and any(f"bad-txns-{reason}-empty" in warning for warning in shown["warnings"])

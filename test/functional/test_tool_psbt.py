# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool psbt: several signers in turn. What is refused of a PSBT's fields is the business of the C++ tests."""

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from psbt_files import HYBRID, INTERNAL_KEY, TWO_OF_THREE, addresses, compact_size, create, files, finish, maps, raw, sign, write, write_maps  # noqa: F401
from tool import TOOL, TXID, bad, ok, ok_json, run

WITNESS_UTXO, SIGHASH_TYPE, LEAF_SCRIPT, MERKLE_ROOT, SLHDSA_SIGNATURE = b"\x01", b"\x03", b"\x15", b"\x18", b"\xfc\x06slhdsa\x00"  # keys of an input's fields
OUT_KEY, OUT_TREE = b"\x05", b"\x06"  # of an output's


def leaves(psbt):
    return ok_json("psbt", "show", f"@{psbt}")["inputs"][0]["leaves"]


@pytest.mark.parametrize("version", ["0", "2"])
@pytest.mark.parametrize("taproot", [False, True])
def test_two_of_three(files, create, tmp_path, version, taproot):
    internal = ["--internal-key", INTERNAL_KEY] if taproot else []
    start = create(TWO_OF_THREE, "--psbt-version", version, *internal)
    planned = ok_json("psbt", "show", f"@{start}")
    assert planned["psbt_version"] == int(version)
    assert [signature["signed"] for signature in planned["inputs"][0]["leaves"][0]["signatures"]] == [False] * 3

    # At the same time: each signs a copy, somebody puts them together
    alice = sign(files, start, "alice", out=tmp_path / "alice.psbt")
    carol = sign(files, start, "carol", out=tmp_path / "carol.psbt")
    (leaf,) = leaves(alice)
    assert {(s["public_key"], s["signed"], s.get("valid")) for s in leaf["signatures"]} == {
        (files.pub["alice"], True, True), (files.pub["bob"], False, None), (files.pub["carol"], False, None)}
    assert leaf["missing"] == "needs 2 signatures, but has 1" and leaf["missing"] in ok("psbt", "show", f"@{alice}")
    not_yet = run("psbt", "finalize", f"@{alice}")
    assert not_yet.returncode == 1 and not_yet.stdout == "input 0 needs 2 signatures, but has 1\n"
    assert json.loads(run("psbt", "finalize", f"@{alice}", "--json").stdout)["complete"] is False
    bad("psbt", "extract", f"@{alice}", says="input 0: not final")
    both = tmp_path / "both.psbt"
    ok("psbt", "combine", f"@{alice}", f"@{carol}", "--force", "--out", both)
    assert finish(both, tmp_path)["txid"] == planned["txid"]

    # One after the other
    turn = sign(files, sign(files, start, "bob", out=tmp_path / "1.psbt"), "carol", out=tmp_path / "2.psbt")
    assert finish(turn, tmp_path)["txid"] == planned["txid"]


def test_transcript_of_the_page(files, tmp_path):
    """doc/psbt.md's session prints what the page says. "..." stands for anything."""
    page = (Path(__file__).resolve().parents[2] / "doc" / "psbt.md").read_text()
    session = re.search(r"```\n(\$ slhtool address .*?)```", page, re.DOTALL)[1]
    for name in ["alice", "bob", "carol"]:
        ok("keygen", tmp_path / f"{name}.key", "--public", tmp_path / f"{name}.pub")
    public = [f"@{tmp_path}/{name}.pub" for name in ["alice", "bob", "carol"]]
    address = ok_json("address", f"multi_slhdsa(2,{','.join(public)})", "OP_RETURN")["addresses"]["regtest"]
    env = {**os.environ, "PATH": f"{Path(TOOL).parent}:{os.environ['PATH']}", "TXID": TXID, "ADDRESS": address}
    steps = session.split("$ ")[1:]
    assert len(steps) == 8
    for step in steps:
        command, _, printed = step.partition("\n")
        made = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
        assert made.returncode == 0 and made.stderr == "", made.stderr
        assert re.fullmatch(re.escape(printed).replace(re.escape("..."), ".*"), made.stdout, re.DOTALL), (command, made.stdout)


def test_hybrid(files, create, tmp_path):
    """A Schnorr and an SLH-DSA signature, which sign different hashes."""
    with_schnorr = sign(files, create(HYBRID), "dave", out=tmp_path / "1.psbt")
    assert leaves(with_schnorr)[0]["missing"].startswith("needs a signature by the slh-dsa-sha2-128s key")
    finish(sign(files, with_schnorr, "alice", out=tmp_path / "2.psbt"), tmp_path)


def test_lock_times_and_preimages(files, create, tmp_path):
    preimage = "00ff"
    digest = hashlib.sha256(bytes.fromhex(preimage)).hexdigest()
    for version in ["0", "2"]:
        start = create(f"after(500) older(144) sha256({digest}) pk_slhdsa({{alice}})", "--psbt-version", version, "--preimage", preimage)
        shown = ok_json("psbt", "show", f"@{start}")
        assert shown["locktime"] == 500 and shown["inputs"][0]["sequence"] == 144
        finish(sign(files, start, "alice", out=tmp_path / "signed.psbt"), tmp_path)
    signed = sign(files, create(f"sha256({digest}) pk_slhdsa({{alice}})"), "alice", out=tmp_path / "signed.psbt")
    assert f"needs the preimage of {digest}" in run("psbt", "finalize", f"@{signed}").stdout
    bad("psbt", "update", f"@{signed}", "--preimage", "00", says="--preimage: no leaf in the PSBT asks for it")
    told = tmp_path / "told.psbt"
    ok("psbt", "update", f"@{signed}", "--preimage", preimage, "--force", "--out", told)
    finish(told, tmp_path)


@pytest.mark.parametrize("recovery, options", [("older(144)", ["--sequence", 144]), ("after(500)", ["--locktime", 500])])
def test_recovery(files, addresses, tmp_path, recovery, options):
    """After an age or a height another key suffices; before, nobody signs for it, and the other leaf is spent."""
    tree, _ = files.tree(TWO_OF_THREE.format(**files.pub), f"{recovery} pk_slhdsa({files.pub['alice']})")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"], "--force"]
    early, late = tmp_path / "early.psbt", tmp_path / "late.psbt"
    for psbt, more in (early, ["--leaf", 0]), (late, ["--leaf", 1, *options]):
        ok("psbt", "create", *coin, *more, "--out", psbt)
        ok("psbt", "update", f"@{psbt}", "--tree", f"@{tree}", "--force", "--out", psbt)
        assert len(leaves(psbt)) == 2
    (number,) = [n for n, leaf in enumerate(leaves(early)) if "VERIFY" in leaf["asm"]]
    assert leaves(early)[number]["missing"].startswith("needs ")
    added = ok_json("psbt", "sign", f"@{early}", "--key", files.key("alice"))["added"]
    assert [each["leaf"] for each in added] == [1 - number]
    bad("psbt", "sign", f"@{early}", "--key", files.key("alice"), "--leaf", number, says=["--key", "none of these keys can add a signature"])
    finish(sign(files, early, "alice", "bob", out=tmp_path / "signed.psbt"), tmp_path)
    finish(sign(files, late, "alice", out=tmp_path / "signed.psbt"), tmp_path)


def test_update_of_what_a_node_created(files, addresses, tmp_path):
    """createpsbt knows neither amounts nor trees."""
    tree, data = files.tree(TWO_OF_THREE.format(**files.pub), HYBRID.format(**files.pub))
    tx = "02000000" + "01" + "11" * 32 + "00000000" + "00" + "fdffffff" + "01" + (90_000).to_bytes(8, "little").hex() + "22" + data["script_pubkey"] + "00000000"
    bare = write(tmp_path / "bare.psbt", b"psbt\xff\x01\x00" + compact_size(len(tx) // 2) + bytes.fromhex(tx) + b"\x00\x00\x00")
    bad("psbt", "sign", f"@{bare}", "--key", files.key("alice"), says="input 0: what it spends is not known")
    bad("psbt", "update", f"@{bare}", "--tree", f"@{tree}", says=["--tree", "no input is known", "--input and --amount"])
    updated = tmp_path / "updated.psbt"
    ok("psbt", "update", f"@{bare}", "--tree", f"@{tree}", "--input", 0, "--amount", 100_000, "--force", "--out", updated)
    ok("psbt", "update", f"@{updated}", "--tree", f"@{tree}", "--output", 0, "--force", "--out", updated)
    shown = ok_json("psbt", "show", f"@{updated}")
    assert len(shown["inputs"][0]["leaves"]) == 2 and shown["fee"] == 10_000 and shown["outputs"][0]["tree"] == data["tree"]
    # Whichever leaf has all its signatures
    finish(sign(files, updated, "alice", "dave", out=tmp_path / "signed.psbt"), tmp_path)


def test_descriptor(files, addresses, tmp_path):
    """A wallet's descriptor is a tree; its leaves are miniscript's."""
    descriptor = tmp_path / "wallet.desc"
    a, d = files.pub["alice"], files.pub["dave"]
    descriptor.write_text(f"mr({{and_v(v:pk_slhdsa({a}),pk({d})),and_v(v:pk_slhdsa({a}),older(144))}})\n")
    for leaf, signers, sequence in [(0, ["alice", "dave"], 0xFFFFFFFE), (1, ["alice"], 144)]:
        start = tmp_path / "start.psbt"
        ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{descriptor}", "--leaf", leaf, "--to", addresses["regtest"], "--force", "--out", start)
        assert ok_json("psbt", "show", f"@{start}")["inputs"][0]["sequence"] == sequence
        finish(sign(files, start, *signers, out=tmp_path / "signed.psbt"), tmp_path)


def test_hash_types(files, create, tmp_path):
    """Signs exactly the inputs that the PSBT asks for."""
    for hash_type in "ALL", "NONE", "SINGLE|ANYONECANPAY":
        start = create(HYBRID, "--sighash", hash_type)
        assert ok_json("psbt", "show", f"@{start}")["inputs"][0]["sighash"] == hash_type
        bad("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--sighash", "DEFAULT", says="input 0: the PSBT asks for hash type")
        signed = sign(files, start, "alice", "dave", out=tmp_path / "signed.psbt")
        assert [each["sighash"] for each in leaves(signed)[0]["signatures"]] == [hash_type] * 2
        finish(signed, tmp_path)
    plain = create(HYBRID)
    finish(sign(files, plain, "alice", "dave", out=tmp_path / "signed.psbt", options=["--sighash", "NONE"]), tmp_path)
    asks = tmp_path / "asks.psbt"
    ok("psbt", "update", f"@{plain}", "--sighash", "ALL", "--out", asks)
    assert maps(asks)[1][SIGHASH_TYPE] == b"\x01\0\0\0"
    # Signed as asked, and otherwise: both are valid, and what is asked for is taken.
    signed = [sign(files, psbt, "alice", "dave", out=tmp_path / f"signed-{psbt.name}") for psbt in (plain, asks)]
    both = tmp_path / "both.psbt"
    for order in signed, signed[::-1]:
        ok("psbt", "combine", *(f"@{psbt}" for psbt in order), "--force", "--out", both)
        assert [each["sighash"] for each in leaves(both)[0]["signatures"]] == ["ALL"] * 2
        finish(both, tmp_path)


def test_invalid_signature(files, create, tmp_path):
    """It is named and not used, its own key replaces it, and a copy with a valid one wins."""
    good = sign(files, create(TWO_OF_THREE), "alice", "bob", out=tmp_path / "good.psbt")
    fields = maps(good)
    (signature,) = [key for key in fields[1] if key.startswith(SLHDSA_SIGNATURE + bytes.fromhex(files.pub["alice"]))]
    value = bytearray(fields[1][signature])
    value[4000] ^= 1
    damaged = write_maps(tmp_path / "damaged.psbt", [fields[0], {**fields[1], signature: bytes(value)}, *fields[2:]])
    says = f"needs 2 signatures, but has 1; not used: the signature by {files.pub['alice']} is not valid for this transaction"
    assert leaves(damaged)[0]["missing"] == says
    refused = run("psbt", "finalize", f"@{damaged}", "--out", tmp_path / "never.psbt")
    assert refused.returncode == 1 and refused.stdout == f"input 0 {says}\n" and not (tmp_path / "never.psbt").exists()
    both = tmp_path / "both.psbt"
    for order in [good, damaged], [damaged, good]:
        ok("psbt", "combine", *(f"@{path}" for path in order), "--force", "--out", both)
        assert maps(both) == fields
    finish(sign(files, damaged, "alice", out=tmp_path / "again.psbt"), tmp_path)
    finish(sign(files, damaged, "carol", out=tmp_path / "three.psbt"), tmp_path)


def test_foreign_leaf(files, create, tmp_path):
    """A leaf that is not one of the output: signing it would be signing something else."""
    fields = maps(create(HYBRID))
    changed = {key: value[:-2] + b"\x51" + value[-1:] if key.startswith(LEAF_SCRIPT) else value for key, value in fields[1].items()}
    foreign = write_maps(tmp_path / "foreign.psbt", [fields[0], changed, *fields[2:]])
    (leaf,) = leaves(foreign)
    problem = f"leaf {leaf['leaf_hash']} is not one of the output that is spent"
    assert leaf["problem"] == problem and "signatures" not in leaf
    bad("psbt", "sign", f"@{foreign}", "--key", files.key("alice"), says=f": input 0: {problem}\n")
    refused = run("psbt", "finalize", f"@{foreign}")
    assert refused.returncode == 1 and refused.stdout == f"input 0 {problem}\n"


def test_each_input_is_judged_by_itself(files, addresses, tmp_path):
    """What one author says of an input stops nobody at another, and no leaf that is good."""
    tree, _ = files.tree(HYBRID.format(**files.pub), "OP_RETURN")
    spec, start = tmp_path / "spec.json", tmp_path / "start.psbt"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": n, "amount": 100_000, "tree": f"@{tree}", "leaf": 0} for n in range(2)],
                                "outputs": [{"address": addresses["regtest"]}]}))
    ok("psbt", "create", spec, "--out", start)
    fields = maps(start)
    ((leaf, script),) = [(key, value) for key, value in fields[2].items() if key.startswith(LEAF_SCRIPT)]
    foreign = {leaf[:-1] + bytes([leaf[-1] ^ 1]): script}
    without_leaf = {key: value for key, value in fields[2].items() if key != leaf}
    others = [({**without_leaf, **foreign}, "is not one of the output that is spent"),
              ({**fields[2], SIGHASH_TYPE: b"\x03\0\0\0"}, "hash type SINGLE, but there is no output 1"),
              ({**fields[2], SIGHASH_TYPE: b"\x04\0\0\0"}, "hash type 4 is undefined")]
    alice, dave = ("--key", files.key("alice")), ("--key", files.key("dave"))
    for other, problem in others:
        psbt = write_maps(tmp_path / "other.psbt", [*fields[:2], other, *fields[3:]])
        shown = ok_json("psbt", "show", f"@{psbt}")["inputs"]
        assert "problem" not in shown[0] and problem in shown[1].get("problem", shown[1]["leaves"][0].get("problem"))
        bad("psbt", "sign", f"@{psbt}", *alice, "--input", 1, says=["input 1: ", problem])
        made = ok_json("psbt", "sign", f"@{psbt}", *alice)
        assert [each["input"] for each in made["added"]] == [0] and [problem in each for each in made["not_signed"]] == [True]
        signed = ok("psbt", "sign", f"@{psbt}", *alice, *dave, "--input", 0)
        refused = run("psbt", "finalize", "-", stdin=signed)
        assert refused.returncode == 1 and refused.stdout.startswith("input 1 ") and refused.stdout.count("\n") == 1
    # Nobody stops what is complete: neither with such a leaf beside the real one, nor with amounts beyond all there is.
    complete = sign(files, start, "alice", "dave", out=tmp_path / "complete.psbt")
    fields = maps(complete)
    finish(write_maps(tmp_path / "foreign.psbt", [fields[0], {**fields[1], **foreign}, *fields[2:]]), tmp_path, inputs=2)
    rich = [{**each, WITNESS_UTXO: (20_999_999 * 10**8).to_bytes(8, "little") + each[WITNESS_UTXO][8:]} for each in fields[1:3]]
    shown = ok_json("psbt", "show", f"@{write_maps(tmp_path / 'rich.psbt', [fields[0], *rich, *fields[3:]])}")
    assert shown["problem"] == "inputs or outputs of more than 21,000,000 bitcoin" and len(shown["inputs"]) == 2
    # Of what is spent nothing is known.
    bare = write_maps(tmp_path / "bare.psbt", [*fields[:2], {leaf: script}, *fields[3:]])
    assert ok_json("psbt", "show", f"@{bare}")["inputs"][1]["leaves"][0]["problem"].endswith(": what the input spends is not known")


def tap_tree(data):
    """PSBT_OUT_TAP_TREE of what slhtool address says."""
    scripts = [(leaf, bytes.fromhex(leaf["script"])) for leaf in data["leaves"]]
    return b"".join(bytes([leaf["depth"], leaf["leaf_version"]]) + compact_size(len(script)) + script for leaf, script in scripts)


def test_trees_of_outputs(files, addresses, tmp_path):
    """A tree is the output's own, or it is not shown: a payment to somebody else must not look like change."""
    _, mine = files.tree(HYBRID.format(**files.pub), "OP_RETURN")
    later = f"<{'02' * 33}> OP_CHECKSIG"  # a key of unknown type
    _, open_to_all = files.tree("leaf(0xc2,OP_RETURN)", "OP_RETURN", "OP_SUCCESS80", "after(500)", HYBRID.format(**files.pub), later,
                                f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA OP_VERIFY {later}")
    one_leaf = {"leaves": [{**mine["leaves"][0], "depth": 0}]}
    tree, _ = files.tree("OP_1", "OP_RETURN")
    scripts = {"p2mr": "5220" + "33" * 32, "p2tr": "5120" + INTERNAL_KEY, "p2wpkh": "0014" + "33" * 20, "data": "6a",
               "change": mine["script_pubkey"], "open": open_to_all["script_pubkey"], "one leaf": "5220" + mine["leaves"][0]["leaf_hash"]}
    spec, start = tmp_path / "spec.json", tmp_path / "start.psbt"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 100_000, "tree": f"@{tree}"}],
                                "outputs": [{"script_pubkey": script, "amount": 1000} for script in scripts.values()]}))
    ok("psbt", "create", spec, "--out", start)
    fields, trees = maps(start), {"open": open_to_all, "one leaf": one_leaf}
    outputs = [{**out, OUT_TREE: tap_tree(trees.get(name, mine)), **({OUT_KEY: bytes.fromhex(INTERNAL_KEY)} if name == "p2tr" else {})}
               for name, out in zip(scripts, fields[2:])]
    shown = dict(zip(scripts, ok_json("psbt", "show", f"@{write_maps(tmp_path / 'trees.psbt', [*fields[:2], *outputs])}")["outputs"]))
    for name in "p2mr", "p2tr", "p2wpkh", "data":
        assert "tree" not in shown[name] and shown[name]["problem"].endswith(" is not the tree of this output")
    assert shown["change"]["tree"] == mine["tree"] and "problem" not in shown["change"]
    assert shown["open"]["problem"] == "; ".join(f"anyone can spend leaf {leaf}" for leaf in (0, 2, 3, 5))
    assert "with a single leaf can be spent by anyone" in shown["one leaf"]["problem"]
    # More leaves than are built
    chain = b"".join(bytes([depth, 0xC0, 0]) for depth in [*range(1, 128), *[128] * 2])
    half = b"".join(bytes([11, 0xC0, 0]) for _ in range(2048))
    for value, problem in (chain, "is not the tree of this output"), (half, "more than 1024 leaves"):
        many = write_maps(tmp_path / "many.psbt", [*fields[:2], {**fields[2], OUT_TREE: value}, *fields[3:]])
        assert problem in ok_json("psbt", "show", f"@{many}")["outputs"][0]["problem"]


def test_tree_of_an_input(create, tmp_path):
    fields = maps(create(HYBRID))
    assert fields[1][MERKLE_ROOT]
    wrong = write_maps(tmp_path / "wrong.psbt", [fields[0], {**fields[1], MERKLE_ROOT: bytes(32)}, *fields[2:]])
    (shown,) = ok_json("psbt", "show", f"@{wrong}")["inputs"]
    assert shown["problem"] == "PSBT_IN_TAP_MERKLE_ROOT or PSBT_IN_TAP_INTERNAL_KEY is not that of the output that is spent"


def test_forms_of_input(create, tmp_path):
    start = create(HYBRID)
    data = raw(start)
    binary, hexadecimal = tmp_path / "binary.psbt", tmp_path / "hex.psbt"
    binary.write_bytes(data)
    hexadecimal.write_text(data.hex())
    shown = ok_json("psbt", "show", f"@{start}")
    for argument, stdin in [(f"@{binary}", None), (f"@{hexadecimal}", None), (start.read_text().strip(), None), (data.hex(), None), ("-", start.read_text())]:
        assert ok_json("psbt", "show", argument, stdin=stdin) == shown


def test_usage(files, create, tmp_path):
    start, other = create(HYBRID), create(HYBRID, "--fee", "12345", name="other")
    second = create(HYBRID, "--psbt-version", "2", name="second")
    bad("psbt", "combine", f"@{start}", f"@{other}", says="PSBT 1 has a different transaction from PSBT 0")
    bad("psbt", "combine", f"@{start}", f"@{second}", says="PSBT 1 has version 2, and PSBT 0 version 0")
    bad("psbt", "sign", f"@{start}", says="--key is required")
    bad("psbt", "sign", f"@{start}", "--key", files.key("bob"), says="none of these keys can add a signature")
    bad("psbt", "update", f"@{start}", "--leaf", 0, says=["--leaf", "needs --tree"])
    bad("psbt", "update", f"@{start}", "--previous-tx", "00", says="--previous-tx")
    bad("psbt", "create", says="--outpoint: missing")
    tree, _ = files.tree(HYBRID.format(**files.pub), "OP_RETURN")
    for option, says in [("leaf", "--leaf: there is no leaf 2"), ("input", "--input: there is no input 2"), ("output", "--output: there is no output 2")]:
        bad("psbt", "update", f"@{start}", "--tree", f"@{tree}", f"--{option}", 2, says=f"slhtool psbt update: {says}\n")
    bad("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--output", 0, says="output 0: does not have this tree")
    bad("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--input", 0, "--amount", 1, says="says that it spends another output")
    broken = tmp_path / "broken.psbt"
    broken.write_bytes(raw(start)[:-1])
    bad("psbt", "show", f"@{broken}", says=[str(broken), "at byte"])


def test_what_has_no_place_in_a_psbt(files, tmp_path):
    tree, data = files.tree("OP_1", "OP_2")
    spec = tmp_path / "spec.json"
    for member, value, says in [("annex", "50", "an annex"), ("witness", ["<00>"], "a witness given by hand")]:
        spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 100_000, "tree": f"@{tree}", member: value}],
                                    "outputs": [{"address": data["addresses"]["regtest"]}]}))
        bad("psbt", "create", spec, says=f"a PSBT has no place for {says}")

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Runs the scenario files, and checks that a malformed one is refused with its place.

Run by ctest as scenario_tests, or by hand as scenarios/README.md says.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

FOLDER = Path(__file__).resolve().parent / "scenarios"
sys.path.insert(0, str(FOLDER))

import places  # noqa: E402
import scenario  # noqa: E402

FILES = sorted(FOLDER.glob("*.yaml"))


def cases():
    """A parameter for each case of each file."""
    for file in FILES:
        try:
            for case in scenario.read_scenario(file, file.name):
                yield pytest.param(case, id=f"{file.stem}: {case.name}" if case.name else file.stem)
        except scenario.Unavailable as error:
            yield pytest.param(None, id=file.stem, marks=pytest.mark.skip(reason=str(error)))


CASES = list(cases())


@pytest.mark.parametrize("case", CASES)
def test_scenario(case):
    try:
        eager, deferred, checks = case.run()
    except scenario.Unavailable as error:
        pytest.skip(str(error))
    assert eager == case.expect
    assert deferred == case.expect
    if case.deferred is not None:
        assert checks == case.deferred


@pytest.fixture(scope="module")
def verdict_of_tool(tmp_path_factory):
    """slhtool's verdict on each case, one by one and in a batch: a function of the case and the option."""
    tool = os.environ.get("SLHTOOL")
    if not tool:
        pytest.skip("SLHTOOL names no slhtool")
    folder = tmp_path_factory.mktemp("cases")
    files = {}
    for parameter in CASES:
        case = parameter.values[0]
        try:
            text = case.spend_file() if case else ""
        except scenario.Unavailable:
            continue
        if text:
            files[id(case)] = folder / f"{len(files)}.json"
            files[id(case)].write_text(text)
    verdicts = {}
    for options in ((), ("--batch",)):
        result = subprocess.run([tool, "verify-tx", "--json", *options, *files.values()], capture_output=True, text=True, check=False)
        assert result.stderr == "" and result.returncode == 1, result.stderr
        for transaction in json.loads(result.stdout)["transactions"]:
            errors = [each["error"] for each in transaction["inputs"] if not each["valid"]]
            verdicts[transaction["file"], options] = errors[0] if errors else scenario.VALID

    def of(case, *options):
        if id(case) not in files:
            pytest.skip("the case needs what this machine lacks")
        return verdicts[str(files[id(case)]), options]
    return of


@pytest.mark.parametrize("case", CASES)
def test_slhtool_agrees(case, verdict_of_tool):
    assert verdict_of_tool(case) == verdict_of_tool(case, "--batch") == case.expect


def test_there_are_files():
    assert {"single_key", "two_of_three", "hybrid_one_leaf", "hybrid_two_leaves", "recovery_after_height", "recovery_after_age", "annex",
            "unknown_leaf_version", "unknown_key_type", "parameter_sets", "wrong_signature", "wrong_witness"} <= {file.stem for file in FILES}


GOOD = """\
title: a file to be spoilt
keys:
  alice: slhdsa
leaves:
  spend: <@alice> OP_CHECKSIGSLHDSA
  never: OP_RETURN
spend: spend
witness:
  - {sign: alice}
expect: VALID
"""


def spoilt(old, new):
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


MALFORMED = {
    "empty": ("", "spoilt.yaml: empty"),
    "no YAML": ("title: [", "spoilt.yaml:1:9: not YAML: "),
    "no mapping": ("- 1", "spoilt.yaml:1:1: expected a mapping"),
    "a tab": ("title:\n\tx: 1", "spoilt.yaml:2:1: not YAML: found character '\\t'"),
    "two documents": (GOOD + "---\nx: y\n", "not YAML: "),
    "an alias": ("title: &a [*a]\n", "spoilt.yaml:1:12: aliases (*name) are not allowed"),
    "unknown member": (GOOD + "expects: VALID\n", "spoilt.yaml:11:1: 'expects' is not known here (known: title, "),
    "twice": (GOOD + "expect: VALID\n", "spoilt.yaml:11:1: 'expect' is given twice"),
    "no title": (spoilt("title: a file to be spoilt\n", ""), "spoilt.yaml:1:1: 'title' is missing"),
    "title is a list": (spoilt("a file to be spoilt", "[a]"), "spoilt.yaml:1:8: expected text, not a list"),
    "no leaves": ("title: x\nexpect: VALID\n", "spoilt.yaml:1:1: 'leaves' is missing"),
    "a single leaf": (spoilt("  never: OP_RETURN\n", ""), "spoilt.yaml:5:3: anyone can spend a P2MR output with a single leaf: add a leaf, or say"),
    "anyone can spend": (GOOD + "anyone_can_spend: no\n", "spoilt.yaml:11:19: it is true, or left out"),
    "empty leaves": ("title: x\nleaves: {}\nexpect: VALID\n", "spoilt.yaml:2:9: there is no leaf"),
    "unknown key kind": (spoilt("alice: slhdsa", "alice: ecdsa"), "spoilt.yaml:3:10: a key is slhdsa, slhdsa and a parameter set, schnorr, or bytes (<00ff>), not 'ecdsa'"),
    "a set without keys in scripts": (spoilt("alice: slhdsa", "alice: slhdsa 128f"), "spoilt.yaml:3:10: no script knows keys of the parameter set 128f"),
    "unknown set": (spoilt("alice: slhdsa", "alice: slhdsa 128"), "spoilt.yaml:3:10: '128' is not a parameter set (128s, 128f, 128-24, 128-q40)"),
    "key bytes": (spoilt("alice: slhdsa", "alice: <0>"), "spoilt.yaml:3:10: '0' is not hex"),
    "unknown key in a script": (spoilt("<@alice> OP", "<@bob> OP"), "spoilt.yaml:5:10: position 0: no key is named 'bob' (known: alice)"),
    "unknown opcode": (spoilt("OP_RETURN", "OP_RETRUN"), "spoilt.yaml:6:10: position 0: 'OP_RETRUN' is not an opcode"),
    "odd leaf version": (spoilt("never: OP_RETURN", "never: {version: 0xc1, script: OP_1}"), "spoilt.yaml:6:20: leaf version 0xc1 is odd"),
    "leaf version too large": (spoilt("never: OP_RETURN", "never: {version: 256, script: OP_1}"), "spoilt.yaml:6:20: 256 is not between 0 and 254"),
    "leaf without script": (spoilt("never: OP_RETURN", "never: {version: 0xfa}"), "spoilt.yaml:6:10: a leaf needs a script"),
    "leaf is a list": (spoilt("never: OP_RETURN", "never: [OP_RETURN]"), "spoilt.yaml:6:10: expected text, not a list"),
    "unknown leaf spent": (spoilt("spend: spend", "spend: spent"), "spoilt.yaml:7:8: no leaf is named 'spent' (known: spend, never)"),
    "spent leaf is not in the tree": (GOOD + "tree: never\n", "spoilt.yaml:7:8: no leaf is named 'spend' (known: never)"),
    "three sides": (GOOD + "tree: [spend, never, never]\n", "spoilt.yaml:11:7: a branch of a tree has two sides, not 3"),
    "unknown leaf in the tree": (GOOD + "tree: [spend, nevr]\n", "spoilt.yaml:11:15: no leaf is named 'nevr' (known: spend, never)"),
    "twice in the tree": (GOOD + "tree: [spend, spend]\n", "spoilt.yaml:11:15: leaf 'spend' is in the tree twice"),
    "deep tree": (GOOD + "tree: " + "[spend, " * 130 + "never" + "]" * 130 + "\n", "spoilt.yaml:11:"),
    "very deep": ("[" * 100_000, "spoilt.yaml:1:201: nested too deeply"),
    "unknown output": (GOOD + "output: p2wsh\n", "spoilt.yaml:11:9: 'p2wsh' is not an output type (p2mr, p2tr, p2sh-p2mr)"),
    "no expectation": (spoilt("expect: VALID\n", ""), "spoilt.yaml:1:1: 'expect' is missing: VALID or a script error"),
    "unknown script error": (spoilt("VALID", "SCRIPT_ERR_SLHDSA"), "spoilt.yaml:10:9: 'SCRIPT_ERR_SLHDSA' is neither VALID nor a script error"),
    "unknown flag": (GOOD + "flags: [CONSENSUS, -P2TSH]\n", "spoilt.yaml:11:20: 'P2TSH' is not a flag (NONE, P2SH, "),
    "annex": (GOOD + "annex: 5\n", "spoilt.yaml:11:8: '5' is not hex"),
    "annex without spend": (spoilt("spend: spend\n", "annex: '50'\n"), "spoilt.yaml:7:8: without 'spend', the annex belongs in the witness"),
    "transaction member": (GOOD + "transaction: {lock: 1}\n", "spoilt.yaml:11:15: 'lock' is not known here (known: version, locktime, "),
    "lock time": (GOOD + "transaction: {locktime: 4294967296}\n", "spoilt.yaml:11:25: 4294967296 is not between 0 and 4294967295"),
    "lock time in words": (GOOD + "transaction: {locktime: tomorrow}\n", "spoilt.yaml:11:25: 'tomorrow' is not a number"),
    "no such input": (GOOD + "transaction: {input: 1}\n", "spoilt.yaml:11:14: input 1 is tested, but the last one is 0"),
    "deferred": (GOOD + "deferred: -1\n", "spoilt.yaml:11:11: -1 is not between 0 and 1000"),
    "no cases": (GOOD + "cases: {}\n", "spoilt.yaml:11:8: there is no case"),
    "member of a case": (GOOD + "cases:\n  a:\n    keys: {}\n", "spoilt.yaml:13:5: 'keys' is not known here"),
    "witness is no list": (spoilt("\n  - {sign: alice}", " {sign: alice}"), "spoilt.yaml:8:10: expected a list"),
}

MALFORMED_WITNESS = {
    "unknown key": ("{sign: bob}", "spoilt.yaml:9:12: no key is named 'bob' (known: alice)"),
    "two sources": ("{sign: alice, fill: 3}", "spoilt.yaml:9:5: expected one of sign, script, control, bytes, fill, not 2 of them"),
    "no source": ("{flip: 3}", "spoilt.yaml:9:5: expected one of sign, script, control, bytes, fill, not 0 of them"),
    "unknown member": ("{sing: alice}", "spoilt.yaml:9:6: 'sing' is not known here"),
    "senseless member": ("{fill: 3, hashtype: ALL}", "spoilt.yaml:9:25: 'hashtype' cannot be combined with 'fill'"),
    "hash type": ("{sign: alice, hashtype: EVERYTHING}", "spoilt.yaml:9:29: 'EVERYTHING' is not a hash type (DEFAULT, ALL, "),
    "undefined hash type": ("{sign: alice, hashtype: ANYONECANPAY}", "spoilt.yaml:9:12: slhc_tx_signature_hash: hash_type 128 is undefined"),
    "hex": ("{bytes: xx}", "spoilt.yaml:9:13: 'xx' is not hex"),
    "flip": ("{sign: alice, flip: 7856}", "spoilt.yaml:9:25: 7856 is not between 0 and 7855"),
    "flip nothing": ("{fill: 0, flip: 0}", "spoilt.yaml:9:21: there is no byte to flip"),
    "cut": ("{fill: 3, cut: 4}", "spoilt.yaml:9:20: 4 is not between 0 and 3"),
    "an opcode": ("OP_DUP", "spoilt.yaml:9:5: 'OP_DUP' is not a single push, such as <00ff>, <>, <@alice> or 144"),
    "two pushes": ("1 2", "spoilt.yaml:9:5: '1 2' is not a single push"),
    "cut off": ("0x4c", "spoilt.yaml:9:5: the push at position 0 of the script is cut off"),
    "no such leaf": ("{script: x}", "spoilt.yaml:9:14: no leaf is named 'x' (known: spend, never)"),
    "a list": ("[1]", "spoilt.yaml:9:5: expected text, not a list"),
}


def check_refused(tmp_path, text, says):
    file = tmp_path / "spoilt.yaml"
    file.write_text(text)
    with pytest.raises(scenario.ScenarioError) as error:
        for case in scenario.read_scenario(file, file.name):
            case.run()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_file(name, tmp_path):
    check_refused(tmp_path, *MALFORMED[name])


@pytest.mark.parametrize("name", MALFORMED_WITNESS)
def test_malformed_witness(name, tmp_path):
    element, says = MALFORMED_WITNESS[name]
    check_refused(tmp_path, spoilt("{sign: alice}", element), says)


def test_signing_without_a_leaf(tmp_path):
    check_refused(tmp_path, spoilt("spend: spend\n", ""), "which leaf does this sign for? Give 'leaf' here, or 'spend' in the case")


def test_signing_with_bytes(tmp_path):
    check_refused(tmp_path, spoilt("alice: slhdsa", "alice: <00>"), "spoilt.yaml:9:12: nobody can sign with a key that is given as bytes")


def test_schnorr_with_a_context_string(tmp_path):
    pytest.importorskip("coincurve")
    check_refused(tmp_path, spoilt("alice: slhdsa", "alice: schnorr").replace("{sign: alice}", "{sign: alice, ctx: '00'}"),
                  "only SLH-DSA takes a ctx")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(scenario.ScenarioError, match="none.yaml: No such file"):
        scenario.read_scenario(tmp_path / "none.yaml")
    with pytest.raises(scenario.ScenarioError, match="Is a directory"):
        scenario.read_scenario(tmp_path)
    file = tmp_path / "bytes.yaml"
    file.write_bytes(b"title: \xff")
    with pytest.raises(scenario.ScenarioError, match="not UTF-8 at byte 7"):
        scenario.read_scenario(file)
    file.write_bytes(b" " * (places.MAX_FILE_SIZE + 1))
    with pytest.raises(scenario.ScenarioError, match="larger than"):
        scenario.read_scenario(file)


def test_by_hand(tmp_path):
    """The output for a writer of scenarios: a line for each case, and the status."""
    good = tmp_path / "good.yaml"
    good.write_text(GOOD)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(GOOD.replace("VALID", "SCRIPT_ERR_SLHDSA_SIG") + "deferred: 2\n")

    def run(*files):
        return subprocess.run([sys.executable, FOLDER / "scenario.py", *files], capture_output=True, text=True, check=False)

    result = run(good)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"ok     {good}: VALID\n", "")
    result = run(good, wrong)
    assert result.returncode == 1
    assert f"FAILED {wrong}: VALID at once, VALID with a batch of 1; expected SCRIPT_ERR_SLHDSA_SIG with 2\n" in result.stdout
    result = run("--write", tmp_path / "written", good)
    assert result.returncode == 0
    written = json.loads((tmp_path / "written" / "good-1.json").read_text())
    assert set(written) == {"description", "tx", "spent_outputs", "flags"} and written["flags"].endswith("P2MR,SLHDSA")
    result = run(tmp_path / "none.yaml")
    assert (result.returncode, result.stdout) == (2, "")
    assert "No such file" in result.stderr


def run_without(module, tmp_path, *files):
    """The runner on a machine that lacks a Python package."""
    (tmp_path / f"{module}.py").write_text(f"raise ModuleNotFoundError(name={module!r})")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-B", FOLDER / "scenario.py", *files], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": path})


@pytest.mark.parametrize(("module", "says"), [
    ("yaml", "scenario.py: PyYAML is not installed (pip install './contrib/python[test]' has it)\n"),
    ("slhconsensus", "scenario.py: the package slhconsensus is not installed (see contrib/python/README.md, or let PYTHONPATH name contrib/python/src)\n"),
])
def test_without_what_the_runner_needs(module, says, tmp_path):
    """One line, which says what to do."""
    result = run_without(module, tmp_path, FOLDER / "single_key.yaml")
    assert (result.returncode, result.stdout, result.stderr) == (2, "", says)


def test_without_coincurve(tmp_path):
    """A file with a Schnorr key is skipped by name, and the others count."""
    schnorr, good, wrong = FOLDER / "hybrid_one_leaf.yaml", tmp_path / "good.yaml", tmp_path / "wrong.yaml"
    good.write_text(GOOD)
    wrong.write_text(GOOD.replace("VALID", "SCRIPT_ERR_SLHDSA_SIG"))
    line = f"SKIPPED {schnorr}: no Schnorr signatures: coincurve is not installed (pip install './contrib/python[test]' has it)\n"
    result = run_without("coincurve", tmp_path, schnorr)
    assert (result.returncode, result.stdout, result.stderr) == (77, line, "")
    result = run_without("coincurve", tmp_path, schnorr, good)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{line}ok     {good}: VALID\n", "")
    assert run_without("coincurve", tmp_path, schnorr, wrong).returncode == 1


def test_the_extra_has_what_the_runner_needs():
    extra = tomllib.loads((ROOT / "contrib" / "python" / "pyproject.toml").read_text())["project"]["optional-dependencies"]["test"]
    assert {"PyYAML", "coincurve"} <= {re.match(r"\w+", requirement)[0] for requirement in extra}

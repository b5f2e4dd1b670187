# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""check_lists.py and check_rules.py on copies of the tree in which one thing is forgotten: one line says which."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("contrib/bitcoin-core", "contrib/lint", "contrib/python/src", "doc/bip/reference", "doc/bip/bip-slhdsa-tapscript.mediawiki", "doc/bip/parameter-sets.md",
          "src/consensus", "src/primitives", "src/script", "src/slhconsensus.h", "src/slhdsa.h", "src/slhwallet.h", "src/test", "test/functional")
TEXT = "doc/bip/bip-slhdsa-tapscript.mediawiki"
RULES_PATCH = str(next(ROOT.glob("contrib/bitcoin-core/patches/*-script-P2MR-*")).relative_to(ROOT))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in NEEDED:
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__", "data", "corpora"))
        else:
            shutil.copy2(ROOT / name, target)
    return tmp_path


def lines(tree: Path, script: str) -> tuple[int, list[str]]:
    """The exit status, and what it says."""
    run = subprocess.run([sys.executable, "-B", str(tree / "contrib/lint" / script)], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    return run.returncode, run.stdout.splitlines()


def change(tree: Path, file: str, old: str, new: str) -> None:
    text = (tree / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    (tree / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("byte", ["0xbb", "0x7e"])
def test_another_opcode_number(tree: Path, byte: str) -> None:
    """Where no opcode has the byte, as where a disabled one has it."""
    change(tree, "src/primitives/opcodes.def", "(OP_CHECKSIGSLHDSA, 0x7f", f"(OP_CHECKSIGSLHDSA, {byte}")
    status, said = lines(tree, "check_lists.py")
    assert status == 1 and len(said) == 1
    assert "opcodes.py:" in said[0] and "'OP_CHECKSIGSLHDSA = OP_SUBSTR', and the lists say 'OP_CHECKSIGSLHDSA = " in said[0]


FORGOTTEN = {
    "a name in the module": ("src/script/eval_checksig.cpp", "// opcode-budget\n", "\n", 1, "opcode-budget: module: no comment names it"),
    "a name in Core": (RULES_PATCH, "(p2mr-control)", "", 1, "p2mr-control: Core: no comment names it"),
    "a name that is wrong": ("src/script/eval.cpp", "// limit-stack", "// limit-stack, limit-stak", 1, "limit-stak: module names it, and the text has no such rule"),
    "a rule that was renamed": (TEXT, "'''limit-count'''", "'''limit-number'''", 5, "limit-number: model: no comment names it"),
    "a reason that is none": ("src/script/script.cpp", "#include", "// policy-annex\n#include", 1, "policy-annex: module: has it; take it out of ABSENT"),
}


def test_as_it_is(tree: Path) -> None:
    assert lines(tree, "check_lists.py") == (0, [])
    assert lines(tree, "check_rules.py") == (0, ["each rule has its name everywhere"])


@pytest.mark.parametrize("what", FORGOTTEN)
def test_forgotten(tree: Path, what: str) -> None:
    file, old, new, count, says = FORGOTTEN[what]
    text = (tree / file).read_text(encoding="utf-8")
    assert old in text
    (tree / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    status, said = lines(tree, "check_rules.py")
    assert status == 1 and len(said) == count and any(says in line for line in said), said

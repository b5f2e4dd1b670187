# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool debug --html: a page that headless Chromium opens, and the JSON that it shows."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import browser as chromium
import pytest
from tool import TOOL, bad, change, ok, ok_json, run, tampered

VECTORS = Path(__file__).resolve().parents[2] / "doc/bip/vectors/spends.json"


@pytest.fixture(scope="module")
def browser():
    if chromium.PROGRAM is None:
        pytest.skip("there is no Chromium")
    with chromium.Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def two_of_three(files):
    keys = ",".join(files.pub[name] for name in ("alice", "bob", "carol"))
    return files.spend("two_of_three", [f"multi_slhdsa(2,{keys})", "OP_RETURN"], ["alice", "carol"], "--annex", "50ff")


def page_of(spend, path, *args):
    """The page, and the JSON that it was made of."""
    result = run("debug", spend, "--html", path, "--force", "--json", *args)
    assert result.returncode in (0, 1) and result.stderr == ""
    return path, json.loads(result.stdout)


def opened(browser, path, beside=(), **options):
    """Open a page that asks for nothing else, complains of nothing and is no wider than the screen; its text."""
    browser.open(path, **options)
    assert browser.problems == [] and browser.requests == [Path(path).resolve().as_uri(), *beside]
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    headings = browser.value("[...document.querySelectorAll('h1, h2, h3, h4')].map((each) => Number(each.tagName[1]))")
    assert headings[0] == 1 and all(below - above <= 1 for above, below in zip(headings, headings[1:])), headings
    return " ".join(browser.value("document.body.innerText").split())


def data_of(path):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', Path(path).read_text(), re.DOTALL)[1])


def test_the_page_has_the_json(files, tmp_path):
    path = tmp_path / "page.html"
    assert "valid" in ok("debug", files.single, "--html", path)
    assert data_of(path) == ok_json("debug", files.single)
    bad("debug", files.single, "--html", path, says="already exists (--force replaces it)")
    bad("debug", files.single, "--html", tmp_path / "none" / "page.html", says="No such file or directory")
    assert run("debug", tampered(files.single, tmp_path / "t.json"), "--html", path, "--force").returncode == 1
    assert "://" not in re.sub(r"https?://[^\s\"']*(opensource|bitcoin)", "", path.read_text())


def test_a_tampered_signature(browser, two_of_three, tmp_path):
    path, data = page_of(tampered(two_of_three, tmp_path / "tampered.json"), tmp_path / "page.html")
    text = opened(browser, path)
    assert data["rule"]["name"] == "opcode-verify" and data["opcode_pos"] == 5
    for shown in ("SCRIPT_ERR_SLHDSA_SIG", "opcode-verify", "section “The opcodes”", "rejects the first 7856 bytes",
                  "The last root is not PK.root", "so the signature or something it signs was changed", "layers of the hypertree"):
        assert shown in text, shown
    # It opens at the step that fails; keys and links in this part go to others.
    assert "Step 9 of 9" in text and "Fails here" in text

    def shown_step(number):
        """A fragment's event comes when the browser has time for it."""
        return browser.wait(f"document.querySelector('.now h3').innerText.startsWith('Step {number} of 9')")

    browser.press("Home")
    assert shown_step(9)
    browser.value("document.querySelector('.instructions').focus()")
    for key, number in [("ArrowLeft", 8), ("ArrowLeft", 7), ("ArrowRight", 8), ("Home", 1), ("ArrowLeft", 1), ("End", 9)]:
        browser.press(key)
        assert shown_step(number), key
        assert browser.value("location.hash") == f"#step-{number - 1}"
        assert browser.value("document.querySelector('[aria-current]').getAttribute('href')") == f"#step-{number - 1}"
    browser.value("document.querySelector('a[href=\"#step-1\"]').click()")
    assert shown_step(2)
    browser.value("document.querySelector('input[type=range]').focus()")
    browser.press("ArrowRight")
    assert shown_step(3)
    opened(browser, path, fragment="#step-1", width=390, dark=True)
    assert shown_step(2)
    # A link to a signature opens it.
    opened(browser, path, fragment="#signature-1")
    assert browser.wait("document.getElementById('signature-1').open && !document.getElementById('signature-0').open")
    browser.value("location.hash = '#step-4'")
    for _ in range(2):
        assert browser.wait("document.querySelector('.now a[href=\"#signature-0\"]')?.click(), document.getElementById('signature-0').open")
        browser.value("document.getElementById('signature-0').open = false")


# From the vectors, one of each kind: what verifies it, how it ends, and by which rule
KINDS = {
    "scope-tapscript/p2tr-key-path-83": (None, "Key path"),
    "scope-tapscript/p2tr-key-path-wrong": ("scope-tapscript", "A Schnorr signature is invalid"),
    "scope-tapscript/p2tr": (None, "✓ The output's key is the internal key tweaked with the root"),
    "scope-tapscript/p2tr-other-leaf-version": ("scope-tapscript", "With leaf version 0xc0 it would be the right one."),
    "scope-tapscript/p2tr-other-internal-key": ("scope-tapscript", "ran: the internal key is not the x coordinate of a point."),
    "scope-tapscript/p2tr-other-path": ("scope-tapscript", "the control block does not lead to the output's key."),
    "scope-tapscript/p2tr-other-parity": ("scope-tapscript", "✗ Only the parity differs"),
    "opcode-budget/sig-unknown-key-one-less": ("opcode-budget", "This check costs 50 and 49 are left: 1 short."),
    "opcode-key-unknown/sig-1-bytes": (None, "a key of 1 byte, which is of an unknown type: no signature is checked"),
    "scope-legacy/CHECKSIGSLHDSA-p2sh-executed": ("scope-legacy", "redeem script"),
    "limit-element/v0-521": ("limit-element", "It failed before the witness script ran"),
    "p2mr-root/path-changed": ("p2mr-root", "the control block does not lead to the output's program."),
    "p2mr-root/depth-8": (None, "branch 7"),
    "p2mr-control/path-of-128": (None, "124 branches between"),
    "p2mr-count/no-element": ("p2mr-count", "It failed before the leaf script ran: fewer than two elements"),
    "p2mr-depth-zero/false": ("p2mr-depth-zero", "root and leaf"),
    "p2mr-execute/false": ("large-result", "end of the leaf script"),
    "scan-decode/push": ("scan-decode", "It failed before the leaf script ran"),
    "limit-stack/1000": (None, "Step 4 of 1507"),
    "p2mr-outer/scriptsig": ("p2mr-outer", "scriptSig"),
    "opcode-unexecuted/CHECKSIGSLHDSA": (None, "OP_CHECKSIGSLHDSA (not executed)"),
    "large-operands/PICK-2": ("large-operands", "521 bytes"),
    "scope-p2mr/program-of-2-bytes": ("scope-p2mr", "No signature was checked"),
    "large-pick-roll/PICK-out-of-range": ("large-pick-roll", "OP_PICK"),
}


def test_every_kind_of_input(browser, tmp_path):
    vectors = {vector["name"]: vector for line in VECTORS.open() if line.startswith("{") for vector in [json.loads(line.rstrip(",\n"))]}
    for name, (rule, shown) in KINDS.items():
        vector = vectors[name]
        spend = tmp_path / "spend.json"
        spend.write_text(json.dumps({member: vector[member] for member in ("tx", "spent_outputs", "flags")}))
        path, data = page_of(spend, tmp_path / "page.html", "--input", str(vector["input"]))
        assert data["error"] == (vector["error"] or "SCRIPT_ERR_OK") and data.get("rule", {}).get("name") == rule, name
        text = opened(browser, path, width=390)
        assert shown in text and (rule or "") in text and data["error"].replace("SCRIPT_ERR_OK", "✓ valid") in text, (name, text)
        assert rule != "opcode-budget" or "About this signature" not in text
        if "key_matches" in data.get("p2tr", {}):
            assert f"key_matches: {str(data['valid']).lower()}" in run("debug", spend, "--input", str(vector["input"])).stdout


def test_the_pages_of_the_vectors(browser, tmp_path):
    subprocess.run([sys.executable, VECTORS.with_name("page.py"), tmp_path], env={**os.environ, "SLHTOOL": TOOL}, check=True, timeout=600)
    pages = list(tmp_path.iterdir())
    assert sum(path.stat().st_size for path in pages) < 4500 * len(pages)
    shared = [(tmp_path / name).as_uri() for name in ("page.css", "page.js")]
    text = opened(browser, tmp_path / "index.html", shared)
    vectors = [vector for line in VECTORS.open() if line.startswith("{") for vector in [json.loads(line.rstrip(",\n"))]]
    for rule in ("opcode-verify", "large-operands", "scope-p2mr"):
        errors = [vector["error"] for vector in vectors if rule in vector["clauses"]]
        assert f"{rule}: {errors.count(None)} valid, {len(errors) - errors.count(None)} invalid" in text
    links = browser.value("[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))")
    assert {path.name for path in tmp_path.glob("*.*.html")} == set(links)
    text = opened(browser, tmp_path / "large-operands.PICK-2.html", shared, width=390)
    assert "Fails here: SCRIPT_ERR_PUSH_SIZE Rule large-operands" in text and "• read: the opcode copies" in text
    browser.value("document.querySelector('.rule a').click()")
    assert browser.wait("document.querySelector(':target') !== null")
    assert "Every operand of every opcode" in browser.value("document.querySelector(':target').innerText")


def test_the_page_of_measurements(browser, tmp_path, monkeypatch):
    """As experiment.py makes it: nothing is cut off, and tables sort."""
    monkeypatch.syspath_prepend(VECTORS.parents[3] / "contrib/bench")
    import plot
    from report import page
    from report.tables import Table

    path = tmp_path / "report.html"
    wide = plot.bars([("x" * 60, [1, 2], True)], "A title that is wide " * 9, "ms", str)
    table = Table("Blocks", "Medians.", ["block", "ms"], [["a block with a long name, of which there are several", "10.0"], ["<b>short</b>", "9.0"]])
    path.write_text(page.document("Measured", [page.figure(wide), page.table(table), *page.paragraphs(["Not measured: <b>this</b>."])]))
    for width in (1200, 390):
        text = opened(browser, path, width=width)
        assert text.index("Not measured: <b>this</b>") > text.index("<b>short</b>")
        assert browser.value("""[...document.querySelectorAll("svg text")].every((text) => {
            const inner = text.getBoundingClientRect(), outer = text.closest("svg").getBoundingClientRect();
            return inner.left >= outer.left && inner.right <= outer.right;
        })""")
        assert browser.value("[...document.querySelectorAll('.scroll')].every((box) => box.scrollWidth <= box.clientWidth)")
    browser.value("document.querySelector('th button').click()")
    assert browser.value("document.querySelector('th').getAttribute('aria-sort')") == "ascending"


def test_hostile_text_does_nothing(browser, files, tmp_path):
    evil = ("</script><script>document.title='owned'</script><!--<script><img src=x onerror=\"document.title='owned'\">"
            "<a href=//example.com>\u2028'''&lt;")
    path, data = page_of(change(files.single, tmp_path / "evil.json", description=evil), tmp_path / "page.html")
    assert data["description"] == evil == data_of(path)["description"]
    assert " ".join(evil.split()) in opened(browser, path)
    assert browser.value("document.title").startswith("Input 0 of ") and browser.value("document.images.length") == 0


@pytest.mark.parametrize("hash_type", ["DEFAULT", "ALL", "NONE", "SINGLE", "ALL|ANYONECANPAY", "NONE|ANYONECANPAY", "SINGLE|ANYONECANPAY"])
def test_the_message_is_what_is_signed(files, hash_type):
    """The fields, hashed with BIP 340's tag, are the hash that the key has signed, with an annex and after an OP_CODESEPARATOR, too."""
    script = f"OP_CODESEPARATOR <{files.pub['bob']}> OP_CHECKSIGSLHDSA OP_VERIFY <{files.pub['dave']}> OP_CHECKSIG"
    signatures = [arg for name in ("dave", "bob") for arg in ("--witness", f"sig({files.key(name)},{hash_type},0)")]
    path = files.spend(f"message {hash_type}", [script, "OP_RETURN"], [], "--leaf", "0", *signatures, "--annex", "50ff")
    tag = hashlib.sha256(b"TapSighash").digest()
    checks = [step["signature"] for step in ok_json("debug", path)["scripts"][-1]["steps"] if "signature" in step]
    for check, key_version in zip(checks, ("02", "00"), strict=True):
        fields = {each["field"]: each["bytes"] for each in check["message"]}
        assert hashlib.sha256(tag + tag + bytes.fromhex("".join(fields.values()))).hexdigest() == check["hash"]
        assert check["hash_type"] == hash_type and fields["key_version"] == key_version
        assert fields["codesep_pos"] == "00000000" and fields["spend_type"] == "03"


def test_the_parts_of_a_signature(files, tmp_path):
    for spend in (files.single, files.of_another_set):
        check = ok_json("debug", spend)["scripts"][-1]["steps"][-1]["signature"]
        parts, at = check["anatomy"]["parts"], 0
        for part in parts:
            assert part["at"] == at
            at += part["size"]
        assert at == check["size"]
        assert check["anatomy"]["root"] == check["anatomy"]["pk_root"] == check["public_key"][-32:] == parts[-1]["root"]
    steps = json.loads(run("debug", tampered(files.single, tmp_path / "t.json"), "--json").stdout)["scripts"][-1]["steps"]
    wrong = steps[-1]["signature"]["anatomy"]
    assert wrong["root"] != wrong["pk_root"]

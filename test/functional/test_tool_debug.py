# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool runs an input step by step."""

import json

import pytest
from tool import TXID, bad, change, memory_limited, ok, ok_json, run, tampered, witness_of


def test_debug(files, tmp_path):
    data = ok_json("debug", files.single)
    assert data["valid"] is True and data["error"] == "SCRIPT_ERR_OK"
    assert data["p2mr"]["root_matches"] is True and data["p2mr"]["path_length"] == 1
    steps = data["scripts"][-1]["steps"]
    assert [step["instruction"] for step in steps] == [f"<{files.pub['alice']}>", "OP_CHECKSIGSLHDSA"]
    assert "7856 bytes" in steps[0]["stack"][0]
    witness = json.loads(ok("decode", "tx", f"@{files.single}", "--json"))["inputs"][0]["witness"]
    assert steps[0]["budget"] == witness["size"] + 50
    assert data["scripts"][-1]["final_stack"] == ["<01>"]

    path = tampered(files.single, tmp_path / "tampered.json")
    result = run("debug", path)
    assert result.returncode == 1 and result.stderr == ""
    assert "failed here: SCRIPT_ERR_SLHDSA_SIG" in result.stdout and "P2TSH" in result.stdout
    assert len(result.stdout) < 5000
    wrong = change(files.single, tmp_path / "wrong.json", spent_outputs=[{"amount": 100000, "script_pubkey": "5220" + "01" * 32}])
    result = run("debug", wrong)
    assert result.returncode == 1 and "root_matches: false" in result.stdout and "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH" in result.stdout
    bad("debug", files.single, "--input", "1", says=["--input", "1, but the transaction has 1 input"])
    bad("debug", files.single, "--input", "x", says=["--input", "'x' is not a whole number, 0 or more"])


def failing_step(path):
    """The script that failed, and its last step."""
    result = run("debug", path, "--json")
    assert (result.returncode, result.stderr) == (1, "")
    script = json.loads(result.stdout)["scripts"][-1]
    return script, script["steps"][-1]


def with_witness(spend, path, elements):
    """The spend with another witness of its only input: hex, the top element last."""
    tx = json.loads(spend.read_text())["tx"]
    old = witness_of(spend)
    assert tx[:-8].endswith(old)  # nLockTime follows

    def compact_size(n):
        return f"{n:02x}" if n < 253 else "fd" + n.to_bytes(2, "little").hex()
    new = f"{len(elements):02x}" + "".join(compact_size(len(each) // 2) + each for each in elements)
    return change(spend, path, tx=tx[:-8].removesuffix(old) + new + tx[-8:])


def elements_of(spend):
    return [each["hex"] for each in ok_json("decode", "tx", f"@{spend}")["inputs"][0]["witness"]["elements"]]


def test_debug_shows_what_is_signed(files, tmp_path):
    """The hash that debug shows is the one that a key can sign, for each kind of check and for each hash type."""
    path = files.spend("hybrid", [f"<{files.pub['bob']}> OP_CHECKSIGSLHDSA OP_VERIFY OP_CODESEPARATOR <{files.pub['dave']}> OP_CHECKSIG", "OP_RETURN"], [],
                       "--leaf", "0", "--witness", f"sig({files.key('dave')},SINGLE|ANYONECANPAY,3)", "--witness", f"sig({files.key('bob')})", "--annex", "50ff")
    steps = ok_json("debug", path)["scripts"][-1]["steps"]
    checks = [step["signature"] for step in steps if "signature" in step]
    assert [(check["public_key"], check["size"], check["hash_type"]) for check in checks] == [
        (files.pub["bob"], 7856, "DEFAULT"), (files.pub["dave"], 65, "SINGLE|ANYONECANPAY")]
    elements = elements_of(path)
    ok("verify", "--public-key", files.pub["bob"], "--message", checks[0]["hash"], "--signature", elements[1])
    ok("verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--message", checks[1]["hash"], "--signature", elements[0][:128])
    text = ok("debug", path)
    assert f"signature hash (DEFAULT): {checks[0]['hash']}" in text and f"signature hash (SINGLE|ANYONECANPAY): {checks[1]['hash']}" in text
    # The stack in the order of --witness.
    assert f"stack, top last: <{elements[0][:12]}..{elements[0][-8:]} 65 bytes> <{elements[1][:12]}..{elements[1][-8:]} 7856 bytes>" in text


def test_debug_says_whose_signature_it_is(files, tmp_path):
    """Signatures in the wrong order, the most common of all mistakes."""
    keys = [files.pub[name] for name in ("alice", "bob", "carol")]
    spend = files.spend("vault", [f"multi_slhdsa(2,{','.join(keys)})", "OP_RETURN"], ["carol", "alice"], "--sighash", "SINGLE|ANYONECANPAY")
    carol, empty, alice, *rest = elements_of(spend)
    path = with_witness(spend, tmp_path / "wrong.json", [alice, empty, carol, *rest])
    script, step = failing_step(path)
    assert script["error"] == "SCRIPT_ERR_SLHDSA_SIG" and step["position"] == 1
    assert script["hint"] == f"it would verify under another key of the script: <{files.pub['carol']}> (instruction 4)"
    assert "about this signature: it would verify under another key of the script" in run("debug", path).stdout
    # Of the key that counts signatures, too.
    script, step = failing_step(with_witness(spend, path, [empty, alice, carol, *rest]))
    assert step["instruction"] == "OP_CHECKSIGSLHDSA"
    script, step = failing_step(with_witness(spend, path, [carol, carol, alice, *rest]))
    assert step["instruction"] == "OP_CHECKSIGADDSLHDSA" and f"<{files.pub['carol']}> (instruction 4)" in script["hint"]
    # Of nobody: nothing is said.
    script, step = failing_step(with_witness(spend, path, [carol, empty, "00" * 7857, *rest]))
    assert "hint" not in script


def test_debug_says_how_a_signature_was_made(files, tmp_path):
    spend = files.spend("schnorr", [f"pk_slhdsa({files.pub['alice']})", f"pk_schnorr({files.pub['dave']})"], ["dave"])
    slhdsa, path = files.single, tmp_path / "wrong.json"
    signature, *rest = elements_of(slhdsa)
    schnorr_signature, *schnorr_rest = elements_of(spend)

    def hint(element, of=slhdsa, then=rest):
        return failing_step(with_witness(of, path, [element, *then]))[0].get("hint", "")
    assert hint(signature + "01") == "it would verify for hash type DEFAULT"
    assert hint(schnorr_signature + "83", spend, schnorr_rest) == "it would verify for hash type DEFAULT"
    assert hint(schnorr_signature) == "it has 64 bytes, like a signature by a schnorr-bip340 key"
    assert hint(signature[:-2]) == "it has 7855 bytes"
    hybrid = files.spend("both", [f"hybrid({files.pub['bob']},{files.pub['dave']})", "OP_RETURN"], ["bob", "dave"])
    _, of_bob, *rest = elements_of(hybrid)
    script, _ = failing_step(with_witness(hybrid, path, [of_bob, of_bob, *rest]))
    assert script["hint"] == "it has 7856 bytes, like a signature by a slh-dsa-sha2-128s key"


def test_debug_of_a_tree_of_one_leaf(files, tmp_path):
    """It says that no script has to run only where that is why the input is valid, or would be."""
    def debug(element, leaf, *args):
        """The exit status, the note and the error."""
        root = ok_json("decode", "control-block", "c1", "--script", leaf)["as_p2mr"]["merkle_root"]
        path = change(with_witness(files.single, tmp_path / "no_path.json", [element, "c1"]), tmp_path / "spend.json",
                      txid=None, spent_outputs=[{"amount": 100000, "script_pubkey": "5220" + root}])
        result = run("debug", path, "--json", *args)
        data = json.loads(result.stdout)
        text = run("debug", path, *args).stdout
        assert data["p2mr"]["path_length"] == 0 and data["p2mr"].get("note", "") in text and ("note" in data["p2mr"]) == ("note:" in text)
        return result.returncode, data["p2mr"].get("note"), data["error"]
    note = "no path: under BIP 360 this succeeds without running the script"
    assert debug("51", "51") == (0, note, "SCRIPT_ERR_OK")
    assert debug("52", "51") == (1, None, "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH")
    policy = ", but DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, which is policy and no rule of consensus, refuses it"
    assert debug("51", "51", "--flags", "standard") == (1, note + policy, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    assert debug("52", "51", "--flags", "standard") == (1, None, "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH")


def spend_of_long_leaf(tmp_path, leaf):
    """A spend of a leaf in hex, without a witness of its own, whether it is valid or not."""
    tree = tmp_path / "long.tree"
    tree.write_text("{0x" + leaf + ",OP_RETURN}")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 1000, "tree": f"@{tree}", "leaf": 0, "witness": []}],
                                "outputs": [{"script_pubkey": "51", "amount": 1000}]}))
    spend = tmp_path / "spend.json"
    ok("spend", spec, "--out", spend, "--unchecked")
    return spend


def test_debug_long_script(tmp_path):
    """A script of many instructions and a high stack: the output stays readable."""
    spend = spend_of_long_leaf(tmp_path, "51" * 900 + "75" * 100000)
    result = run("debug", spend, "--json")
    script = json.loads(result.stdout)["scripts"][-1]
    assert script["error"] == "SCRIPT_ERR_INVALID_STACK_OPERATION"
    assert script["steps"][-1]["position"] == 1800
    assert max(len(step["stack"]) for step in script["steps"]) == 8
    assert max(step["stack_size"] for step in script["steps"]) == 900


def test_debug_bounds_what_it_shows(tmp_path):
    """A thousand elements of each of two thousand instructions would be a gigabyte."""
    spend = spend_of_long_leaf(tmp_path, ("24" + "11" * 36) * 1000 + "61" * 2500)
    limit = memory_limited(384)
    result = run("debug", spend, "--stack", "1000", "--json", preexec_fn=limit)
    assert (result.returncode, result.stderr) == (1, "") and len(result.stdout) < 10_000_000
    steps = json.loads(result.stdout)["scripts"][-1]["steps"]
    shown = [len(step["stack"]) for step in steps]
    assert [step["stack_size"] for step in steps] == [min(i, 1000) for i in range(2000)]
    # In full, until that is too much; of the last one again.
    first = next(i for i in range(2000) if shown[i] < i)
    assert sum(max(n - 8, 0) for n in shown[:-1]) == 50_000 and shown[:first] == list(range(first))
    assert set(shown[first + 1:-1]) == {8} and shown[-1] == 1000 and steps[-1]["position"] == 3499
    text = run("debug", spend, "--stack", "1000", preexec_fn=limit)
    assert (text.returncode, text.stderr) == (1, "") and len(text.stdout) < 10_000_000 and "stack, top last: (992 more) <" in text.stdout


@pytest.mark.parametrize("nops", [500, 1500])
def test_debug_shows_the_last_instruction_in_full(tmp_path, nops):
    """It is what failed, however much the others show and however many there are."""
    spend = spend_of_long_leaf(tmp_path, ("24" + "11" * 36) * 900 + "61" * nops + "6a")
    steps = json.loads(run("debug", spend, "--stack", "1000", "--json").stdout)["scripts"][-1]["steps"]
    assert (len(steps[-1]["stack"]), len(steps[-2]["stack"])) == (900, 8)


def test_debug_long_script_ends_with_a_signature(files, tmp_path):
    """The check by the last instruction does not depend on how many were left out before it, an OP_CODESEPARATOR among them."""
    leaf = "OP_NOP " * 2500 + f"OP_CODESEPARATOR <{files.pub['dave']}> OP_CHECKSIG"
    path = files.spend("separated", [leaf, "OP_RETURN"], [], "--leaf", "0", "--witness", f"sig({files.key('dave')},DEFAULT,2500)")
    signature, *rest = elements_of(path)
    step = ok_json("debug", path)["scripts"][-1]["steps"][-1]
    assert step["position"] == 2502
    ok("verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--message", step["signature"]["hash"], "--signature", signature)
    script, step = failing_step(with_witness(path, tmp_path / "wrong.json", [signature + "83", *rest]))
    assert script["hint"] == "it would verify for hash type DEFAULT" and script["steps_left_out"] == 503

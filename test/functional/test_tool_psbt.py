# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool psbt: several signers in turn, and nothing is signed by mistake."""

import hashlib
import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path

import pytest

from psbt_files import HYBRID, INTERNAL_KEY, TWO_OF_THREE, addresses, compact_size, create, files, finish, raw, sign, with_input_field, write  # noqa: F401
from tool import TOOL, TXID, bad, check_valid, ok, ok_json, run

# Signers in turn


@pytest.mark.parametrize("version", ["0", "2"])
@pytest.mark.parametrize("taproot", [False, True])
def test_two_of_three(files, create, tmp_path, version, taproot):
    internal = ["--internal-key", INTERNAL_KEY] if taproot else []
    start = create(TWO_OF_THREE, "--psbt-version", version, *internal)
    planned = ok_json("psbt", "show", f"@{start}")
    assert planned["next"] == "sign" and planned["exact"] and planned["psbt_version"] == int(version)
    assert [signature["signed"] for signature in planned["inputs"][0]["leaves"][0]["signatures"]] == [False] * 3

    # At the same time: each signs a copy, somebody puts them together
    alice = sign(files, start, "alice", out=tmp_path / "alice.psbt")
    carol = sign(files, start, "carol", out=tmp_path / "carol.psbt")
    shown = ok_json("psbt", "show", f"@{alice}")["inputs"][0]["leaves"][0]
    assert [(s["signed"], s.get("valid")) for s in shown["signatures"]] == [(True, True), (False, None), (False, None)]
    assert "needs 2 signatures, but has 1" in shown["missing"]
    not_yet = run("psbt", "finalize", f"@{alice}")
    assert not_yet.returncode == 1 and "input 0 needs 2 signatures, but has 1" in not_yet.stdout
    assert json.loads(run("psbt", "finalize", f"@{alice}", "--json").stdout)["complete"] is False
    both = tmp_path / "both.psbt"
    ok("psbt", "combine", f"@{alice}", f"@{carol}", "--force", "--out", both)
    assert ok_json("psbt", "show", f"@{both}")["next"] == "finalize"
    made = finish(both, tmp_path)
    assert made["weight"] == planned["weight"] and made["txid"] == planned["txid"]

    # One after the other
    turn = sign(files, sign(files, start, "bob", out=tmp_path / "1.psbt"), "carol", out=tmp_path / "2.psbt")
    assert finish(turn, tmp_path)["txid"] == planned["txid"]


def test_transcript_of_the_page(files, tmp_path):
    """doc/psbt.md's session prints what the page says, with the keys whose public parts stand there. "..." stands for anything."""
    page = (Path(__file__).resolve().parents[2] / "doc" / "psbt.md").read_text()
    session = re.search(r"```\n(\$ slhtool address .*?)```", page, re.DOTALL)[1]
    for name in ["alice", "bob", "carol"]:
        seed = hashlib.sha512(name.encode()).digest()[:48].hex()
        ok("keygen", "--seed-file", "-", tmp_path / f"{name}.key", "--public", tmp_path / f"{name}.pub", stdin=seed)
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
    start = create(HYBRID)
    with_schnorr = sign(files, start, "dave", out=tmp_path / "1.psbt")
    assert ok_json("psbt", "show", f"@{with_schnorr}")["inputs"][0]["leaves"][0]["missing"].startswith("needs a signature by the slh-dsa-sha2-128s key")
    both = sign(files, with_schnorr, "alice", out=tmp_path / "2.psbt")
    assert finish(both, tmp_path)["weight"] == ok_json("psbt", "show", f"@{start}")["weight"]


def test_lock_times_and_preimages(files, create, tmp_path):
    preimage = "00ff"
    digest = hashlib.sha256(bytes.fromhex(preimage)).hexdigest()
    for version in ["0", "2"]:
        start = create(f"after(500) older(144) sha256({digest}) pk_slhdsa({{alice}})", "--psbt-version", version, "--preimage", preimage)
        shown = ok_json("psbt", "show", f"@{start}")
        assert shown["locktime"] == 500 and shown["inputs"][0]["sequence"] == 144
        finish(sign(files, start, "alice", out=tmp_path / "signed.psbt"), tmp_path)
    without = create(f"sha256({digest}) pk_slhdsa({{alice}})")
    assert ok_json("psbt", "show", f"@{without}")["exact"] is False
    signed = sign(files, without, "alice", out=tmp_path / "signed.psbt")
    assert f"needs the preimage of {digest}" in run("psbt", "finalize", f"@{signed}").stdout
    told = tmp_path / "told.psbt"
    ok("psbt", "update", f"@{signed}", "--preimage", preimage, "--force", "--out", told)
    finish(told, tmp_path)


def test_lock_times_without_effect(files, create, tmp_path):
    """A signer sees what the transaction waits for, not what it only names."""
    waits, final = create("pk_slhdsa({alice})", "--locktime", 5, name="waits"), create("pk_slhdsa({alice})", "--locktime", 5, "--sequence", 0xFFFFFFFF, name="final")
    assert "height 5" in ok("psbt", "show", f"@{waits}") and ok_json("psbt", "show", f"@{waits}")["warnings"] == []
    shown = ok_json("psbt", "show", f"@{final}")
    assert shown["locktime"] == 5 and "not_before" not in shown and "nLockTime 5 has no effect: every input is final" in shown["warnings"][0]
    signing = run("psbt", "sign", f"@{final}", "--key", files.key("alice"), "--yes", "--out", tmp_path / "signed.psbt")
    assert signing.returncode == 0 and "nLockTime 5 has no effect" in signing.stdout + signing.stderr and "not before" not in signing.stdout + signing.stderr
    old = create("pk_slhdsa({alice})", "--sequence", 7, name="old")
    assert "at least 7 blocks" in ok("psbt", "show", f"@{old}")
    version = raw(old).index(bytes.fromhex("02000000"))
    old = write(tmp_path / "version1.psbt", raw(old)[:version] + b"\1" + raw(old)[version + 1:])
    shown = ok_json("psbt", "show", f"@{old}")
    assert "age" not in shown["inputs"][0] and any("nSequence 7 requires no age" in warning for warning in shown["warnings"])


def test_update_of_what_a_node_created(files, addresses, tmp_path):
    """createpsbt knows neither amounts nor trees."""
    tree, data = files.tree(TWO_OF_THREE.format(**files.pub), HYBRID.format(**files.pub))
    tx = "02000000" + "01" + "11" * 32 + "00000000" + "00" + "fdffffff" + "01" + (90_000).to_bytes(8, "little").hex() + "22" + data["script_pubkey"] + "00000000"
    bare = write(tmp_path / "bare.psbt", b"psbt\xff\x01\x00" + compact_size(len(tx) // 2) + bytes.fromhex(tx) + b"\x00\x00\x00")
    assert ok_json("psbt", "show", f"@{bare}")["next"] == "update"
    bad("psbt", "sign", f"@{bare}", "--key", files.key("alice"), "--yes", says="none of these keys")
    bad("psbt", "update", f"@{bare}", "--tree", f"@{tree}", says=["--tree", "no input is known", "--input and --amount"])
    updated = tmp_path / "updated.psbt"
    ok("psbt", "update", f"@{bare}", "--tree", f"@{tree}", "--input", 0, "--amount", 100_000, "--force", "--out", updated)
    ok("psbt", "update", f"@{updated}", "--tree", f"@{tree}", "--output", 0, "--force", "--out", updated)
    shown = ok_json("psbt", "show", f"@{updated}")
    assert len(shown["inputs"][0]["leaves"]) == 2 and shown["exact"] is False and shown["fee"] == 10_000
    assert shown["outputs"][0]["script_of_input"] == 0 and "has: " in (text := ok("psbt", "show", f"@{updated}")) and "back to" not in text
    assert shown["outputs"][0]["tree"] == data["tree"]
    # Whichever leaf has all its signatures
    signed = sign(files, updated, "alice", "dave", out=tmp_path / "signed.psbt")
    finish(signed, tmp_path)


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


def test_spend_partial(files, addresses, tmp_path):
    """Somebody with one key begins."""
    tree, _ = files.tree(TWO_OF_THREE.format(**files.pub), "OP_RETURN")
    args = ["spend", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"], "--key", files.key("bob")]
    bad(*args, says="needs 2 signatures, but has 1")
    out = tmp_path / "partial.psbt"
    assert f"signed input 0: with {files.pub['bob']}\n" in ok(*args, "--partial", "--force", "--out", out)
    finish(sign(files, out, "alice", out=tmp_path / "signed.psbt"), tmp_path)
    (added,) = ok_json(*args, "--partial")["added"]
    assert added["input"] == 0 and added["public_key"] == files.pub["bob"]
    bad(*args[:-1], files.key("dave"), "--partial", says=["--key", "none of these keys signs"])


# Without a PSBT


@pytest.mark.parametrize("hash_type", ["DEFAULT", "SINGLE|ANYONECANPAY"])
def test_sighash_and_signatures_from_files(files, addresses, tmp_path, hash_type):
    """A signer who has only a key signs a hash; the signature travels as a file."""
    tree, _ = files.tree(HYBRID.format(**files.pub), "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"] + "=90000", "--sighash", hash_type]
    hashes = ok_json("sighash", *coin)["hashes"]
    assert len(hashes) == 1 and hashes[0]["sighash"] == hash_type
    by_key = {signer["public_key"]: signer["hash"] for signer in hashes[0]["signers"]}
    assert set(by_key) == {files.pub["alice"], files.pub["dave"]} and len(set(by_key.values())) == 2
    for name in ["alice", "dave"]:
        ok("sign", "--key", files.key(name), "--message", by_key[files.pub[name]], "--force", "--out", tmp_path / f"{name}.sig")
    given = {name: f"{files.pub[name]}=@{tmp_path}/{name}.sig" for name in ["alice", "dave"]}

    spend = tmp_path / "spend.json"
    ok("spend", *coin, "--signature", given["alice"], "--key", files.key("dave"), "--force", "--out", spend)
    check_valid(spend)
    ok("spend", *coin, "--signature", given["alice"], "--signature", given["dave"], "--force", "--out", spend)
    check_valid(spend)
    # A signature of something else is not valid, and nothing is written.
    other = [arg.replace("=90000", "=90001") if isinstance(arg, str) else arg for arg in coin]
    refused = run("spend", *other, "--signature", given["alice"], "--key", files.key("dave"))
    assert refused.returncode == 1 and "Not written" in refused.stdout

    # Into a PSBT
    start = tmp_path / "start.psbt"
    ok("psbt", "create", *coin, "--force", "--out", start)
    one = tmp_path / "one.psbt"
    assert run("psbt", "sign", f"@{start}", "--signature", given["dave"], "--sighash", hash_type, "--force", "--out", one).returncode == 0
    finish(sign(files, one, "alice", out=tmp_path / "two.psbt", options=["--sighash", hash_type]), tmp_path)
    if hash_type != "DEFAULT":  # a valid signature with another hash type than the PSBT asks for could never be used
        asks = tmp_path / "asks.psbt"
        ok("psbt", "update", f"@{start}", "--sighash", "ALL", "--out", asks)
        signature = (tmp_path / "dave.sig").read_text().strip() + "83"
        bad("psbt", "sign", f"@{asks}", "--signature", f"{files.pub['dave']}={signature}", "--any-fee",
            says=["input 0", f"has hash type {hash_type}, but the PSBT asks for ALL"])
    wrong = tmp_path / "wrong.sig"
    wrong.write_text("00" * 64)
    bad("psbt", "sign", f"@{start}", "--signature", f"{files.pub['dave']}=@{wrong}", says="is not valid for any leaf of this transaction")


def test_key_with_a_spec(files, addresses, tmp_path):
    """A SPEC file goes from one to the next without anybody's file names."""
    tree, _ = files.tree(f"pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": n, "amount": 100_000, "tree": f"@{tree}"} for n in range(2)],
                                "outputs": [{"address": addresses["regtest"]}]}))
    bad("spend", spec, says="needs a signature by")
    spend = tmp_path / "spend.json"
    ok("spend", spec, "--key", files.key("alice"), "--force", "--out", spend)
    check_valid(spend, inputs=2)
    assert [each["input"] for each in ok_json("sighash", spec)["hashes"]] == [0, 1]
    assert [each["input"] for each in ok_json("sighash", spec, "--input", 1)["hashes"]] == [1]
    bad("spend", spec, "--signature", f"{files.pub['alice']}=00", says=["--signature", "several inputs"])
    bad("spend", spec, "--leaf", 0, says=["--leaf", "cannot be combined with a SPEC file"])


def test_witness_element_from_a_file(files, addresses, tmp_path):
    tree, _ = files.tree("OP_SIZE OP_2 OP_EQUALVERIFY OP_DROP OP_1", "OP_RETURN")
    element = tmp_path / "element.hex"
    element.write_text("00ff\n")
    spend = tmp_path / "spend.json"
    ok("spend", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"], "--witness", f"@{element}", "--force", "--out", spend)
    check_valid(spend)


# Nothing is signed by mistake


def test_signer_shows_and_asks(files, create, tmp_path):
    start = create(TWO_OF_THREE)
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice"), "--force", "--out", tmp_path / "signed.psbt"]
    result = run(*args, start_new_session=True)  # no terminal
    assert result.returncode == 2 and "cannot ask for confirmation without a terminal" in result.stderr
    for part in ["100000 satoshis of", "satoshis to bcrt1z", "fee:", f"with {files.pub['alice']}, hash type DEFAULT"]:
        assert part in result.stdout
    assert not (tmp_path / "signed.psbt").exists()
    for answer, status in [("n\n", 2), ("y\n", 0)]:
        shown, exit_status = asked(args, answer)
        assert exit_status == status and (tmp_path / "signed.psbt").exists() == (status == 0)
        assert shown.count("fee:") == 1 and shown.index("fee:") < shown.index("Sign?")


def asked(args, answer, stdout=None, stderr=None, ahead=""):
    """Run on a terminal, where a question gets this answer, and where something was typed ahead. Returns what stood there before the question,
    and the exit status."""
    pid, terminal = pty.fork()
    if pid == 0:
        if ahead:
            select.select([0], [], [])
        for path, stream in [(stdout, 1), (stderr, 2)]:
            if path:
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), stream)
        os.execv(TOOL, [TOOL, *map(str, args)])
    os.write(terminal, ahead.encode())
    shown = b""
    while b"[y/N]" not in shown:
        assert select.select([terminal], [], [], 60)[0]
        shown += os.read(terminal, 65536)
    os.write(terminal, answer.encode())
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass  # how a terminal says that its other end is closed
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_only_a_whole_line_that_says_so_is_a_yes(files, create, tmp_path):
    start, signed = create(TWO_OF_THREE), tmp_path / "signed.psbt"
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice"), "--out", signed]
    for answer in ("y      no, wait\n", "yes    NO\n", "yes\0no\n", "y" + " " * 4000 + "no\n", "y" + " " * 4094 + "no\n", "yy\n", "\n", "\x04", "y\x04\x04"):
        assert asked(args, answer)[1] == 2 and not signed.exists(), answer
    for answer in ("y\n", " Y \n", "yes\n"):
        assert asked(args, answer)[1] == 0 and signed.exists(), answer
        signed.unlink()


def test_nobody_is_asked_about_what_cannot_be_signed(files, addresses, tmp_path):
    """There is nothing to sign if a spent output is not known, or with SINGLE if the output is not there."""
    tree, _ = files.tree(HYBRID.format(**files.pub), "OP_RETURN")
    spec, start = tmp_path / "spec.json", tmp_path / "start.psbt"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": n, "amount": 50_000, "tree": f"@{tree}"} for n in range(2)],
                                "outputs": [{"address": addresses["regtest"]}]}))
    ok("psbt", "create", spec, "--out", start)
    data = raw(start)
    at = data.rindex(b"\x01\x01\x2b")  # PSBT_IN_WITNESS_UTXO: 43 bytes
    unknown = write(tmp_path / "unknown.psbt", data[:at] + data[at + 3 + 43:])
    for psbt, option, says in [(unknown, ["--any-fee"], "input 1: what it spends is not known"), (start, ["--sighash", "SINGLE"], "there is no output 1")]:
        for more in ["--yes"], ["--json"]:
            bad("psbt", "sign", f"@{psbt}", *option, "--key", files.key("alice"), "--out", tmp_path / "signed.psbt", *more, says=says)
    assert not (tmp_path / "signed.psbt").exists()


def test_what_was_typed_before_the_question_is_no_answer(files, create, tmp_path):
    """As lines that are pasted together."""
    start, signed = create(TWO_OF_THREE), tmp_path / "signed.psbt"
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice"), "--out", signed]
    for ahead in "y\n", "y\ny\n":
        assert asked(args, "n\n", ahead=ahead)[1] == 2 and not signed.exists()
    assert asked(args, "y\n", ahead="n\n")[1] == 0


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_nobody_confirms_what_went_elsewhere(files, create, tmp_path, stream):
    """Where the output is redirected, the question is still on the terminal, and so is what it is about."""
    start = create(TWO_OF_THREE)
    log, signed = tmp_path / "log.txt", tmp_path / "signed.psbt"
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice")]
    shown, status = asked(args + (["--out", signed] if stream == "stdout" else []), "y\n", **{stream: str(log)})
    assert status == 0
    for part in ["100000 satoshis of", "satoshis to bcrt1z", "fee:", f"with {files.pub['alice']}, hash type DEFAULT"]:
        assert part in shown and part in log.read_text()


def test_what_cannot_be_shown_is_not_signed(files, create, tmp_path):
    start = create(TWO_OF_THREE)
    signed = tmp_path / "signed.psbt"
    args = [TOOL, "psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes"]
    with open("/dev/full", "w") as full:
        to_file = subprocess.run([*args, "--out", signed], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
        printed = subprocess.run(args, stdout=subprocess.PIPE, stderr=full, text=True, timeout=300)
    assert to_file.returncode == 2 and to_file.stderr == "slhtool psbt sign: not signed: what is to be signed cannot be shown\n"
    assert not signed.exists()
    assert printed.returncode == 2 and printed.stdout == ""


def test_an_amount_that_nobody_can_ever_spend(files, create, tmp_path):
    """OP_RETURN in place of the only output."""
    data = raw(create(HYBRID))
    at = data.index(bytes.fromhex("225220")) + 1
    burns, signed = write(tmp_path / "burns.psbt", data[:at] + b"\x6a" + data[at + 1:]), tmp_path / "signed.psbt"
    shown = ok_json("psbt", "show", f"@{burns}")
    lost = f"its {shown['outputs'][0]['amount']} satoshis will be lost: nobody can ever spend it"
    assert shown["warnings"] == [f"output 0: {lost}"]
    args = ["psbt", "sign", f"@{burns}", "--key", files.key("alice"), "--key", files.key("dave"), "--yes", "--out", signed]
    bad(*args, "--any-fee", "--nonstandard", "--despite-invalid", says=["output 0: gets ", "nobody can ever spend it (--allow-burn accepts it)"])
    assert not signed.exists()
    assert f"WARNING: output 0: {lost}" in re.sub(" +", " ", ok(*args, "--allow-burn"))
    bad("psbt", "finalize", f"@{signed}", says=["output 0: gets ", "--allow-burn"])
    ok("psbt", "finalize", f"@{signed}", "--allow-burn")


def test_json_says_what_was_signed(files, create):
    start = create(HYBRID)
    made = ok_json("psbt", "sign", f"@{start}", "--key", files.key("alice"))
    assert [(each["input"], each["public_key"], each["sighash"]) for each in made["added"]] == [(0, files.pub["alice"], "DEFAULT")]
    assert made["fee"] > 0 and made["psbt"].startswith("cHNidP")
    bad("psbt", "sign", made["psbt"], "--key", files.key("alice"), "--yes", says="or it is there")


def test_hash_types_need_a_switch(files, create, tmp_path):
    """ALL commits to as much as DEFAULT, and a PSBT gets it for the asking. Any other one has to be named, and what it leaves open is said."""
    asked = create(HYBRID, "--sighash", "ALL")
    finish(sign(files, asked, "alice", "dave", out=tmp_path / "all.psbt"), tmp_path)
    assert ok_json("psbt", "show", f"@{tmp_path / 'all.psbt'}")["warnings"] == []
    for hash_type, warning in [("NONE", "commits to no output: anyone who has the signature can send the coins anywhere"),
                               ("SINGLE", "commits to no output but number 0"),
                               ("SINGLE|ANYONECANPAY", "to no other input: anyone can add, remove or replace them")]:
        start = create(HYBRID, "--sighash", hash_type)
        args = ["psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes"]
        bad(*args, says=["input 0", f"asks for hash type {hash_type}", warning, "--sighash"])
        bad(*args, "--sighash", "ALL", says=f"asks for hash type {hash_type}")
        assert any(warning in each for each in ok_json("psbt", "show", f"@{start}")["warnings"])
        assert re.search(f"WARNING: .*{re.escape(warning)}", run(*args, "--sighash", hash_type).stderr)
        signed = sign(files, start, "alice", "dave", out=tmp_path / "signed.psbt", options=["--sighash", hash_type])
        shown = ok_json("psbt", "show", f"@{signed}")["inputs"][0]["leaves"][0]["signatures"]
        assert [each["sighash"] for each in shown] == [hash_type] * 2
        finish(signed, tmp_path)
    # Somebody else's signature, which the PSBT did not ask for
    plain = create(HYBRID)
    signed = sign(files, plain, "alice", out=tmp_path / "signed.psbt", options=["--sighash", "NONE"])
    (warning,) = ok_json("psbt", "show", f"@{signed}")["warnings"]
    assert "commits to no output" in warning and files.pub["alice"] in warning
    assert "WARNING" in ok("psbt", "show", f"@{signed}")


def test_fees_that_nobody_means(files, create, addresses, tmp_path):
    for amount, says in [("99600", "many nodes do not relay it"), ("10000", "more than a quarter")]:
        start = create(HYBRID, "--any-fee", "--to", addresses["regtest"] + "=330", "--fee", str(100_000 - 330 - int(amount)))
        args = ["psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes", "--json"]
        bad(*args, says=["fee", says])
        ok(*args, "--any-fee")


def test_changed_amounts_and_outputs(files, create, tmp_path):
    """A change to what was signed leaves no valid signature, and the next signer hears of it."""
    start = create(HYBRID)
    signed = sign(files, start, "alice", "dave", out=tmp_path / "signed.psbt")
    only_alice = sign(files, start, "alice", out=tmp_path / "alice.psbt")
    fee = ok_json("psbt", "show", f"@{start}")["fee"]
    for old, new in [((100_000).to_bytes(8, "little"), (100_001).to_bytes(8, "little")),
                     ((100_000 - fee).to_bytes(8, "little"), (100_000 - fee - 1).to_bytes(8, "little"))]:
        def change(psbt, name):
            data = raw(psbt)
            assert data.count(old) == 1
            return write(tmp_path / name, data.replace(old, new))
        changed = change(signed, "changed.psbt")
        assert [each["valid"] for each in ok_json("psbt", "show", f"@{changed}")["inputs"][0]["leaves"][0]["signatures"]] == [False, False]
        refused = run("psbt", "finalize", f"@{changed}", "--force", "--out", tmp_path / "never.psbt")
        assert refused.returncode == 1 and not (tmp_path / "never.psbt").exists()
        for name in ["alice", "dave"]:
            assert f"the signature by {files.pub[name]} is not valid for this transaction" in refused.stdout
        bad("psbt", "combine", f"@{changed}", f"@{changed}", says=["PSBT 0", "input 0", "is not valid", "--drop-invalid"])

        changed = change(only_alice, "changed.psbt")
        (tmp_path / "next.psbt").unlink(missing_ok=True)
        args = ["psbt", "sign", f"@{changed}", "--key", files.key("dave"), "--yes", "--force", "--out", tmp_path / "next.psbt"]
        bad(*args, says=["input 0", f"the signature by {files.pub['alice']} is not valid", "changed what is paid after a signature was made", "--despite-invalid"])
        assert not (tmp_path / "next.psbt").exists()
        ok(*args, "--despite-invalid")
        shown = ok_json("psbt", "show", f"@{tmp_path / 'next.psbt'}")["inputs"][0]["leaves"][0]["signatures"]
        assert [each["valid"] for each in shown] == [False, True]
        # Somebody who agrees to the change signs again, which replaces the signature.
        finish(sign(files, tmp_path / "next.psbt", "alice", out=tmp_path / "again.psbt", options=["--despite-invalid"]), tmp_path)


def test_foreign_leaf(files, create, tmp_path):
    """A leaf that is not one of the output: signing it would be signing something else."""
    start = create(HYBRID)
    data = raw(start)
    script = bytes.fromhex(files.pub["dave"])
    changed = write(tmp_path / "changed.psbt", data.replace(script, bytes.fromhex(files.pub["alice"])))
    shown = ok_json("psbt", "show", f"@{changed}")
    assert any("is not one of the output that is spent" in warning for warning in shown["warnings"])
    assert shown["inputs"][0]["leaves"] == [] and shown["next"] == "update"
    refused = run("psbt", "finalize", f"@{changed}")
    assert refused.returncode == 1 and re.match("input 0 cannot be finalized: leaf .* is not one of the output that is spent\n", refused.stdout)
    bad("psbt", "sign", f"@{changed}", "--key", files.key("alice"), "--yes", says=["input 0", "is not one of the output that is spent"])


def test_combining_what_does_not_belong_together(files, create, addresses):
    start, other = create(HYBRID), create(HYBRID, "--fee", "12345", name="other")
    bad("psbt", "combine", f"@{start}", f"@{other}", says="PSBT 1 has a different transaction from PSBT 0")
    second = create(HYBRID, "--psbt-version", "2", name="second")
    bad("psbt", "combine", f"@{start}", f"@{second}", says="PSBT 1 has version 2, and PSBT 0 version 0: convert one of them (psbt update --psbt-version)")
    converted = ok("psbt", "update", f"@{second}", "--psbt-version", "0").strip()
    ok("psbt", "combine", f"@{start}", converted)


def test_unknown_fields_survive_every_step(files, create, tmp_path):
    key, value = b"\xf0whatever", b"keeps"
    proprietary = b"\xfc\x03abc\x00"
    psbt = with_input_field(create(HYBRID), tmp_path / "unknown.psbt", key, value)
    psbt = with_input_field(psbt, tmp_path / "unknown.psbt", proprietary, value)

    def check(path):
        assert [(each["key"], each["value"]) for each in ok_json("psbt", "show", f"@{path}")["inputs"][0]["unknown"]] == [
            (key.hex(), value.hex()), (proprietary.hex(), value.hex())]
    check(psbt)
    alice = sign(files, psbt, "alice", out=tmp_path / "1.psbt")
    dave = sign(files, psbt, "dave", out=tmp_path / "2.psbt")
    both, final, second = tmp_path / "3.psbt", tmp_path / "4.psbt", tmp_path / "5.psbt"
    ok("psbt", "combine", f"@{alice}", f"@{dave}", "--force", "--out", both)
    ok("psbt", "update", f"@{both}", "--psbt-version", "2", "--force", "--out", second)
    ok("psbt", "finalize", f"@{both}", "--force", "--out", final)
    for path in [alice, dave, both, second, final]:
        check(path)


# Input


def test_forms_of_input(create, tmp_path):
    start = create(HYBRID)
    data = raw(start)
    binary, hexadecimal = tmp_path / "binary.psbt", tmp_path / "hex.psbt"
    binary.write_bytes(data)
    hexadecimal.write_text(data.hex())
    shown = ok_json("psbt", "show", f"@{start}")
    for argument, stdin in [(f"@{binary}", None), (f"@{hexadecimal}", None), (start.read_text().strip(), None), (data.hex(), None), ("-", start.read_text())]:
        assert ok_json("psbt", "show", argument, stdin=stdin) == shown


@pytest.mark.parametrize("change, says", [
    (lambda data: b"", "not a PSBT"),
    (lambda data: data[1:], ["magic", "at byte 0"]),
    (lambda data: data[:-1], "at byte"),
    (lambda data: data + b"\x00", "1 trailing bytes"),
    (lambda data: data[:5] + b"\xfd\x01\x00" + data[6:], "non-canonical compact size"),
])
def test_broken(create, tmp_path, change, says):
    broken = tmp_path / "broken.psbt"
    broken.write_text(change(raw(create(HYBRID))).hex() or "x")
    for args in [["show", f"@{broken}"], ["combine", f"@{broken}", f"@{broken}"], ["finalize", f"@{broken}"], ["extract", f"@{broken}"]]:
        bad("psbt", *args, says=[str(broken)] + ([says] if isinstance(says, str) else says))


def test_wrong_fields(create, tmp_path):
    start = create(HYBRID)
    for key, value, says in [
        (b"\x00", b"\x00", ["input 0", "PSBT_IN_NON_WITNESS_UTXO"]),
        (b"\x03", b"\x01", ["input 0", "PSBT_IN_SIGHASH_TYPE", "value of 1 byte, not 4"]),
        (b"\xfc\x06slhdsa\x00" + bytes(64), bytes(64), ["input 0", "SLH-DSA signature", "not 7856 or 7857"]),
        (b"\x01", bytes(9), ["input 0", "duplicate key", "PSBT_IN_WITNESS_UTXO"]),
        (b"\x0e", bytes(32), ["input 0", "PSBT_IN_PREVIOUS_TXID", "not allowed in version 0"]),
    ]:
        bad("psbt", "show", f"@{with_input_field(start, tmp_path / 'wrong.psbt', key, value)}", says=says)


def test_usage(files, create, tmp_path):
    start = create(HYBRID)
    bad("psbt", "sign", f"@{start}", says="give --key or --signature")
    bad("psbt", "update", f"@{start}", "--leaf", 0, says=["--leaf", "needs --tree"])
    bad("psbt", "update", f"@{start}", "--previous-tx", "00", says="--previous-tx")
    bad("psbt", "create", says="--outpoint: missing")
    tree, _ = files.tree(HYBRID.format(**files.pub), "OP_RETURN")
    for option, says in [("leaf", "--leaf: there is no leaf 2"), ("input", "--input: there is no input 2"), ("output", "--output: there is no output 2")]:
        bad("psbt", "update", f"@{start}", "--tree", f"@{tree}", f"--{option}", 2, says=f"slhtool psbt update: {says}\n")
    bad("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--output", 0, says="output 0: does not have this tree")
    bad("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--input", 0, "--amount", 1, says="says that it spends another output")
    bad("psbt", "extract", f"@{start}", says="input 0: not final")


def test_what_has_no_place_in_a_psbt(files, tmp_path):
    tree, data = files.tree("OP_1", "OP_2")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]]
    for option, value in [("--annex", "50"), ("--witness", "<00>"), ("--flags", "consensus"), ("--key", files.key("alice"))]:
        assert f"  {option} " in ok("spend", "--help") and f"  {option} " not in ok("psbt", "create", "--help")
        bad("psbt", "create", *coin, option, value, says=f"'{option}' is not expected here")
    spec = tmp_path / "spec.json"
    for member, value, says in [("annex", "50", "an annex"), ("witness", ["<00>"], "a witness given by hand")]:
        spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 100_000, "tree": f"@{tree}", member: value}],
                                    "outputs": [{"address": data["addresses"]["regtest"]}]}))
        bad("psbt", "create", spec, says=f"a PSBT has no place for {says}")

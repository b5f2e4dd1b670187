# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool as a person uses it: help, keys, what the environment says, the demo.

SLHTOOL names the program. Run by ctest as tool_functional_tests, or by hand:

    SLHTOOL=build/dev/src/tool/slhtool python3 -m pytest test/functional/test_tool.py
"""

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from tool import COMMANDS, TOOL, bad, ok, ok_json, run, spend_args


# Help


def test_help_is_the_manual():
    text = ok("--help")
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", text, re.M), command
    for word in ["P2MR", "P2TSH", "Exit status", "SLHC_BACKEND", "SLHC_THREADS", "the cores this process may use", "slhtool demo",
                 "Where FILE is expected, write its name without @.", "debug, info, warning or error"]:
        assert word in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command):
    text = ok(command, "--help")
    assert "Examples:" in text
    assert f"slhtool {command}" in text
    if "P2MR" in text:
        assert "P2TSH" in text


@pytest.mark.parametrize("command, fields", [(["spend"], ["annex", "witness"]), (["sighash"], ["annex"]), (["psbt", "create"], [])])
def test_help_shows_the_fields_that_a_command_takes(command, fields):
    text = ok(*command, "--help")
    assert [name for name in ["annex", "witness"] if f'"{name}"' in text] == fields
    assert '"sequence"' in text
    assert "\n\n\n" not in text


def test_version():
    assert re.fullmatch(r"slhtool \d+\.\d+\.\d+\n", ok("--version"))


@pytest.mark.parametrize("args, says", [
    ([], "slhtool: A subcommand is required (see slhtool --help)"),
    (["--nosuch"], "slhtool: '--nosuch' is not expected here (see slhtool --help)"),
    (["nosuch"], "slhtool: 'nosuch' is not a command (see slhtool --help)"),
    (["psbt"], "slhtool psbt: A subcommand is required (see slhtool psbt --help)"),
    (["psbt", "nosuch"], "slhtool psbt: 'nosuch' is not a command (see slhtool psbt --help)"),
    (["psbt", "--nosuch"], "slhtool psbt: '--nosuch' is not expected here (see slhtool psbt --help)"),
    (["keygen"], "slhtool keygen: FILE is required (see slhtool keygen --help)"),
    (["keygen", "a", "--type", "rsa"], "rsa"),
    (["sign", "--nosuch"], "slhtool sign: '--nosuch' is not expected here (see slhtool sign --help)"),
    (["verify", "--public-key", "00" * 32, "--signature", "00"], "--message-file"),
    # The page that is named is the one that describes the option.
    (["descriptor", "info"], "slhtool descriptor info: DESCRIPTOR is required (see slhtool descriptor info --help)"),
    (["decode", "control-block"], "slhtool decode control-block: DATA is required (see slhtool decode control-block --help)"),
])
def test_bad_usage(args, says):
    bad(*args, says=[says, "--help"])


def test_unwritable_output(files):
    with open("/dev/full", "w") as full:
        result = subprocess.run([TOOL, "pubkey", files.key("alice")], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert "standard output" in result.stderr


# Keys


@pytest.mark.parametrize("kind, secret_size, type_name", [("slhdsa", 64, "slh-dsa-sha2-128s"), ("schnorr", 32, "schnorr-bip340")])
def test_keygen(tmp_path, kind, secret_size, type_name):
    path, public = tmp_path / "a.key", tmp_path / "a.pub"
    data = ok_json("keygen", path, "--type", kind, "--public", public, umask=0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = json.loads(path.read_text())
    assert key["type"] == data["type"] == type_name
    assert key["public_key"] == data["public_key"]
    assert len(key["secret_key"]) == 2 * secret_size
    assert json.loads(public.read_text()) == data
    assert ok("pubkey", path).strip() == data["public_key"]
    assert ok("pubkey", "-", stdin=path.read_text()).strip() == data["public_key"]
    assert ok_json("pubkey", path) == data
    assert ok_json("pubkey", public) == data and ok("pubkey", "-", stdin=public.read_text()).strip() == data["public_key"]
    bad("pubkey", "-", stdin=data["public_key"] + "\n", says="a line of 64 hex digits, which does not say that it is a public key")
    bad("sign", "--key", public, "--message-text", "x", says=[str(public), "contains no secret key"])


def test_keygen_from_seed(tmp_path):
    seed = tmp_path / "seed"
    seed.write_text("00" * 48 + "\n")
    first = ok("keygen", tmp_path / "a.key", "--seed-file", seed)
    assert ok("keygen", tmp_path / "b.key", "--seed-file", "-", stdin="00" * 48) == first
    # BIP 340, test vector 0
    seed.write_text("00" * 31 + "03")
    assert ok("keygen", tmp_path / "c.key", "--type", "schnorr", "--seed-file", seed).strip().upper() == \
        "F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9"
    bad("keygen", tmp_path / "d.key", "--seed-file", seed, says=[str(seed), "has 32 bytes, not 48"])
    seed.write_text("0g" * 48)
    bad("keygen", tmp_path / "d.key", "--seed-file", seed, says="position 1: 'g' is not a hex digit")
    seed.write_text("00" * 32)
    bad("keygen", tmp_path / "d.key", "--type", "schnorr", "--seed-file", seed, says="not a Schnorr key")
    assert not (tmp_path / "d.key").exists()


def test_key_files(files, tmp_path):
    path = tmp_path / "key"
    key = json.loads(files.key("alice").read_text())

    path.write_text(key["secret_key"] + "\n")  # one line of hex
    assert ok("pubkey", path).strip() == key["public_key"]
    secret = key["secret_key"]
    for text, says in [
        ("", "is empty"),
        ("xyz", "neither a key file"),
        (secret[:-1], "neither a key file"),
        (key["public_key"], "a line of 64 hex digits"),
        (json.dumps({**key, "secret_key": secret[:-2]}), "secret_key: has 63 bytes, not 64"),
        (json.dumps({**key, "secret_key": "x" + secret[1:]}), "secret_key: position 0: 'x' is not a hex digit"),
        (json.dumps({**key, "public_key": "00" * 32}), "public_key does not belong to secret_key"),
        (json.dumps({**key, "public_key": "00" * 31}), "public_key: has 31 bytes, not 32"),
        (json.dumps({**key, "type": "rsa"}), "type: 'rsa'"),
        (json.dumps({**key, "extra": "1"}), "unknown member 'extra'"),
        (json.dumps({"type": key["type"]}), "has neither 'secret_key' nor 'public_key'"),
        (json.dumps({"secret_key": secret}), "no member 'type'"),
        ('{"public_key": "00", "type": "schnorr-bip340", "type": "schnorr-bip340"}', "duplicate key 'type'"),
        (json.dumps(key)[:-1], "malformed JSON"),
        ("00" * 5000, "larger than the limit of 4096 bytes"),
    ]:
        path.write_text(text)
        bad("pubkey", path, says=[str(path), says])


@pytest.mark.parametrize("digit", [0, 31, 64, 95, 96, 127])
def test_damaged_key_file(files, tmp_path, digit):
    """One digit of SK.seed, PK.seed or PK.root is another: seen when the file is read, before a coin is locked with the key."""
    key = json.loads(files.key("alice").read_text())
    secret = key["secret_key"]
    secret = secret[:digit] + ("0" if secret[digit] != "0" else "1") + secret[digit + 1:]
    path = tmp_path / "damaged.key"
    # The public key is damaged with it, is right, or is not there
    for text in [json.dumps({**key, "secret_key": secret, "public_key": secret[64:]}), json.dumps({**key, "secret_key": secret}), secret]:
        path.write_text(text)
        for args in [["pubkey", path], ["address", "--key", f"@{path}", "OP_RETURN"], ["address", f"pk_slhdsa(@{path})", "OP_RETURN"],
                     ["sign", "--key", path, "--message", "00"], spend_args(files, key=path)]:
            bad(*args, says=[str(path), "the key is damaged"])


# Environment


@pytest.mark.parametrize("env, says", [
    ({"SLHC_BACKEND": "nosuch"}, ": SLHC_BACKEND: unknown backend 'nosuch'; known here are auto, cpu"),
    ({"SLHC_BACKEND": "cpu:nosuch"}, ": SLHC_BACKEND: unknown backend 'cpu:nosuch'"),
    ({"SLHC_THREADS": "many"}, ": SLHC_THREADS='many' is not"),
    ({"SLHC_LOG": "all"}, ": SLHC_LOG='all' is not debug, info, warning or error"),
])
def test_environment_errors(files, env, says):
    bad("verify-tx", files.single, env=env, says=says)
    bad("verify", "--public-key", files.pub["alice"], "--message", "00", "--signature", "00" * 7856, env=env, says=says)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give another user a program with more rights")
def test_environment_of_a_user_with_fewer_rights(files):
    """Whoever runs a setuid program chooses neither its backend nor where it writes."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        if os.statvfs(folder).f_flag & os.ST_NOSUID or "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
            pytest.skip("no program that is started here gets more rights")
        tool = shutil.copy(TOOL, folder)
        command = [tool, "verify-tx", "-"]
        spend = Path(files.single).read_bytes()

        def try_with(mode, **env):
            os.chmod(tool, mode)
            return subprocess.run(command, input=spend, capture_output=True, env={"PATH": os.environ["PATH"], **env}, user=65534, group=65534, cwd="/")
        assert try_with(0o755).returncode == 0
        assert b"nosuch" in try_with(0o755, SLHC_BACKEND="nosuch").stderr
        result = try_with(0o4755, SLHC_BACKEND="nosuch", SLHC_THREADS="many", SLHC_LOG="all")
        assert (result.returncode, result.stderr) == (0, b"")


def test_engines_that_are_not_offered_say_why(files):
    for engine in ok_json("devices"):
        if not engine["available"]:
            why = engine["description"].removeprefix("CPU engine, ").removeprefix("not offered: ")
            bad("verify-tx", files.single, env={"SLHC_BACKEND": engine["name"]}, says=[engine["name"], why])


@pytest.mark.parametrize("name", ["128f", "128-24", "128-q40"])
def test_every_engine_and_device_with_other_sets(name):
    found = ok_json("devices", "--check", "--set", name)
    assert found[-1]["name"] and all("fault" not in backend for backend in found)
    assert any("one_signature_us" in backend for backend in found)


def test_a_device_program_that_is_faulty():
    """It is no reason why a check of everything would pass."""
    env, fault = {"SLHC_DEVICE_PROGRAM": "/none/slhgpu"}, "cannot start /none/slhgpu: No such file or directory"
    info = {"name": "vulkan", "description": fault, "available": False, "fault": fault}
    assert ok_json("devices", env=env)[-1] == info  # which is a list and no check
    command = ["devices", "--check"]
    result = run(*command, "--json", env=env)
    assert (result.returncode, result.stderr) == (1, "") and json.loads(result.stdout)[-1] == info
    result = run(*command, env=env)
    assert (result.returncode, result.stderr) == (1, "") and f"FAULT: {fault}\n" in result.stdout
    assert f"vulkan: FAULT: {fault}\n" in ok("devices", env=env)


def test_environment(files):
    for backend in ["auto", "cpu", "cpu:portable"]:
        for threads in ["1", "3"]:
            ok("verify-tx", "--batch", files.single, files.schnorr, env={"SLHC_BACKEND": backend, "SLHC_THREADS": threads})


def test_an_empty_variable_is_not_set(files):
    """It starts no device, either."""
    args = ["verify-tx", "--batch", files.single, files.schnorr]
    unset, empty = ({**dict.fromkeys(names, ""), "SLHC_LOG": "info"} for names in [[], ["SLHC_BACKEND", "SLHC_CACHE_DIR", "SLHC_DEVICE_PROGRAM", "SLHC_THREADS"]])
    log = run(*args, env=unset).stderr
    assert "verifies with cpu:" in log and "vulkan" not in log
    assert run(*args, env=empty).stderr == log
    ok(*args, env={"SLHC_LOG": ""})


# Demo


def test_demo(tmp_path):
    folder = tmp_path / "demo"
    data = ok_json("demo", "--dir", folder, "--transactions", 1)
    assert data["as_expected"] is True and data["transactions"] == 1 and data["inputs"] == 5 and data["slhdsa_signatures"] == 5
    tampered_input = data["tampered"]["inputs"][2]
    assert (tampered_input["valid"], tampered_input["error"]) == (False, "SCRIPT_ERR_SLHDSA_SIG")
    spends = sorted((folder / "spends").iterdir())
    for mode in [[], ["--batch"]]:
        ok("verify-tx", *mode, *spends)
        result = run("verify-tx", *mode, folder / "tampered.json")
        assert result.returncode == 1 and "input 2: invalid: SCRIPT_ERR_SLHDSA_SIG" in result.stdout
    for key in (folder / "keys").iterdir():
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert "P2TSH" in (folder / "README.txt").read_text()
    # Again, in the same folder; the readable summary.
    text = ok("demo", "--dir", folder, "--transactions", 1)
    assert "Spends    1 transaction, 5 inputs, 5 SLH-DSA signatures: single" in text
    assert "all valid" in text and "rejected, eagerly and in a batch: input 2, SCRIPT_ERR_SLHDSA_SIG" in text
    page = folder / "tampered.html"
    assert f"{page}: how the tampered one fails" in text and "SCRIPT_ERR_SLHDSA_SIG" in page.read_text()


def test_demo_in_a_folder_that_is_there(tmp_path):
    """It replaces an earlier demo, of which nothing is left, and nothing else."""
    (tmp_path / "mine").write_text("mine")
    for text in ["", "my project", "Made by slhtool"]:
        (tmp_path / "README.txt").write_text(text)
        bad("demo", "--dir", tmp_path, "--transactions", 1, says=[str(tmp_path), "not empty and not from an earlier demo"])
    bad("demo", "--dir", tmp_path / "mine", "--transactions", 1, says="not a directory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.txt", "mine"]
    folder = tmp_path / "demo"
    ok("demo", "--dir", folder, "--transactions", 6)
    key = (folder / "keys" / "alice.key").read_text()
    ok("demo", "--dir", folder, "--transactions", 1)
    assert (folder / "keys" / "alice.key").read_text() != key
    assert [path.name for path in (folder / "spends").iterdir()] == ["000-all-kinds.json"]
    bad("demo", "--transactions", 0, says=["--transactions", "too few"])
    bad("demo", "--transactions", 5001, says=["--transactions", "more than 5000"])

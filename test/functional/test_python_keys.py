# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Keys and signatures of the Python package: NIST's vectors, and every way to use them wrongly."""

import hashlib
import json
import os
import pickle
import re
import stat
import subprocess

import pytest
import slhconsensus as slhc
from conftest import DATA
from slhconsensus import ArgumentError, DataError, PublicKey, SecretKey, VerifyJob, verify_many
from slhconsensus.testing import ExperimentSigner
from tool import environment

TOOL = os.environ.get("SLHTOOL")
needs_tool = pytest.mark.skipif(not TOOL, reason="SLHTOOL names no slhtool")


def vectors(name, interface=None):
    """The cases of a file of ACVP vectors."""
    cases = json.loads((DATA / f"slhdsa_acvp_{name}.json").read_text())
    chosen = [case for case in cases if interface is None or case["interface"] == interface]
    assert chosen
    return [pytest.param(case, id=str(case["tc"])) for case in chosen]


@pytest.mark.parametrize("case", vectors("keygen"))
def test_keygen_vectors(case):
    key = SecretKey.from_seed(bytes.fromhex(case["seed"]))
    assert bytes(key).hex() == case["sk"]
    assert key.public_key.hex() == case["pk"]
    assert SecretKey(bytes.fromhex(case["sk"])) == key


@pytest.mark.parametrize("case", vectors("siggen", "pure"))
def test_signing_vectors(case, context):
    key = SecretKey(bytes.fromhex(case["sk"]))
    addrnd = bytes.fromhex(case["rnd"]) if case.get("rnd") else None
    signature = key.sign(bytes.fromhex(case["msg"]), bytes.fromhex(case["ctx"]), deterministic=addrnd is None, addrnd=addrnd, context=context)
    assert hashlib.sha256(signature).hexdigest() == case["sig_sha256"]


@pytest.mark.parametrize("case", vectors("sigver", "pure"))
def test_verification_vectors(case, context):
    key = PublicKey(bytes.fromhex(case["pk"]))
    message, signature, ctx = (bytes.fromhex(case[name]) for name in ("msg", "sig", "ctx"))
    assert key.verify(message, signature, ctx) == case["valid"]
    assert verify_many([VerifyJob(key, message, signature, ctx)], context) == [case["valid"]]


@pytest.mark.parametrize("case", vectors("128f_keygen"))
def test_keygen_vectors_of_128f(case):
    assert bytes(SecretKey.from_seed(bytes.fromhex(case["seed"]), "128f")).hex() == case["sk"]


@pytest.mark.parametrize("name, size", [("128s", 7856), ("128f", 17088), ("128-q40", 5776)])
def test_parameter_sets(name, size, context, tmp_path):
    steps = []
    key = SecretKey.generate(name, context, lambda done, total: steps.append((done, total)))
    assert steps and all(0 < done <= total for done, total in steps)
    signature = key.sign(b"message", context=context)
    assert len(signature) == size == slhc.signature_size(name)
    public = key.public_key
    assert public.verify(b"message", signature) and not public.verify(b"massage", signature)
    for other in slhc.PARAMETER_SETS:
        assert PublicKey(public.data, other).verify(b"message", signature) == (other == name)
    assert verify_many([VerifyJob(PublicKey(public.data, other), b"message", signature) for other in slhc.PARAMETER_SETS], context) == [
        other == name for other in slhc.PARAMETER_SETS]
    key.to_file(tmp_path / "key")
    public.to_file(tmp_path / "public")
    assert f'"slh-dsa-sha2-{name}"' in (tmp_path / "key").read_text()
    assert SecretKey.from_file(tmp_path / "key") == key and key.parameter_set == name
    assert PublicKey.from_file(tmp_path / "key") == PublicKey.from_file(tmp_path / "public") == public
    assert SecretKey(bytes(key), name) == key
    if name != "128s":
        assert key != SecretKey.from_seed(bytes(key)[:48])
    if name == "128f":
        with pytest.raises(ArgumentError, match="no script knows keys of the parameter set 128f"):
            _ = public.element
    else:
        assert public.element == {"128s": b"", "128-q40": b"\x28"}[name] + public.data and PublicKey.from_element(public.element) == public
        assert public.key_version == (2 if name == "128s" else 3)


@pytest.mark.parametrize(("element", "says"), [
    (b"\x01" + bytes(32), "scripts know (18: 128-24, 28: 128-q40), not with 01, 128f"), (b"\x02" + bytes(32), "not with 02"),
    (bytes(33), "not with 00, 128s"), (bytes(31), "an SLH-DSA key of 31 bytes, not 32, or 33"), (b"", "an SLH-DSA key of 0 bytes"),
])
def test_elements_that_are_no_keys(element, says):
    with pytest.raises(DataError, match=re.escape(says)):
        PublicKey.from_element(element)


def test_unknown_parameter_sets():
    assert set(slhc.PARAMETER_SETS) == {"128s", "128f", "128-24", "128-q40"} and slhc.signature_size("128-24") == 3856
    for name in ("tiny", "128S", ""):
        for call in (SecretKey.generate, slhc.signature_size, lambda name: PublicKey(bytes(32), name)):
            with pytest.raises(ArgumentError, match="is not a parameter set"):
                call(name)


@needs_tool
@pytest.mark.parametrize("name", ["128f", "128-q40"])
def test_the_tool_and_the_package_know_each_others_sets(name, tmp_path):
    def run(*arguments, status=0):
        done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, env=environment(), check=False)
        assert done.returncode == status, done.stderr
        return done

    run("keygen", "--set", name, tmp_path / "key")
    key = SecretKey.from_file(tmp_path / "key")
    run("sign", "--key", tmp_path / "key", "--message", "00ff", "--out", tmp_path / "sig")
    assert key.public_key.verify(b"\0\xff", bytes.fromhex((tmp_path / "sig").read_text()))
    run("verify", "--set", name, "--public-key", f"@{tmp_path / 'key'}", "--message", "00ff", "--signature", key.sign(b"\0\xff").hex())
    run("verify", "--set", name, "--public-key", f"@{tmp_path / 'key'}", "--message", "00fe", "--signature", key.sign(b"\0\xff").hex(), status=1)
    wrong = run("verify", "--public-key", f"@{tmp_path / 'key'}", "--message", "00ff", "--signature", "00", status=2)
    assert f"holds a key of type slh-dsa-sha2-{name}, not slh-dsa-sha2-128s" in wrong.stderr
    spend = run("keygen", "--set", name, "--type", "schnorr", tmp_path / "other", status=2)
    assert "--set: Schnorr keys have none" in spend.stderr


def test_generated_keys_differ():
    assert SecretKey.generate() != SecretKey.generate()


def test_signatures(keys, context):
    key, public = keys["alice"], keys["alice"].public_key
    deterministic = key.sign(b"message", deterministic=True, context=context)
    assert deterministic == key.sign(b"message", deterministic=True, context=context)
    hedged = key.sign(b"message", context=context)
    assert hedged != key.sign(b"message", context=context)
    fixed = key.sign(b"message", addrnd=bytes(16), context=context)
    assert fixed == key.sign(b"message", addrnd=bytes(16), context=context)
    assert len({deterministic, hedged, fixed}) == 3
    for signature in (deterministic, hedged, fixed):
        assert public.verify(b"message", signature)
        assert public.verify(bytearray(b"message"), memoryview(signature))
        assert not public.verify(b"massage", signature)
        assert not public.verify(b"message", signature, b"ctx")
        assert not keys["bob"].public_key.verify(b"message", signature)


def test_context_strings(keys, context):
    key, public = keys["alice"], keys["alice"].public_key
    longest = bytes(range(255))
    signature = key.sign(b"", longest, context=context)
    assert public.verify(b"", signature, longest)
    assert not public.verify(b"", signature, longest[:-1])
    assert not public.verify(b"", signature, longest + b"\xff")
    with pytest.raises(ArgumentError, match="ctx has 256 bytes; the maximum is 255"):
        key.sign(b"", bytes(256), context=context)


@pytest.mark.parametrize("size", [0, 1, 7855, 7857, 20000])
def test_signatures_of_other_sizes_are_invalid(size, keys, context):
    public = keys["alice"].public_key
    assert not public.verify(b"", bytes(size))
    assert verify_many([VerifyJob(public, b"", bytes(size))], context) == [False]


@pytest.fixture(scope="module")
def many(keys, context):
    """Jobs and verdicts: every third one is spoilt, each in another place."""
    jobs, expected = [], []
    for i in range(65):
        key = list(keys.values())[i % 2]
        message, ctx = bytes([i]), bytes(i % 5)
        signature = key.sign(message, ctx, deterministic=True, context=context)
        if i % 3 == 2:
            position = i * 97
            signature = signature[:position] + bytes([signature[position] ^ 0x10]) + signature[position + 1:]
        jobs.append(VerifyJob(key.public_key, message, signature, ctx))
        expected.append(i % 3 != 2)
    return jobs, expected


@pytest.mark.parametrize("n", [0, 1, 2, 17, 64, 65])
def test_verify_many(n, many, context):
    jobs, expected = (each[:n] for each in many)
    assert verify_many(jobs, context) == expected
    assert verify_many(iter(jobs), context) == expected


def test_verify_many_keeps_what_it_verifies(keys, context):
    """Also if attributes are computed anew each time."""
    class Job(VerifyJob):
        def __init__(self, key, message, signature):
            vars(self).update(_key=bytes(key.public_key), _message=message, _signature=signature + b".")  # a VerifyJob is frozen

        public_key = property(lambda self: PublicKey(self._key))
        message = property(lambda self: self._message[:-1])
        signature = property(lambda self: self._signature[:-1])

    good = keys["alice"].sign(b"message", deterministic=True, context=context)
    jobs = [Job(keys["alice"], b"message.", signature) for signature in [bytes(len(good)), good, bytes(len(good)), good]]
    assert verify_many(jobs, context) == [False, True, False, True]


def test_representation(keys):
    key = keys["alice"]
    secret = bytes(key)[:slhc.SEED_SIZE - 16].hex()
    assert key.public_key.hex() in repr(key)
    assert secret[:16] not in repr(key)
    assert bytes(key.public_key) == bytes(key)[32:] == key.public_key.data
    assert hash(key) == hash(SecretKey(bytes(key)))
    assert key != bytes(key)
    assert pickle.loads(pickle.dumps(key.public_key)) == key.public_key


@pytest.mark.parametrize("position", [0, 15, 32, 47, 48, 63])
def test_damaged_secret_key(keys, position):
    """One bit wrong in SK.seed, PK.seed or PK.root: seen before anything is locked with the key."""
    damaged = bytearray(bytes(keys["alice"]))
    damaged[position] ^= 1
    with pytest.raises(DataError, match="PK.root does not follow from SK.seed and PK.seed: the key is damaged"):
        SecretKey(damaged)


def test_damaged_randomizer(keys, context):
    """SK.prf adds randomness; with another one the key is as good."""
    changed = bytearray(bytes(keys["alice"]))
    changed[16] ^= 1
    assert keys["alice"].public_key.verify(b"", SecretKey(changed).sign(b"", context=context))


def test_key_files(keys, tmp_path):
    key, public = keys["alice"], keys["alice"].public_key
    key.to_file(tmp_path / "alice.key")
    public.to_file(str(tmp_path / "alice.pub"))
    assert stat.S_IMODE((tmp_path / "alice.key").stat().st_mode) == 0o600
    assert SecretKey.from_file(tmp_path / "alice.key") == key
    assert PublicKey.from_file(tmp_path / "alice.pub") == PublicKey.from_file(str(tmp_path / "alice.key")) == public
    for name, data in [("bare.key", bytes(key)), ("bare.pub", bytes(public))]:
        (tmp_path / name).write_text(f" {data.hex()}\n")
    assert SecretKey.from_file(tmp_path / "bare.key") == key
    assert PublicKey.from_file(tmp_path / "bare.pub") == PublicKey.from_file(tmp_path / "bare.key") == public
    before = (tmp_path / "alice.key").read_text()
    for write in (keys["bob"].to_file, keys["bob"].public_key.to_file):
        with pytest.raises(FileExistsError):
            write(tmp_path / "alice.key")
    assert (tmp_path / "alice.key").read_text() == before
    with pytest.raises(FileNotFoundError):
        SecretKey.from_file(tmp_path / "nothing")


@needs_tool
def test_key_files_are_those_of_slhtool(keys, tmp_path):
    """Byte for byte, in both directions."""
    def tool(*arguments):
        return subprocess.run([TOOL, *map(str, arguments)], env=environment(), capture_output=True, text=True, check=True).stdout

    keys["alice"].to_file(tmp_path / "alice.key")
    assert tool("pubkey", tmp_path / "alice.key").strip() == keys["alice"].public_key.hex()
    keys["alice"].public_key.to_file(tmp_path / "alice.pub")
    (tmp_path / "seed").write_text(bytes(keys["alice"])[:slhc.SEED_SIZE].hex())
    tool("keygen", tmp_path / "same.key", "--seed-file", tmp_path / "seed", "--public", tmp_path / "same.pub")
    assert (tmp_path / "same.key").read_text() == (tmp_path / "alice.key").read_text()
    assert (tmp_path / "same.pub").read_text() == (tmp_path / "alice.pub").read_text()
    public = tool("keygen", tmp_path / "new.key").strip()
    assert SecretKey.from_file(tmp_path / "new.key").public_key.hex() == public
    tool("keygen", "--type", "schnorr", tmp_path / "schnorr.key")
    for read in (SecretKey.from_file, PublicKey.from_file):
        with pytest.raises(DataError, match=r"schnorr.key: holds a key of type schnorr-bip340, not slh-dsa-sha2-SET$"):
            read(tmp_path / "schnorr.key")
    experiment = tool("keygen", "--experiment", "0a:7", tmp_path / "experiment.key", "--public", tmp_path / "experiment.pub").strip()
    assert experiment == ExperimentSigner(b"\n".ljust(48, b"\0")).public_key(7).hex()
    with pytest.raises(DataError, match="experiment.key: type: neither"):
        SecretKey.from_file(tmp_path / "experiment.key")
    with pytest.raises(DataError, match="experiment.pub: type: neither"):
        PublicKey.from_file(tmp_path / "experiment.pub")


@pytest.mark.parametrize(("change", "says"), [
    (lambda text: "", "neither a key file's JSON object nor a line of 128 hex digits (secret) or 64 (public)"),
    (lambda text: text[:-3], "malformed key file: "),
    (lambda text: "[1]", "neither a key file's"),
    (lambda text: "{" * 4000, "malformed key file: "),
    (lambda text: text + " " * 4096, "larger than the limit of 4096 bytes"),
    (lambda text: text.replace("slh-dsa-sha2-128s", "slh-dsa-sha2-128x"), "type: neither slh-dsa-sha2-SET (128s, 128f, 128-24, 128-q40) nor schnorr-bip340"),
    (lambda text: text.replace('"type": "slh-dsa-sha2-128s",', ""), "no member 'type'"),
    (lambda text: text.replace("secret_key", "secret"), "unknown member 'secret'"),
    (lambda text: text.replace('"public_key"', '"secret_key"'), "duplicate key 'secret_key'"),
    (lambda text: json.dumps({**json.loads(text), "secret_key": 1}), "secret_key: not a string"),
    (lambda text: json.dumps({**json.loads(text), "secret_key": "0g" * 64}), "secret_key: not 128 hex digits"),
    (lambda text: json.dumps({**json.loads(text), "secret_key": "00" * 63 + "  "}), "secret_key: not 128 hex digits"),
    (lambda text: json.dumps({**json.loads(text), "public_key": "00"}), "public_key: not 64 hex digits"),
    (lambda text: json.dumps({**json.loads(text), "public_key": "00" * 32}), "public_key does not belong to secret_key"),
    (lambda text: json.dumps({**json.loads(text), "secret_key": "00" * 64}), "secret_key: PK.root does not follow"),
    (lambda text: json.dumps({"type": "slh-dsa-sha2-128s"}), "contains no secret key"),
    (lambda text: "00" * 32, "contains no secret key"),
], ids=str)
def test_broken_key_files(keys, tmp_path, change, says):
    """The error names the file and the fault, and quotes no digit of the key."""
    keys["alice"].to_file(tmp_path / "good.key")
    path = tmp_path / "bad.key"
    path.write_text(change((tmp_path / "good.key").read_text()))
    with pytest.raises(DataError) as error:
        SecretKey.from_file(path)
    assert str(error.value).startswith(f"{path}: ") and says in str(error.value)
    assert bytes(keys["alice"])[:4].hex() not in str(error.value) and error.value.__suppress_context__


@pytest.mark.parametrize(("make", "says"), [
    (lambda: SecretKey(bytes(63)), "secret key has 63 bytes, not 64"),
    (lambda: SecretKey.from_seed(bytes(49)), "seed has 49 bytes, not 48"),
    (lambda: PublicKey(b""), "public key has 0 bytes, not 32"),
    (lambda: SecretKey.from_seed(bytes(48)).sign(b"", addrnd=bytes(15)), "addrnd has 15 bytes, not 16"),
    (lambda: SecretKey.from_seed(bytes(48)).sign(b"", deterministic=True, addrnd=bytes(16)), "a deterministic signature takes no addrnd"),
])
def test_wrong_sizes(make, says):
    with pytest.raises(ArgumentError, match=says):
        make()


@pytest.mark.parametrize(("make", "says"), [
    (lambda: SecretKey("00" * 64), "secret key must be bytes, not str"),
    (lambda: SecretKey.from_seed(48), "seed must be bytes, not int"),
    (lambda: PublicKey(None), "public key must be bytes, not NoneType"),
    (lambda: PublicKey(bytes(32)).verify("message", b""), "message must be bytes, not str"),
    (lambda: PublicKey(bytes(32)).verify(b"", b"", "ctx"), "ctx must be bytes, not str"),
    (lambda: verify_many([VerifyJob(PublicKey(bytes(32)), b"", b""), VerifyJob(PublicKey(bytes(32)), "", b"")]), r"jobs\[1\].message must be bytes"),
    (lambda: verify_many([VerifyJob(PublicKey(bytes(32)), b"", b""), 5]), r"jobs\[1\] must be a VerifyJob, not int"),
    (lambda: verify_many([VerifyJob(bytes(32), b"", b"")]), r"jobs\[0\].public_key must be a PublicKey, not bytes"),
])
def test_wrong_types(make, says):
    with pytest.raises(TypeError, match=says):
        make()

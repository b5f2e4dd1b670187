# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool as a person uses it: every subcommand, and every error that a person can run into.

SLHTOOL names the program. Run by ctest as tool_functional_tests, or by hand:

    SLHTOOL=build/dev/src/tool/slhtool python3 -m pytest test/functional/test_tool.py
"""

import json
import os
import re
import resource
import stat
import subprocess
from pathlib import Path

import pytest

TOOL = os.environ.get("SLHTOOL", "slhtool")
if "/" in TOOL:
    TOOL = os.path.abspath(TOOL)  # for tests that go elsewhere
COMMANDS = ["keygen", "pubkey", "sign", "verify", "address", "spend", "verify-tx", "verify-block", "decode", "debug", "demo", "devices", "bench", "manual"]
TXID = "11" * 32
LIMIT = 32 * 1024 * 1024  # largest input file, in bytes


def run(*args, stdin=None, env=None, **kwargs):
    """Run slhtool. stdin: text."""
    return subprocess.run([TOOL, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(env or {})}, **kwargs)


def ok(*args, **kwargs):
    result = run(*args, **kwargs)
    assert result.returncode == 0, (args, result.stdout, result.stderr)
    assert result.stderr == ""
    return result.stdout


def ok_json(*args, **kwargs):
    return json.loads(ok(*args, "--json", **kwargs))


def bad(*args, says, **kwargs):
    """Exit status 2, one line on standard error that says these things, nothing on standard output."""
    result = run(*args, **kwargs)
    assert result.returncode == 2, (args, result.stdout, result.stderr)
    assert result.stdout == ""
    assert result.stderr.startswith("slhtool"), result.stderr
    assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
    assert len(result.stderr) < 1000
    for part in [says] if isinstance(says, str) else says:
        assert part in result.stderr, result.stderr
    return result.stderr


class Files:
    """Keys, trees and spends that many tests share; each is made once."""

    def __init__(self, folder):
        self.folder = folder
        self.pub = {}
        for name, kind in [("alice", "slhdsa"), ("bob", "slhdsa"), ("carol", "slhdsa"), ("dave", "schnorr")]:
            self.pub[name] = ok("keygen", "--type", kind, self.key(name)).strip()
        self._spends = {}

    def key(self, name):
        return self.folder / f"{name}.key"

    def tree(self, *leaves):
        data = ok_json("address", *leaves)
        path = self.folder / f"{data['merkle_root']}.tree"
        path.write_text(json.dumps(data))
        return path, data

    def spend(self, name, leaves, keys, *options):
        """A transaction with one input that spends the first leaf that the keys can spend."""
        if name not in self._spends:
            tree, data = self.tree(*leaves)
            out = self.folder / f"{name}.json"
            keys = [arg for key in keys for arg in ("--key", self.key(key))]
            ok("spend", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", *keys,
               "--to", data["addresses"]["regtest"] + "=95000", "--out", out, *options)
            self._spends[name] = out
        return self._spends[name]

    @property
    def single(self):
        """One SLH-DSA signature."""
        return self.spend("single", [f"pk_slhdsa({self.pub['alice']})", f"pk_schnorr({self.pub['dave']})"], ["alice"])

    @property
    def schnorr(self):
        """One Schnorr signature, in the other leaf of the same tree."""
        return self.spend("schnorr", [f"pk_slhdsa({self.pub['alice']})", f"pk_schnorr({self.pub['dave']})"], ["dave"])


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    return Files(tmp_path_factory.mktemp("files"))


def change(path, out, **members):
    """A copy of a JSON file with other members."""
    data = json.loads(Path(path).read_text())
    for name, value in members.items():
        if value is None:
            data.pop(name, None)
        else:
            data[name] = value
    out.write_text(json.dumps(data))
    return out


def tampered(path, out):
    """A copy of a spend whose first large element, an SLH-DSA signature, has one bit flipped."""
    data = json.loads(Path(path).read_text())
    tx = bytearray.fromhex(data["tx"])
    at = tx.index(bytes.fromhex("fdb01e")) + 3  # compact size of 7856
    tx[at + 4000] ^= 1
    return change(path, out, tx=tx.hex(), txid=None)


# Help


def test_help_is_the_manual():
    text = ok("--help")
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", text, re.M), command
    for word in ["P2MR", "P2TSH", "Exit status", "SLHC_BACKEND", "SLHC_THREADS", "slhtool demo"]:
        assert word in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command):
    text = ok(command, "--help")
    assert "Examples:" in text
    assert f"slhtool {command}" in text
    if "P2MR" in text:
        assert "P2TSH" in text


def test_version():
    assert re.fullmatch(r"slhtool \d+\.\d+\.\d+\n", ok("--version"))


@pytest.mark.parametrize("args, says", [
    ([], "--help"),
    (["nosuch"], "nosuch"),
    (["keygen"], "FILE is required"),
    (["keygen", "a", "--type", "rsa"], "rsa"),
    (["sign", "--nosuch"], "slhtool sign"),
    (["verify", "--public-key", "00" * 32, "--signature", "00"], "--message-file"),
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


def test_keygen_does_not_overwrite(tmp_path):
    path = tmp_path / "a.key"
    ok("keygen", path)
    before = path.read_text()
    bad("keygen", path, says=[str(path), "already exists"])
    assert path.read_text() == before
    ok("keygen", path, "--force")
    assert path.read_text() != before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    # A link that somebody put there is not followed.
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    bad("keygen", link, says="already exists")
    assert not target.exists()
    bad("keygen", tmp_path / "no" / "such" / "a.key", says="No such file or directory")


def test_keygen_from_seed(tmp_path):
    seed = tmp_path / "seed"
    seed.write_text("00" * 48 + "\n")
    first = ok("keygen", tmp_path / "a.key", "--seed-file", seed)
    assert ok("keygen", tmp_path / "b.key", "--seed-file", "-", stdin="00" * 48) == first
    # BIP 340, test vector 0
    seed.write_text("00" * 31 + "03")
    assert ok("keygen", tmp_path / "c.key", "--type", "schnorr", "--seed-file", seed).strip().upper() == \
        "F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9"
    bad("keygen", tmp_path / "d.key", "--seed-file", seed, says=[str(seed), "has 64 hex digits, not 96"])
    seed.write_text("0g" * 48)
    bad("keygen", tmp_path / "d.key", "--seed-file", seed, says="position 1 is not a hex digit")
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
        (key["public_key"], "no secret key"),
        (json.dumps({**key, "secret_key": secret[:-2]}), "secret_key: has 126 hex digits, not 128"),
        (json.dumps({**key, "secret_key": "x" + secret[1:]}), "secret_key: position 0 is not a hex digit"),
        (json.dumps({**key, "public_key": "00" * 32}), "public_key does not belong to secret_key"),
        (json.dumps({**key, "public_key": "00" * 31}), "public_key: has 31 bytes, not 32"),
        (json.dumps({**key, "type": "rsa"}), "type: 'rsa'"),
        (json.dumps({**key, "extra": "1"}), "unknown member 'extra'"),
        (json.dumps({"type": key["type"]}), "no secret key"),
        (json.dumps({"secret_key": secret}), "no member 'type'"),
        ('{"type": "schnorr-bip340", "type": "schnorr-bip340"}', "duplicate key 'type'"),
        (json.dumps(key) + "x", "unexpected text after the key"),
        (json.dumps(key)[:-1], "malformed key file at byte"),
        ('{"type', "malformed key file at byte"),
        ("00" * 5000, "larger than the limit of 4096 bytes"),
    ]:
        path.write_text(text)
        error = bad("pubkey", path, says=[str(path), says])
        assert secret[:20] not in error, "the error repeats the secret"


@pytest.mark.parametrize("digit", [0, 31, 64, 95, 96, 127])
def test_damaged_key_file(files, tmp_path, digit):
    """One digit of SK.seed, PK.seed or PK.root is another: seen when the file is read, before a coin is locked with the key."""
    key = json.loads(files.key("alice").read_text())
    secret = key["secret_key"]
    secret = secret[:digit] + ("0" if secret[digit] != "0" else "1") + secret[digit + 1:]
    path = tmp_path / "damaged.key"
    # Whether the public key is damaged with it, is right, or is not there
    for text in [json.dumps({**key, "secret_key": secret, "public_key": secret[64:]}), json.dumps({**key, "secret_key": secret}), secret]:
        path.write_text(text)
        for args in [["pubkey", path], ["address", "--key", f"@{path}", "OP_RETURN"], ["address", f"pk_slhdsa(@{path})", "OP_RETURN"],
                     ["sign", "--key", path, "--message", "00"], spend_args(files, key=path)]:
            error = bad(*args, says=[str(path), "the key is damaged"])
            assert secret[:16] not in error


def test_secret_on_the_command_line(files):
    """Secrets belong in files; an error does not repeat one."""
    secret = json.loads(files.key("alice").read_text())["secret_key"]
    for args in [["sign", "--message", "00", "--key", secret], ["pubkey", secret], ["pubkey", secret[:64]], spend_args(files, key=secret)]:
        error = bad(*args, says="never from the command line")
        assert secret[:64] not in error


# Messages


def test_sign_and_verify(files, tmp_path):
    signature = tmp_path / "sig"
    key = files.key("alice")
    assert ok("sign", "--key", key, "--message", "00ff", "--out", signature) == ""
    assert len(signature.read_text().strip()) == 2 * 7856
    verify = ["verify", "--public-key", f"@{key}", "--signature", f"@{signature}"]
    assert ok(*verify, "--message", "00ff") == "valid\n"
    assert ok_json(*verify, "--message", "00ff")["valid"] is True
    message = tmp_path / "message"
    message.write_bytes(b"\x00\xff")
    ok(*verify, "--message-file", message)
    for other in [["--message", "00fe"], ["--message-text", "00ff"], ["--message", "00ff", "--context", "00"], ["--message", "00ff", "--internal"]]:
        result = run(*verify, *other)
        assert (result.returncode, result.stdout) == (1, "invalid\n")
    # pure SLH-DSA hashes 0x00 || size of the context || context before the message
    ok(*verify, "--message", "0000" + "00ff", "--internal")
    # wrong size: a verdict, no error
    for text in ["", signature.read_text().strip()[:-2], signature.read_text().strip() + "00"]:
        result = run("verify", "--public-key", files.pub["alice"], "--signature", "-", "--message", "00ff", stdin=text + "\n")
        assert (result.returncode, result.stdout) == (1, "invalid\n")


def test_sign_with_context(files, tmp_path):
    args = ["sign", "--key", files.key("bob"), "--message-text", "hello", "--deterministic"]
    plain = ok(*args)
    assert plain == ok(*args)
    longest = ok(*args, "--context", "aa" * 255)
    assert plain != longest
    verify = ["verify", "--public-key", files.pub["bob"], "--message-text", "hello", "--signature", "-"]
    ok(*verify, "--context", "aa" * 255, stdin=longest)
    assert run(*verify, stdin=longest).returncode == 1
    bad(*args, "--context", "aa" * 256, says=["context", "256 bytes, at most 255"])
    bad(*verify, "--context", "aa" * 256, stdin=longest, says=["context", "256 bytes, at most 255"])


def test_schnorr(files):
    signature = ok("sign", "--key", files.key("dave"), "--message", "55" * 32)
    assert len(signature.strip()) == 128
    verify = ["verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--signature", signature.strip()]
    ok(*verify, "--message", "55" * 32)
    assert run(*verify, "--message", "56" * 32).returncode == 1
    bad("sign", "--key", files.key("dave"), "--message", "00", "--context", "00", says="Schnorr signatures have none")
    # BIP 340, test vectors 0 and 2
    ok("verify", "--type", "schnorr", "--message", "00" * 32,
       "--public-key", "F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9", "--signature",
       "E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA821525F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0")


def test_bad_keys_and_signatures(files):
    verify = ["verify", "--message", "00", "--signature", "00", "--public-key"]
    bad(*verify, "00" * 31, says=["--public-key", "has 31 bytes, not 32"])
    bad(*verify, "0" * 63, says=["--public-key", "odd number of hex digits (63)"])
    bad(*verify, "g" * 64, says=["--public-key", "position 0: 'g' is not a hex digit"])
    bad(*verify, f"@{files.key('dave')}", says="holds a schnorr-bip340 key, not a slh-dsa-sha2-128s one")
    bad("verify", "--message", "0", "--signature", "00", "--public-key", "00" * 32, says=["--message", "odd number of hex digits (1)"])
    bad("verify", "--message", "00", "--signature", "0x", "--public-key", "00" * 32, says=["--signature", "position 1: 'x'"])


# Addresses


def test_address(files):
    data = ok_json("address", "--key", files.pub["alice"], "OP_RETURN")
    assert data["type"] == "p2mr" and data["also_called"] == "p2tsh"
    assert data["script_pubkey"] == "5220" + data["merkle_root"]
    assert [leaf["asm"] for leaf in data["leaves"]] == [f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA", "OP_RETURN"]
    assert data["leaves"][0]["script"] == "20" + files.pub["alice"] + "7f"
    assert data["leaves"][0]["control_block"] == "c1" + data["leaves"][1]["leaf_hash"]
    for network, prefix in [("mainnet", "bc1z"), ("testnet", "tb1z"), ("signet", "tb1z"), ("regtest", "bcrt1z")]:
        assert data["addresses"][network].startswith(prefix)
    assert ok_json("address", "--tree", data["tree"]) == data
    assert ok_json("address", "--key", f"@{files.key('alice')}", "6a") == data
    text = ok("address", "--key", files.pub["alice"], "OP_RETURN")
    assert data["addresses"]["signet"] in text and data["leaves"][1]["control_block"] in text


def test_address_of_bip360():
    """The lightning contract of BIP 360's construction vectors."""
    data = ok_json("address",
                   "144 OP_CHECKSEQUENCEVERIFY OP_DROP <9997a497d964fc1a62885b05a51166a65a90df00492c8d7cf61d6accf54803be> OP_CHECKSIG",
                   "OP_SHA256 <6c60f404f8167a38fc70eaf8aa17ac351023bef86bcb9d1086a19afe95bd5333> OP_EQUALVERIFY "
                   "<4edfcf9dfe6c0b5c83d1ab3f78d1b39a46ebac6798e08e19761f5ed89ec83c10> OP_CHECKSIG")
    assert data["addresses"]["mainnet"] == "bc1zg9jxlrqlu25kmkkh74r3h387uldfs72wlrz95n60c6j4n4svna4s4lhfhe"


@pytest.mark.parametrize("args", [["--key", "00" * 32], ["OP_1"], ["--tree", "OP_1"], ["51"]])
def test_address_refuses_a_single_leaf(args):
    bad("address", *args, says=["single leaf", "spent by anyone", "BIP 360", "P2TSH"])


@pytest.mark.parametrize("leaf, says", [
    ("pk_slhdsa({alice}) pk_slhdsa({bob})", "instruction 2 takes the result of the condition before it, which OP_VERIFY must drop first"),
    ("multi_slhdsa(1,{alice},{bob}) pk_schnorr({dave})", "instruction 6 takes the result"),
    ("OP_1 pk_slhdsa({alice})", "instruction 1 takes the result"),
    ("pk_slhdsa({alice}) sha256({bob})", "instruction 2 takes the result"),
    ("pk_slhdsa({alice}) OP_1", "ends with 2 results, but must end with one"),
    ("pk_slhdsa({alice}) OP_VERIFY", "ends with 0 results"),
    ("older(10)", "ends with 0 results"),
    ("after(10) sha256({alice})", "ends with 0 results"),
    ("<{alice}> OP_CHECKSIGSLHDSA <{bob}> OP_CHECKSIGADDSLHDSA OP_3 OP_NUMEQUAL", "3 of 2 signatures is impossible"),
])
def test_address_refuses_leaves_that_nobody_can_spend(files, leaf, says):
    text = leaf.format(**files.pub)
    bad("address", "OP_RETURN", text, says=["leaf 1", says])
    # And it is so: no witness satisfies it, though every signature can be made.
    if "sha256" not in leaf and "OP_3" not in leaf:
        elements = [option for name in ("dave", "bob", "alice") if files.pub[name] in text for option in ("--witness", f"sig({files.key(name)})")]
        result = run("spend", "--outpoint", f"{TXID}:0", "--amount", 100000, "--tree", f"{{OP_RETURN,{text}}}", "--leaf", 1, *elements, "--witness", "<>",
                     "--to", "bcrt1zvjt0qaul8zu8zqfmuu0w0hxw3lxucq40cnrg3t93t879mchm540qura84m")
        assert result.returncode == 1 and "invalid" in result.stdout


@pytest.mark.parametrize("leaf, anyone", [
    ("OP_1", True), ("older(10) OP_1", True), ("OP_2", True), ("after(10) OP_3 OP_VERIFY OP_1", True), ("leaf(0xfa,OP_RETURN)", True), ("OP_SUCCESS254 OP_RETURN", True),
    ("OP_RETURN", False), ("pk_slhdsa({alice})", False), ("older(10) pk_slhdsa({alice})", False), ("pk_slhdsa({alice}) older(10)", False),
    ("pk_slhdsa({alice}) OP_VERIFY pk_slhdsa({bob})", False), ("<{alice}> OP_CHECKSIGVERIFY multi_slhdsa(1,{alice},{bob})", False),
    ("sha256({alice}) OP_1", False), ("OP_SHA256 <{alice}> OP_EQUAL", False), ("hybrid({alice},{dave})", False), ("OP_DUP", False),
])
def test_leaves_that_anyone_can_spend(files, leaf, anyone):
    text = leaf.format(**files.pub)
    assert [each["anyone_can_spend"] for each in ok_json("address", text, "OP_RETURN")["leaves"]] == [anyone, False]
    assert ("Anyone can spend this leaf" in ok("address", text, "OP_RETURN")) == anyone


def test_address_alone(files):
    """For a shell: address=$(slhtool address ... --network regtest)"""
    tree, data = files.tree("OP_1", "OP_2")
    for network in ["regtest", "signet", "testnet", "mainnet"]:
        assert ok("address", "--tree", f"@{tree}", "--network", network) == data["addresses"][network] + "\n"
    bad("address", "OP_1", "OP_2", "--network", "regtest", "--json", says=["--network", "cannot be combined with --json"])
    bad("address", "OP_1", "OP_2", "--network", "moon", says="--network")


def test_address_of_the_main_network(files):
    """It comes last, and not without a word: a newcomer would take the first one."""
    lines = ok("address", "--key", files.pub["alice"], "OP_RETURN").splitlines()
    assert [line.split(":")[0] for line in lines[:4]] == ["regtest", "signet", "testnet", "mainnet"]
    note = "Where these rules are not in force, as on the main network, anyone can spend such an output."
    assert note in lines
    assert ok_json("address", "--key", files.pub["alice"], "OP_RETURN")["note"] == note


@pytest.mark.parametrize("leaf, says", [
    ("older(0)", "no wait at all"),
    ("older(65536)", ["no wait at all", "1 to 65535 blocks", "4194304 plus 1 to 65535 units of 512 s"]),
    ("older(70000)", "under BIP 68 this is 4464 blocks"),
    ("after(0)", ["would not wait at all", "1 to 499999999", "seconds since 1970, 500000000 to 4294967294"]),
    ("after(4294967295)", "would wait forever"),
    ("multi_slhdsa(2,{alice},{alice},{bob})", "arguments 2 and 3 are the same key, so its signature would count twice"),
    ("multi_slhdsa(2,@{folder}/alice.key,{alice},{bob})", "arguments 2 and 3 are the same key"),
    ("multi_schnorr(1,{dave},{dave})", "arguments 2 and 3 are the same key"),
    ("hybrid({dave},{dave})", "both keys are the same 32 bytes"),
    ("pk_schnorr(" + "00" * 32 + ")", "not the x coordinate of a point"),
])
def test_address_refuses_what_would_cost_coins(files, leaf, says):
    """Each of these locks a coin otherwise than it says."""
    text = leaf.format(**files.pub, folder=files.folder)
    for args in [[text, "OP_RETURN"], ["--tree", f"{{{text},OP_RETURN}}"]]:
        bad("address", *args, says=says)


@pytest.mark.parametrize("args, says", [
    ([], "no leaf script"),
    (["OP_1", "OP_NOSUCH"], ["leaf 1", "position 0", "'OP_NOSUCH' is not an opcode"]),
    (["OP_1", "515"], ["leaf 1", "odd number of hex digits"]),
    (["--key", "00" * 31, "OP_1"], ["leaf 0", "has 31 bytes, not 32"]),
    (["{OP_1,OP_2"], ["position 10", "missing '}'"]),
    (["--tree", "{OP_1,OP_2}", "OP_3"], ["--tree", "cannot be combined"]),
    (["--tree", "@/nonexistent"], ["/nonexistent", "No such file"]),
])
def test_address_errors(args, says):
    bad("address", *args, says=says)


# Spending


def check_valid(path, inputs=1):
    for mode in [[], ["--batch"]]:
        data = ok_json("verify-tx", path, *mode)
        assert data["valid"] is True
        assert len(data["transactions"][0]["inputs"]) == inputs
    return data


def test_spend_single(files):
    data = json.loads(files.single.read_text())
    assert data["flags"] == "consensus"
    assert len(data["spent_outputs"]) == 1
    assert data["weight"] == 4 * (len(data["tx"]) // 2) - 3 * sum_witness(data["tx"])
    assert check_valid(files.single)["signatures"] == 1
    assert check_valid(files.schnorr)["signatures"] == 0


def sum_witness(tx):
    """Bytes of a transaction that weigh one unit: marker, flag and witness."""
    decoded = json.loads(ok("decode", "tx", tx, "--json"))
    return 2 + sum(txin["witness"]["size"] for txin in decoded["inputs"])


def test_spend_two_of_three_with_hash_type(files):
    keys = [files.pub[name] for name in ("alice", "bob", "carol")]
    path = files.spend("vault", [f"multi_slhdsa(2,{','.join(keys)})", "OP_RETURN"], ["carol", "alice"], "--sighash", "SINGLE|ANYONECANPAY")
    assert check_valid(path)["signatures"] == 2
    sizes = [element["size"] for element in json.loads(ok("decode", "tx", f"@{path}", "--json"))["inputs"][0]["witness"]["elements"]]
    assert sizes[:3] == [7857, 0, 7857]  # carol, bob, alice: the first key's signature on top


def test_spend_everything_at_once(files, tmp_path):
    """Hybrid leaf with annex, time lock and preimage; a leaf of another version; an unknown key type; a witness by hand."""
    preimage = "ab" * 20
    digest = __import__("hashlib").sha256(bytes.fromhex(preimage)).hexdigest()
    hybrid, _ = files.tree(f"after(100) older(5) sha256({digest}) hybrid({files.pub['bob']},{files.pub['dave']})", "OP_RETURN")
    other, _ = files.tree("leaf(0xfa,OP_RETURN)", "<0102> OP_CHECKSIGSLHDSA", "OP_IF OP_7 OP_ELSE OP_RETURN OP_ENDIF")
    _, target = files.tree("OP_1", "OP_2")
    spec = {
        "version": 2, "locktime": 100, "description": "everything at once",
        "inputs": [
            {"txid": TXID, "vout": 0, "amount": 10000, "tree": f"@{hybrid}", "keys": [str(files.key("bob")), str(files.key("dave"))],
             "preimages": [preimage], "annex": "50aa", "sequence": 5},
            {"txid": TXID, "vout": 1, "amount": 10000, "tree": f"@{other}", "leaf": 0, "witness": []},
            {"txid": TXID, "vout": 2, "amount": 10000, "tree": f"@{other}", "leaf": 1, "witness": ["<99>"]},
            {"txid": TXID, "vout": 3, "amount": 10000, "tree": f"@{other}", "leaf": 2, "witness": ["<01>"]},
        ],
        "outputs": [{"address": target["addresses"]["regtest"], "amount": 36000}, {"script_pubkey": "6a", "amount": 0}],
    }
    path, out = tmp_path / "spec.json", tmp_path / "spend.json"
    path.write_text(json.dumps(spec))
    summary = ok_json("spend", path, "--out", out)
    assert summary["fee"] == 4000
    data = check_valid(out, inputs=4)
    assert data["signatures"] == 1
    assert data["transactions"][0]["txid"] == summary["txid"]
    # The unknown leaf version and key type are discouraged, by policy.
    result = json.loads(run("verify-tx", out, "--json", "--flags",
                            "P2SH,WITNESS,TAPROOT,CHECKLOCKTIMEVERIFY,CHECKSEQUENCEVERIFY,P2MR,SLHDSA,"
                            "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION,DISCOURAGE_UPGRADABLE_PUBKEYTYPE").stdout)
    errors = [txin.get("error") for txin in result["transactions"][0]["inputs"]]
    assert errors == [None, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION", "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE", None]
    result = json.loads(run("verify-tx", out, "--json", "--flags", "standard").stdout)
    assert [txin.get("error") for txin in result["transactions"][0]["inputs"]] == errors
    # Without the time lock, nothing is written.
    path.write_text(json.dumps({**spec, "locktime": 99}))
    out.unlink()
    result = run("spend", path, "--out", out)
    assert result.returncode == 1 and "SCRIPT_ERR_UNSATISFIED_LOCKTIME" in result.stdout and not out.exists()
    ok("spend", path, "--out", out, "--unchecked")
    result = run("verify-tx", out)
    assert result.returncode == 1 and "input 0: invalid: SCRIPT_ERR_UNSATISFIED_LOCKTIME at instruction 1 (OP_CHECKLOCKTIMEVERIFY)" in result.stdout


def test_spend_with_signatures_by_hand(files, tmp_path):
    tree, data = files.tree(f"OP_IF pk_slhdsa({files.pub['alice']}) OP_ELSE pk_schnorr({files.pub['dave']}) OP_ENDIF", "OP_RETURN")
    args = ["spend", "--outpoint", f"{TXID}:0", "--amount", 5000, "--tree", f"@{tree}", "--leaf", 0, "--to", data["addresses"]["regtest"], "--fee", 1000]
    bad(*args, "--key", files.key("dave"), says=["input 0", "leaf 0", "OP_IF (instruction 0): slhtool does not know how to satisfy it", "--witness"])
    out = ok(*args, "--witness", f"sig({files.key('dave')},NONE)", "--witness", "<>")
    spend = json.loads(out)
    decoded = json.loads(ok("decode", "tx", spend["tx"], "--json"))
    assert decoded["outputs"][0]["amount"] == 4000
    assert decoded["inputs"][0]["witness"]["elements"][0]["size"] == 65


def spend_args(files, **options):
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", f"pk_schnorr({files.pub['dave']})")
    args = {"outpoint": f"{TXID}:0", "amount": "5000", "tree": f"@{tree}", "key": files.key("dave"), "to": data["addresses"]["regtest"] + "=4000", **options}
    return ["spend"] + [text for name, value in args.items() if value is not None for text in (f"--{name}", str(value))]


@pytest.mark.parametrize("options, says", [
    ({"outpoint": None}, ["--outpoint", "is missing"]),
    ({"outpoint": "00:0"}, ["--outpoint", "64 hex digits"]),
    ({"outpoint": TXID}, ["--outpoint", "TXID:INDEX"]),
    ({"outpoint": TXID + ":x"}, ["--outpoint", "'x' is not a number"]),
    ({"amount": "1.5"}, ["--amount", "'1.5' is not a whole number of satoshis (a bitcoin has 100000000)"]),
    ({"amount": "2100000000000001"}, ["--amount", "more than 2100000000000000"]),
    ({"amount": "3999"}, ["outputs", "4000 satoshis, but the inputs have 3999"]),
    ({"to": "bcrt1qqqq"}, ["--to", "'bcrt1qqqq'"]),
    ({"to": None}, ["--to", "is missing"]),
    ({"tree": "{OP_1"}, ["--tree", "position"]),
    ({"leaf": "2"}, ["--leaf", "'2' is more than 1"]),
    ({"leaf": "0"}, ["input 0", "leaf 0", "needs a signature by the slh-dsa-sha2-128s key"]),
    ({"key": "/nonexistent"}, ["--key", "/nonexistent", "No such file"]),
    ({"key": None}, ["input 0", "leaf 0: needs a signature", "leaf 1: needs a signature"]),
    ({"sighash": "MOST"}, ["--sighash", "'MOST' is not a hash type"]),
    ({"annex": "51"}, ["annex", "does not begin with 50"]),
    ({"sequence": "4294967296"}, ["--sequence", "more than 4294967295"]),
    ({"witness": "sig(/nonexistent)"}, ["--witness", "/nonexistent"]),
    ({"flags": "WITNESS"}, ["--flags", "P2SH"]),
    ({"flags": "NOSUCH"}, ["--flags", "NOSUCH"]),
])
def test_spend_errors(files, options, says):
    bad(*spend_args(files, **options), says=says)


@pytest.mark.parametrize("change_spec, says", [
    ({"inputs": []}, ["inputs", "none"]),
    ({"outputs": []}, ["outputs", "none"]),
    ({"outputs": None}, ["top level", "no member 'outputs'"]),
    ({"extra": 1}, ["top level", "unknown member 'extra'"]),
    ({"locktime": -1}, ["locktime", "not a whole number"]),
    ({"outputs": [{"amount": 1.5, "script_pubkey": "51"}]}, ["outputs[0].amount", "not a whole number"]),
    ({"outputs": [{"amount": 1, "address": "tb1z"}]}, ["outputs[0].address", "too short"]),
    ({"inputs": [{"txid": "00", "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}"}]}, ["inputs[0].txid", "64 hex digits"]),
    ({"inputs": [{"txid": TXID, "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}", "leaf": 2}]}, ["inputs[0].leaf", "2 is more than 1"]),
    ({"inputs": [{"txid": TXID, "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}", "keys": ["/nonexistent"]}]}, ["inputs[0].keys[0]", "/nonexistent"]),
])
def test_spec_errors(tmp_path, change_spec, says):
    spec = {"inputs": [{"txid": TXID, "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}"}], "outputs": [{"amount": 1, "script_pubkey": "51"}]}
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({name: value for name, value in {**spec, **change_spec}.items() if value is not None}))
    bad("spend", path, says=[str(path), *says] if list(change_spec) != ["inputs"] and list(change_spec) != ["outputs"] else says)


# Verifying


def test_verify_tampered(files, tmp_path):
    path = tampered(files.single, tmp_path / "tampered.json")
    for mode in [[], ["--batch"]]:
        result = run("verify-tx", path, "--json", *mode)
        assert (result.returncode, result.stderr) == (1, "")
        data = json.loads(result.stdout)
        assert data["valid"] is False
        verdict = data["transactions"][0]["inputs"][0]
        assert verdict["error"] == "SCRIPT_ERR_SLHDSA_SIG"
        assert (verdict["opcode_pos"], verdict["instruction"]) == (1, "OP_CHECKSIGSLHDSA")
        # Among good ones, the bad one alone is found.
        result = run("verify-tx", files.single, path, files.schnorr, "--json", *mode)
        assert [tx["valid"] for tx in json.loads(result.stdout)["transactions"]] == [True, False, True]
    text = run("verify-tx", path).stdout
    assert "input 0: invalid: SCRIPT_ERR_SLHDSA_SIG at instruction 1 (OP_CHECKSIGSLHDSA)" in text


def test_verify_amount_and_script_are_signed(files, tmp_path):
    data = json.loads(files.single.read_text())
    spent = data["spent_outputs"][0]
    other = change(files.single, tmp_path / "a.json", spent_outputs=[{**spent, "amount": spent["amount"] + 1}])
    assert "SCRIPT_ERR_SLHDSA_SIG" in run("verify-tx", other).stdout
    other = change(files.single, tmp_path / "b.json", spent_outputs=[{**spent, "script_pubkey": "5220" + "01" * 32}])
    assert "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH" in run("verify-tx", other).stdout


def test_verify_by_options(files):
    data = json.loads(files.single.read_text())
    spent = f"{data['spent_outputs'][0]['amount']}:{data['spent_outputs'][0]['script_pubkey']}"
    assert ok_json("verify-tx", "--tx", "-", "--spent", spent, stdin=data["tx"])["valid"] is True
    ok("verify-tx", "-", stdin=files.single.read_text())
    bad("verify-tx", says="no FILE and no --tx")
    bad("verify-tx", "--tx", "-", stdin=data["tx"], says=["spent_outputs", "0 for 1 inputs"])
    bad("verify-tx", "--tx", "-", "--spent", "1", stdin=data["tx"], says=["--spent 0", "AMOUNT:SCRIPT"])
    bad("verify-tx", "--tx", "-", "--spent", "1:5", stdin=data["tx"], says=["--spent 0", "odd number of hex digits"])


def test_verify_without_the_rules(files, tmp_path):
    path = tampered(files.single, tmp_path / "tampered.json")
    ok("verify-tx", path, "--flags", "NONE")
    ok("verify-tx", path, "--flags", "P2SH,WITNESS,TAPROOT")
    result = run("verify-tx", path, "--flags", "P2SH,WITNESS,TAPROOT,DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    assert "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" in result.stdout


@pytest.mark.parametrize("env, says", [
    ({"SLHC_BACKEND": "nosuch"}, "nosuch"),
    ({"SLHC_BACKEND": "cpu:nosuch"}, "nosuch"),
    ({"SLHC_THREADS": "many"}, "SLHC_THREADS"),
])
def test_environment_errors(files, env, says):
    bad("verify-tx", files.single, env=env, says=says)
    bad("verify", "--public-key", files.pub["alice"], "--message", "00", "--signature", "00" * 7856, env=env, says=says)


def test_engines_that_are_not_offered_say_why(files):
    for engine in ok_json("devices"):
        if not engine["available"]:
            why = engine["description"].removeprefix("CPU engine, not offered: ")
            bad("verify-tx", files.single, env={"SLHC_BACKEND": engine["name"]}, says=[engine["name"], why])


def test_environment(files):
    for backend in ["auto", "cpu", "cpu:portable"]:
        for threads in ["1", "3"]:
            ok("verify-tx", "--batch", files.single, files.schnorr, env={"SLHC_BACKEND": backend, "SLHC_THREADS": threads})


# Bad transactions and files


def test_truncated_transactions(files, tmp_path):
    tx = json.loads(files.schnorr.read_text())["tx"]
    path = tmp_path / "bad.json"
    for size in [0, 1, 3, 4, 5, 6, 7, 20, 42, 43, 44, len(tx) // 4, len(tx) // 2 - 1]:
        change(files.schnorr, path, tx=tx[:2 * size], txid=None)
        error = bad("verify-tx", path, says=[str(path), "tx: "])
        assert "byte" in error, error
    change(files.schnorr, path, tx=tx + "00", txid=None)
    bad("verify-tx", path, says=[str(path), "tx: ", f"byte {len(tx) // 2}"])


def test_non_minimal_compact_size(files, tmp_path):
    tx = json.loads(files.schnorr.read_text())["tx"]
    assert tx[8:14] == "000101"  # marker, flag, one input
    path = change(files.schnorr, tmp_path / "bad.json", tx=tx[:12] + "fd0100" + tx[14:], txid=None)
    bad("verify-tx", path, says=["tx: ", "compact size", "byte 6"])
    path = change(files.schnorr, tmp_path / "bad.json", tx=tx[:12] + "ffffffffffffffffff" + tx[14:], txid=None)
    bad("verify-tx", path, says=["tx: ", "byte 6"])


def test_bad_members(files, tmp_path):
    path = tmp_path / "bad.json"
    data = json.loads(files.schnorr.read_text())
    spent = data["spent_outputs"][0]
    for members, says in [
        ({"tx": data["tx"][:-1]}, ["tx", f"odd number of hex digits ({len(data['tx']) - 1})"]),
        ({"tx": "zz" + data["tx"][2:]}, ["tx", "position 0: 'z' is not a hex digit"]),
        ({"tx": 5}, ["tx", "not a string"]),
        ({"tx": None}, ["top level", "no member 'tx'"]),
        ({"txid": "00" * 32}, ["txid", "not that of the transaction"]),
        ({"spent_outputs": []}, ["spent_outputs", "0 for 1 inputs"]),
        ({"spent_outputs": [spent, spent]}, ["spent_outputs", "2 for 1 inputs"]),
        ({"spent_outputs": spent}, ["spent_outputs", "not an array"]),
        ({"spent_outputs": [7]}, ["spent_outputs[0]", "not an object"]),
        ({"spent_outputs": [{**spent, "amount": -1}]}, ["spent_outputs[0].amount", "not a whole number"]),
        ({"spent_outputs": [{**spent, "amount": "1"}]}, ["spent_outputs[0].amount", "not a whole number"]),
        ({"spent_outputs": [{**spent, "amount": 2100000000000001}]}, ["spent_outputs[0].amount", "more than 2100000000000000"]),
        ({"spent_outputs": [{**spent, "script_pubkey": "5"}]}, ["spent_outputs[0].script_pubkey", "odd number"]),
        ({"spent_outputs": [{**spent, "address": "bc1q"}]}, ["spent_outputs[0]", "both"]),
        ({"spent_outputs": [{"amount": 1, "address": "bc1q"}]}, ["spent_outputs[0].address", "too short"]),
        ({"flags": "P2SH,NOSUCH"}, ["flags", "NOSUCH"]),
        ({"flags": "CLEANSTACK"}, ["flags", "CLEANSTACK"]),
        ({"unknown": 1}, ["top level", "unknown member 'unknown'"]),
    ]:
        change(files.schnorr, path, **members)
        bad("verify-tx", path, says=[str(path), *says])


@pytest.mark.parametrize("text, says", [
    ("", "is empty"),
    ("{", "malformed JSON at line 1, column 2"),
    ('{"tx":\n "00",\n  oops}', "malformed JSON at line 3, column 3"),
    ('{"tx": "00"} {}', "malformed JSON at line 1, column 14"),
    ("[]", "not an object"),
    ("7", "not an object"),
    ('{"tx": "00", "tx": "00", "spent_outputs": []}', "duplicate key 'tx'"),
    ('{"tx": "00", "spent_outputs": [{"amount": 1, "amount": 2}]}', "duplicate key 'amount'"),
    ('{"tx": "\x01"}', "malformed JSON at line 1, column 9"),
    ('{"tx": 1e999}', "number that is out of range"),
    # pytest puts a test's name into the environment, which has no room for these.
    pytest.param("[" * 100000, "nested deeper than 32 levels", id="nested"),
    pytest.param("[" + "0," * 1500000 + "0]", "more than 1000000 values", id="values"),
    pytest.param("{" + ",".join(f'"{i}":0' for i in range(1000)) + "}", "more than 256 members", id="members"),
])
def test_broken_json(tmp_path, text, says):
    path = tmp_path / "bad.json"
    path.write_text(text)
    for command in ["verify-tx", "debug", "spend"]:
        bad(command, path, says=[str(path), says])


def test_not_utf8(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b'{"tx": "\xff\xfe"}')
    bad("verify-tx", path, says=[str(path), "malformed JSON at line 1, column 9"])


def memory_limited(megabytes):
    """What to run before slhtool, so that it gets no more memory than this; None if it needs more by itself."""
    with open(TOOL, "rb") as program:
        if b"__asan_init" in program.read() or b"__tsan_init" in program.read():
            return None
    size = megabytes << 20
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


@pytest.fixture
def huge(tmp_path):
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    return path


def test_huge_files(huge):
    """100 MB are refused before they are read, whatever they are given for."""
    limit = memory_limited(90)
    for args in [["verify-tx", huge], ["debug", huge], ["spend", huge], ["decode", "tx", f"@{huge}"], ["decode", "script", f"@{huge}"],
                 ["decode", "witness", f"@{huge}"], ["address", "--tree", f"@{huge}"],
                 ["verify", "--public-key", "00" * 32, "--signature", "00", "--message-file", huge],
                 ["verify", "--public-key", "00" * 32, "--signature", f"@{huge}", "--message", "00"]]:
        bad(*args, says=[str(huge), f"larger than the limit of {LIMIT} bytes"], preexec_fn=limit)
    for args in [["pubkey", huge], ["address", f"pk_slhdsa(@{huge})", "OP_1"]]:
        bad(*args, says=[str(huge), "larger than the limit of 4096 bytes"], preexec_fn=limit)


def test_huge_pipe(huge):
    """A pipe does not tell its size: reading ends at the limit."""
    with huge.open("rb") as source:
        result = subprocess.run([TOOL, "verify-tx", "-"], stdin=source, capture_output=True, text=True)
    assert result.returncode == 2 and "larger than the limit" in result.stderr
    cat = subprocess.Popen(["cat", str(huge)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    result = subprocess.run([TOOL, "verify-tx", "-"], stdin=cat.stdout, capture_output=True, text=True, preexec_fn=memory_limited(256))
    cat.stdout.close()
    cat.wait()
    assert result.returncode == 2
    assert result.stderr == f"slhtool verify-tx: standard input: larger than the limit of {LIMIT} bytes\n"


def test_large_json_in_bounded_memory(tmp_path):
    """The most values that fit in a file of the largest size."""
    path = tmp_path / "large.json"
    path.write_text("[" + "0," * (LIMIT // 2 - 2) + "0]")
    assert path.stat().st_size <= LIMIT
    bad("verify-tx", path, says="more than 1000000 values", preexec_fn=memory_limited(512))


@pytest.mark.parametrize("args", [["verify-tx", "{}"], ["debug", "{}"], ["spend", "{}"], ["pubkey", "{}"], ["decode", "tx", "@{}"],
                                  ["sign", "--message", "00", "--key", "{}"], ["address", "--tree", "@{}"]])
def test_directories_and_missing_files(tmp_path, args):
    bad(*[arg.format(tmp_path) for arg in args], says=[str(tmp_path), "is a directory"])
    bad(*[arg.format(tmp_path / "missing") for arg in args], says=["missing", "No such file or directory"])
    (tmp_path / "empty").touch()
    bad(*[arg.format(tmp_path / "empty") for arg in args], says=["empty", "is empty"])


def test_file_name_with_newline(tmp_path):
    bad("verify-tx", str(tmp_path / "a\nb"), says="a?b")


# Decode


def test_decode_script(files):
    data = ok_json("decode", "script", "20" + files.pub["alice"] + "7f")
    assert data["asm"] == f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA"
    assert data["as_tapscript"]["has_slhdsa_opcode"] is True
    assert data["as_tapscript"]["max_initial_element_size"] == 7857
    assert ok_json("decode", "script", f"pk_slhdsa({files.pub['alice']})") == data
    assert ok_json("decode", "script", "505102")["as_tapscript"]["outcome"].startswith("succeeds at once")
    assert ok_json("decode", "script", "5102")["as_tapscript"]["outcome"].startswith("fails")
    assert ok_json("decode", "script", "5220" + "00" * 32)["type"] == "p2mr"
    assert "OP_CHECKSIGSLHDSA" in ok("decode", "script", "7f")
    bad("decode", "script", "OP_NOSUCH", says=["script", "position 0"])


def test_decode_witness_and_control_block(files):
    _, data = files.tree("OP_1", "OP_2", "OP_3")
    leaf = data["leaves"][0]
    control = leaf["control_block"]
    decoded = ok_json("decode", "control-block", control, "--script", leaf["script"])
    assert decoded["as_p2mr"]["path_length"] == 2
    assert decoded["as_p2mr"]["merkle_root"] == data["merkle_root"]
    assert decoded["as_p2mr"]["output"]["addresses"] == data["addresses"]
    assert decoded["leaf_version"] == "0xc0"
    bad("decode", "control-block", control + "00", says=["control-block", "66 bytes, not 1 + 32*m"])
    bad("decode", "control-block", "c1" + "00" * 32 * 129, says="m at most 128")
    witness = "03" + "00" + "0151" + "41" + control
    decoded = ok_json("decode", "witness", witness)
    assert decoded["as_script_path"]["leaf_script"] == "OP_1"
    assert decoded["as_script_path"]["control_block"]["as_p2mr"]["merkle_root"] == data["merkle_root"]
    assert ok_json("decode", "witness", "04" + witness[2:] + "0250aa")["annex"] == "50aa"
    bad("decode", "witness", witness[:-2], says=["witness", "byte"])
    bad("decode", "witness", witness + "00", says=["witness", "byte"])
    bad("decode", "witness", "ffffffffffffffffff", says=["witness", "byte"])
    assert "path_length: 2" in ok("decode", "witness", witness)


def test_decode_tx_and_address(files):
    data = ok_json("decode", "tx", f"@{files.single}")
    assert data["txid"] == json.loads(files.single.read_text())["txid"]
    assert data["inputs"][0]["witness"]["as_script_path"]["control_block"]["as_p2mr"]["output"]["type"] == "p2mr"
    text = ok("decode", "tx", f"@{files.single}")
    assert "SLH-DSA signature" in text and len(text) < 10000  # long hex is abbreviated
    bad("decode", "tx", "00", says=["tx", "byte"])
    address = data["outputs"][0]["addresses"]["regtest"]
    decoded = ok_json("decode", "address", address)
    assert decoded["type"] == "p2mr" and decoded["also_called"] == "p2tsh" and decoded["networks"] == ["regtest"]
    for address, kind in [("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "p2tr"), ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "p2wpkh"),
                          ("tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", "p2wsh")]:
        assert ok_json("decode", "address", address)["type"] == kind
    bad("decode", "address", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj1", says=["address", "checksum"])
    bad("decode", says="--help")


def witness_of(spend):
    """The serialized witness of the first input."""
    elements = ok_json("decode", "tx", f"@{spend}")["inputs"][0]["witness"]["elements"]

    def compact_size(n):
        return f"{n:02x}" if n < 253 else "fd" + n.to_bytes(2, "little").hex()
    return f"{len(elements):02x}" + "".join(compact_size(each["size"]) + each["hex"] for each in elements)


def test_decode_recognizes(files, tmp_path):
    """Without a kind: the same as with it, and what it was taken for."""
    _, tree = files.tree("OP_1", "OP_2", "OP_3")
    leaf = tree["leaves"][0]
    tx = json.loads(files.single.read_text())["tx"]
    p2pkh = "0247" + "30" + "44" + "00" * 69 + "21" + "02" + "11" * 32
    for kind, data in [
        ("address", tree["addresses"]["regtest"]), ("address", tree["addresses"]["mainnet"].upper()), ("address", f" {tree['addresses']['signet']}\n"),
        ("script", "pk_slhdsa(" + files.pub["alice"] + ")"), ("script", "OP_1"), ("script", "<00>"), ("script", "144 OP_CSV"), ("script", "0x51"),
        ("script", "20" + files.pub["alice"] + "7f"), ("script", tree["script_pubkey"]), ("script", "51"), ("script", "76a914" + "00" * 20 + "88ac"),
        ("script", "0014" + "00" * 20), ("script", "5120" + "11" * 32),
        ("witness", witness_of(files.single)), ("witness", witness_of(files.schnorr)), ("witness", "03" + "00" + "0151" + "41" + leaf["control_block"]), ("witness", p2pkh),
        ("control-block", leaf["control_block"]), ("control-block", "c0" + "11" * 32), ("control-block", "c1" + "00" * 32 * 128), ("control-block", "c1"),
        ("tx", tx),
    ]:
        path = tmp_path / "data.txt"
        path.write_text(data)
        expected = {"kind": kind, **ok_json("decode", kind, data)}
        for argument in [data, f"@{path}", path, "-"]:
            assert ok_json("decode", argument, stdin=data) == expected, (kind, data)
        assert ok("decode", data).startswith(f"kind: {kind}\n")
    for argument in [files.single, f"@{files.single}"]:
        assert ok_json("decode", argument) == {"kind": "tx", **ok_json("decode", "tx", f"@{files.single}")}


def test_decode_does_not_guess(files, tmp_path):
    """What may be several things is not decoded as one of them."""
    for data, says in [
        ("00" * 32, ["a public key, a hash or a transaction id (32 bytes)", "slhtool decode script"]),
        (files.pub["alice"], "32 bytes"),
        ("02" + "11" * 32, ["a compressed public key (33 bytes)", "decode control-block"]),
        ("11" * 64, "a Schnorr signature or a secret key (64 bytes)"),
        ("11" * 7856, "an SLH-DSA signature (7856 bytes)"),
        ("0100", ["may be several things; say which: slhtool decode script, decode witness"]),
        ("020151" + "0152", ["slhtool decode script, decode witness"]),
        ("fb" + "11" * 64, "decode control-block"),
        ("ffff", "as a script it has undefined or truncated instructions; slhtool decode script shows it anyway"),
        ("4c", "slhtool decode script"),
        ("fff", "odd number of hex digits (3)"),
        ("alice", "'alice' is not hex, an address, a script or a file; it can be: address, script, witness, control-block, tx"),
        ("tb1zqqqq", ["address", "too short"]),
        ("OP_NOSUCH", ["script", "'OP_NOSUCH' is not an opcode"]),
        ("", "DATA is missing"),
        ("{OP_1,OP_2}", "slhtool address --tree"),
        ('{"block": "00"}', "slhtool verify-block"),
        ('{"inputs": [], "outputs": []}', "slhtool spend"),
        ('{"x": 1}', "no member 'tx'"),
        ('{"tx": "00"}', ["tx", "byte"]),
        ('{"tx"', "malformed JSON"),
    ]:
        bad("decode", data, says=says)
    secret = json.loads(files.key("alice").read_text())["secret_key"]
    assert secret[:16] not in bad("decode", files.key("alice"), says=[str(files.key("alice")), "this is a key file: slhtool pubkey"])
    assert secret[:16] not in bad("decode", secret, says="a Schnorr signature or a secret key (64 bytes)")
    tree, _ = files.tree("OP_1", "OP_2", "OP_3")
    bad("decode", tree, says=[str(tree), "slhtool address --tree"])
    bad("decode", tmp_path, says="a script or a file")


def test_decode_in_bounded_memory(tmp_path):
    """The largest script and transaction that a block could hold, made of the smallest parts."""
    limit = memory_limited(600)
    path = tmp_path / "large.hex"
    path.write_text("51" * 4_000_000)
    data = ok_json("decode", "script", f"@{path}", preexec_fn=limit)
    assert data["size"] == 4_000_000 and len(data["instructions"]) == 2000 and data["bytes_not_listed"] == 3_998_000
    path.write_text("51" * 4_000_001)
    bad("decode", "script", f"@{path}", says="4000001 bytes, more than a block can hold", preexec_fn=limit)
    outputs = 440_000
    path.write_text("02000000" + "01" + "00" * 36 + "00" + "ffffffff" + "fe" + outputs.to_bytes(4, "little").hex() + "00" * 9 * outputs + "00000000")
    data = ok_json("decode", "tx", f"@{path}", preexec_fn=limit)
    assert len(data["outputs"]) == 2000 and data["outputs_left_out"] == outputs - 2000
    bad("decode", "witness", f"@{path}", says="witness", preexec_fn=limit)


# Debug


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
    bad("debug", files.single, "--input", "1", says=["--input", "1, but the transaction has 1 inputs"])
    bad("debug", files.single, "--input", "x", says=["--input", "'x' is not a number"])


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
    assert tx.count(old) == 1

    def compact_size(n):
        return f"{n:02x}" if n < 253 else "fd" + n.to_bytes(2, "little").hex()
    new = f"{len(elements):02x}" + "".join(compact_size(len(each) // 2) + each for each in elements)
    return change(spend, path, tx=tx.replace(old, new))


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


def test_debug_long_script(tmp_path):
    """A script of many instructions and a high stack: the output stays readable."""
    tree = tmp_path / "long.tree"
    tree.write_text("{0x" + "51" * 900 + "75" * 100000 + ",OP_RETURN}")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 1000, "tree": f"@{tree}", "leaf": 0, "witness": []}],
                                "outputs": [{"script_pubkey": "51", "amount": 1000}]}))
    spend = tmp_path / "spend.json"
    ok("spend", spec, "--out", spend, "--unchecked", "--any-fee")
    result = run("debug", spend, "--json")
    script = json.loads(result.stdout)["scripts"][-1]
    assert script["error"] == "SCRIPT_ERR_INVALID_STACK_OPERATION"
    assert script["steps"][-1]["position"] == 1800
    assert max(len(step["stack"]) for step in script["steps"]) == 8
    assert max(step["stack_size"] for step in script["steps"]) == 900


# Demo


def test_demo(tmp_path):
    folder = tmp_path / "demo"
    data = ok_json("demo", "--dir", folder, "--transactions", 1)
    assert data["as_expected"] is True and data["transactions"] == 1 and data["inputs"] == 4 and data["slhdsa_signatures"] == 4
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
    assert "all valid" in text and "rejected, eagerly and in a batch: input 2, SCRIPT_ERR_SLHDSA_SIG" in text


def test_demo_keeps_other_files(tmp_path):
    (tmp_path / "keys").mkdir()
    precious = tmp_path / "keys" / "alice.key"
    precious.write_text("precious")
    bad("demo", "--dir", tmp_path, "--transactions", 1, says=[str(tmp_path), "not empty and not from an earlier demo"])
    assert precious.read_text() == "precious"
    bad("demo", "--dir", precious, "--transactions", 1, says="not a directory")
    bad("demo", "--transactions", 0, says=["--transactions", "too few"])
    bad("demo", "--transactions", 5001, says=["--transactions", "more than 5000"])

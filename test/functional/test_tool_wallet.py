# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool's descriptor, derive, encrypt and decrypt: from a secret to addresses."""

import hashlib
import hmac
import json
import re
from pathlib import Path

import pytest

from tool import FINGERPRINT, PHRASE, SEED, bad, memory_limited, ok, ok_json, run

DATA = Path(__file__).resolve().parents[2] / "src" / "test" / "data"
POINT = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
VECTORS = json.loads((DATA / "derivation.json").read_text())["vectors"]
A, B = "11" * 32, "22" * 32
ORIGIN = f"[{FINGERPRINT}/360h/1h/0h/0h]"


# descriptor


def test_descriptor_info_is_what_address_says():
    """The same tree in slhtool's own language gives the same output."""
    own = ok_json("address", "--tree", f"{{multi_slhdsa(2,{A},{B}),{{hybrid({A},{POINT}),pk_schnorr({POINT})}}}}")
    tree = f"{{multi_slhdsa(2,{A},{B}),{{and_v(v:pk_slhdsa({A}),pk({POINT})),pk({POINT})}}}}"
    info = ok_json("descriptor", "info", f"mr({tree})")
    assert info["addresses"] == own["addresses"] and info["merkle_root"] == own["merkle_root"]
    assert [leaf["control_block"] for leaf in info["leaves"]] == [leaf["control_block"] for leaf in own["leaves"]]
    assert info["descriptor"] == ok("descriptor", "checksum", f"mr({tree})").strip()
    assert info["descriptor"] in ok("descriptor", "info", info["descriptor"])
    assert ok_json("address", "--tree", info["descriptor"])["addresses"] == own["addresses"]
    taproot = ok_json("descriptor", "info", f"tr({POINT},{tree})")
    assert taproot["merkle_root"] == own["merkle_root"] and taproot["internal_key"] == POINT
    assert ok_json("decode", "address", taproot["addresses"]["regtest"])["script_pubkey"] == taproot["script_pubkey"]


def test_descriptor_refusals(tmp_path):
    """One line with the column."""
    bad("descriptor", "info", f"mr(pk_slhdsa({A}))", says=["column 4: a P2MR (P2TSH) output with a single leaf can be spent by anyone"])
    bad("descriptor", "info", f"tr({POINT})#aaaaaaaa", says=["column 70: the checksum is 'aaaaaaaa', but that of the text before it is"])
    bad("descriptor", "checksum", "raw(00)#", says="column 9: a checksum of 0 characters, not 8")
    bad("descriptor", "checksum", "wallet.txt", says="not an output descriptor, which would end with ')': 'wallet.txt'")
    bad("descriptor", "checksum", "raw(deadbeef)#89f8spxn", says="column 15: the checksum is '89f8spxn', but that of the text before it is '89f8spxm'")
    bad("descriptor", "checksum", "raw(\x01)", says="column 5: a character that no descriptor has")
    bad("descriptor", says="")
    file = tmp_path / "wallet.txt"
    file.write_text("mr(\n")
    bad("descriptor", "info", f"@{file}", says=[str(file), "column 4: expected a leaf or '{'"])
    bad("descriptor", "addresses", "raw(00)", says="the output's script has no address")
    ranged = f"mr({{pk_slhdsa({ORIGIN}/*h),pk({POINT})}})"
    bad("descriptor", "addresses", ranged, says="--range: missing: the descriptor is a range")
    bad("descriptor", "addresses", f"tr({POINT})", "--range", "0", says="--range: the descriptor is not a range")
    bad("descriptor", "addresses", ranged, "--range", "0", says=f"no table has the SLH-DSA key [{FINGERPRINT}/360h/1h/0h/0h/0h]")
    bad("address", "--tree", f"mr({{pk_slhdsa({ORIGIN}/*h),pk({POINT})}})", says="the descriptor is a range")
    address = ok("descriptor", "addresses", f"tr({POINT})", "--network", "mainnet").strip()
    bad("descriptor", "addresses", f"addr({address})", says="which is not that of regtest")


def test_checksum_of_any_descriptor():
    """Also of what slhtool does not know; BIP 380's vector."""
    assert ok("descriptor", "checksum", "raw(deadbeef)") == "raw(deadbeef)#89f8spxm\n"
    assert ok_json("descriptor", "checksum", "raw(deadbeef)")["checksum"] == "89f8spxm"
    assert re.fullmatch(r"wpkh\(\)#\w{8}\n", ok("descriptor", "checksum", "wpkh()"))
    assert ok("descriptor", "checksum", "-", stdin=" raw(deadbeef)#89f8spxm\n") == "raw(deadbeef)#89f8spxm\n"


def test_checksum_of_what_other_commands_take(tmp_path):
    """A tree of slhtool address, what descriptor info printed, and a backup."""
    tree, info, backup = (tmp_path / name for name in ("a.tree", "info.json", "a.backup"))
    tree.write_text(ok("address", f"pk_slhdsa({A})", f"pk_slhdsa({B})", "--json"))
    info.write_text(ok("descriptor", "info", f"@{tree}", "--json"))
    ok("backup", "make", backup, "--descriptor", f"@{tree}", "--birth-height", "0")
    wanted = ok("descriptor", "checksum", f"mr({{pk_slhdsa({A}),pk_slhdsa({B})}})")
    for file in tree, info, backup:
        assert ok("descriptor", "checksum", f"@{file}") == wanted
        assert ok_json("descriptor", "checksum", f"@{file}") == {"descriptor": wanted.strip(), "checksum": wanted.strip()[-8:]}
    tree.write_text(ok("address", f"pk_slhdsa({A})", "OP_RETURN", "--json"))
    bad("descriptor", "checksum", f"@{tree}", says=[str(tree), "tree: cannot be written as a descriptor"])


# derive


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['comment']}, {vector['path']}")
def test_derivation_vectors(vector, tmp_path):
    """Vectors that the Python package made, which shares no code with slhtool."""
    master = tmp_path / "master.txt"
    master.write_text(next(vector["master"][name] for name in ("seed", "xprv", "phrase") if name in vector["master"]))
    options = []
    if "passphrase" in vector["master"]:
        (tmp_path / "passphrase").write_text(vector["master"]["passphrase"])
        options = ["--passphrase-file", tmp_path / "passphrase"]
    path, _, index = vector["path"].rpartition("/")
    if not index.endswith("h"):
        pytest.skip("slhtool derives children alone")
    for key_type, name in (("slhdsa", "slhdsa_public_key"), ("schnorr", "schnorr_public_key")):
        derived = ok_json("derive", master, "--path", path, "--range", index[:-1], "--type", key_type, *options)
        assert derived["fingerprint"] == vector["fingerprint"]
        assert derived["keys"][0]["public_key"] == vector[name]


def test_derivation_by_the_words_of_the_help(master, tmp_path):
    """HMAC-SHA512 of k || c, written out for a path of one step."""
    node = hmac.digest(b"Bitcoin seed", bytes.fromhex(SEED), "sha512")
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    child = hmac.digest(node[32:], b"\0" + node[:32] + bytes.fromhex("80000007"), "sha512")
    k = ((int.from_bytes(child[:32], "big") + int.from_bytes(node[:32], "big")) % order).to_bytes(32, "big")
    seed = hmac.digest(b"slhconsensus/SLH-DSA-SHA2-128s/seed/0", k + child[32:], "sha512")[:48]
    ok("derive", master, "--path", "m", "--range", "7", "--out", tmp_path / "7.key")
    assert json.loads((tmp_path / "7.key").read_text())["secret_key"].startswith(seed.hex())
    assert (tmp_path / "7.key").stat().st_mode & 0o777 == 0o600
    ok("derive", master, "--path", "m", "--range", "7", "--type", "schnorr", "--out", tmp_path / "7s.key")
    assert json.loads((tmp_path / "7s.key").read_text())["secret_key"] == k.hex()


def test_ranges_of_addresses(master, tmp_path):
    """Watch-only: from a table of public keys, the same addresses as from the keys themselves."""
    ok("derive", master, "--range", "3-5", "--table", tmp_path / "table.json")
    lines = ok("derive", master, "--range", "3-5").split()
    assert [line.partition("]")[0] for line in lines] == [f"[{FINGERPRINT}/360h/1h/0h/0h/{i}h" for i in (3, 4, 5)]
    descriptor = f"mr({{pk_slhdsa({ORIGIN}/*h),pk({POINT})}})"
    shown = ok_json("descriptor", "addresses", descriptor, "--keys", tmp_path / "table.json", "--range", "3-5")["addresses"]
    for line, address in zip(lines, shown):
        assert address["descriptor"].startswith(f"mr({{pk_slhdsa({line}),pk({POINT})}})#")
        assert ok("descriptor", "addresses", f"mr({{pk_slhdsa({line}),pk({POINT})}})").strip() == address["address"]
    assert [line.split()[0] for line in ok("descriptor", "addresses", descriptor, "--keys", tmp_path / "table.json", "--range", "3-5").splitlines()] == ["3", "4", "5"]
    bad("descriptor", "addresses", descriptor, "--keys", tmp_path / "table.json", "--range", "3-6", says="no table has the SLH-DSA key")


@pytest.mark.parametrize(("text", "message"), [
    ("xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8", "an extended public key"),
    ("xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL", "checksum does not match"),
    ("xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fhZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv", "that it has a parent"),
    ("xprv9s21ZrQH4r4TsiLvyLXqM9P7k1K3EYhA1kkD6xuquB5i39AU8KF42acDyL3qsDbU9NmZn6MsGSUYZEsuoePmjzsB3eFKSUEh3Gu1N3cqVUN", "that it has a parent"),
    ("xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzF93Y5wvzdUayhgkkFoicQZcP3y52uPPxFnfoLZB21Teqt1VvEHx", "the secret is zero"),
    ("xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD5SDKr24z3aiUvKr9bJpdrcLg1y3G", "not below the order"),
    ("xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGpWnsj83BHtEy5Zt8CcDr1UiRXuWCmTQLxEK9vbz5gPstX92JQ", "does not hold a private key"),
    ("00" * 15, "a BIP 32 seed has 16 to 64 bytes, not 15"),
    ("00" * 65, "a BIP 32 seed has 16 to 64 bytes, not 65"),
    ("0" * 33, "an odd number of hex digits"),
    ("hello", "neither a phrase of words, nor a seed in hex, nor an extended private key (xprv..., tprv...)"),
    ("0" * 111, "an odd number"),
    ("abandon " * 11, "a phrase has 12, 15, 18, 21 or 24 words, not 11"),
    ("abandon " * 11 + "Ébout", "word 12 of the phrase has a character other than a to z"),
])
def test_secrets_that_are_none(text, message, tmp_path):
    """BIP 32's invalid extended keys, and others; no error repeats what it read."""
    (tmp_path / "master.txt").write_text(text)
    assert text[:30] not in bad("derive", tmp_path / "master.txt", says=message)


@pytest.mark.parametrize(("options", "message"), [
    (["--path", "m/360h/1"], "step 2 of 'm/360h/1' is not hardened: write 1h"),
    (["--path", "360h"], "does not begin with m/"),
    (["--path", "m/x"], "column 3: expected a number"),
    (["--path", "m/2147483648h"], "column 3: the number is greater than 2147483647"),
    (["--range", "5-4"], "the last index is below the first"),
    (["--range", "0-10000"], "more than 10000 indexes"),
    (["--range", "0-1", "--out", "x"], "takes one key"),
    (["--out", "-"], "never written to standard output"),
])
def test_derive_options(options, message, master):
    """Bad usage."""
    bad("derive", master, *options, says=message)


def test_addresses_of_a_long_descriptor(master, tmp_path):
    """The descriptors of all outputs together have 78 MB, and are not kept where they are not shown."""
    key = ok_json("derive", master, "--type", "schnorr", "--range", "0-999", "--table", tmp_path / "table")["range"]
    leaves = [f"pk({key})", *(f"pk_slhdsa({i:064x})" for i in range(1, 1024))]
    while len(leaves) > 1:
        leaves = [f"{{{a},{b}}}" for a, b in zip(leaves[::2], leaves[1::2])]
    (tmp_path / "long").write_text(f"mr({leaves[0]})")
    lines = ok("descriptor", "addresses", f"@{tmp_path / 'long'}", "--keys", tmp_path / "table", "--range", "0-999", preexec_fn=memory_limited(72))
    assert lines.count("\n") == 1000


def test_the_greatest_depth(master, tmp_path):
    """The index is a step, too, and so are those above an extended key. What derive writes, a descriptor takes."""
    out = ["--type", "schnorr", "--table", tmp_path / "table", "--out", tmp_path / "key"]
    says = "a key of more than 255 steps from the root"
    bad("derive", master, "--path", "m" + "/0h" * 255, *out, says=says)
    deep = tmp_path / "deep"
    raw = bytes.fromhex("0488ade4" + "fe" + "11" * 8 + "22" * 32 + "00" + "33" * 32)  # at depth 254
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    deep.write_text(text)
    bad("derive", deep, "--path", "m/0h", *out, says=says)
    assert not (tmp_path / "table").exists() and not (tmp_path / "key").exists()
    ok("derive", deep, "--path", "m", "--type", "schnorr")
    key = ok_json("derive", master, "--path", "m" + "/0h" * 254, *out)["range"]
    ok("descriptor", "addresses", f"mr({{pk({key}),pk({POINT})}})",
       "--keys", tmp_path / "table", "--range", "0")


def test_phrase_with_a_word_list(tmp_path):
    """The checksum is checked with a list, which the package `mnemonic` has."""
    words = Path(pytest.importorskip("mnemonic").__file__).parent / "wordlist" / "english.txt"
    phrase = tmp_path / "phrase.txt"
    phrase.write_text(PHRASE + "\n")
    assert ok("derive", phrase, "--wordlist", words) == ok("derive", phrase)
    for text, message in ((PHRASE.replace("about", "abandon"), "checksum does not match"), (PHRASE.replace("about", "abuot"), "word 12 of the phrase is not in the word list"),
                          ("zoo " * 23 + "vote", None), ("zoo " * 23 + "void", "checksum does not match")):
        phrase.write_text(text)
        if message:
            bad("derive", phrase, "--wordlist", words, says=message)
        else:
            ok("derive", phrase, "--wordlist", words)


def test_a_word_list_that_is_none(tmp_path):
    """It is the list that is wrong, not the phrase."""
    phrase, other = tmp_path / "phrase.txt", tmp_path / "other.txt"
    phrase.write_text(PHRASE)
    for text, says in (("abandon\nability\n", "has 2 words, but a word list has 2048"), ("word\n" * 2049, "has 2049 words")):
        other.write_text(text)
        bad("derive", phrase, "--wordlist", other, says=f"slhtool derive: {other}: {says}")


# encrypt, decrypt


def test_encrypted_key_file(tmp_path, passphrase):
    """What was encrypted comes back; nothing else does."""
    ok("keygen", tmp_path / "alice.key")
    ok("encrypt", tmp_path / "alice.key", tmp_path / "alice.enc", "--passphrase-file", passphrase)
    content, encrypted = (tmp_path / "alice.key").read_bytes(), (tmp_path / "alice.enc").read_bytes()
    assert encrypted.startswith(b"slhtool encrypted 1\n") and len(encrypted) == len(content) + 20 + 4 + 4 + 16 + 24 + 16
    assert (tmp_path / "alice.enc").stat().st_mode & 0o777 == 0o600
    ok("decrypt", tmp_path / "alice.enc", tmp_path / "back.key", "--passphrase-file", passphrase)
    assert (tmp_path / "back.key").read_bytes() == content and (tmp_path / "back.key").stat().st_mode & 0o777 == 0o600
    assert ok("pubkey", "-", stdin=ok("decrypt", tmp_path / "alice.enc", "-", "--passphrase-file", passphrase)) == ok("pubkey", tmp_path / "alice.key")

    (tmp_path / "wrong.txt").write_text("correct horze\n")
    bad("decrypt", tmp_path / "alice.enc", tmp_path / "x", "--passphrase-file", tmp_path / "wrong.txt", says="alice.enc: wrong passphrase, or the file was changed")
    assert not (tmp_path / "x").exists()
    bad("pubkey", tmp_path / "alice.enc", says="is encrypted: slhtool decrypt restores its content")
    bad("encrypt", tmp_path / "alice.enc", tmp_path / "x", "--passphrase-file", passphrase, says="is encrypted already")
    bad("encrypt", tmp_path / "alice.key", tmp_path / "alice.enc", "--passphrase-file", passphrase, says="already exists")
    bad("decrypt", tmp_path / "alice.key", tmp_path / "x", "--passphrase-file", passphrase, says="not a file that slhtool encrypt wrote")
    for args in (("derive", tmp_path / "alice.enc"), ("backup", "check", tmp_path / "alice.enc"), ("descriptor", "info", f"@{tmp_path / 'alice.enc'}"),
                 ("psbt", "show", f"@{tmp_path / 'alice.enc'}"), ("address", "--key", f"@{tmp_path / 'alice.enc'}", "OP_RETURN")):
        assert bad(*args, says="is encrypted: slhtool decrypt restores its content").count("alice.enc") == 1
    (tmp_path / "nothing").write_text("")
    for args in ("encrypt", tmp_path / "alice.key"), ("decrypt", tmp_path / "alice.enc"):
        says = bad(*args, tmp_path / "x", "--passphrase-file", tmp_path / "nothing", says="nothing: is empty")
        assert "alice" not in says
    bad("derive", tmp_path / "alice.key", says="alice.key: a key file, which holds one key and no secret that keys derive from")
    bad("encrypt", tmp_path / "alice.key", tmp_path / "x", "--passphrase-file", tmp_path / "absent",
        says="slhtool encrypt: --passphrase-file: cannot be read: No such file or directory\n")
    (tmp_path / "empty").write_text("\n")
    bad("encrypt", tmp_path / "alice.key", tmp_path / "x", "--passphrase-file", tmp_path / "empty", says="the first line is empty")
    # What is written is decrypted again; here it replaces what it was made of, which is said.
    said = ok("encrypt", tmp_path / "back.key", tmp_path / "back.key", "--force", "--passphrase-file", passphrase)
    assert said.endswith("back.key: replaced by its encrypted form: without the passphrase, its content is lost\n")
    assert (tmp_path / "back.key").read_bytes().startswith(b"slhtool encrypted 1\n")
    assert "replaced by its plain content" in ok("decrypt", tmp_path / "back.key", tmp_path / "back.key", "--force", "--passphrase-file", passphrase)
    assert (tmp_path / "back.key").read_bytes() == content


@pytest.mark.parametrize("position", [28, 44, 60, 68, -17, -1])
def test_changed_byte(tmp_path, passphrase, position):
    """Of salt, nonce, content and tag."""
    (tmp_path / "file").write_text("secret")
    ok("encrypt", tmp_path / "file", tmp_path / "enc", "--passphrase-file", passphrase)
    encrypted = bytearray((tmp_path / "enc").read_bytes())
    encrypted[position] ^= 1
    (tmp_path / "enc").write_bytes(encrypted)
    bad("decrypt", tmp_path / "enc", tmp_path / "x", "--passphrase-file", passphrase, says="wrong passphrase, or the file was changed")


def test_changed_header(tmp_path, passphrase):
    """Parameters that would cost without end are refused before they cost anything; others are authenticated."""
    (tmp_path / "file").write_text("secret")
    ok("encrypt", tmp_path / "file", tmp_path / "enc", "--passphrase-file", passphrase)
    encrypted = (tmp_path / "enc").read_bytes()
    for offset, number in ((20, 0), (20, 17), (20, 2**32 - 1), (24, 0), (24, 2**20 + 1), (24, 2**32 - 1)):
        (tmp_path / "enc").write_bytes(encrypted[:offset] + number.to_bytes(4, "little") + encrypted[offset + 4:])
        bad("decrypt", tmp_path / "enc", tmp_path / "x", "--passphrase-file", passphrase, says="asks for more work than slhtool ever does")
    for offset, number in ((20, 2), (24, 2**17)):
        (tmp_path / "enc").write_bytes(encrypted[:offset] + number.to_bytes(4, "little") + encrypted[offset + 4:])
        bad("decrypt", tmp_path / "enc", tmp_path / "x", "--passphrase-file", passphrase, says="wrong passphrase, or the file was changed")
    (tmp_path / "enc").write_bytes(encrypted[:80])
    bad("decrypt", tmp_path / "enc", tmp_path / "x", "--passphrase-file", passphrase, says="the encrypted file is cut off")


def test_passphrase_without_a_terminal(tmp_path):
    """Nobody can be asked."""
    (tmp_path / "file").write_text("secret")
    result = run("encrypt", tmp_path / "file", tmp_path / "enc", start_new_session=True)
    assert result.returncode == 2 and "there is no terminal to ask for a passphrase: give --passphrase-file" in result.stderr

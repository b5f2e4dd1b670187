# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Derivation in the Python package: BIP 32's and BIP 39's own vectors, and those of this project."""

import hashlib
import json
import sys

import pytest
from conftest import DATA
from slhconsensus import (ArgumentError, DataError, Descriptor, ExtendedKey, SecretKey, parse_hardened_path, read_key_table, seed_from_phrase,
                          write_key_table)
from slhconsensus._ripemd160 import ripemd160

PHRASE = "abandon " * 11 + "about"
VECTORS = json.loads((DATA / "derivation.json").read_text())["vectors"]
# BIP 32, test vectors 1 (m, m/0h), 2 (m), 3 (m, m/0h) and 4 (m, m/0h, m/0h/1h): seed, path, extended private key.
BIP32 = [
    ("000102030405060708090a0b0c0d0e0f", "m", "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"),
    ("000102030405060708090a0b0c0d0e0f", "m/0h", "xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7"),
    ("fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", "m",
     "xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U"),
    ("4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be", "m/0h",
     "xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L"),
    ("3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", "m/0h/1h",
     "xprv9xJocDuwtYCMNAo3Zw76WENQeAS6WGXQ55RCy7tDJ8oALr4FWkuVoHJeHVAcAqiZLE7Je3vZJHxspZdFHfnBEjHqU5hG1Jaj32dVoS6XLT1"),
]


@pytest.mark.parametrize(("seed", "path", "xprv"), BIP32)
def test_bip32(seed, path, xprv):
    """Secret and chain code: all that is hashed."""
    assert ExtendedKey.from_seed(bytes.fromhex(seed)).derive(path).slhdsa_seed() == ExtendedKey.from_xprv(xprv).slhdsa_seed()
    assert ExtendedKey.from_seed(bytes.fromhex(seed)).derive(path).schnorr_secret() == ExtendedKey.from_xprv(xprv).schnorr_secret()


def test_bip39():
    """The first vector of BIP 39's reference implementation."""
    seed = seed_from_phrase(PHRASE, "TREZOR", check=False)
    assert seed.hex() == ("c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698"
                          "e7463b04")
    assert seed_from_phrase("  ".join(PHRASE.split()), "TREZOR", check=False) == seed
    with pytest.raises(DataError, match="12, 15, 18, 21 or 24 words, not 11"):
        seed_from_phrase("abandon " * 11, check=False)


def test_checksum_of_a_phrase():
    """By the package `mnemonic`."""
    pytest.importorskip("mnemonic")
    assert seed_from_phrase(PHRASE) == seed_from_phrase(PHRASE, check=False)
    with pytest.raises(DataError, match="checksum does not match"):
        seed_from_phrase(PHRASE.replace("about", "abandon"))
    japanese = "あいこくしん　" * 11 + "あおぞら"  # BIP 39's own vector
    for phrase, number in [(PHRASE.replace("about", "abaut"), 12), ("Abandon " + PHRASE[8:], 1), (japanese, 1)]:
        with pytest.raises(DataError, match=f"not a phrase from the English list: word {number} is not there"):
            seed_from_phrase(phrase)
    assert seed_from_phrase(japanese, "㍍ガバヴァぱばぐゞちぢ十人十色", check=False).hex().startswith("a262d6fb6122ecf45be09c50492b31f9")


def test_without_the_package_for_phrases(monkeypatch):
    """What to install is said, by a name that its authors hold; check=False does without."""
    monkeypatch.setitem(sys.modules, "mnemonic", None)
    with pytest.raises(ArgumentError, match="the package mnemonic: pip install mnemonic, or check=False"):
        ExtendedKey.from_phrase(PHRASE)
    assert ExtendedKey.from_phrase(PHRASE, check=False).fingerprint.hex() == "73c5da0a"


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['comment']}, {vector['path']}")
def test_vectors(vector):
    """src/test/data/derivation.json, which slhtool is tested with too."""
    master = vector["master"]
    if "phrase" in master:
        root = ExtendedKey.from_phrase(master["phrase"], master["passphrase"], check=False)
    else:
        root = ExtendedKey.from_seed(bytes.fromhex(master["seed"])) if "seed" in master else ExtendedKey.from_xprv(master["xprv"])
    node = root.derive(vector["path"])
    assert root.fingerprint.hex() == vector["fingerprint"]
    assert node.slhdsa_seed().hex() == vector["slhdsa_seed"]
    assert node.slhdsa_key() == SecretKey.from_seed(bytes.fromhex(vector["slhdsa_seed"]))
    assert node.slhdsa_key().public_key.hex() == vector["slhdsa_public_key"]
    assert node.schnorr_public_key().hex() == vector["schnorr_public_key"]


def test_without_ripemd160_in_openssl(monkeypatch):
    """Some systems' OpenSSL has none."""
    def new(name, *args, **kwargs):
        raise ValueError(f"unsupported hash type {name}")
    monkeypatch.setattr(hashlib, "new", new)
    assert repr(ExtendedKey.from_seed(bytes(range(16)))) == "ExtendedKey(of 3442193e)"


@pytest.mark.parametrize(("message", "digest"), [
    (b"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"),
    (b"message digest", "5d0689ef49d2fae572b881b123a85ffa21595f36"),
    (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "b0e20b6e3116640286ed3a87a5713079b21f5189"),
    (b"1234567890" * 8, "9b752e45573d4b39f4dbd3323cab82bf63326bfb"),
])
def test_ripemd160(message, digest):
    """Vectors of its authors."""
    assert ripemd160(message).hex() == digest


def test_tables(tmp_path):
    """Written, read, and used for a range."""
    root = ExtendedKey.from_seed(bytes(range(16)))
    tables = [root.key_table("m/360h/1h/0h/0h", 2, first=3), root.key_table("m/86h", 5, key_type="schnorr-bip340")]
    for n, table in enumerate(tables):
        write_key_table(table, tmp_path / f"{n}.json")
        assert read_key_table(tmp_path / f"{n}.json") == table
        with pytest.raises(FileExistsError):
            write_key_table(tables[1 - n], tmp_path / f"{n}.json")
        assert read_key_table(tmp_path / f"{n}.json") == table
    at = Descriptor("mr({pk_slhdsa([3442193e/360h/1h/0h/0h]/*h),pk([3442193e/86h]/*h)})").at(4, tables)
    assert at.keys[0].public_key == root.derive("m/360h/1h/0h/0h/4h").slhdsa_key().public_key.data
    assert at.keys[1].public_key == root.derive("m/86h/4h").schnorr_public_key()
    good = json.loads((tmp_path / "0.json").read_text())
    broken = [{**good, **change} for change in ({"first": 1.0}, {"first": True}, {"first": "7"}, {"first": -3}, {"first": 1 << 31}, {"origin": None}, {"type": "x"},
                                              {"first": (1 << 31) - 1}, {"public_keys": good["public_keys"][:1] * 2})]
    texts = [json.dumps(each) for each in broken] + [json.dumps(good).replace('"first": 3', '"first": 2, "first": 3'), json.dumps(good).replace('"first": 3', '"first": 1e400')]
    for content in ("", "[]", '{"type": 1}', '{"type": "x", "origin": "", "first": 0, "public_keys": ["00"]}', *texts):
        (tmp_path / "table.json").write_text(content)
        with pytest.raises(DataError, match="table.json: "):
            read_key_table(tmp_path / "table.json")


@pytest.mark.parametrize("wrong", [{"key_type": "schnorr"}, {"key_type": ""}, {"count": 0}, {"count": -3}, {"first": -1}, {"first": (1 << 31) - 1},
                                   {"first": -1 << 257}, {"count": 1 << 257}])
def test_tables_that_are_none(wrong):
    """Nothing is made that is not what was asked for."""
    root = ExtendedKey.from_seed(bytes(range(16)))
    with pytest.raises(ArgumentError, match="key type '.*' is not one of slh-dsa-sha2-128s, schnorr-bip340" if "key_type" in wrong else "keys from index"):
        root.key_table(**{"path": "m/86h", "count": 2, "key_type": "schnorr-bip340", **wrong})
    assert root.key_table("m/86h", 1, first=(1 << 31) - 1, key_type="schnorr-bip340").first == (1 << 31) - 1


@pytest.mark.parametrize("path", ["", "360h", "m/1", "m/h", "m/-1h", "m/01h", "m/2147483648h", "m//1h", "m/1h/", "m/1H", "m/²h", f"m/{'1' * 5000}h", "n" * 5000])
def test_paths_that_are_none(path):
    """Every step is hardened."""
    with pytest.raises(ArgumentError) as error:
        parse_hardened_path(path)
    assert len(str(error.value)) < 300
    for call in (ExtendedKey.from_seed(bytes(16)).derive, lambda wrong: ExtendedKey.from_seed(bytes(16)).key_table(wrong, 1)):
        with pytest.raises(ArgumentError):
            call(path)


def test_secrets_that_are_none():
    """Sizes, zero, the order, and extended keys that BIP 32 lists as invalid."""
    with pytest.raises(DataError, match="too long"):
        ExtendedKey.from_xprv("z" * 10_000_000)
    with pytest.raises(ArgumentError):
        ExtendedKey.from_seed(bytes(15))
    for secret in (bytes(32), b"\xff" * 32):
        with pytest.raises(DataError):
            ExtendedKey(secret, bytes(32))
    for xprv in ("xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL",
                 "xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fhZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv",
                 "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8", "xprv0", "x" * 200):
        with pytest.raises(DataError):
            ExtendedKey.from_xprv(xprv)
    with pytest.raises(ArgumentError):
        ExtendedKey.from_seed(bytes(16)).child(1 << 31)

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool shows what bytes mean."""

import base64
import json
import re

from tool import TXID, bad, memory_limited, ok, ok_json, witness_of


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
    # The network to try things on comes first, in each list.
    for text in (ok("decode", "script", "5220" + "11" * 32), ok("descriptor", "info", "raw(5220" + "11" * 32 + ")")):
        assert re.findall(r"(regtest|signet|testnet|mainnet): ", text) == ["regtest", "signet", "testnet", "mainnet"]
    bad("decode", "address", "foo", says="slhtool decode address: 'foo' is not a segwit address (bc1..., tb1..., bcrt1...)\n")
    bad("decode", says="--help")


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
    """Input that may be several things is not decoded as one of them."""
    for data, says in [
        ("00" * 32, ["a public key, a hash or a transaction id (32 bytes)", "slhtool decode script"]),
        (files.pub["alice"], "32 bytes"),
        ("02" + "11" * 32, ["a compressed public key (33 bytes)", "decode control-block"]),
        ("11" * 64, "a Schnorr signature (64 bytes)"),
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
        ("", "DATA is required"),
        ("{OP_1,OP_2}", "slhtool address --tree"),
        ('{"block": "00"}', "slhtool verify-block"),
        ('{"inputs": [], "outputs": []}', "slhtool spend"),
        ('{"x": 1}', "no member 'tx'"),
        ("70736274FF0100", "this is a PSBT: slhtool psbt show"),
        ("raw(51)", "this is a descriptor: slhtool descriptor info"),
        ('{"tx": "00"}', ["tx", "byte"]),
        ('{"tx"', "malformed JSON"),
    ]:
        bad("decode", data, says=says)
    bad("decode", files.key("alice"), says=[str(files.key("alice")), "no member 'tx'"])
    tree, _ = files.tree("OP_1", "OP_2", "OP_3")
    bad("decode", tree, says=[str(tree), "slhtool address --tree"])
    psbt = tmp_path / "a.psbt"
    ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", 10_000, "--tree", f"@{tree}", "--to", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "--out", psbt)
    bad("decode", psbt, says=[str(psbt), "slhtool psbt show"])
    psbt.write_bytes(base64.b64decode(psbt.read_text()))
    bad("decode", psbt, says=[str(psbt), "slhtool psbt show"])
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


def test_decode_of_lists_in_lists(tmp_path):
    """The text about a transaction is bounded as a whole, not list by list."""
    path = tmp_path / "large.hex"
    inputs, elements = 1_990, 1_960
    tx_inputs = "fd" + inputs.to_bytes(2, "little").hex() + ("00" * 36 + "00" + "ffffffff") * inputs
    path.write_text("02000000" + "0001" + tx_inputs + "01" + "00" * 8 + "015a" + ("fd" + elements.to_bytes(2, "little").hex() + "00" * elements) * inputs + "00000000")
    for options in [[], ["--json"]]:
        text = ok("decode", "tx", f"@{path}", *options, preexec_fn=memory_limited(256))
        assert len(text) < 10_000_000
    data = json.loads(text)
    assert len(data["inputs"]) == inputs and data["outputs"][0]["asm"] == "OP_10"
    listed = [len(each["witness"]["elements"]) for each in data["inputs"]]
    assert listed[0] == elements and sum(listed) == 20_000 and listed[-1] == 0
    assert all(each["witness"]["elements_left_out"] == elements - n for each, n in zip(data["inputs"], listed, strict=True) if n < elements)
    # The text of scripts, likewise: the name of an opcode takes more than twenty times its byte.
    outputs, size = 1_990, 1_980
    path.write_text("02000000" + "01" + "00" * 36 + "00" + "ffffffff" + "fd" + outputs.to_bytes(2, "little").hex() +
                    ("00" * 8 + "fd" + size.to_bytes(2, "little").hex() + "b1" * size) * outputs + "00000000")
    text = ok("decode", "tx", f"@{path}", "--json", preexec_fn=memory_limited(256))
    assert len(text) < 20_000_000
    data = json.loads(text)
    assert len(data["outputs"]) == outputs and data["outputs"][0]["asm"] == " ".join(["OP_CHECKLOCKTIMEVERIFY"] * size)
    assert data["outputs"][-1]["asm"] == "..." and data["outputs"][-1]["script_pubkey"] == "b1" * size

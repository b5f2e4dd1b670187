# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool verify-block, on blocks that are put together here, by this file's own idea of merkle roots and commitments."""

import hashlib
import json

import pytest

from tool import TXID, bad, memory_limited, ok, ok_json, run, tampered


def double_sha256(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def merkle_root(hashes):
    while len(hashes) > 1:
        if len(hashes) % 2:
            hashes = hashes + hashes[-1:]
        hashes = [double_sha256(hashes[i] + hashes[i + 1]) for i in range(0, len(hashes), 2)]
    return hashes[0]


def from_display(txid):
    return bytes.fromhex(txid)[::-1]


def txid_of(spend):
    return spend["txid"] if "txid" in spend else ok_json("decode", "tx", "-", stdin=spend["tx"])["txid"]


class Block:
    """A coinbase and the transactions of some spend files."""

    def __init__(self, *paths):
        self.spends = [json.loads(path.read_text()) for path in paths]
        self.commitment_flip = 0
        self.root_flip = 0

    def raw(self):
        wtxids = [bytes(32)] + [double_sha256(bytes.fromhex(spend["tx"])) for spend in self.spends]
        commitment = bytearray(double_sha256(merkle_root(wtxids) + bytes(32)))
        commitment[0] ^= self.commitment_flip
        inputs = b"\x01" + bytes(32) + b"\xff" * 4 + b"\x02\x51\x51" + b"\xff" * 4
        outputs = b"\x02" + (5000).to_bytes(8, "little") + b"\x01\x51" + bytes(8) + b"\x26\x6a\x24\xaa\x21\xa9\xed" + commitment
        stripped = b"\x02\0\0\0" + inputs + outputs + bytes(4)
        coinbase = b"\x02\0\0\0\0\x01" + inputs + outputs + b"\x01\x20" + bytes(32) + bytes(4)
        txids = [double_sha256(stripped)] + [from_display(txid_of(spend)) for spend in self.spends]
        root = bytearray(merkle_root(txids))
        root[5] ^= self.root_flip
        header = (0x20000000).to_bytes(4, "little") + bytes(32) + root + bytes(12)
        return (header + bytes([1 + len(self.spends)]) + coinbase + b"".join(bytes.fromhex(spend["tx"]) for spend in self.spends)).hex()

    def json(self, **members):
        return json.dumps({"block": self.raw(), "spent_outputs": [out for spend in self.spends for out in spend["spent_outputs"]], **members})


@pytest.fixture(scope="session")
def other(files):
    """A spend of another coin than files.single's, with a Schnorr signature."""
    tree, data = files.tree(f"pk_slhdsa({files.pub['bob']})", f"pk_schnorr({files.pub['dave']})")
    out = files.folder / "other_coin.json"
    ok("spend", "--outpoint", f"{'22' * 32}:1", "--amount", "70000", "--tree", f"@{tree}", "--key", files.key("dave"),
       "--to", data["addresses"]["regtest"] + "=69000", "--out", out)
    return out


def invalid(*args, **kwargs):
    """Exit status 1, nothing on standard error."""
    result = run("verify-block", *args, **kwargs)
    assert (result.returncode, result.stderr) == (1, "")
    return result.stdout


def test_valid(files, other, tmp_path):
    block = Block(files.single, other)
    path = tmp_path / "block.json"
    path.write_text(block.json())
    data = ok_json("verify-block", path)
    assert (data["valid"], data["transactions"], data["inputs"]) == (True, 3, 2)
    assert data["block"] == double_sha256(bytes.fromhex(block.raw())[:80])[::-1].hex()
    text = ok("verify-block", path)
    assert text.endswith("\nvalid\n") and "3 transactions, 2 inputs" in text
    path.write_text(Block(other).json())
    assert ": 2 transactions, 1 input besides the coinbase's, " in ok("verify-block", path)
    path.write_text(block.json())
    ok("verify-block", "-", stdin=path.read_text())
    ok("verify-block", "--scripts-only", path)

    spent = [f"{out['amount']}:{out['script_pubkey']}" for spend in block.spends for out in spend["spent_outputs"]]
    ok("verify-block", "--block", "-", "--spent", spent[0], "--spent", spent[1], stdin=block.raw())
    # The serialized output does as well.
    outputs = [int(amount).to_bytes(8, "little").hex() + f"{len(script) // 2:02x}" + script for amount, script in (out.split(":") for out in spent)]
    ok("verify-block", "-", stdin=json.dumps({"block": block.raw(), "spent_outputs": outputs}))


def test_coinbase_alone():
    ok("verify-block", "--block", Block().raw())


def test_bad_signature(files, other, tmp_path):
    block = Block(other, tampered(files.single, tmp_path / "tampered.json"))
    data = json.loads(invalid("-", "--json", stdin=block.json()))
    assert (data["valid"], data["transaction"], data["input"], data["error"], data["opcode_pos"]) == (False, 2, 0, "SCRIPT_ERR_SLHDSA_SIG", 1)
    text = invalid("-", stdin=block.json())
    assert f"invalid: transaction 2 ({data['txid']}), input 0: SCRIPT_ERR_SLHDSA_SIG at instruction 1" in text
    for threads in ["1", "2", "5"]:
        again = json.loads(invalid("-", "--json", stdin=block.json(), env={"SLHC_THREADS": threads}))
        assert {**again, "script_milliseconds": 0} == {**data, "script_milliseconds": 0}
    assert data["flags"] == "consensus" and "verified under" not in text
    for args, flags in [(["--flags", "P2SH,WITNESS,TAPROOT"], "consensus"), ([], "P2SH,WITNESS,TAPROOT")]:
        assert "\nverified under P2SH,WITNESS,TAPROOT, not under the consensus rules\nvalid\n" in ok("verify-block", "-", *args, stdin=block.json(flags=flags))
        assert ok_json("verify-block", "-", *args, stdin=block.json(flags=flags))["flags"] == "P2SH,WITNESS,TAPROOT"


def test_standard_rules(files):
    """Which no block has to keep, as the help says where it names them."""
    block = Block(files.single).json()
    data = ok_json("verify-block", "--flags", "standard", "-", stdin=block)
    assert (data["valid"], data["flags"]) == (True, "standard")
    words = " ".join(ok("verify-block", "--help").split())
    assert "consensus (default), consensus,SLHDSA_SETS (with keys of other parameter sets), standard (the script flags of relay policy, which do not hold for blocks), or" in words


def test_bad_block(files, other):
    block = Block(files.single)
    block.root_flip = 1
    data = json.loads(invalid("-", "--json", stdin=block.json()))
    assert (data["valid"], data["reject_reason"], data["mutated"]) == (False, "bad-txnmrklroot", True)
    text = invalid("-", stdin=block.json())
    assert "invalid: bad-txnmrklroot (the header has" in text and "; mutated: the block with this header may be valid\n" in text
    ok("verify-block", "--scripts-only", "-", stdin=block.json())

    block = Block(files.single)
    block.commitment_flip = 1
    assert "bad-witness-merkle-match" in invalid("-", stdin=block.json())

    # The same transaction twice spends what was spent; where the repetition leaves the root alone, that is seen first.
    twice = Block(files.single, files.single).json()
    data = json.loads(invalid("-", "--json", stdin=twice))
    assert (data["reject_reason"], data["mutated"]) == ("bad-txns-inputs-missingorspent", False)
    assert "mutated" not in invalid("-", stdin=twice)
    assert "bad-txns-duplicate" in invalid("-", stdin=Block(other, files.single, files.single).json())


def test_heavier_than_a_block_may_be(tmp_path):
    """Each signature from before segwit hashes the whole transaction, so its scripts alone may take minutes."""
    def block(script_size):
        script = "00" * script_size
        tx = "02000000" + "01" + "11" * 32 + "00000000" + "0151" + "ffffffff" + "01" + "00" * 8 + "fe" + script_size.to_bytes(4, "little").hex() + script + "00000000"
        path = tmp_path / "spend.json"
        path.write_text(json.dumps({"tx": tx, "spent_outputs": [{"amount": 1_000, "script_pubkey": "51"}]}))
        return Block(path)
    rest = ok_json("verify-block", "-", stdin=block(70_000).json())["weight"] - 4 * 70_000
    largest = (4_000_000 - rest) // 4
    path = tmp_path / "block.json"
    path.write_text(block(largest).json())
    assert ok_json("verify-block", "--scripts-only", path)["weight"] == rest + 4 * largest
    path.write_text(block(largest + 1).json())
    weight = rest + 4 * (largest + 1)
    bad("verify-block", "--scripts-only", path, says=f"{path}: the block weighs {weight} weight units; a block may have at most 4000000\n")
    assert "invalid: bad-blk-weight (" in invalid(path)


def test_heavy_blocks_of_small_elements(tmp_path):
    """A byte in an element of its own takes 50 to keep. What is wrong with the block comes in the usual order all the same."""
    path = tmp_path / "block.json"
    limit = memory_limited(768)
    inputs, outputs = b"\x01" + bytes.fromhex(TXID) + bytes(5) + b"\xff" * 4, b"\x01" + bytes(8) + b"\x01\x51"

    def reject(elements, **flips):
        witness = b"\xfe" + elements.to_bytes(4, "little") + b"\x01\x51" * elements
        tx = b"\x02\0\0\0\0\x01" + inputs + outputs + witness + bytes(4)
        path.write_text(json.dumps({"tx": tx.hex(), "txid": double_sha256(b"\x02\0\0\0" + inputs + outputs + bytes(4))[::-1].hex(),
                                    "spent_outputs": [{"amount": 0, "script_pubkey": "51"}]}))
        block = Block(path)
        vars(block).update(flips)
        path.write_text(block.json())
        data = json.loads(invalid(path, "--json", preexec_fn=limit))
        return data["reject_reason"], data["detail"].replace(str(data["weight"]), "WEIGHT"), data["mutated"]
    assert reject(8_000_000 if limit else 2_000_000) == ("bad-blk-weight", "WEIGHT weight units", False)
    assert reject(2_000_000, commitment_flip=1)[::2] == ("bad-witness-merkle-match", True)
    assert reject(2_000_000, commitment_flip=1, root_flip=1)[::2] == ("bad-txnmrklroot", True)


def test_usage_and_input_errors(files, tmp_path):
    block = Block(files.single)
    good = block.json()
    spent = json.loads(good)["spent_outputs"]
    bad("verify-block", says="give either FILE or --block")
    bad("verify-block", "-", "--block", "00", stdin=good, says="give either FILE or --block")
    bad("verify-block", "-", "--spent", "1:51", stdin=good, says="--spent needs --block")
    bad("verify-block", "--block", "zz", says=["--block", "z"])
    bad("verify-block", "--block", "00", says=["block", "byte"])
    bad("verify-block", "--block", block.raw(), says="slhtool verify-block: --spent: 0 outputs, but the block has 1 input besides the coinbase's\n")
    bad("verify-block", "--block", block.raw()[:-2], says=["block", "byte"])
    bad("verify-block", "--block", block.raw() + "00", says=["block", "byte"])
    bad("verify-block", "--block", block.raw(), "--spent", "x", says="--spent 0")
    bad("verify-block", "-", stdin=json.dumps({"block": block.raw()}), says="spent_outputs")
    bad("verify-block", "-", stdin=json.dumps({"block": block.raw(), "spent_outputs": ["00"]}), says=["spent_outputs[0]", "byte"])
    bad("verify-block", "-", stdin=json.dumps({"block": block.raw(), "spent_outputs": spent + spent}),
        says="slhtool verify-block: standard input: spent_outputs: 2 outputs, but the block has 1 input besides the coinbase's\n")
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({"block": block.raw()[:-2], "spent_outputs": spent}))
    bad("verify-block", wrong, says=f"slhtool verify-block: {wrong}: block: ")
    bad("verify-block", "-", stdin=json.dumps({"block": block.raw(), "spent_outputs": spent, "colour": 1}), says="colour")
    bad("verify-block", "-", "--flags", "WITNESS", stdin=good, says=["--flags", "P2SH"])
    bad("verify-block", "-", stdin=block.json(flags="NOSUCH"), says=["flags", "NOSUCH"])
    bad("verify-block", tmp_path / "missing.json", says="missing.json")


def test_outputs_that_the_block_itself_contradicts(files, tmp_path):
    """A transaction spends what the one before it makes, but another amount is given for that."""
    txid = json.loads(files.single.read_text())["txid"]
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", f"pk_schnorr({files.pub['dave']})")
    second, block = tmp_path / "second.json", tmp_path / "block.json"
    ok("spend", "--outpoint", f"{txid}:0", "--amount", "94999", "--tree", f"@{tree}", "--key", files.key("dave"),
       "--to", data["addresses"]["regtest"] + "=94000", "--out", second)
    block.write_text(Block(files.single, second).json())
    bad("verify-block", block, says=f"slhtool verify-block: {block}: spent output 1 is not the one that ")


@pytest.mark.parametrize("size", [0, 1, 79, 80, 81, 200, 1000, 8000])
def test_truncated_block(files, size):
    bad("verify-block", "--block", "-", stdin=Block(files.single).raw()[:2 * size] or " ", says=["block"])

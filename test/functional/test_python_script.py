# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Scripts, trees and addresses of the Python package, compared with the C++ sources and with slhtool."""

import json
import os
import re
import subprocess
import tracemalloc

import pytest
import slhconsensus as slhc
from slhconsensus import (OP_0, OP_1, OP_1NEGATE, OP_16, OP_CHECKSIGSLHDSA, OP_DROP, OP_DUP, OP_RETURN, ArgumentError, CScript, CScriptOp, DataError, Leaf,
                          Network, OneLeafTreeError, ScriptTree, decode_address, encode_address, format_script, parse_script, scan_leaf,
                          script_number)

TOOL = os.environ.get("SLHTOOL")
needs_tool = pytest.mark.skipif(not TOOL, reason="SLHTOOL names no slhtool")
KEYS = {"alice": bytes(range(32)), "bob": bytes(32), "dave": b"\1" * 32, "odd": b"\2" * 33, "q40": b"\x28" + b"\xab" * 32}


def tool(*arguments):
    """The JSON that slhtool prints."""
    result = subprocess.run([TOOL, *arguments, "--json"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_names_of_opcodes():
    """The list is checked by contrib/lint/check_lists.py; of several names, an opcode shows that which it has in tapscript."""
    assert {slhc.CScriptOp(byte).name for byte in (0x00, 0x51, 0x7F, 0x80, 0xB1, 0xB2, 0xBA)} == {
        "OP_0", "OP_1", "OP_CHECKSIGSLHDSA", "OP_CHECKSIGADDSLHDSA", "OP_CHECKLOCKTIMEVERIFY", "OP_CHECKSEQUENCEVERIFY", "OP_CHECKSIGADD"}
    assert slhc.OP_TRUE == slhc.OP_1 and slhc.OP_CSV == slhc.OP_NOP3 == slhc.OP_CHECKSEQUENCEVERIFY
    assert set(slhc.OPCODES_BY_NAME) == {name for name in slhc.opcodes.__all__ if name.startswith("OP_")}


@pytest.mark.parametrize(("number", "encoded"), [
    (0, ""), (1, "01"), (-1, "81"), (127, "7f"), (128, "8000"), (-128, "8080"), (255, "ff00"), (256, "0001"), (-255, "ff80"),
    (32767, "ff7f"), (32768, "008000"), (500_000, "20a107"), (2**31 - 1, "ffffff7f"), (-2**31, "0000008080"), (2**32 - 1, "ffffffff00"),
])
def test_numbers(number, encoded):
    assert script_number(number).hex() == encoded


@pytest.mark.parametrize(("items", "script"), [
    ([], ""), ([0], "00"), ([OP_0], "00"), ([b""], "00"), ([1, 16, -1], "51604f"), ([17], "0111"), ([b"\1"], "0101"),
    ([OP_DUP, 144, OP_CHECKSIGSLHDSA], "760290007f"), ([bytes(75)], "4b" + "00" * 75), ([bytes(76)], "4c4c" + "00" * 76),
    ([bytes(255)], "4cff" + "00" * 255), ([bytes(256)], "4d0001" + "00" * 256), ([bytearray(2)], "020000"),
])
def test_building_scripts(items, script):
    assert CScript(items).hex() == script


def test_large_push():
    script = CScript([bytes(65536)])
    assert script[:5].hex() == "4e00000100"
    assert list(script) == [bytes(65536)]


def test_taking_scripts_apart():
    script = CScript([OP_DUP, b"data", 5, -1, OP_16, 1000, OP_CHECKSIGSLHDSA])
    assert list(script) == [OP_DUP, b"data", CScriptOp(0x55), OP_1NEGATE, OP_16, b"\xe8\x03", OP_CHECKSIGSLHDSA]
    assert [position for _, _, position in script.raw_iter()] == [1, 6, 7, 8, 9, 12, 13]
    for cut in ("4c", "4d00", "4e000000", "02ff", "4c05aa"):
        with pytest.raises(DataError, match="the push at position 1 of the script is cut off"):
            list(CScript(b"\x51" + bytes.fromhex(cut)))


def test_scripts_from_bytes_of_any_kind():
    script = bytes(CScript([144, OP_DROP]))
    assert [CScript(kind(script)) for kind in (bytes, bytearray, memoryview)] == [script] * 3


def test_scripts_from_nonsense():
    for wrong in ([1.5], [None], ["OP_DUP"], [True], [CScript([OP_DUP])]):
        with pytest.raises(TypeError):
            CScript(wrong)
    with pytest.raises(TypeError, match="parse_script"):
        CScript("OP_DUP")
    with pytest.raises(ValueError, match="opcode 256 is not a byte"):
        CScriptOp(256)
    assert CScript([OP_DUP]) + CScript([OP_RETURN]) == CScript([OP_DUP, OP_RETURN])
    assert isinstance(CScript() + b"", CScript)
    assert repr(CScriptOp(0xFE)) == "CScriptOp(0xfe)" and CScriptOp(0xFE).name == "OP_UNKNOWN"
    assert repr(OP_CHECKSIGSLHDSA) == OP_CHECKSIGSLHDSA.name == "OP_CHECKSIGSLHDSA"


@pytest.mark.parametrize(("text", "script"), [
    ("", ""), ("OP_1", "51"), ("OP_TRUE", "51"), (" OP_DUP\n\tOP_DROP ", "7675"), ("<>", "00"), ("<00ff>", "0200ff"), ("0", "00"), ("-1", "4f"),
    ("16 17", "600111"), ("144 OP_CSV", "029000b2"), ("500000 OP_CLTV", "0320a107b1"), ("0x51ff", "51ff"), ("OP_PUSHDATA1<00>", "4c0100"),
    ("OP_PUSHDATA2<00>", "4d010000"), ("OP_PUSHDATA4<>", "4e00000000"), ("<01><02>", "01010102"), ("OP_1 <02>", "510102"),
    ("pk_slhdsa(@alice)", "20" + bytes(range(32)).hex() + "7f"), ("pk_schnorr(@dave)", "20" + "01" * 32 + "ac"),
    ("<@odd> OP_CHECKSIG", "21" + "02" * 33 + "ac"),
    ("multi_slhdsa(1,@alice,@bob)", "20" + bytes(range(32)).hex() + "7f20" + "00" * 32 + "80519c"),
    (f"multi_schnorr(2, @dave, {'aa' * 32})", "20" + "01" * 32 + "ac20" + "aa" * 32 + "ba529c"),
    ("hybrid(@bob,@dave)", "20" + "00" * 32 + "7f6920" + "01" * 32 + "ac"),
    (f"pk_slhdsa(18{'aa' * 32})", "2118" + "aa" * 32 + "7f"), ("pk_slhdsa(@q40)", "2128" + "ab" * 32 + "7f"),
    (f"multi_slhdsa(2,@q40,{'ab' * 32})", "2128" + "ab" * 32 + "7f20" + "ab" * 32 + "80529c"),
    ("hybrid(@q40,@dave)", "2128" + "ab" * 32 + "7f6920" + "01" * 32 + "ac"),
    ("after(500000)", "0320a107b175"), ("older(144)OP_1", "029000b27551"), ("sha256(" + "ab" * 32 + ")", "a820" + "ab" * 32 + "88"),
    ("549755813887", "05ffffffff7f"), ("-549755813887", "05ffffffffff"),
])
def test_parsing_scripts(text, script):
    assert parse_script(text, KEYS).hex() == script


@pytest.mark.parametrize(("text", "says"), [
    ("OP_NOPE", "position 0: 'OP_NOPE' is not an opcode"), ("OP_1 word", "position 5: 'word' is neither an opcode, a number nor a shorthand"),
    ("<0", "position 0: missing '>' after '<'"), ("<0>", "position 0: '0' is not hex"), ("<@carol>", "no key is named 'carol' (known: alice, bob, dave, odd, q40)"),
    ("0x5", "'5' is not hex"), ("OP_DUP<00>", "'OP_DUP' before '<' is not OP_PUSHDATA1, 2 or 4"), ("!", "'!' is not expected here"),
    ("OP_1;", "position 0: ';' is not expected here"), ("pk_slhdsa()", "'' has 0 bytes, not 32"), ("pk_slhdsa(00)", "'00' has 1 byte, not 32"),
    ("pk_slhdsa(@alice,@bob)", "pk_slhdsa() takes 1 argument, not 2"), ("hybrid(@alice)", "hybrid() takes 2 arguments, not 1"),
    ("pk_slhdsa(@alice", "missing ')' after '('"), ("pk_ecdsa(@alice)", "'pk_ecdsa' is not a shorthand (pk_slhdsa, "),
    ("multi_slhdsa(3,@alice,@bob)", "multi_slhdsa(): 3 signatures of 2 keys"), ("multi_slhdsa(0,@alice)", "with 0 signatures needed, anyone could spend"),
    ("multi_slhdsa(1)", "takes a number and 1 to 999 keys"), ("pk_slhdsa(@odd)", "begins with the number of a parameter set that scripts know (18: 128-24, 28: 128-q40), not with 02"),
    ("pk_schnorr(@odd)", "'@odd' has 33 bytes, not 32"), (f"pk_schnorr(18{'01' * 32})", "has 33 bytes, not 32"),
    ("older(x)", "'x' is not a whole number, 0 or more"), ("549755813888", "does not fit into five bytes"), ("9" * 1000, "does not fit into five bytes"),
    ("OP_PUSHDATA1<" + "00" * 256 + ">", "OP_PUSHDATA1 cannot push 256 bytes"), ("OP_PUSHDATA1", "'OP_PUSHDATA1' is not an opcode"),
    ("OP_INVALIDOPCODE", "'OP_INVALIDOPCODE' is not an opcode"), ("sha256(00)", "'00' has 1 byte, not 32"),
])
def test_malformed_script_texts(text, says):
    with pytest.raises(DataError) as error:
        parse_script(text, KEYS)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_long_hex():
    """It takes the memory of its bytes and little else, and an error shows its beginning."""
    text = "00ff" * 500_000
    tracemalloc.start()
    try:
        assert slhc.parse_hex(text) == b"\x00\xff" * 500_000
        assert tracemalloc.get_traced_memory()[1] < 2 * len(text)
    finally:
        tracemalloc.stop()
    for call in (slhc.parse_hex, lambda wrong: slhc.parse_hex(wrong + "0", 5), parse_script, slhc.COutPoint, lambda wrong: parse_script(f"pk_slhdsa(@{wrong})")):
        with pytest.raises(DataError, match=r"00ff\.{3}'") as error:
            call(text + "0")
        assert len(str(error.value)) < 200
    for wrong in ("00 ", " 00", "0 0 ", "00\n", "0x", "٠٠"):
        with pytest.raises(DataError, match="is not hex"):
            slhc.parse_hex(wrong)


REFUSED = [
    *(f"older({n})" for n in (0, 65536, 65537, 70000, 2**22, 2**22 + 2**16, 2**22 + 2**16 + 10, 2**23 + 1, 2**31, 2**31 + 1, 2**32, 2**63)),
    *(f"after({n})" for n in (0, 2**32 - 1, 2**32, 1_700_000_000_000)),
    f"multi_slhdsa(2,{'aa' * 32},{'aa' * 32},{'bb' * 32})",
    f"multi_schnorr(1,{'aa' * 32},{'01' * 32},{'AA' * 32})",
    f"hybrid({'aa' * 32},{'aa' * 32})",
    f"multi_slhdsa(3,{'aa' * 32},{'bb' * 32})",
    f"multi_slhdsa({2**63 - 1},{'aa' * 32})", f"multi_slhdsa({2**63},{'aa' * 32})",
]


@pytest.mark.parametrize("text", REFUSED)
@needs_tool
def test_what_would_cost_coins_is_refused_as_by_slhtool(text):
    """In the same words: each of these would lock a coin otherwise than it says."""
    with pytest.raises(DataError) as error:
        parse_script(text)
    result = subprocess.run([TOOL, "decode", "script", text], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == f"slhtool decode script: {error.value}\n"


@pytest.mark.parametrize(("text", "script"), [
    ("older(1)", "51b275"), ("older(65535)", "03ffff00b275"), ("older(4194305)", "03010040b275"), ("older(4259839)", "03ffff40b275"),
    ("after(1)", "51b175"), ("after(499999999)", "04ff64cd1db175"), ("after(4294967294)", "05feffffff00b175"),
    ("0 OP_CSV 70000 OP_CSV", "00b203701101b2"),
])
def test_lock_times(text, script):
    assert parse_script(text).hex() == script


@pytest.mark.parametrize("text", ["pk_schnorr(@bob)", "multi_schnorr(1,@dave,@bob)", "hybrid(@dave,@alice)", f"pk_schnorr({'ff' * 32})"])
def test_schnorr_keys_that_nobody_has(text):
    with pytest.raises(DataError, match="not the x coordinate of a point on secp256k1: nobody could sign"):
        parse_script(text, KEYS)


def random_script(rng):
    """Bytes that are a script more often than not."""
    parts = []
    for _ in range(rng.randrange(1, 12)):
        parts.append(rng.choice([
            bytes([rng.randrange(256)]), bytes([rng.randrange(0x4F, 0xBB)]), slhc.push(rng.randbytes(rng.randrange(90))),
            slhc.push_number(rng.randrange(-300, 300)), slhc.push_number(rng.randrange(2**32)) + bytes([rng.choice([0xB1, 0xB2])])]))
    return b"".join(parts)


def test_format_and_parse_are_inverse(rng):
    for _ in range(3000):
        script = random_script(rng)
        assert parse_script(format_script(script)) == script


AROUND_WHITE_SPACE = [
    ("", "OP_1"), ("OP_1", ""), ("<", "00>"), ("<00", "ff>"), ("<00", ">"), ("<", ">"), ("<", "@alice>"), ("OP_PUSHDATA1<", "00>"), ("OP_PUSHDATA1", "<00>"),
    ("after(", "5)"), ("after(5", ")"), ("after", "(5)"), ("pk_slhdsa(", f"{'11' * 32})"), (f"sha256({'ab' * 32}", ")"), (f"multi_slhdsa(1,{'11' * 32}", ")"), ("0x", "51"),
]


@pytest.mark.parametrize("space", [" ", "\t\r\n", "\v", "\f", "\x1c", "\u00a0", "\u2003"])
@needs_tool
def test_white_space_is_slhtools(space):
    """Where it may stand, and what it is."""
    for before, after in AROUND_WHITE_SPACE:
        text = before + space + after
        result = subprocess.run([TOOL, "decode", "script", "--json", text], capture_output=True, text=True, check=False)
        try:
            script = parse_script(text, KEYS).hex()
        except DataError:
            script = None
        assert script == (json.loads(result.stdout)["script_pubkey"] if result.returncode == 0 else None), text
        assert result.returncode in (0, 2), result.stderr


@needs_tool
def test_language_is_slhtools(rng):
    for _ in range(60):
        script = random_script(rng)
        assert format_script(script) == tool("decode", "script", script.hex())["asm"]


def test_scan_leaf():
    found = slhc.LeafFeatures
    assert scan_leaf(CScript([OP_1])) == found.NONE
    assert scan_leaf(CScript([OP_CHECKSIGSLHDSA])) == found.SLHDSA
    assert scan_leaf(bytes([0x7F, 0x50])) == found.SLHDSA | found.OP_SUCCESS
    assert scan_leaf(bytes([0x80, 0x4C])) == found.SLHDSA | found.UNDECODABLE
    with pytest.raises(TypeError):
        scan_leaf("51")


LEAVES = [CScript([number]) for number in range(1, 8)]


@needs_tool
@pytest.mark.parametrize("text", ["{OP_1,OP_2}", "{{OP_1,OP_2},OP_3}", "{OP_1,{OP_2,{OP_3,OP_4}}}", "{leaf(0xfa,OP_1),leaf(0xc0,OP_2)}"])
def test_trees_are_slhtools(text):
    made = tool("address", text)
    names = {f"OP_{number}": LEAVES[number - 1] for number in range(1, 5)}
    names.update({"leaf(0xfa,OP_1)": Leaf(LEAVES[0], 0xFA), "leaf(0xc0,OP_2)": Leaf(LEAVES[1])})

    def build(part):
        return [build(side) for side in part] if isinstance(part, list) else names[part]

    tree = ScriptTree(build(json.loads(re.sub(r"leaf\(.*?\)|OP_\d", lambda match: f'"{match[0]}"', text).translate(str.maketrans("{}", "[]")))))
    assert tree.root.hex() == made["merkle_root"]
    assert tree.script_pubkey().hex() == made["script_pubkey"]
    for network, address in made["addresses"].items():
        assert tree.address(network) == tree.address(Network(network)) == address
    assert [leaf.control_block.hex() for leaf in tree.leaves] == [leaf["control_block"] for leaf in made["leaves"]]
    assert [leaf.hash.hex() for leaf in tree.leaves] == [leaf["leaf_hash"] for leaf in made["leaves"]]
    assert [(leaf.version, leaf.script.hex()) for leaf in tree.leaves] == [(leaf["leaf_version"], leaf["script"]) for leaf in made["leaves"]]


@pytest.mark.parametrize("n", range(2, 8))
def test_balanced_trees(n):
    tree = ScriptTree.balanced(LEAVES[:n])
    assert [leaf.script for leaf in tree.leaves] == LEAVES[:n]
    depths = {len(leaf.path) for leaf in tree.leaves}
    assert max(depths) - min(depths) <= 1
    for leaf in tree.leaves:
        node = leaf.hash
        for sibling in leaf.path:
            node = slhc.tapbranch_hash(sibling, node)
        assert node == tree.root
        assert tree.leaf(leaf.script) is leaf
    with pytest.raises(KeyError):
        tree.leaf(b"\x6a")


def test_depth_of_trees():
    spec = LEAVES[0]
    for _ in range(128):
        spec = [spec, LEAVES[1]]
    assert len(ScriptTree(spec).leaves[0].control_block) == 1 + 32 * 128
    with pytest.raises(ArgumentError, match="deeper than 128 levels"):
        ScriptTree([spec, LEAVES[1]])


def test_malformed_trees():
    for spec, says in (([LEAVES[0]], "two sides, not 1"), (LEAVES[:3], "two sides, not 3"), (Leaf(b"", 0xC1), "leaf_version 193 is odd"),
                       (Leaf(b"", 0x100), "leaf_version 256"), (Leaf(b"", -1), "leaf version is -1")):
        with pytest.raises(ArgumentError, match=says):
            ScriptTree(spec)
    for spec in ("OP_1", None, 5, [LEAVES[0], "OP_1"]):
        with pytest.raises(TypeError):
            ScriptTree(spec)
    with pytest.raises(ArgumentError, match="a tree needs at least one leaf"):
        ScriptTree.balanced([])
    with pytest.raises(OneLeafTreeError):
        ScriptTree(LEAVES[0]).script_pubkey()
    with pytest.raises(ArgumentError, match="root has 31 bytes"):
        slhc.p2mr_script_pubkey(bytes(31))
    with pytest.raises(ArgumentError, match="a point on the curve"):
        ScriptTree(LEAVES[0]).taproot(b"\xff" * 32)


def test_taproot_vector():
    """BIP 341's wallet test vector with one leaf."""
    tree = ScriptTree(bytes.fromhex("20d85a959b0290bf19bb89ed43c916be835475d013da4b362117393e25a48229b8ac"))
    assert tree.root.hex() == "5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21"
    output = tree.taproot(bytes.fromhex("187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27"))
    assert output.script_pubkey().hex() == "5120147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3"
    assert output.address("mainnet") == "bc1pz37fc4cn9ah8anwm4xqqhvxygjf9rjf2resrw8h8w4tmvcs0863sa2e586"
    assert output.control_block(tree.leaves[0]).hex() == "c1187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27"


@pytest.mark.parametrize(("address", "prefix", "version", "program"), [
    # BIP 350's valid addresses, and P2MR's on regtest
    ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc", 0, "751e76e8199196d454941c45d1b3a323f1433bd6"),
    ("tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", "tb", 0, "1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"),
    ("BC1SW50QGDZ25J", "bc", 16, "751e"),
    ("bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "bc", 2, "751e76e8199196d454941c45d1b3a323"),
    ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "bc", 1, "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
    ("bcrt1zpdctjuwdn6xykx6kytmen29ucfjum3hcy978s7h7dxhn9lhke6ds2v3e6y", "bcrt", 2, None),
])
def test_addresses(address, prefix, version, program):
    decoded = decode_address(address)
    assert (decoded.prefix, decoded.version) == (prefix, version)
    if program is not None:
        assert decoded.program.hex() == program
    network = {"bc": "mainnet", "tb": "testnet", "bcrt": "regtest"}[prefix]
    assert encode_address(network, version, decoded.program) == address.lower()
    assert decoded.script_pubkey() == CScript([version, decoded.program])


@pytest.mark.parametrize(("address", "says"), [
    ("", "address: "), ("bc1", "address: "), ("tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty", "prefix 'tc' is not that of a known network"),
    ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "Bech32 checksum, but witness version 1"),
    ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T5", "address: "), ("bcrt1Zpdct", "address: "), ("1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "address: "),
    ("bcrt1zpdctjuwdn6xykx6kytmen29ucfjum3hcy978s7h7dxhn9lhke6ds2v3e6y\u00e9", "address: "), ("x" * 10_000, "address: "),
])
def test_malformed_addresses(address, says):
    with pytest.raises(DataError, match=says):
        decode_address(address)


def test_addresses_of_nonsense():
    with pytest.raises(ArgumentError, match="network 'testnet5' is not one of mainnet, testnet, signet, regtest"):
        encode_address("testnet5", 2, bytes(32))
    with pytest.raises(ArgumentError, match="witness version 17"):
        encode_address("regtest", 17, bytes(32))
    with pytest.raises(ArgumentError, match="witness program of 41 bytes"):
        encode_address("regtest", 2, bytes(41))
    with pytest.raises(TypeError):
        encode_address("regtest", "2", bytes(32))
    with pytest.raises(ArgumentError, match="address is not Unicode"):
        decode_address("bc1\ud800")
    with pytest.raises(ArgumentError, match="zero byte"):
        decode_address("bc1\0")

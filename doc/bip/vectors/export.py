#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The vectors in the forms that other programs read, as README.md lists them:  python3 export.py FOLDER [NAME...]

NAME: assets, kernel, p2mr, wallet; by default, these four. In FOLDER/soft-fork are the same spends as a node judges them that knows
neither P2MR nor the opcodes. Made from spends.json and the reference model alone; always the same bytes. With the name bip, FOLDER gets
what a pull request to the repository of the BIPs has."""

import argparse
import json
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "reference"))

import bip340  # noqa: E402
import slhdsa  # noqa: E402
import verify  # noqa: E402
from interpreter import CODESEP_NONE, KEY_VERSION_SLHDSA  # noqa: E402
from script import CODES, CONSENSUS_FLAGS, STANDARD_FLAGS, ScriptError, encode_number, push, witness_program  # noqa: E402
from transaction import (Tx, TxIn, TxOut, ser_bytes, ser_output, ser_tx, signature_hash, signature_message, tapbranch_hash,  # noqa: E402
                         tapleaf_hash)
from validation import TAPSCRIPT_VERSION, verify_input  # noqa: E402

OURS = {"P2MR", "SLHDSA"}
DEFAULT = ("assets", "kernel", "p2mr", "wallet")


@cache
def spends():
    return json.loads((HERE / "spends.json").read_bytes())


def judged(soft_fork):
    """Each spend, and what its flags of consensus make of it: (vector, tx, spent, flags, valid). None of these forms knows policy."""
    for vector in spends():
        tx, spent, named = verify.load(vector)
        flags = (named & CONSENSUS_FLAGS) - (OURS if soft_fork else set())
        valid = vector["error"] is None if flags == named else is_valid(tx, spent, vector["input"], flags)
        yield vector, tx, spent, flags, valid


def is_valid(tx, spent, index, flags):
    try:
        verify_input(tx, spent, index, flags)
    except ScriptError:
        return False
    return True


def assets(soft_fork):
    """Bitcoin Core's script_assets_test.json: the input's scriptSig and witness under success or failure, the others' left out."""
    for vector, tx, spent, flags, valid in judged(soft_fork):
        index = vector["input"]
        this = tx.inputs[index]
        bare = tx._replace(inputs=[one._replace(witness=[], script_sig=b"" if one is this else one.script_sig) for one in tx.inputs])
        record = {"tx": ser_tx(bare).hex(), "prevouts": [ser_output(output).hex() for output in spent], "index": index,
                  "flags": verify_names(flags), "comment": vector["name"]}
        if valid and is_valid(tx, spent, index, STANDARD_FLAGS - (OURS if soft_fork else set())):
            record["final"] = True  # valid with more flags, too
        record["success" if valid else "failure"] = {"scriptSig": this.script_sig.hex(), "witness": [one.hex() for one in this.witness]}
        yield record


def verify_names(flags):
    return ",".join(sorted(flags)) or "NONE"


def kernel(soft_fork):
    """Requests and responses of kernel-bindings-tests."""
    for vector, _, spent, flags, valid in judged(soft_fork):
        outputs = vector["spent_outputs"]
        yield {"description": vector.get("comment") or ", ".join(vector["clauses"]), "request": {
            "id": vector["name"], "method": "btck_script_pubkey_verify", "params": {
                **outputs[vector["input"]], "tx_to": vector["tx"], "input_index": vector["input"],
                "flags": [f"btck_ScriptVerificationFlags_{flag}" for flag in sorted(flags)], "spent_outputs": outputs}},
            "expected_response": {"result": valid}}


def invalid_p2mr():
    """Of BIP 360's spend-path schema, what must fail: transactions of one input. The errors are Bitcoin Core's."""
    for vector in spends():
        spent, *others = vector["spent_outputs"]
        version, program = witness_program(bytes.fromhex(spent["script_pubkey"])) or (None, b"")
        if vector["error"] and vector["flags"] == "consensus" and not others and version == 2 and len(program) == 32:
            yield {"id": vector["name"],
                   "given": {"rawTx": vector["tx"], "utxoSpent": {"scriptPubKey": spent["script_pubkey"], "amountSats": spent["amount"]}},
                   "expected": {"error": vector["error"]}, "comment": vector.get("comment") or ", ".join(vector["clauses"])}


# Wallet vectors: what a signer computes. Everything follows from these names.
def derive(name):
    return sha256(f"slhdsa_wallet/{name}".encode()).digest()


@cache
def secret_key(number):
    """SK.seed || SK.prf || PK.seed || PK.root"""
    seeds = derive(f"key/{number}/0") + derive(f"key/{number}/1")
    return slhdsa.slh_keygen_internal(seeds[:16], seeds[16:32], seeds[32:48])


def leaf(*words):
    """A leaf script: names of opcodes, small numbers, K0 and K1 for the keys, S0 for a key of BIP 340."""
    script, asm = b"", []
    for word in words:
        if word[0] in "KS":
            key = secret_key(int(word[1]))[32:] if word[0] == "K" else bip340.public_key(int.from_bytes(derive(word), "big"))
            script += push(key)
            asm.append(key.hex())
        else:
            script += bytes([0x50 + int(word)]) if word.isdigit() else bytes([CODES["OP_" + word]])
            asm.append("OP_" + word)
    return {"script": script.hex(), "asm": " ".join(asm), "leafVersion": TAPSCRIPT_VERSION}


SINGLE, OTHER = ("K0", "CHECKSIGSLHDSA"), ("S0", "CHECKSIG")
EITHER = ("K0", "CHECKSIGSLHDSA", "K1", "CHECKSIGADDSLHDSA", "1", "NUMEQUAL")
SEPARATED = ("K1", "DROP", "CODESEPARATOR", "K0", "CHECKSIGSLHDSA")
# Of each input: the tree, the leaf (in order), the key, the hash type, the annex, the codesep_pos, what of the initial stack stands above
# the signature.
INPUTS = {
    "P2MR": [
        ([SINGLE, OTHER], 0, 0, 0x00, None, CODESEP_NONE, [], "two leaves, SIGHASH_DEFAULT"),
        ([OTHER, [SINGLE, EITHER]], 2, 1, 0x01, b"\x50annex", CODESEP_NONE, [b""], "depth 2, one of two keys, with an annex, SIGHASH_ALL"),
        ([SEPARATED, OTHER], 0, 0, 0x83, None, 2, [], "after an OP_CODESEPARATOR, SIGHASH_SINGLE | SIGHASH_ANYONECANPAY"),
    ],
    "P2TR": [
        (SINGLE, 0, 0, 0x00, None, CODESEP_NONE, [], "a tree of one leaf, SIGHASH_DEFAULT"),
        ([OTHER, SINGLE], 1, 0, 0x82, None, CODESEP_NONE, [], "two leaves, SIGHASH_NONE | SIGHASH_ANYONECANPAY"),
    ],
}
INTERNAL_KEY = bip340.public_key(int.from_bytes(derive("internal"), "big"))


def tree_of(shape, count):
    """The tree with its leaves numbered from left to right; count: a list with the next number."""
    if isinstance(shape[0], str):
        count[0] += 1
        return {"id": count[0] - 1, **leaf(*shape)}
    return [tree_of(branch, count) for branch in shape]


def paths(node):
    """Its hash, and of each leaf: the leaf, its hash and the path to here."""
    if isinstance(node, dict):
        found = tapleaf_hash(node["leafVersion"], bytes.fromhex(node["script"]))
        return found, [(node, found, b"")]
    (left, lefts), (right, rights) = map(paths, node)
    return tapbranch_hash(left, right), [(*one, path + right) for *one, path in lefts] + [(*one, path + left) for *one, path in rights]


def output(kind, root):
    """The scriptPubKey, what its control blocks begin with (leaf version apart), and what comes between."""
    if kind == "P2MR":
        return b"\x52\x20" + root, 1, b""
    key, parity = bip340.tweak(INTERNAL_KEY, root)
    return b"\x51\x20" + key, parity, INTERNAL_KEY


def address(script_pubkey):
    """BIP 350's, of the main chain."""
    version, program = witness_program(script_pubkey)
    bits = int.from_bytes(program + b"\0", "big") >> 8 - (-8 * len(program) % 5)  # with the padding
    words = [version] + [bits >> 5 * i & 31 for i in reversed(range((8 * len(program) + 4) // 5))]
    checksum = 1
    for value in [3, 3, 0, 2, 3] + words + [0] * 6:  # hrp "bc"
        top, checksum = checksum >> 25, (checksum & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> i & 1 else 0
    checksum ^= 0x2BC830A3
    words += [checksum >> 5 * i & 31 for i in reversed(range(6))]
    return "bc1" + "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[word] for word in words)


def construction(kind):
    """Of each input of a kind: the output that it spends."""
    for number, (shape, *_, comment) in enumerate(INPUTS[kind]):
        tree = tree_of(shape, [0])
        root, leaves = paths(tree)
        script_pubkey, low, between = output(kind, root)
        given = {"scriptTree": tree}
        intermediary = {"leafHashes": [leaf_hash.hex() for _, leaf_hash, _ in leaves], "merkleRoot": root.hex()}
        if kind == "P2TR":
            given = {"internalPubkey": INTERNAL_KEY.hex(), **given}
            intermediary |= {"tweak": bip340.tagged_hash("TapTweak", INTERNAL_KEY + root).hex(), "tweakedPubkey": script_pubkey[2:].hex()}
        yield {"id": f"{kind.lower()}_slhdsa_{number}", "objective": comment, "given": given, "intermediary": intermediary, "expected": {
            "scriptPubKey": script_pubkey.hex(), "bip350Address": address(script_pubkey),
            "scriptPathControlBlocks": [(bytes([one["leafVersion"] | low]) + between + path).hex() for one, _, path in leaves]}}


@cache
def spending(kind):
    """One transaction that spends these outputs, input by input, as BIP 360's schema has it."""
    made = list(construction(kind))
    spent = [TxOut(100_000 + 1_000 * i, bytes.fromhex(one["expected"]["scriptPubKey"])) for i, one in enumerate(made)]
    tx = Tx(2, [TxIn(derive(f"{kind}/outpoint/{i}") + i.to_bytes(4, "little"), b"", 0xFFFFFFFD, []) for i in range(len(made))],
            [TxOut(50_000 + i, b"\x52\x20" + derive(f"{kind}/output/{i}")) for i in range(len(made))], 0)
    unsigned, inputs = ser_tx(tx).hex(), []
    for i, (one, (_, which, key, hash_type, annex, codesep, above, comment)) in enumerate(zip(made, INPUTS[kind])):
        chosen, leaf_hash, _ = paths(one["given"]["scriptTree"])[1][which]
        control = one["expected"]["scriptPathControlBlocks"][which]
        message = signature_message(tx, spent, i, hash_type, annex, leaf_hash + bytes([KEY_VERSION_SLHDSA]) + codesep.to_bytes(4, "little"))
        signature = slhdsa.slh_sign(signature_hash(message), b"", secret_key(key)) + (bytes([hash_type]) if hash_type else b"")
        witness = [signature, *above, bytes.fromhex(chosen["script"]), bytes.fromhex(control), *([annex] if annex else [])]
        tx.inputs[i] = tx.inputs[i]._replace(witness=witness)
        inputs.append({
            "given": {"txinIndex": i, **one["given"], "leafId": which, "privkey": secret_key(key).hex(), "hashType": hash_type,
                      "annex": annex and annex.hex(), "codesepPos": codesep},
            "intermediary": {"leafHash": leaf_hash.hex(), "merkleRoot": one["intermediary"]["merkleRoot"], "controlBlock": control,
                             "sigMsg": message.hex(), "sigHash": signature_hash(message).hex()},
            "expected": {"witness": [element.hex() for element in witness]}, "comment": comment})
    assert all(is_valid(tx, spent, i, STANDARD_FLAGS) for i in range(len(spent)))

    def digest(parts):
        return sha256(b"".join(parts)).hexdigest()

    return {"given": {"rawUnsignedTx": unsigned,
                      "utxosSpent": [{"scriptPubKey": one.script_pubkey.hex(), "amountSats": one.amount} for one in spent]},
            "intermediary": {"hashAmounts": digest(one.amount.to_bytes(8, "little") for one in spent),
                             "hashOutputs": digest(map(ser_output, tx.outputs)),
                             "hashPrevouts": digest(one.prevout for one in tx.inputs),
                             "hashScriptPubkeys": digest(ser_bytes(one.script_pubkey) for one in spent),
                             "hashSequences": digest(one.sequence.to_bytes(4, "little") for one in tx.inputs)},
            "inputSpending": inputs, "auxiliary": {"fullySignedTx": ser_tx(tx).hex()}}


COMMENT = ("SLH-DSA-SHA2-128s: privkey is SK.seed || SK.prf || PK.seed || PK.root, and signatures are the deterministic ones "
           "(addrnd = PK.seed) of sigHash with an empty context. codesepPos is BIP 342's.")


def lines(head, name, records):
    """A JSON object whose last member has one record on each line."""
    text = json.dumps(head, separators=(",", ":"))[:-1] + ("," if head else "") + json.dumps(name) + ":"
    return text + array(records) + "}\n"


def array(records):
    return "[\n" + ",\n".join(json.dumps(record, separators=(",", ":")) for record in records) + "\n]"


BIP = "bip-slhdsa-tapscript"
MOST = 1_000_000  # bytes of a file of the BIPs


def companion():
    """The text, and a folder with the model and the vectors: the spends in a file for each rule, or in several."""
    text = (HERE.parent / f"{BIP}.mediawiki").read_text(encoding="utf-8")
    yield f"{BIP}.mediawiki", text.replace("<code>vectors/spends.json</code> has",
                                           "<code>vectors/spends</code> has, in files named after rules,")
    for path in sorted((HERE.parent / "reference").glob("*.py")):
        if not path.name.startswith("test_"):
            yield f"{BIP}/reference/{path.name}", path.read_text(encoding="utf-8")
    yield f"{BIP}/vectors/slhdsa.json", (HERE / "slhdsa.json").read_text()
    clauses = (HERE / "clauses.md").read_text(encoding="utf-8")
    rules = clauses[clauses.index("\n## "):clauses.index("\n## sets-")]
    yield f"{BIP}/vectors/clauses.md", ("# Rules and their vectors\n\n"
                                        f"Each rule of the [specification](../../{BIP}.mediawiki), and the vectors that show it.\n{rules}")
    page = (HERE / "README.md").read_text(encoding="utf-8")
    of_spend, of_signature = (page.split(f"\n## {title}\n")[1].split("\n## ")[0] for title in ("A spend", "A signature"))
    yield f"{BIP}/vectors/README.md", ("# Test vectors\n\nEach file is an array with one vector on each line. "
                                       "A spend is also a file for `reference/verify.py`.\n\n"
                                       f"## A spend\n\n{of_spend[of_spend.index('| member'):]}\n## A signature\n{of_signature}")
    parts = {}
    for record in spends():
        line = json.dumps(record, separators=(",", ":"))
        of_rule = parts.setdefault(record["name"].split("/")[0], [[]])
        if sum(map(len, of_rule[-1])) + len(line) > 0.99 * MOST:
            of_rule.append([])
        of_rule[-1].append(line)
    for rule, made in parts.items():
        for number, part in enumerate(made, 1):
            yield f"{BIP}/vectors/spends/{rule}{'' if number == 1 else f'-{number}'}.json", "[\n" + ",\n".join(part) + "\n]\n"


def files(names):
    if "bip" in names:
        yield from companion()
    for folder, soft_fork in (("", False), ("soft-fork/", True)):
        if "assets" in names:
            yield folder + "script_assets_test.json", array(assets(soft_fork)) + "\n"
        if "kernel" in names:
            yield folder + "script_verify_slhdsa.json", lines({"name": "SLH-DSA in tapscript and P2MR"}, "tests", kernel(soft_fork))
    if "p2mr" in names:
        yield "p2mr_construction.json", lines({"version": 1}, "test_vectors", construction("P2MR"))
        head = {"version": 1, "comment": COMMENT + " Errors are Bitcoin Core's.", "scriptPathSpending": [spending("P2MR")]}
        yield "p2mr_spending.json", lines(head, "invalidSpending", invalid_p2mr())
    if "wallet" in names:
        head = {"version": 1, "comment": COMMENT, "scriptPubKey": [one for kind in INPUTS for one in construction(kind)]}
        yield "wallet_vectors.json", lines(head, "scriptPathSpending", map(spending, INPUTS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", default=[], metavar="NAME", help="assets, kernel, p2mr, wallet (by default, these four), bip")
    options = parser.parse_args()
    for name in sorted(set(options.names) - {*DEFAULT, "bip"}):
        parser.error(f"{name}: none of {', '.join(DEFAULT)}, bip")
    for name, text in files(options.names or DEFAULT):
        (options.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (options.folder / name).write_text(text, encoding="utf-8")
        records = f": {text.count(chr(10) + '{')} records, {len(text) / 1e6:.1f} MB" if name.endswith("json") else ""
        print(f"{options.folder / name}{records}")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"export.py: {error.filename}: {error.strerror}")

#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What other projects' vectors say, and what the BIP's model (of assets: slhtool) says:  run_corpora.py [CORPUS=PATH...]

  bip360=DIR      BIP 360's vectors: p2mr_construction.json, p2mr_pqc_construction.json, p2mr_spending.json
  mutations=DIR   p2mr-assurance-lab: mutations/corpus.json, which changes the former; needs bip360
  qbit=DIR        qbit's src/test/data: p2mr_vectors.json and three beside it
  shrincs=DIR     shrincs-bip's impl, whose stateless part is compared with 128-q40
  assets=FILE     a script_assets_test.json, Bitcoin Core's or one of export.py's; needs SLHTOOL

None of these is kept here; by default, bip360 alone is run, from SLHC_BIP360_VECTORS. A case that differs must be in DIFFERS, with the
reason, and a case in DIFFERS must differ."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "doc/bip/reference"))

import bip340  # noqa: E402
import slhdsa  # noqa: E402
import validation  # noqa: E402
from script import CONSENSUS_FLAGS, ScriptError  # noqa: E402
from transaction import Tx, TxIn, TxOut, parse_tx, ser_bytes, ser_tx, signature_message, tapbranch_hash, tapleaf_hash  # noqa: E402

DEPTH_ZERO = "qbit executes the leaf of a tree of one leaf; BIP 360 lets it succeed"
UNKNOWN_VERSION = "the case asks whether the output is P2MR; consensus says yes to what it does not know"
#: Cases whose verdict is another one here, by corpus
DIFFERS = {
    "qbit": {"leaf-c0-false": DEPTH_ZERO},
    "mutations": {name: UNKNOWN_VERSION for name in ("mut_spk_push_33", "mut_spk_program_length_31", "mut_spk_program_length_33")},
}
#: Cases that are not run, and why, by corpus and the beginning of their names
NOT_RUN = {
    "qbit": {"opcode-": "opcodes of its own or of another set of parameters, and rules of BIP 342 without a script to run",
             "resource-": "limits of its own, and of BIP 342 without a script to run"},
    "mutations": {"mut_addr_": "addresses: `slhtool` and the functional tests decode them, the model does not"},
}


def load(path):
    return json.loads(Path(path).read_bytes())


def spend(script_pubkey, witness):
    """Arguments for judge: a transaction with one input that spends this output."""
    return Tx(2, [TxIn(bytes(36), b"", 0xFFFFFFFD, witness)], [TxOut(1000, b"\x6a")], 0), [TxOut(2000, script_pubkey)], 0


def judge(tx, spent, index, trace=None):
    """The model's verdict."""
    try:
        validation.verify_input(tx, spent, index, CONSENSUS_FLAGS, trace)
    except ScriptError:
        return False
    return True


def leaves(tree):
    return [tree] if isinstance(tree, dict) else [one for branch in tree for one in leaves(branch)]


def constructions(folder):
    for name in ("p2mr_construction.json", "p2mr_pqc_construction.json"):
        for one in load(folder / name)["test_vectors"]:
            if one["given"].get("scriptTree") and "error" not in one["expected"]:
                yield name, one


def root_of(leaf_version, leaf_script, control):
    node = tapleaf_hash(leaf_version, leaf_script)
    for at in range(1, len(control), 32):
        node = tapbranch_hash(node, control[at:at + 32])
    return node


def bip360(folder, _):
    """(case, what the corpus has, what the model has)"""
    for name, one in constructions(folder):
        roots = [root_of(leaf["leafVersion"], bytes.fromhex(leaf["script"]), bytes.fromhex(control)).hex()
                 for leaf, control in zip(leaves(one["given"]["scriptTree"]), one["expected"]["scriptPathControlBlocks"])]
        yield f"{name}/{one['id']}", {one["intermediary"]["merkleRoot"]}, set(roots)
    spending = load(folder / "p2mr_spending.json")
    for group in spending["scriptPathSpending"]:
        tx, spent = parse_tx(bytes.fromhex(group["auxiliary"]["fullySignedTx"])), [output(one) for one in group["given"]["utxosSpent"]]
        for one in group["inputSpending"]:
            yield one["comment"], True, judge(tx, spent, one["given"]["txinIndex"])
    for one in spending["invalidSpending"]:
        yield one["id"], False, judge(parse_tx(bytes.fromhex(one["given"]["rawTx"])), [output(one["given"]["utxoSpent"])], 0)


def output(utxo):
    return TxOut(utxo["amountSats"], bytes.fromhex(utxo["scriptPubKey"]))


def mutations(folder, paths):
    bases = {}
    for _, one in constructions(paths["bip360"]):
        bases.setdefault(one["id"], one)
    for case in load(folder / "mutations/corpus.json")["cases"]:
        made = mutated(case["operation"], bases.get(case.get("base_vector")))
        yield case["id"], case["expected"] == "accept", made and commits(*made)


def commits(script_pubkey, leaf_script, control):
    """Whether the leaf is reached; it has no signature, so that its execution fails."""
    trace = []
    return judge(*spend(script_pubkey, [leaf_script, control]), trace) or any(step["step"] == "tapscript" for step in trace)


def mutated(change, base):
    """scriptPubKey, leaf and control block of a case; None for one that has none."""
    kind = change["op"]
    if kind == "accept_depth_chain":
        control = b"\xc1" + b"".join(tapleaf_hash(0xC0, bytes([0x51 + i % 9])) for i in range(change["depth"]))
        return b"\x52\x20" + root_of(0xC0, b"\x51", control), b"\x51", control
    if kind == "spk_program_length":
        return bytes([0x52, change["length"]]) + b"\7" * change["length"], b"\x51", b"\xc1"
    if kind.startswith("addr_"):
        return None
    which = change.get("leaf_index", 0)
    script_pubkey = bytearray.fromhex(base["expected"]["scriptPubKey"])
    leaf_script = bytearray.fromhex(leaves(base["given"]["scriptTree"])[which]["script"])
    control = bytearray.fromhex(base["expected"]["scriptPathControlBlocks"][which])
    if kind == "path_byte_flip":
        control[1 + change["byte_index"]] ^= 1
    elif kind == "control_truncate":
        del control[-change["drop_bytes"]:]
    elif kind == "control_extend":
        control += bytes(change["extra_bytes"])
    elif kind == "empty_control":
        control.clear()
    elif kind == "parity_zero":
        control[0] &= 0xFE
    elif kind == "set_control_version":
        control[0] = change["new_version"] | 1
    elif kind == "script_byte_flip":
        leaf_script[change["byte_index"]] ^= 1
    elif kind == "script_truncate":
        del leaf_script[-change["drop_bytes"]:]
    elif kind == "path_reorder":
        control[1:65] = control[33:65] + control[1:33]
    elif kind == "spk_replace_version":
        script_pubkey[0] = change["new_version_byte"]
    elif kind == "spk_push_33":
        script_pubkey[1:] = b"\x21" + script_pubkey[2:] + b"\0"
    elif kind == "spk_append_byte":
        script_pubkey.append(change["byte"])
    elif kind != "use_leaf":
        raise SystemExit(f"run_corpora.py: mutations: unknown operation {kind}")
    return bytes(script_pubkey), bytes(leaf_script), bytes(control)


def qbit_leaf(version, script):
    return bip340.tagged_hash("P2MRLeaf", bytes([version]) + ser_bytes(script))


def qbit_branch(a, b):
    return bip340.tagged_hash("P2MRBranch", min(a, b) + max(a, b))


def qbit(folder, _):
    """Its tree hashes have tags of their own: the model gets them, and nothing else."""
    cross = load(folder / "p2mr_cross_profile_vectors.json")["vectors"]
    for one in cross:
        if "pinned_bip_360" in one["expected"]:
            ours = judge(*spend(bytes.fromhex(one["scriptPubKey"]), hexes(one["witness"])))
            yield one["id"], one["expected"]["pinned_bip_360"]["accepted"], ours
    validation.tapleaf_hash, validation.tapbranch_hash = qbit_leaf, qbit_branch
    try:
        for one in cross:
            if "bip_style_depth_zero_with_qbit_tags" in one["expected"]:
                yield (one["id"], one["expected"]["bip_style_depth_zero_with_qbit_tags"]["accepted"],
                       judge(*spend(bytes.fromhex(one["scriptPubKey"]), hexes(one["witness"]))))
        vectors = load(folder / "p2mr_vectors.json")
        for one in vectors["valid"] + vectors["invalid"]:
            root = bytes.fromhex(one.get("wrong_merkle_root") or one.get("wrong_leaf_hash") or one["merkle_root"])
            ours = judge(*spend(b"\x52\x20" + root, hexes([one["leaf_script"], one["control_block"]])))
            yield one["id"], one["expected"]["accepted"], ours
        for one in load(folder / "p2mr_script_boundary_vectors.json")["cases"]:
            made = boundary(one["scenario"], one["parameters"])
            yield one["id"], one["consensus"]["accepted"], made and judge(*spend(*made))
        for one in load(folder / "p2mr_pqc_witness_vectors.json")["vectors"]:
            spent = [TxOut(each["amount"], bytes.fromhex(each["scriptPubKey"])) for each in one["spentOutputs"]]
            annex = None if one["annex"] == "none" else hexes(one["witness"])[-1]
            message = signature_message(parse_tx(bytes.fromhex(one["spendTx"])), spent, one["inputIndex"], int(one["hashType"], 16), annex,
                                        bytes.fromhex(one["leafHash"] + one["keyVersion"] + one["codeSeparatorPosition"]))
            yield f"message of {one['name']}", one["p2mrSigMsg"] if one["digest_defined"] else None, message and message.hex()
    finally:
        validation.tapleaf_hash, validation.tapbranch_hash = tapleaf_hash, tapbranch_hash


def hexes(values):
    return [bytes.fromhex(value) for value in values]


def boundary(scenario, given):
    """scriptPubKey and witness of a case of the kinds that BIP 360 has rules for; None for others."""
    script, control, path = b"\x51", 0xC1, b""
    if scenario == "leaf-version":
        script, control = {"true": b"\x51", "false": b"\0"}[given["script"]], given["control_byte"]
    elif scenario == "control-path":
        path = b"".join(bytes([1 + i % 255]) * 32 for i in range(given["nodes"]))
    elif scenario != "witness-shape":
        return None
    node = qbit_leaf(control & 0xFE, script)
    for at in range(0, len(path), 32):
        node = qbit_branch(node, path[at:at + 32])
    block = bytes([control]) + path
    witness = {"empty": [], "one-element": [script], "annex-underflow": [script, b"\x50"]}.get(given.get("kind"))
    change = given.get("mutation")
    if change == "append-byte":
        block += b"\0"
    elif change == "clear-marker":
        block = bytes([control & 0xFE]) + path
    elif change == "path-node":
        block = block[:1] + bytes([block[1] ^ 1]) + block[2:]
    elif change == "program-root":
        node = bytes([node[0] ^ 1]) + node[1:]
    return b"\x52\x20" + node, [script, block] if witness is None else witness


def shrincs(folder, _):
    """slh_dsa_sign and slh_dsa_verify: root, a deterministic signature, the verdict on it and on a changed one. Around them, shrincs_sign
    puts a byte before the signature, the root of the stateful tree before the message, and that root into the public key. Stateful
    signatures have no counterpart here."""
    spec = importlib.util.spec_from_file_location("shrincs", folder / "shrincs.py")
    theirs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    params, message = slhdsa.SETS["128-q40"], b"message" + bytes(25)
    seed = bytes(range(48))
    secret = slhdsa.slh_keygen_internal(seed[:16], seed[16:32], seed[32:], params)
    address = bytearray(22)
    address[0] = params.d - 1
    root = theirs.xmss_node(seed[:16], 0, params.h_prime, seed[32:], address)
    yield "root", root.hex(), secret[48:].hex()
    signature = theirs.slh_dsa_sign(message, b"", seed[:16], seed[16:32], seed[32:], root, None)
    yield "signature", signature.hex(), slhdsa.slh_sign(message, b"", secret, p=params).hex()
    for name, one in (("valid", signature), ("changed", signature[:100] + bytes([signature[100] ^ 1]) + signature[101:])):
        yield name, theirs.slh_dsa_verify(message, one, b"", seed[32:], root), slhdsa.slh_verify(message, one, b"", secret[32:], p=params)


def assets(path, _):
    """The flags of each record, by slhtool: what must succeed and what must fail."""
    tool = os.environ.get("SLHTOOL")
    if not tool:
        raise SystemExit("run_corpora.py: assets: SLHTOOL is not set")
    cases = []
    for number, record in enumerate(load(path)):
        for kind in ("success", "failure"):
            if kind in record:
                tx, index = parse_tx(bytes.fromhex(record["tx"])), record["index"]
                script_sig, witness = bytes.fromhex(record[kind]["scriptSig"]), hexes(record[kind]["witness"])
                tx.inputs[index] = tx.inputs[index]._replace(script_sig=script_sig, witness=witness)
                cases.append((f"{number}: {record['comment']}", kind == "success", record, tx))
    for at in range(0, len(cases), 200):
        yield from judged_by(tool, cases[at:at + 200])


def judged_by(tool, cases):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, (_, _, record, tx) in enumerate(cases):
            spent = [parse_output(bytes.fromhex(one)) for one in record["prevouts"]]
            files.append(Path(folder) / f"{number}.json")
            files[-1].write_text(json.dumps({"tx": ser_tx(tx).hex(), "spent_outputs": spent, "flags": record["flags"]}))
        run = subprocess.run([tool, "verify-tx", "--json", *files], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1):
            raise SystemExit(f"run_corpora.py: assets: {run.stderr.strip()}")
        for (name, expected, record, _), report in zip(cases, json.loads(run.stdout)["transactions"]):
            yield name, expected, report["inputs"][record["index"]]["valid"]


def parse_output(data):
    """Its script is shorter than 253 bytes, or else its size has three bytes."""
    return {"amount": int.from_bytes(data[:8], "little"), "script_pubkey": data[9 if data[8] < 253 else 11:].hex()}


CORPORA = {"bip360": bip360, "mutations": mutations, "qbit": qbit, "shrincs": shrincs, "assets": assets}


def main():
    arguments = sys.argv[1:] or [f"bip360={os.environ.get('SLHC_BIP360_VECTORS', '')}"]
    if arguments == ["bip360="]:
        print("SKIPPED: BIP 360's vectors are not there (SLHC_BIP360_VECTORS)")
        return 77
    paths = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if not paths or len(paths) != len(arguments) or paths.keys() - CORPORA.keys() or ("mutations" in paths and "bip360" not in paths):
        print(__doc__, file=sys.stderr)
        return 2
    paths = {name: Path(path) for name, path in paths.items()}
    wrong = 0
    print("| corpus | cases | agree | differ, with a reason | not run | differ |\n|---|---|---|---|---|---|")
    for name, path in paths.items():
        counts, unexpected, found = [0, 0, 0], [], set()
        try:
            results = list(CORPORA[name](path, paths))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise SystemExit(f"run_corpora.py: {name}: {path}: {type(error).__name__}: {error}") from None
        for case, theirs, ours in results:
            if any(case.startswith(beginning) for beginning in NOT_RUN.get(name, ())):
                counts[2] += 1
                continue
            expected = case in DIFFERS.get(name, ())
            found.add(case)
            if (theirs != ours) != expected:
                unexpected.append((case, theirs, ours))
            else:
                counts[expected] += 1
        print(f"| {name} | {sum(counts) + len(unexpected)} | {counts[0]} | {counts[1]} | {counts[2]} | {len(unexpected)} |")
        unexpected += [(case, "in DIFFERS", "not in the corpus") for case in DIFFERS.get(name, {}).keys() - found]
        for case, theirs, ours in unexpected:
            print(f"{name}: {case}: {str(theirs)[:80]} there, {str(ours)[:80]} here", file=sys.stderr)
        wrong += len(unexpected)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Agreement run: the reference model and slhtool verify-tx judge generated spends, one by one and in a batch; verdict, error and position of each
have to be the same.

  agreement.py [--count N] [--seed S] [--signed PERCENT] [--keep FOLDER] [--model COMMAND]

Scripts, stacks, witnesses, flags and outputs of all kinds are random, with a liking for boundaries; a part of the spends has SLH-DSA and BIP 340
signatures that are valid unless something about them was changed. SLHTOOL is the program; it also makes the SLH-DSA signatures. Exit status 0: they
agree; 1: they do not, and FOLDER has the spends; 77: there is no SLHTOOL.

With --model, another program takes the place of the model: any that is called as COMMAND --json FILE... and answers in the shape of slhtool
verify-tx --json, for example a changed model ("python3 variant/verify.py") or another slhtool ("variant/slhtool verify-tx")."""

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from spends import INTERNAL, MENTION, asm, derive, output_of

import bip340
import verify
from interpreter import CODESEP_NONE, hash160
from script import FLAG_NAMES, OP_SUCCESS, SLHDSA_OPCODES, encode_number, push
from transaction import Tx, TxIn, TxOut, ser_tx, signature_hash, signature_message

ACTIVE = [code for code in range(0x4F, 0x100) if code not in OP_SUCCESS or code in SLHDSA_OPCODES]
BATCH = 500


class Generator:
    def __init__(self, seed, tool, folder, signed):
        self.random, self.tool, self.signed = random.Random(seed), tool, signed
        self.keys = {}
        for name in ("alice", "bob"):
            secret_seed, path = Path(folder) / f"{name}.seed", Path(folder) / f"{name}.key"
            secret_seed.write_text(derive(f"agreement {name}", 48).hex(), encoding="ascii")
            made = subprocess.run([tool, "keygen", "--seed-file", secret_seed, path], check=True, capture_output=True, text=True)
            self.keys[bytes.fromhex(made.stdout.split()[0])] = path
        self.schnorr_secret = int.from_bytes(derive("agreement carol"), "big") % bip340.ORDER
        self.schnorr_public = bip340.public_key(self.schnorr_secret)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def bytes(self, size):
        return self.random.getrandbits(8 * size).to_bytes(size, "little") if size else b""

    def element(self):
        kind = self.random.choices(range(8), [25, 15, 10, 12, 15, 5, 6, 12])[0]
        if kind == 0:
            return b""
        if kind == 1:
            return b"\x01"
        if kind == 2:
            return self.random.choice([b"\x00", b"\x80", b"\x00\x80", b"\x01\x00", self.bytes(1)])
        if kind == 3:
            return encode_number(self.random.choice([2, 3, 16, 17, 127, 128, -1, 1000, 2**31 - 1, 2**31, -2**31, 500_000_000]))
        if kind == 4:
            return self.random.choice([self.bytes(32), *self.keys, self.schnorr_public])
        if kind == 5:
            return self.bytes(self.random.choice([31, 33, 64, 65, 20, 5]))
        return bytes([self.random.randrange(3)]) * self.random.choice([519, 520, 521] if kind == 6 else [521, 7855, 7856, 7857, 7858])

    def instruction(self):
        kind = self.random.choices(range(9), [30, 10, 10, 6, 4, 5, 1, 24, 10])[0]
        if kind == 0:
            return bytes([self.random.choice([0x00, 0x51, 0x52, 0x53, 0x54, 0x60, 0x4F])])
        if kind == 1:
            data = self.element()[:521]
            return push(data) if self.chance(95) else b"\x4d" + len(data).to_bytes(2, "little") + data
        if kind == 2:
            return asm(self.random.choice(["IF", "NOTIF", "ELSE", "ENDIF"]))
        if kind == 3:
            return asm(self.random.choice(["CHECKSIGSLHDSA", "CHECKSIGADDSLHDSA"]))
        if kind == 4:
            return asm(self.random.choice(["CHECKSIG", "CHECKSIGVERIFY", "CHECKSIGADD"]))
        if kind == 5:
            return bytes([0x50 + self.random.randrange(1, 6)]) + asm(self.random.choice(["PICK", "ROLL"]))
        if kind == 6:
            return self.random.choice([bytes([self.random.randrange(256)]), b"\x4c", b"\x05\x00", b"\x4e\xff\xff\xff\xff"])
        if kind == 7:
            return bytes([self.random.randrange(0x69, 0x7E)])
        return bytes([self.random.choice(ACTIVE)])

    def flags(self):
        kind = self.random.choices(["consensus", "standard", ""], [60, 20, 20])[0]
        if kind:
            return kind
        flags = {name for name in FLAG_NAMES if self.chance(75)}
        if "CLEANSTACK" in flags:
            flags.add("WITNESS")
        if "WITNESS" in flags:
            flags.add("P2SH")
        return ",".join(sorted(flags))

    def sign(self, key, message):
        if key == self.schnorr_public:
            return bip340.sign(message, self.schnorr_secret)
        run = subprocess.run([self.tool, "sign", "--deterministic", "--key", self.keys[key], "--message", message.hex()], check=True, capture_output=True, text=True)
        return bytes.fromhex(run.stdout)

    def signed_script(self):
        """A script that checks signatures, and for each of them, top first: key and position of the last OP_CODESEPARATOR (or no signature)."""
        slh, other = list(self.keys)
        kind = self.random.randrange(5)
        if kind == 0:
            return asm("$a CHECKSIGSLHDSA", a=slh), [(slh, CODESEP_NONE)]
        if kind == 1:
            return asm("CODESEPARATOR $a CHECKSIGSLHDSA", a=slh), [(slh, 0)]
        if kind == 2:
            return asm("$s CHECKSIGVERIFY $a CHECKSIGSLHDSA", s=self.schnorr_public, a=slh), [(self.schnorr_public, CODESEP_NONE), (slh, CODESEP_NONE)]
        if kind == 3:
            present = [(slh, CODESEP_NONE), (other, CODESEP_NONE)]
            if self.chance(50):
                present[self.random.randrange(2)] = None
            return asm("$a CHECKSIGSLHDSA $b CHECKSIGADDSLHDSA 1 GREATERTHANOREQUAL", a=slh, b=other), present
        moved = asm("TOALTSTACK 7 FROMALTSTACK SWAP DROP SIZE 7000 GREATERTHAN VERIFY $a CHECKSIGSLHDSA", a=slh)
        return moved, [(slh, CODESEP_NONE)]

    def spend(self):
        """A spend file's content."""
        rnd = self.random
        signatures = []
        if self.chance(self.signed):
            script, signatures = self.signed_script()
            if self.chance(10):
                script += self.instruction()
            stack = [self.element() for _ in range(self.chance(5))]
        else:
            script = b"".join(self.instruction() for _ in range(rnd.randrange(12)))
            if self.chance(70):
                script += MENTION
            if self.chance(40):
                script += b"\x75" * rnd.randrange(3) + b"\x51"
            stack = [self.element() for _ in range(rnd.choice([0, 1, 2, 3, 4, 6, 8, 8]))]
            if self.chance(1):
                stack = [b""] * rnd.choice([999, 1000, 1001])
        kinds = {"p2mr": 50, "p2tr": 20} if signatures else {"p2mr": 50, "p2tr": 20, "key": 2, "wrapped": 3, "v0": 6, "bare": 4, "p2sh": 4, "unknown": 4}
        kind = rnd.choices(list(kinds), list(kinds.values()))[0]
        leaf_version = rnd.choices([0xC0, 0xC2, 0x50, 0x7E], [95, 3, 1, 1])[0]
        path = self.bytes(32 * rnd.choices([0, 1, 2, 128, 129], [4, 80, 12, 2, 1])[0])
        script_pubkey, control, leaf_hash = output_of("p2tr" if kind == "p2tr" else "p2mr", leaf_version, script, path)
        script_sig, annex = b"", None
        if kind not in ("p2mr", "p2tr", "wrapped"):
            control = None
        if kind == "key":
            script_pubkey = b"\x51\x20" + rnd.choice([INTERNAL.public, self.bytes(32)])
        elif kind == "v0":
            script_pubkey = b"\x00\x20" + sha256(script).digest()
        elif kind == "unknown":
            script_pubkey = rnd.choice([b"\x51\x02\x4e\x73", b"\x52\x1f" + b"\x01" * 31, b"\x53\x20" + b"\x01" * 32, b"\x00\x10" + b"\x01" * 16])
        elif kind in ("bare", "p2sh"):
            script_pubkey = script if kind == "bare" else b"\xa9\x14" + hash160(script) + b"\x87"
            script_sig = b"".join(push(element) for element in stack if len(element) < 600) + (push(script) if kind == "p2sh" else b"")
        if kind == "p2mr" and self.chance(1):
            script_pubkey = script_pubkey[:2] + bytes(31) + rnd.choice([b"\x00", b"\x80", b"\x01"])
        if kind == "wrapped":
            script_sig = (b"\x00" if self.chance(20) else b"") + push(script_pubkey)
            script_pubkey = b"\xa9\x14" + hash160(script_pubkey) + b"\x87"
        if self.chance(2):
            script_sig += b"\x51"
        if control is not None and self.chance(5):
            annex = rnd.choice([b"\x50", b"\x50abc"])

        count = rnd.choice([1, 1, 1, 2])
        index = rnd.randrange(count)
        inputs = [TxIn(self.bytes(32) + b"\x01\x00\x00\x00", script_sig if i == index else b"", rnd.choice([0, 10, 0xFFFFFFFF, 0xFFFFFFFE, 1 << 22, 1 << 31]), [])
                  for i in range(count)]
        spent = [TxOut(rnd.randrange(10**6), script_pubkey if i == index else b"\x51") for i in range(count)]
        tx = Tx(rnd.choice([1, 2]), inputs, [TxOut(1, b"\x51")] * rnd.choice([1, 1, 2]), rnd.choice([0, 100, 500_000_000, 600_000_000]))
        for one in signatures:  # the first goes on top
            stack.insert(0, b"" if one is None else self.signature(tx, spent, index, annex, leaf_hash, *one))

        witness = {"key": [self.bytes(rnd.choice([0, 63, 64, 65, 66]))], "bare": [], "p2sh": []}.get(kind)
        if witness is None:
            witness = stack + [script]
        if control is not None:
            if self.chance(3):
                control = bytes([control[0] ^ 1]) + control[1:]
            if self.chance(3):
                control = control[:rnd.randrange(len(control) + 1)]
            witness += [control] + ([] if annex is None else [annex])
        if self.chance(3):
            witness = witness + [rnd.choice([b"\x50", b"\x50abc", b""])]
        if self.chance(2):
            witness = witness[-rnd.randrange(1, 3):]
        inputs[index] = inputs[index]._replace(witness=witness)
        return {"tx": ser_tx(tx).hex(), "spent_outputs": [{"amount": o.amount, "script_pubkey": o.script_pubkey.hex()} for o in spent], "flags": self.flags()}

    def signature(self, tx, spent, index, annex, leaf_hash, key, codesep):
        """A witness element; sometimes not quite what it should be."""
        rnd = self.random
        hash_type = rnd.choice([0, 0, 0, 1, 2, 3, 0x81, 0x82, 0x83])
        version = 0 if key == self.schnorr_public else 2
        if self.chance(4):
            version ^= 2
        if self.chance(3):
            codesep ^= 1
        msg = signature_message(tx, spent, index, hash_type, annex, leaf_hash + bytes([version]) + codesep.to_bytes(4, "little"))
        if msg is None:
            return bytes([1]) * (65 if key == self.schnorr_public else 7857)
        signature = self.sign(key, signature_hash(msg))
        if self.chance(12):
            at = rnd.randrange(len(signature))
            signature = signature[:at] + bytes([signature[at] ^ 1 << rnd.randrange(8)]) + signature[at + 1:]
        signature += bytes([hash_type]) if hash_type or self.chance(4) else b""
        if self.chance(3):
            signature = rnd.choice([signature[:-1], signature + b"\x01", signature + b"\x04"])
        return signature


def told(report):
    return report["valid"], report.get("error"), report.get("script"), report.get("opcode_pos")


def judged(command, paths):
    """The answers of a program about files: it is called as COMMAND --json FILE..."""
    run = subprocess.run([*command, "--json", *map(str, paths)], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"agreement.py: {' '.join(command)} ended with {run.returncode}: {run.stderr.strip()}")
    reports = json.loads(run.stdout)["transactions"]
    if len(reports) != len(paths):
        raise SystemExit(f"agreement.py: {' '.join(command)}: {len(reports)} reports on {len(paths)} spends")
    return reports


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="how many spends (default: 20000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--signed", type=float, default=8, help="percentage of spends with signatures made for them (default: 8)")
    parser.add_argument("--keep", default="disagreements", help="where spends go on which the two differ")
    parser.add_argument("--model", type=shlex.split, metavar="COMMAND", help="another program instead of the model")
    options = parser.parse_args()
    tool = os.environ.get("SLHTOOL")
    if not tool:
        print("agreement.py: skipped, SLHTOOL is not set")
        return 77
    outcomes, pairs, differing, not_modelled, started = Counter(), Counter(), 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
        generator = Generator(options.seed, tool, folder, options.signed)
        for first in range(0, options.count, BATCH):
            contents = [generator.spend() for _ in range(min(BATCH, options.count - first))]
            paths = [Path(folder) / f"{i}.json" for i in range(len(contents))]
            for path, content in zip(paths, contents):
                path.write_text(json.dumps(content), encoding="ascii")
            theirs = pool.submit(lambda: [judged([tool, "verify-tx", *mode], paths) for mode in ([], ["--batch"])])
            ours = judged(options.model, paths) if options.model else [verify.verify_file(str(path), content) for path, content in zip(paths, contents)]
            for i, (content, mine, eager, batched) in enumerate(zip(contents, ours, *theirs.result())):
                differs = mine["txid"] != eager["txid"] or not len(mine["inputs"]) == len(eager["inputs"]) == len(batched["inputs"])
                for one, two, three in zip(mine["inputs"], eager["inputs"], batched["inputs"]):
                    if one["valid"] is None:
                        not_modelled += 1
                        differs |= told(two) != told(three)
                        continue
                    outcomes[one.get("error", "valid")] += 1
                    if not told(one) == told(two) == told(three):
                        differs = True
                        pairs[one.get("error", "valid"), two.get("error", "valid")] += 1
                        print(f"spend {first + i}: model {told(one)}, slhtool {told(two)}, in a batch {told(three)}")
                if differs:
                    differing += 1
                    Path(options.keep).mkdir(parents=True, exist_ok=True)
                    (Path(options.keep) / f"{options.seed}-{first + i}.json").write_text(json.dumps(content), encoding="ascii")
    for outcome, number in outcomes.most_common():
        print(f"{number:8} {outcome}")
    for (mine, theirs), number in pairs.most_common():
        print(f"{number:8} disagreements: model {mine}, slhtool {theirs}")
    print(f"{options.count} spends, seed {options.seed}: {sum(outcomes.values())} inputs judged by both, {not_modelled} not modelled, {differing} disagreements"
          f" ({time.monotonic() - started:.0f} s)")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

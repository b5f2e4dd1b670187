#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Convert NIST's ACVP vectors for SLH-DSA-SHA2-128s or 128f into src/test/data/slhdsa_acvp_*.json or slhdsa_acvp_128f_*.json.

Reads keygen.json, siggen.json and sigver.json: the ACVP server's generated vectors (version 1.1.0.38), with
prompt and expected result merged into one record per test, as in the Go module github.com/cloudflare/circl
v1.6.5, sign/slhdsa/testdata. Of an expected signature the SHA-256 digest is kept, which is enough to compare;
signatures to verify are kept whole. Fields that follow from others (M' of pure signatures, the public key of a secret key) are left out.

    import_acvp.py FOLDER [--output src/test/data]
"""

import argparse
import hashlib
import json
import pathlib
import sys

FILES = {"SLH-DSA-SHA2-128s": "slhdsa_acvp", "SLH-DSA-SHA2-128f": "slhdsa_acvp_128f"}


def keygen(test):
    return {"tc": test["tcId"], "seed": test["skSeed"] + test["skPrf"] + test["pkSeed"], "sk": test["sk"], "pk": test["pk"]}


def common(test):
    """The common part of a signature and a verification."""
    out = {"tc": test["tcId"]}
    if test["signatureInterface"] == "external" and test["preHash"] == "pure":
        return out | {"interface": "pure", "ctx": test["context"], "msg": test["message"]}
    # The library has no pre-hash interface: such a test is one of the internal interface, with M' as its message.
    prehash = test["signatureInterface"] == "external"
    return out | {"interface": "internal", "msg": test["internalMessage"] if prehash else test["message"]}


def siggen(test):
    out = common(test)
    out["sk"] = test["sk"]
    if not test["deterministic"]:
        out["rnd"] = test["additionalRandomness"]
    out["sig_sha256"] = hashlib.sha256(bytes.fromhex(test["signature"])).hexdigest()
    return out


def sigver(test):
    out = common(test)
    out["pk"] = test["pk"]
    out["valid"] = test["testPassed"]
    if test.get("reason"):
        out["reason"] = test["reason"]
    out["sig"] = test["signature"]
    return out


def main():
    parser = argparse.ArgumentParser(description="Convert ACVP vectors for the tests.")
    parser.add_argument("folder", type=pathlib.Path, help="holds keygen.json, siggen.json and sigver.json")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "src/test/data")
    args = parser.parse_args()
    for name, convert in (("keygen", keygen), ("siggen", siggen), ("sigver", sigver)):
        with open(args.folder / f"{name}.json", encoding="utf-8") as file:
            source = json.load(file)
        if source["parameterSet"] not in FILES:
            sys.exit(f"{name}.json: parameter set {source['parameterSet']}, not {' or '.join(FILES)}")
        lines = [json.dumps(convert(test), separators=(",", ":")) for test in source["tests"]]
        target = args.output / f"{FILES[source['parameterSet']]}_{name}.json"
        target.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
        print(f"{target}: {len(lines)} tests, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()

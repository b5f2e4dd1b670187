# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Random questions about SLH-DSA, reproducible from a random.Random.

A request is a dictionary: key (index), interface ("pure" or "internal"), msg, ctx, rnd (bytes; rnd empty:
deterministic). A change is a list that says what is done to a signed request before it is verified:

    ["none"]                     nothing
    ["sig", offset, xor]         a byte of the signature; likewise "pk", "msg", "ctx"
    ["sig_size", n]              cut, or extended with zeros; likewise "msg_size", "ctx_size"
    ["splice", offset, other]    16 bytes of the signature replaced by those of signature number `other`
    ["key", other]               verified with key number `other`
    ["other_interface"]          the same message given to the other interface, the context left out
    ["as_internal"]              M' of a pure request given to the internal interface: the same thing, so valid
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "doc/bip/reference"))
from slhdsa import N, SLH_DSA_SHA2_128S, ParameterSet  # noqa: E402

ROW = re.compile(r'^SLHC_PARAMETER_SET\(\w+, "([^"]+)", \w+, (\d+), (\d+), (\d+), (\d+), (\d+)\)', re.MULTILINE)
SETS = {name: ParameterSet(name, *map(int, numbers))
        for name, *numbers in ROW.findall((ROOT / "src/pqc/slhdsa/parameter_sets.def").read_text(encoding="utf-8"))}


def hex_field(data):
    return data.hex() or "-"


def random_request(rng, n_keys):
    interface = "internal" if rng.random() < 0.25 else "pure"
    msg_size = rng.choice([0, 1, 32, 32, 32, 55, 64, rng.randrange(300), rng.randrange(300)])
    ctx_size = rng.choice([0, 0, 0, 1, 255, rng.randrange(256)]) if interface == "pure" else 0
    randomized = interface == "internal" or rng.random() < 0.5
    return {
        "key": rng.randrange(n_keys),
        "interface": interface,
        "msg": rng.randbytes(msg_size),
        "ctx": rng.randbytes(ctx_size),
        "rnd": rng.randbytes(N) if randomized else b"",
    }


def sign_question(request, secret_keys):
    sk, msg = secret_keys[request["key"]].hex(), hex_field(request["msg"])
    if request["interface"] == "internal":
        return f"sign_internal {sk} {msg} {request['rnd'].hex()}"
    return f"sign {sk} {msg} {hex_field(request['ctx'])} {hex_field(request['rnd'])}"


def random_signature_offset(rng, p):
    """Every kind of part is as likely as any other, although the parts differ in size."""
    part = rng.choice(["R", "fors_sk", "fors_auth", "chain", "checksum_chain", "xmss_auth"])
    tree = rng.randrange(p.k) * (1 + p.a)
    layer = 1 + p.k * (1 + p.a) + rng.randrange(p.d) * (p.len + p.h_prime)
    node = {
        "R": 0,
        "fors_sk": 1 + tree,
        "fors_auth": 1 + tree + 1 + rng.randrange(p.a),
        "chain": layer + rng.randrange(p.len_1),
        "checksum_chain": layer + p.len_1 + rng.randrange(p.len_2),
        "xmss_auth": layer + p.len + rng.randrange(p.h_prime),
    }[part]
    return N * node + rng.randrange(N)


def random_change(rng, request, n_keys, n_signatures, p=SLH_DSA_SHA2_128S):
    xor = 1 << rng.randrange(8)
    kinds = ["sig"] * 12 + ["pk", "pk", "msg", "ctx", "sig_size", "msg_size", "ctx_size", "splice", "splice", "key", "other_interface", "none", "as_internal"]
    kind = rng.choice(kinds)
    if kind in ("msg", "ctx") and not request[kind]:
        kind = "none"
    if kind == "as_internal" and request["interface"] != "pure":
        kind = "none"
    if kind in ("ctx", "ctx_size") and request["interface"] != "pure":
        kind = "sig"
    if kind == "sig":
        return [kind, random_signature_offset(rng, p), xor]
    if kind == "pk":
        return [kind, rng.randrange(2 * N), xor]
    if kind in ("msg", "ctx"):
        return [kind, rng.randrange(len(request[kind])), xor]
    if kind == "sig_size":
        return [kind, rng.choice([0, 1, N, *(p.signature_size + more for more in (-N, -1, 1, N))])]
    if kind == "msg_size":
        return [kind, len(request["msg"]) + rng.choice([1, 2, 64])]
    if kind == "ctx_size":
        return [kind, rng.choice([0, 1, 254, 255, 256])]
    if kind == "splice":
        return [kind, random_signature_offset(rng, p) // N * N, rng.randrange(n_signatures)]
    if kind == "key":
        return [kind, rng.randrange(n_keys)]
    return [kind]


def resized(data, size):
    return data[:size] + bytes(max(0, size - len(data)))


def flipped(data, offset, xor):
    return data[:offset] + bytes([data[offset] ^ xor]) + data[offset + 1:]


def verify_question(request, change, index, public_keys, signatures):
    """The question whether signature number `index`, made for `request`, is valid after a change."""
    fields = {"sig": signatures[index], "pk": public_keys[request["key"]], "msg": request["msg"], "ctx": request["ctx"]}
    interface = request["interface"]
    kind = change[0]
    if kind in fields:
        fields[kind] = flipped(fields[kind], change[1], change[2])
    elif kind.endswith("_size"):
        fields[kind[:-5]] = resized(fields[kind[:-5]], change[1])
    elif kind == "splice":
        offset, other = change[1:]
        fields["sig"] = fields["sig"][:offset] + signatures[other][offset:offset + N] + fields["sig"][offset + N:]
    elif kind == "key":
        fields["pk"] = public_keys[change[1]]
    elif kind == "other_interface":
        interface = "pure" if interface == "internal" else "internal"
        fields["ctx"] = b""
    elif kind == "as_internal":
        interface = "internal"
        fields["msg"] = bytes([0, len(fields["ctx"])]) + fields["ctx"] + fields["msg"]
    pk, msg, ctx, sig = (hex_field(fields[name]) for name in ("pk", "msg", "ctx", "sig"))
    return f"verify_internal {pk} {msg} {sig}" if interface == "internal" else f"verify {pk} {msg} {ctx} {sig}"

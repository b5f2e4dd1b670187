# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Partially signed transactions (BIP 174), as far as the tests make and change them themselves."""

import base64
from collections.abc import Sequence

from slhconsensus import CTransaction, CTxOut

from framework.blocks import compact_size

MAGIC = b"psbt\xff"
GLOBAL_UNSIGNED_TX = 0x00
IN_WITNESS_UTXO = 0x01
IN_FINAL_SCRIPTWITNESS = 0x08
IN_PROPRIETARY = 0xFC
SLHDSA_IDENTIFIER = b"slhdsa"  # of proprietary fields
SLHDSA_SIGNATURE = 0x00  # their subtype for a signature by a key for a leaf

Map = dict[bytes, bytes]


def record(key: bytes, value: bytes) -> bytes:
    """A key, whose first byte is its type, and its value."""
    return compact_size(len(key)) + key + compact_size(len(value)) + value


def witness(stack: Sequence[bytes]) -> bytes:
    """A witness stack as it is serialized."""
    return compact_size(len(stack)) + b"".join(compact_size(len(element)) + element for element in stack)


def finalized(tx: CTransaction, spent: Sequence[CTxOut], inputs: Sequence[int]) -> str:
    """A PSBT of a signed transaction in which these inputs have their final witnesses, and the others none."""
    made = MAGIC + record(bytes([GLOBAL_UNSIGNED_TX]), tx.serialize_without_witness()) + b"\x00"
    for n, output in enumerate(spent):
        made += record(bytes([IN_WITNESS_UTXO]), output.serialize())
        if n in inputs:
            made += record(bytes([IN_FINAL_SCRIPTWITNESS]), witness(tx.witness(n)))
        made += b"\x00"
    return base64.b64encode(made + b"\x00" * len(tx.vout)).decode()


def parse(text: str) -> list[Map]:
    """The maps of a PSBT: the global one, those of the inputs, those of the outputs."""
    data = base64.b64decode(text)
    assert data.startswith(MAGIC)
    position = len(MAGIC)

    def take() -> bytes:
        nonlocal position
        size, width = (data[position], 1) if data[position] < 253 else (int.from_bytes(data[position + 1:position + 3], "little"), 3)
        position += width + size
        return data[position - size:position]

    maps: list[Map] = []
    while position < len(data):
        maps.append({})
        while key := take():
            maps[-1][key] = take()
    return maps


def serialize(maps: Sequence[Map]) -> str:
    """The PSBT with these maps."""
    return base64.b64encode(MAGIC + b"".join(b"".join(record(*item) for item in one.items()) + b"\x00" for one in maps)).decode()


def unsigned_tx(text: str) -> CTransaction:
    """The transaction of a PSBT."""
    return CTransaction.from_bytes(parse(text)[0][bytes([GLOBAL_UNSIGNED_TX])])


def with_slhdsa_signature(text: str, n: int, public_key: bytes, leaf_hash: bytes, signature: bytes) -> str:
    """A PSBT with one more partial signature of input n."""
    maps = parse(text)
    key = bytes([IN_PROPRIETARY]) + compact_size(len(SLHDSA_IDENTIFIER)) + SLHDSA_IDENTIFIER + compact_size(SLHDSA_SIGNATURE) + public_key + leaf_hash
    maps[1 + n][key] = signature
    return serialize(maps)

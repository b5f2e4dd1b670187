# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Transactions and blocks: parsed, built and serialized. Names are those of Bitcoin Core.

Objects are mutable. Hashes are bytes in the order in which they are hashed; what ends in _hex is as displayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ._library import Buffer, as_bytes
from ._serialize import Reader, from_hex, hash_from_hex, ser_compact_size, ser_i64, ser_string, ser_u32, sha256d
from .errors import DataError

__all__ = [
    "COIN", "SEQUENCE_FINAL", "SEQUENCE_LOCKTIME_DISABLE_FLAG", "SEQUENCE_LOCKTIME_TYPE_FLAG", "CBlock", "COutPoint", "CScriptWitness",
    "CTransaction", "CTxIn", "CTxInWitness", "CTxOut", "CTxWitness", "hash_from_hex",
]

#: As CTxIn.nSequence: the input is final, and the transaction's nLockTime does not apply to it.
SEQUENCE_FINAL = 0xFFFFFFFF
#: BIP 68: with this bit in nSequence, it is no relative lock time.
SEQUENCE_LOCKTIME_DISABLE_FLAG = 1 << 31
#: BIP 68: with this bit in nSequence, the lock time is in units of 512 seconds, else in blocks.
SEQUENCE_LOCKTIME_TYPE_FLAG = 1 << 22
#: Satoshis of one bitcoin.
COIN = 100_000_000

_NULL_INDEX = 0xFFFFFFFF
_WITNESS_SCALE_FACTOR = 4


class COutPoint:
    """An output of an earlier transaction."""

    __slots__ = ("hash", "n")

    def __init__(self, hash: bytes | str = bytes(32), n: int = _NULL_INDEX) -> None:
        """hash: the transaction id, as bytes in hashing order or as hex as displayed. Without arguments: a coinbase's."""
        self.hash: bytes = hash_from_hex(hash) if isinstance(hash, str) else as_bytes(hash, "hash", 32)
        self.n = n

    @classmethod
    def read(cls, reader: Reader) -> COutPoint:
        """Take one off a reader."""
        return cls(reader.take(32, "outpoint"), reader.u32("outpoint"))

    def serialize(self) -> bytes:
        """36 bytes."""
        return self.hash + ser_u32(self.n, "COutPoint.n")

    def is_null(self) -> bool:
        """True if a coinbase spends it."""
        return self.hash == bytes(32) and self.n == _NULL_INDEX

    def __eq__(self, other: object) -> bool:
        return isinstance(other, COutPoint) and (self.hash, self.n) == (other.hash, other.n)

    def __hash__(self) -> int:
        return hash((self.hash, self.n))

    def __repr__(self) -> str:
        return f"COutPoint({self.hash[::-1].hex()!r}, {self.n})"


@dataclass(slots=True)
class CTxIn:
    """An input. Its witness is in CTransaction.wit."""

    prevout: COutPoint = field(default_factory=COutPoint)
    scriptSig: bytes = b""
    nSequence: int = SEQUENCE_FINAL

    @classmethod
    def read(cls, reader: Reader) -> CTxIn:
        """Take one off a reader."""
        return cls(COutPoint.read(reader), reader.string("scriptSig"), reader.u32("nSequence"))

    def serialize(self) -> bytes:
        """Without the witness."""
        return self.prevout.serialize() + ser_string(self.scriptSig) + ser_u32(self.nSequence, "nSequence")


@dataclass(slots=True)
class CTxOut:
    """An output: an amount in satoshis and a script."""

    nValue: int = 0
    scriptPubKey: bytes = b""

    @classmethod
    def read(cls, reader: Reader) -> CTxOut:
        """Take one off a reader."""
        return cls(reader.i64("amount"), reader.string("scriptPubKey"))

    @classmethod
    def from_bytes(cls, data: Buffer) -> CTxOut:
        """Parse one. Raises DataError."""
        reader = Reader(data)
        made = cls.read(reader)
        reader.finish("output")
        return made

    def serialize(self) -> bytes:
        """As in a transaction."""
        return ser_i64(self.nValue, "nValue") + ser_string(self.scriptPubKey)


@dataclass(slots=True)
class CScriptWitness:
    """Stack elements, the top one last."""

    stack: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class CTxInWitness:
    """The witness of one input."""

    scriptWitness: CScriptWitness = field(default_factory=CScriptWitness)

    @classmethod
    def of(cls, stack: Sequence[bytes]) -> CTxInWitness:
        """The witness with these elements, the top one last."""
        return cls(CScriptWitness(list(stack)))

    @classmethod
    def read(cls, reader: Reader) -> CTxInWitness:
        """Take one off a reader."""
        return cls.of(reader.vector(lambda: reader.string("witness element"), "number of witness elements"))

    def serialize(self) -> bytes:
        """The number of elements, and each with its size."""
        stack = self.scriptWitness.stack
        return ser_compact_size(len(stack)) + b"".join(map(ser_string, stack))

    def is_null(self) -> bool:
        """True if there is no element."""
        return not self.scriptWitness.stack


@dataclass(slots=True)
class CTxWitness:
    """The witnesses of a transaction: one for each input, or fewer where the last ones are empty."""

    vtxinwit: list[CTxInWitness] = field(default_factory=list)

    def is_null(self) -> bool:
        """True if no input has a witness."""
        return all(witness.is_null() for witness in self.vtxinwit)


@dataclass(slots=True)
class CTransaction:
    """A transaction as it travels: every field can be read and set. To sign or verify it, make a PrecomputedTransaction of
    it and of the outputs that it spends."""

    vin: list[CTxIn] = field(default_factory=list)
    vout: list[CTxOut] = field(default_factory=list)
    nLockTime: int = 0
    version: int = 2
    wit: CTxWitness = field(default_factory=CTxWitness)

    @classmethod
    def read(cls, reader: Reader) -> CTransaction:
        """Take one off a reader."""
        made = cls(version=reader.u32("version"))
        extended = reader.peek(2)[:1] == b"\x00" and reader.peek(2) != b"\x00\x00"
        if extended:
            marker_and_flag = reader.take(2, "flag of the extended format")
            if marker_and_flag[1] != 1:
                raise DataError(f"the flag of the extended format is {marker_and_flag[1]}, not 1")
        made.vin = reader.vector(lambda: CTxIn.read(reader), "number of inputs")
        made.vout = reader.vector(lambda: CTxOut.read(reader), "number of outputs")
        if extended:
            made.wit.vtxinwit = [CTxInWitness.read(reader) for _ in made.vin]
            if made.wit.is_null():
                raise DataError("the format is extended, but no input has a witness")
        made.nLockTime = reader.u32("nLockTime")
        return made

    @classmethod
    def read_without_witness(cls, reader: Reader) -> CTransaction:
        """Take one off a reader that has the format without witnesses: no inputs are no inputs."""
        made = cls(version=reader.u32("version"))
        made.vin = reader.vector(lambda: CTxIn.read(reader), "number of inputs")
        made.vout = reader.vector(lambda: CTxOut.read(reader), "number of outputs")
        made.nLockTime = reader.u32("nLockTime")
        return made

    @classmethod
    def from_bytes(cls, data: Buffer) -> CTransaction:
        """Parse one, with or without witnesses. Raises DataError."""
        reader = Reader(data)
        made = cls.read(reader)
        reader.finish("transaction")
        return made

    @classmethod
    def from_hex(cls, text: str) -> CTransaction:
        """Parse one in hex. Raises DataError."""
        return cls.from_bytes(from_hex(text, "transaction"))

    def witness(self, index: int) -> list[bytes]:
        """The witness stack of an input: the list itself, so that it can be changed."""
        while len(self.wit.vtxinwit) < len(self.vin):
            self.wit.vtxinwit.append(CTxInWitness())
        return self.wit.vtxinwit[index].scriptWitness.stack

    def serialize_without_witness(self) -> bytes:
        """The bytes that the transaction id commits to."""
        return ser_u32(self.version, "version") + self._inputs_and_outputs() + ser_u32(self.nLockTime, "nLockTime")

    def serialize(self) -> bytes:
        """As on the network: with witnesses, if there are any."""
        if self.wit.is_null():
            return self.serialize_without_witness()
        if len(self.wit.vtxinwit) > len(self.vin):
            raise DataError(f"{len(self.wit.vtxinwit)} witnesses for {len(self.vin)} inputs")
        missing = [CTxInWitness()] * (len(self.vin) - len(self.wit.vtxinwit))
        witnesses = b"".join(witness.serialize() for witness in [*self.wit.vtxinwit, *missing])
        marker_and_flag = b"\x00\x01"
        return (ser_u32(self.version, "version") + marker_and_flag + self._inputs_and_outputs() + witnesses
                + ser_u32(self.nLockTime, "nLockTime"))

    def _inputs_and_outputs(self) -> bytes:
        parts = [ser_compact_size(len(self.vin)), *(txin.serialize() for txin in self.vin),
                 ser_compact_size(len(self.vout)), *(txout.serialize() for txout in self.vout)]
        return b"".join(parts)

    @property
    def txid(self) -> bytes:
        """The transaction id, in hashing order."""
        return sha256d(self.serialize_without_witness())

    @property
    def txid_hex(self) -> str:
        """The transaction id, as displayed."""
        return self.txid[::-1].hex()

    @property
    def wtxid(self) -> bytes:
        """The id that commits to the witnesses too, in hashing order."""
        return sha256d(self.serialize())

    @property
    def wtxid_hex(self) -> str:
        """The id that commits to the witnesses too, as displayed."""
        return self.wtxid[::-1].hex()

    def is_coinbase(self) -> bool:
        """True if it makes new coins."""
        return len(self.vin) == 1 and self.vin[0].prevout.is_null()

    def get_weight(self) -> int:
        """Three times the size without witnesses, and once the whole size."""
        return (_WITNESS_SCALE_FACTOR - 1) * len(self.serialize_without_witness()) + len(self.serialize())

    def get_vsize(self) -> int:
        """The weight in units of four, rounded up."""
        return -(-self.get_weight() // _WITNESS_SCALE_FACTOR)


@dataclass(slots=True)
class CBlock:
    """A block: a header and transactions."""

    nVersion: int = 4
    hashPrevBlock: bytes = bytes(32)
    hashMerkleRoot: bytes = bytes(32)
    nTime: int = 0
    nBits: int = 0x207FFFFF
    nNonce: int = 0
    vtx: list[CTransaction] = field(default_factory=list)

    @classmethod
    def from_bytes(cls, data: Buffer) -> CBlock:
        """Parse one. Raises DataError."""
        reader = Reader(data)
        made = cls(reader.u32("nVersion"), reader.take(32, "hashPrevBlock"), reader.take(32, "hashMerkleRoot"),
                   reader.u32("nTime"), reader.u32("nBits"), reader.u32("nNonce"))
        made.vtx = reader.vector(lambda: CTransaction.read(reader), "number of transactions")
        reader.finish("block")
        return made

    @classmethod
    def from_hex(cls, text: str) -> CBlock:
        """Parse one in hex. Raises DataError."""
        return cls.from_bytes(from_hex(text, "block"))

    def serialize_header(self) -> bytes:
        """80 bytes."""
        return (ser_u32(self.nVersion, "nVersion") + as_bytes(self.hashPrevBlock, "hashPrevBlock", 32)
                + as_bytes(self.hashMerkleRoot, "hashMerkleRoot", 32) + ser_u32(self.nTime, "nTime")
                + ser_u32(self.nBits, "nBits") + ser_u32(self.nNonce, "nNonce"))

    def serialize(self) -> bytes:
        """As on the network, with witnesses."""
        return self.serialize_header() + ser_compact_size(len(self.vtx)) + b"".join(tx.serialize() for tx in self.vtx)

    @property
    def hash(self) -> bytes:
        """The block's id, in hashing order."""
        return sha256d(self.serialize_header())

    @property
    def hash_hex(self) -> str:
        """The block's id, as displayed."""
        return self.hash[::-1].hex()

    @staticmethod
    def merkle_root(hashes: Sequence[bytes]) -> bytes:
        """The root of a Merkle tree over these hashes, in Bitcoin's manner: the last one of an odd row counts twice."""
        row = list(hashes)
        if not row:
            return bytes(32)
        while len(row) > 1:
            if len(row) % 2:
                row.append(row[-1])
            row = [sha256d(row[i] + row[i + 1]) for i in range(0, len(row), 2)]
        return row[0]

    def calc_merkle_root(self) -> bytes:
        """The value that hashMerkleRoot must have."""
        return self.merkle_root([tx.txid for tx in self.vtx])

    def calc_witness_merkle_root(self) -> bytes:
        """The root that the coinbase's witness commitment (BIP 141) is made from."""
        return self.merkle_root([bytes(32), *(tx.wtxid for tx in self.vtx[1:])])

    def add_witness_commitment(self, nonce: bytes = bytes(32)) -> None:
        """Give the coinbase BIP 141's commitment to the witnesses of all transactions, and set hashMerkleRoot."""
        coinbase = self.vtx[0]
        commitment = sha256d(self.calc_witness_merkle_root() + as_bytes(nonce, "nonce", 32))
        coinbase.witness(0)[:] = [nonce]
        coinbase.vout.append(CTxOut(0, b"\x6a\x24\xaa\x21\xa9\xed" + commitment))
        self.hashMerkleRoot = self.calc_merkle_root()

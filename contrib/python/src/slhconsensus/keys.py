# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Keys and signatures of SLH-DSA (FIPS 205).

The parameter set is SLH-DSA-SHA2-128s unless another one of PARAMETER_SETS is named. Scripts know 128s; with VerifyFlags.SLHDSA_SETS also those
whose signatures are not larger, by keys with the number of the set in front: PublicKey.element.

A message and a signature here are what FIPS 205 means by them. Bitcoin's signature hashes, and the hash type byte after
a signature, are the business of slhconsensus.spend.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from . import _keyfile
from ._keyfile import PathLike
from ._library import CONSTANTS, Buffer, as_bytes, check, ffi, instance, lib, view
from .context import Context, chosen_context
from .errors import ArgumentError, DataError, counted

__all__ = [
    "ADDRND_SIZE", "MAX_CONTEXT_SIZE", "PARAMETER_SETS", "PUBLIC_KEY_SIZE", "SECRET_KEY_SIZE", "SEED_SIZE", "SIGNATURE_SIZE", "PublicKey",
    "SecretKey", "VerifyJob", "signature_size", "verify_many",
]

SEED_SIZE = CONSTANTS["SLHC_SEED_SIZE"]
SECRET_KEY_SIZE = CONSTANTS["SLHC_SECRET_KEY_SIZE"]
PUBLIC_KEY_SIZE = CONSTANTS["SLHC_PUBLIC_KEY_SIZE"]
SIGNATURE_SIZE = CONSTANTS["SLHC_SIGNATURE_SIZE"]
ADDRND_SIZE = CONSTANTS["SLHC_ADDRND_SIZE"]
MAX_CONTEXT_SIZE = CONSTANTS["SLHC_MAX_CONTEXT_SIZE"]

#: The names of the sets, and the numbers that stand for them in C.
PARAMETER_SETS = {name.removeprefix("SLHC_SET_").lower().replace("_", "-"): number
                  for name, number in sorted(CONSTANTS.items(), key=lambda item: item[1]) if name.startswith("SLHC_SET_")}

#: Called now and then with how many of how many steps are done.
Progress = Callable[[int, int], None]

_VALID = CONSTANTS["SLHC_VALID"]


def set_number(parameter_set: str) -> int:
    """What stands for a set in C."""
    if parameter_set not in PARAMETER_SETS:
        raise ArgumentError(f"{parameter_set!r} is not a parameter set ({', '.join(PARAMETER_SETS)})")
    return PARAMETER_SETS[parameter_set]


def signature_size(parameter_set: str = "128s") -> int:
    """Bytes of a signature."""
    return int(lib.slhc_set_signature_size(set_number(parameter_set)))


def _has_key_type(parameter_set: str) -> bool:
    """Does a script know keys with the number of the set in front?"""
    return parameter_set in ("128-24", "128-q40")  # SLHDSAPubKey::HasKeyType


def _callback(progress: Progress | None) -> object:
    return ffi.NULL if progress is None else ffi.callback("void(void *, size_t, size_t)", lambda _, done, total: progress(done, total))


@dataclass(frozen=True)
class PublicKey:
    """PK.seed || PK.root: 32 bytes."""

    data: bytes
    parameter_set: str = "128s"

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", as_bytes(self.data, "public key", PUBLIC_KEY_SIZE))
        set_number(self.parameter_set)

    @classmethod
    def from_file(cls, path: PathLike) -> PublicKey:
        """The key in one of slhtool's files, public or secret. Raises DataError for anything else, and OSError."""
        parameter_set, secret, public = _keyfile.read(path, SECRET_KEY_SIZE, PUBLIC_KEY_SIZE, PARAMETER_SETS)
        if secret is not None:
            return SecretKey.from_file(path).public_key
        if public is None:
            _keyfile.fail(path, "contains no public key")
        return cls(public, parameter_set)

    def to_file(self, path: PathLike) -> None:
        """Write it as slhtool does. Raises FileExistsError rather than replace a file."""
        _keyfile.write_public(path, self.parameter_set, self.data)

    @classmethod
    def from_element(cls, element: Buffer) -> PublicKey:
        """The key that a script has: 32 bytes, or 33 that begin with the number of another set than 128s. Raises DataError."""
        element = as_bytes(element, "element")
        if len(element) == PUBLIC_KEY_SIZE:
            return cls(element)
        known = {number: name for name, number in PARAMETER_SETS.items() if _has_key_type(name)}
        if len(element) != 1 + PUBLIC_KEY_SIZE:
            raise DataError(f"an SLH-DSA key of {counted(len(element), 'byte')}, not {PUBLIC_KEY_SIZE}, or {1 + PUBLIC_KEY_SIZE} with the number of a parameter set in front")
        if element[0] not in known:
            numbers = ", ".join(f"{number:02x}: {name}" for number, name in known.items())
            others = [name for name, number in PARAMETER_SETS.items() if number == element[0]]
            raise DataError(f"an SLH-DSA key of 33 bytes begins with the number of a parameter set that scripts know ({numbers}), not with "
                            + ", ".join([f"{element[0]:02x}", *others]))
        return cls(element[1:], known[element[0]])

    @property
    def element(self) -> bytes:
        """The key as a script has it, with the number of the set in front if that is not 128s. Raises ArgumentError if no script knows such
        keys.
        """
        if self.parameter_set == "128s":
            return self.data
        if not _has_key_type(self.parameter_set):
            raise ArgumentError(f"no script knows keys of the parameter set {self.parameter_set}")
        return bytes([set_number(self.parameter_set)]) + self.data

    @property
    def key_version(self) -> int:
        """The key version of its signatures in BIP 342's signature message."""
        return CONSTANTS["SLHC_KEY_VERSION_SLHDSA" if self.parameter_set == "128s" else "SLHC_KEY_VERSION_SLHDSA_SETS"]

    def __bytes__(self) -> bytes:
        return self.data

    def hex(self) -> str:
        """In hex."""
        return self.data.hex()

    def verify(self, message: Buffer, signature: Buffer, ctx: Buffer = b"") -> bool:
        """True if this is a signature of the message (algorithm 24, pure).

        A signature of any size but the set's, and a context string of more than 255, make it invalid.
        """
        message, signature, ctx = as_bytes(message, "message"), as_bytes(signature, "signature"), as_bytes(ctx, "ctx")
        return check(lib.slhc_slhdsa_verify(set_number(self.parameter_set), self.data, view(message), view(ctx), view(signature))) == _VALID


def _random_bytes(size: int) -> bytes:
    """From the system's generator. os.urandom() would fall back to a device that may not be seeded yet where that system call is refused."""
    try:
        made = os.getrandom(size)
    except OSError as error:
        raise OSError(error.errno, f"getrandom: {error.strerror}") from None
    if len(made) != size:
        raise OSError("getrandom: too few bytes")
    return made


def _keypair(seed: bytes, parameter_set: str, context: Context | None = None, progress: Progress | None = None) -> bytes:
    """The secret key, with its public key at the end."""
    secret = ffi.new("unsigned char[]", SECRET_KEY_SIZE)
    public = ffi.new("unsigned char[]", PUBLIC_KEY_SIZE)
    handle, callback = chosen_context(context).handle, _callback(progress)
    check(lib.slhc_slhdsa_keygen(handle, set_number(parameter_set), seed, secret, public, callback, ffi.NULL))
    return bytes(secret)


class SecretKey:
    """A secret key: SK.seed || SK.prf || PK.seed || PK.root, 64 bytes.

    Python does not let go of memory at a known time, so the key's bytes cannot be wiped: for experiments alone.
    """

    def __init__(self, data: Buffer, parameter_set: str = "128s") -> None:
        """Raises DataError if PK.root does not follow from the rest: such a key would lock coins that it cannot unlock.

        (SK.prf adds randomness and nothing else: a wrong one is not seen, and does no harm.) With 128-24, that takes seconds.
        """
        self._data = as_bytes(data, "secret key", SECRET_KEY_SIZE)
        self._set = parameter_set
        if _keypair(self._data[:SEED_SIZE], parameter_set) != self._data:
            raise DataError(f"PK.root does not follow from SK.seed and PK.seed: the key is damaged, or not of {parameter_set}")

    @classmethod
    def generate(cls, parameter_set: str = "128s", context: Context | None = None, progress: Progress | None = None) -> SecretKey:
        """A new key, from the system's random numbers."""
        return cls.from_seed(_random_bytes(SEED_SIZE), parameter_set, context, progress)

    @classmethod
    def from_seed(cls, seed: Buffer, parameter_set: str = "128s", context: Context | None = None,
                  progress: Progress | None = None) -> SecretKey:
        """The key that 48 secret bytes give: SK.seed, SK.prf and PK.seed (algorithm 18). With 128-24, that takes seconds."""
        made = cls.__new__(cls)
        made._data = _keypair(as_bytes(seed, "seed", SEED_SIZE), parameter_set, context, progress)
        made._set = parameter_set
        return made

    @classmethod
    def from_file(cls, path: PathLike) -> SecretKey:
        """The key in one of slhtool's files. Raises DataError for anything else, and OSError."""
        parameter_set, secret, public = _keyfile.read(path, SECRET_KEY_SIZE, PUBLIC_KEY_SIZE, PARAMETER_SETS)
        if secret is None:
            _keyfile.fail(path, "contains no secret key")
        try:
            key = cls(secret, parameter_set)
        except DataError as error:
            _keyfile.fail(path, f"secret_key: {error}")
        if public not in (None, key.public_key.data):
            _keyfile.fail(path, "public_key does not belong to secret_key")
        return key

    def to_file(self, path: PathLike) -> None:
        """Write it as slhtool does, for its owner's eyes alone (mode 0600). Raises FileExistsError rather than replace a file."""
        _keyfile.write_secret(path, self._set, self._data, self.public_key.data)

    @property
    def public_key(self) -> PublicKey:
        """The public key: the last 32 bytes."""
        return PublicKey(self._data[-PUBLIC_KEY_SIZE:], self._set)

    @property
    def parameter_set(self) -> str:
        """The name of the set."""
        return self._set

    def __bytes__(self) -> bytes:
        return self._data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretKey) and (self._set, self._data) == (other._set, other._data)

    def __hash__(self) -> int:
        return hash(self.public_key)

    def __repr__(self) -> str:
        return f"SecretKey(of {self.public_key.hex()})"

    def sign(self, message: Buffer, ctx: Buffer = b"", *, deterministic: bool = False, addrnd: Buffer | None = None,
             context: Context | None = None, progress: Progress | None = None) -> bytes:
        """Sign (algorithm 22, pure): signature_size() bytes.

        ctx: context string, at most 255 bytes; Bitcoin's signatures have an empty one.
        deterministic: the same message gives the same signature; else the signature is hedged with random bytes.
        addrnd: these 16 bytes in place of random ones.
        context: whose threads sign; None: those of default_context().
        """
        message, ctx = as_bytes(message, "message"), as_bytes(ctx, "ctx")
        if deterministic and addrnd is not None:
            raise ArgumentError("a deterministic signature takes no addrnd")
        if deterministic:
            randomness = ffi.NULL
        else:
            randomness = _random_bytes(ADDRND_SIZE) if addrnd is None else as_bytes(addrnd, "addrnd", ADDRND_SIZE)
        out = ffi.new("unsigned char[]", signature_size(self._set))
        callback = _callback(progress)
        check(lib.slhc_slhdsa_sign(chosen_context(context).handle, set_number(self._set), self._data, view(message), view(ctx), randomness, out,
                                   callback, ffi.NULL))
        return bytes(out)


@dataclass(frozen=True)
class VerifyJob:
    """One signature for verify_many()."""

    public_key: PublicKey
    message: bytes
    signature: bytes
    ctx: bytes = b""


def verify_many(jobs: Iterable[VerifyJob], context: Context | None = None) -> list[bool]:
    """Verify many signatures together, on all threads of the context and on its device if it has one.

    context: None: default_context().
    """
    listed = list(jobs)
    array = ffi.new("slhc_verify_job[]", len(listed))
    kept = []  # what C reads: an attribute may be computed anew each time
    for i, job in enumerate(listed):
        element = array[i]
        element.struct_size = ffi.sizeof("slhc_verify_job")
        public_key = instance(job, VerifyJob, f"jobs[{i}]").public_key
        key = instance(public_key, PublicKey, f"jobs[{i}].public_key").data
        element.set = set_number(public_key.parameter_set)
        element.public_key = ffi.from_buffer("unsigned char[]", key)
        kept.append(key)
        for name in ("message", "signature", "ctx"):
            data = getattr(job, name)
            if not isinstance(data, bytes):
                raise TypeError(f"jobs[{i}].{name} must be bytes, not {type(data).__name__}")
            setattr(element, name, view(data))
            kept.append(data)
    verdicts = ffi.new("int[]", len(listed))
    check(lib.slhc_slhdsa_verify_many(chosen_context(context).handle, array, len(listed), verdicts))
    return [verdict == _VALID for verdict in verdicts]

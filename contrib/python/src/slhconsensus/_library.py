# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Finds and loads the shared library, and what every module needs to call it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn, TypeVar, Union

from cffi import FFI

from . import errors

#: Names the file of the shared library, if it is not the one that came with the package.
LIBRARY_VARIABLE = "SLHCONSENSUS_LIBRARY"

_T = TypeVar("_T")

#: What is taken where bytes are expected.
Buffer = Union[bytes, bytearray, memoryview]

_PACKAGE = Path(__file__).resolve().parent
_LIBRARY_NAME = "libslhconsensus.so"
_DECLARATIONS_NAME = "slhconsensus.cdef"


def _find_library() -> Path:
    chosen = os.environ.get(LIBRARY_VARIABLE)
    if chosen:
        path = Path(chosen)
        if not path.is_file():
            raise ImportError(f"{LIBRARY_VARIABLE} is {chosen!r}: no such file")
        return path
    path = _PACKAGE / _LIBRARY_NAME
    if not path.is_file():
        raise ImportError(f"the package contains no {_LIBRARY_NAME}: install its wheel, or set {LIBRARY_VARIABLE} to the file")
    return path


def _find_declarations(library: Path) -> Path:
    """The declarations that the build makes of the headers for cffi: in the package, or beside the library in its build tree."""
    for place in (_PACKAGE / _DECLARATIONS_NAME, library.with_name(_DECLARATIONS_NAME)):
        if place.is_file():
            return place
    raise ImportError(f"{library}: {_DECLARATIONS_NAME} is neither in the package nor beside the library; the build makes it with the library")


def _header_version(constants: dict[str, int]) -> str:
    return ".".join(str(constants[f"SLHC_VERSION_{part}"]) for part in ("MAJOR", "MINOR", "PATCH"))


def _load() -> tuple[Any, Any, dict[str, int]]:
    path = _find_library()
    loader: Any = FFI()
    loader.cdef(_find_declarations(path).read_text(encoding="utf-8"))
    try:
        library: Any = loader.dlopen(str(path))
        found: str = loader.string(library.slhc_version()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(f"{path}: {error}") from error
    constants = {name: getattr(library, name) for name in dir(library) if name.startswith("SLHC_")}
    expected = _header_version(constants)
    if found.rsplit(".", 1)[0] != expected.rsplit(".", 1)[0]:
        raise ImportError(f"{path} is version {found}, but the package needs {expected}")
    return loader, library, constants


#: cffi's view of the headers, the library itself, and the headers' constants.
ffi, lib, CONSTANTS = _load()

#: The version of the package: that of the header it came with, "major.minor.patch".
PACKAGE_VERSION = _header_version(CONSTANTS)

_ERRORS: dict[int, type[errors.SlhcError]] = {
    CONSTANTS["SLHC_ERR_ARGUMENT"]: errors.ArgumentError,
    CONSTANTS["SLHC_ERR_DATA"]: errors.DataError,
    CONSTANTS["SLHC_ERR_STATE"]: errors.StateError,
    CONSTANTS["SLHC_ERR_BACKEND"]: errors.BackendError,
    CONSTANTS["SLHC_ERR_MEMORY"]: errors.OutOfMemoryError,
    CONSTANTS["SLHC_ERR_INTERRUPTED"]: errors.InterruptedContextError,
    CONSTANTS["SLHC_ERR_INTERNAL"]: errors.InternalError,
}


def raise_last_error() -> NoReturn:
    """Raise this thread's last error of the library."""
    error = struct("slhc_error")
    lib.slhc_last_error(error)
    message = ffi.string(error.message).decode("utf-8", "replace")
    raise _ERRORS.get(error.code, errors.InternalError)(message or "the library gave no reason")


def check(result: int) -> int:
    """A function's result, unless that is SLHC_ERROR."""
    if result == CONSTANTS["SLHC_ERROR"]:
        raise_last_error()
    return result


def struct(name: str, **fields: Any) -> Any:
    """A structure of the header with its struct_size set."""
    made = ffi.new(f"{name} *")
    made.struct_size = ffi.sizeof(name)
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def as_bytes(data: Buffer, name: str, size: int | None = None) -> bytes:
    """An argument as bytes. Raises TypeError if it is none, and ArgumentError if it has another size."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name} must be bytes, not {type(data).__name__}")
    made = data if type(data) is bytes else bytes(data)
    if size is not None and len(made) != size:
        raise errors.ArgumentError(f"{name} has {errors.counted(len(made), 'byte')}, not {size}")
    return made


def view(data: bytes) -> Any:
    """An slhc_bytes of data, which must outlive the view."""
    return ffi.new("slhc_bytes *", (ffi.from_buffer("unsigned char[]", data), len(data)))[0]


def views(items: Iterable[bytes]) -> tuple[Any, list[bytes]]:
    """An array of slhc_bytes, and the list of what it views, which must outlive it."""
    kept = list(items)
    array = ffi.new("slhc_bytes[]", len(kept))
    for i, item in enumerate(kept):
        array[i].data = ffi.from_buffer("unsigned char[]", item)
        array[i].size = len(item)
    return array, kept


def text(value: Any) -> str:
    """A C string of the library."""
    made: str = ffi.string(value).decode("utf-8", "replace")
    return made


def encoded(value: str, name: str, encode: Callable[[str], bytes] = str.encode) -> bytes:
    """An argument as UTF-8, or as `encode` has it. Raises TypeError if it is no text, and ArgumentError if a C string cannot hold it."""
    if "\0" in instance(value, str, name):
        raise errors.ArgumentError(f"{name} contains a zero byte")
    try:
        return encode(value)
    except UnicodeEncodeError as error:
        raise errors.ArgumentError(f"{name} is not Unicode: {error.reason} at position {error.start}") from None


def instance(value: _T, kind: type[_T], name: str) -> _T:
    """An argument of this class. Raises TypeError if it is not one."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    return value


def whole_number(value: int, name: str) -> int:
    """An argument of any size and sign. Raises TypeError if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    return value


def integer(value: int, name: str, bits: int) -> int:
    """An unsigned argument. Raises ArgumentError if it does not fit, which cffi would say less well."""
    whole_number(value, name)
    if not 0 <= value < 1 << bits:
        raise errors.ArgumentError(f"{name} is {errors.shown(value)}, not between 0 and 2^{bits} - 1")
    return value


def version() -> str:
    """The version of the library that is loaded, "major.minor.patch"; __version__ is that of the package."""
    return text(lib.slhc_version())

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The exceptions. A verdict of "invalid" is a result, never an exception."""

from __future__ import annotations

__all__ = [
    "ArgumentError", "BackendError", "DataError", "InternalError", "InterruptedContextError", "OneLeafTreeError", "OutOfMemoryError",
    "SlhcError", "StateError",
]

_MAX_QUOTED = 72


def counted(n: int, thing: str) -> str:
    """"1 byte", "2 bytes": for messages."""
    return f"{n} {thing}{'' if n == 1 else 's'}"


def quoted(text: str) -> str:
    """A text in quotes, cut if it is long: for messages, which would otherwise be as long as what somebody passed."""
    return repr(text if len(text) <= _MAX_QUOTED else text[:_MAX_QUOTED] + "...")


def shown(number: int) -> str:
    """A number for a message. Python does not write one of thousands of digits, and nobody would read it."""
    return f"a number of {number.bit_length()} bits" if isinstance(number, int) and number.bit_length() > 256 else f"{number}"


class SlhcError(Exception):
    """The library gave no verdict and did no work: the call was wrong, or memory or the backend failed it."""


class ArgumentError(SlhcError, ValueError):
    """An argument has a wrong size, is out of range, or is an unknown flag: the caller's mistake."""


class DataError(SlhcError, ValueError):
    """Serialized data, an address or a script does not parse; the message names the place."""


class StateError(SlhcError):
    """The object cannot do this now: a closed one, or a batch that has been verified."""


class BackendError(SlhcError):
    """The backend asked for is unknown, or not available on this machine."""


class OutOfMemoryError(SlhcError, MemoryError):
    """The library ran out of memory."""


class InterruptedContextError(SlhcError):
    """Context.interrupt() was called."""


class InternalError(SlhcError):
    """A defect of the library, or of a system service under it."""


class OneLeafTreeError(SlhcError, ValueError):
    """A P2MR output with a tree of one leaf can be spent by anyone (BIP 360): no address is made for one."""

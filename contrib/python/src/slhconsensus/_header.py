# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Reads slhconsensus.h, so that the functions, structures and constants of the C API are written down once.

The header is plain C99 and says what it needs: this is no preprocessor, but knows the few things that it uses.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CPLUSPLUS = re.compile(r"^#ifdef __cplusplus$.*?^#endif$", re.DOTALL | re.MULTILINE)
_DEFINE = re.compile(r"^[ ]*#[ ]*define[ ]+(SLHC_[A-Z0-9_]+)[ ]+([^{\s].*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ ]*#.*$", re.MULTILINE)
_SUFFIX = re.compile(r"\b(0x[0-9a-fA-F]+|[0-9]+)[uUlL]+\b")
_MARKER = re.compile(r"\b(SLHC_API|SLHC_WARN_UNUSED_RESULT)\b")
_NAME = re.compile(r"\bSLHC_[A-Z0-9_]+\b")


@dataclass(frozen=True)
class Header:
    """What slhconsensus.h declares."""

    declarations: str  #: types and functions, as cffi's cdef() takes them
    constants: dict[str, int]  #: the value of each macro that is a number


def _evaluate(expression: str, known: dict[str, int]) -> int:
    """The value of a constant expression of the header. Raises ValueError if it is none."""
    text = re.sub(r"\bUINT(32|64)_C\b", "", expression)
    text = _SUFFIX.sub(r"\1", text)

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return value(left) | value(right)
            case ast.BinOp(left=left, op=ast.LShift(), right=right):
                return value(left) << value(right)
        raise ValueError(f"not a number: {expression}")

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        raise ValueError(f"not a number: {expression}") from None


def read_header(text: str, size_max: int) -> Header:
    """Read the text of slhconsensus.h.

    size_max is SIZE_MAX on this machine.
    """
    text = _COMMENT.sub(" ", text).replace("\\\n", " ")
    text = _CPLUSPLUS.sub("", text)
    constants = {"SIZE_MAX": size_max}
    for name, expression in _DEFINE.findall(text):
        try:
            constants[name] = _evaluate(expression, constants)
        except ValueError:
            continue  # an attribute or an include guard
    declarations = _MARKER.sub("", _DIRECTIVE.sub("", text))
    # The sizes of arrays
    declarations = _NAME.sub(lambda match: str(constants.get(match[0], match[0])), declarations)
    return Header("\n".join(line.rstrip() for line in declarations.splitlines() if line.strip()), constants)

# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""YAML whose every value knows its place, so that a mistake in a file is reported with its line.

Scalars are text: what a value means is said by who reads it, not by YAML's rules for numbers and booleans.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import yaml

MAX_FILE_SIZE = 1 << 18
MAX_DEPTH = 200  # more than a tree of 128 levels needs; the parser's time grows with the square of the depth

T = TypeVar("T")


class ScenarioError(Exception):
    """A scenario file is malformed. The message begins with file, line and column."""


def _place(mark: Any) -> str:
    """A mark of the YAML parser, to be put behind the name of the file: line and column, counted from 1."""
    return f":{mark.line + 1}:{mark.column + 1}" if mark else ""


class Value:
    """A value of the file and its place."""

    def __init__(self, file: str, node: yaml.Node) -> None:
        self._file = file
        self._node = node

    def fail(self, message: str) -> ScenarioError:
        """The error to raise about this value."""
        return ScenarioError(f"{self._file}{_place(self._node.start_mark)}: {message}")

    @property
    def is_mapping(self) -> bool:
        """True if it is a mapping."""
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        """True if it is a list."""
        return isinstance(self._node, yaml.SequenceNode)

    def text(self) -> str:
        """The scalar as it is written."""
        if not isinstance(self._node, yaml.ScalarNode):
            raise self.fail(f"expected text, not a {'list' if self.is_list else 'mapping'}")
        return str(self._node.value)

    def parsed(self, parse: Callable[[str], T]) -> T:
        """Parse the scalar with parse. Its ValueError becomes an error at this place."""
        text = self.text()
        try:
            return parse(text)
        except ValueError as error:
            raise self.fail(str(error)) from None

    def number(self, minimum: int, maximum: int) -> int:
        """A decimal number, or a hexadecimal one with 0x."""
        def parse(text: str) -> int:
            if not re.fullmatch(r"-?[0-9]{1,20}|0x[0-9a-fA-F]{1,16}", text):
                raise ValueError(f"{text!r} is not a number")
            number = int(text, 0) if text.startswith("0x") else int(text)
            if not minimum <= number <= maximum:
                raise ValueError(f"{text} is not between {minimum} and {maximum}")
            return number
        return self.parsed(parse)

    def items(self) -> Iterator[Value]:
        """The elements of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.fail("expected a list")
        for node in self._node.value:
            yield Value(self._file, node)

    def mapping(self) -> dict[str, Value]:
        """The members of a mapping, in the order of the file."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.fail("expected a mapping (name: value)")
        members: dict[str, Value] = {}
        for key_node, node in self._node.value:
            key = Value(self._file, key_node)
            if key.text() in members:
                raise key.fail(f"{key.text()!r} is given twice")
            members[key.text()] = Value(self._file, node)
        return members

    def members(self, *known: str) -> dict[str, Value]:
        """The same, of which every name must be one of these."""
        members = self.mapping()
        for key_node, _ in self._node.value:
            if key_node.value not in known:
                raise Value(self._file, key_node).fail(f"{key_node.value!r} is not known here (known: {', '.join(known)})")
        return members


def read_file(path: Path, name: str | None = None) -> Value:
    """The root of a file. name: how to call it in messages; the path if None. Raises ScenarioError."""
    name = name or str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ScenarioError(f"{name}: {error.strerror}") from None
    if len(data) > MAX_FILE_SIZE:
        raise ScenarioError(f"{name}: larger than {MAX_FILE_SIZE} bytes")
    try:
        text = data.decode("utf-8")
        depth = 0
        for event in yaml.parse(text, yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            problem = "aliases (*name) are not allowed" if isinstance(event, yaml.AliasEvent) else "nested too deeply" if depth > MAX_DEPTH else ""
            if problem:
                raise ScenarioError(f"{name}{_place(event.start_mark)}: {problem}")
        node = yaml.compose(text, yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{name}: not UTF-8 at byte {error.start}") from None
    except yaml.MarkedYAMLError as error:
        raise ScenarioError(f"{name}{_place(error.problem_mark or error.context_mark)}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"{name}: not YAML: {' '.join(str(error).split())}") from None
    if node is None:
        raise ScenarioError(f"{name}: empty")
    return Value(name, node)

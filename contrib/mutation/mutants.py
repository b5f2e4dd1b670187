# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Finds what can be mutated in C++ sources: clang's syntax tree says where, the tables below say how.

What a compiler evaluates (constants, template arguments, array sizes, static_assert) is left out, since a mutant is chosen when
the program runs; a constant is mutated where it is used instead. What macros expand to is left out too, assertions among it.
"""

import bisect
import dataclasses
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TypeKind

# Of the six replacements of a relation, those that kill the others (Kaminski, Ammann and Offutt, 2013), and for types that have
# no order, what they do have.
RELATIONS = {"<": ["<=", "!=", "false"], "<=": ["<", "==", "true"], ">": [">=", "!=", "false"], ">=": [">", "==", "true"],
             "==": ["!=", "<=", ">=", "false"], "!=": ["==", "<", ">", "true"]}
# Those that say the same where the right side is the least value that the left one can have, or the greatest.
SAME_AT_LEAST = {"==": "<=", "!=": ">", ">": "!=", "<=": "=="}
SAME_AT_GREATEST = {"==": ">=", "!=": "<", "<": "!=", ">=": "=="}
LOGIC = {"&&": ["||", "left", "right"], "||": ["&&", "left", "right"]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"]}
BITS = {"&": ["|", "left"], "|": ["&", "left"], "^": ["&"], "<<": [">>"], ">>": ["<<"]}
ASSIGNMENTS = {"+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "%=": ["/="], "&=": ["|="], "|=": ["&="], "^=": ["|="],
               "<<=": [">>="], ">>=": ["<<="]}
COMMUTATIVE = {"max", "min", "swap", "Swap"}
UNSIGNED = {TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG}
INTEGERS = {TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG} | UNSIGNED - {TypeKind.BOOL}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION,
             CursorKind.FUNCTION_TEMPLATE}
CLASSES = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.CLASS_TEMPLATE}
# Nothing in them runs.
CONSTANT = {CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
            CursorKind.TYPEDEF_DECL, CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
            CursorKind.TEMPLATE_TEMPLATE_PARAMETER, CursorKind.CXX_UNARY_EXPR}
TOKENS = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'""", re.DOTALL)
INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change. What it is chosen by, its number, is given by number(); what it is known by, its key, outlives edits elsewhere."""

    file: str  # from the root
    line: int
    function: str
    operator: str
    shape: str  # how the change is made: expression, condition, statement, or the integer type of a value
    start: int  # bytes of the file that are replaced
    end: int
    original: str
    replacement: str
    id: int = 0
    occurrence: int = 1  # among those of the same file, function, original and replacement

    @property
    def key(self) -> str:
        return json.dumps([self.file, self.function, self.original, self.replacement, self.occurrence])


def plain(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def qualified(cursor: Cursor) -> str:
    """The name of a function or a class, with the classes around it."""
    names = [cursor.spelling]
    outer = cursor.semantic_parent
    while outer is not None and outer.kind in CLASSES:
        names.insert(0, outer.spelling)
        outer = outer.semantic_parent
    return "::".join(names)


def plainest(cursor: Cursor) -> Cursor:
    """An expression without its parentheses and implicit conversions."""
    while cursor.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR):
        inside = list(cursor.get_children())
        if len(inside) != 1:
            break
        cursor = inside[0]
    return cursor


def never_negative(cursor: Cursor) -> bool:
    cursor = plainest(cursor)
    if cursor.type.get_canonical().kind in UNSIGNED:
        return True
    if cursor.kind == CursorKind.INTEGER_LITERAL:
        return True
    if cursor.kind == CursorKind.BINARY_OPERATOR:  # a & b has no more bits than either
        tokens = [token.spelling for token in cursor.get_tokens()]
        return "&" in tokens and not {"|", "^", "+", "-", "*", "/", "%", "<<", ">>", "&&", "||", "=", "?"} & set(tokens) and \
            any(never_negative(child) for child in cursor.get_children())
    return False


def bounds(cursor: Cursor, other: Cursor) -> str:
    """'least' or 'greatest', if that is what an expression is of all values that another one can have; else nothing."""
    cursor = plainest(cursor)
    if cursor.kind == CursorKind.INTEGER_LITERAL:
        zero = [token.spelling for token in cursor.get_tokens()] == ["0"]
        return "least" if zero and never_negative(other) else ""
    if cursor.kind == CursorKind.DECL_REF_EXPR and cursor.referenced is not None and cursor.referenced.kind == CursorKind.ENUM_CONSTANT_DECL:
        enumeration = cursor.referenced.semantic_parent
        if plainest(other).type.get_canonical().get_declaration() != enumeration:
            return ""
        values = [c.enum_value for c in enumeration.get_children() if c.kind == CursorKind.ENUM_CONSTANT_DECL]
        value = cursor.referenced.enum_value
        return "least" if value == min(values) else "greatest" if value == max(values) else ""
    return ""


class Source:
    """A file's text, a character a byte, as it is and without what only looks like code."""

    def __init__(self, path: Path):
        self.text = path.read_bytes().decode("latin-1")
        blank = re.compile(r"[^\n]")
        self.code = TOKENS.sub(lambda m: blank.sub(" ", m[0]) if m[0].startswith("/") else m[0], self.text)  # without comments
        self.masked = TOKENS.sub(lambda m: blank.sub(" " if m[0].startswith("/") else "_", m[0]), self.text)  # and without strings
        self.lines = [0, *(m.end() for m in re.finditer("\n", self.text))]

    def line(self, offset: int) -> int:
        return bisect.bisect_right(self.lines, offset)

    def closing(self, opening: int) -> int:
        """Where the bracket at this place is closed."""
        depth = 0
        for match in re.finditer(r"[()\[\]{}]", self.masked[opening:]):
            depth += 1 if match[0] in "([{" else -1
            if depth == 0:
                return opening + match.start()
        return len(self.text)


@dataclasses.dataclass(frozen=True)
class Place:
    """What is known of the surroundings of a node."""

    source: Source
    file: str
    function: str = ""
    statement: bool = False  # it is one
    followed: bool = False  # by another statement of its function


class Finder:
    """Collects the mutants of the files below some folders, each file once, however many files include it."""

    def __init__(self, root: Path, folders: Iterable[str]):
        self.root = root
        self.folders = tuple(folder.rstrip("/") for folder in folders)
        self.sources: dict[str, Source] = {}
        self.found: dict[tuple, Mutant] = {}
        self.seen: set[tuple] = set()
        self.names: dict[str, str | None] = {}
        self.counting: set[tuple[str, int, int]] = set()  # places of loops' conditions, i < n, that i can only leave by being n

    def name(self, path: str) -> str | None:
        """A file's name from the root, if it is to be mutated."""
        if path not in self.names:
            full = Path(path).resolve()
            name = full.relative_to(self.root).as_posix() if full.is_relative_to(self.root) else ""
            wanted = name.endswith((".h", ".cpp")) and any(name == f or name.startswith(f + "/") for f in self.folders)
            self.names[path] = name if wanted else None
        return self.names[path]

    def parse(self, path: Path, arguments: list[str]) -> None:
        """@throws RuntimeError if clang finds errors"""
        unit = Index.create().parse(str(path), args=arguments, options=TranslationUnit.PARSE_NONE)
        errors = [str(d) for d in unit.diagnostics if d.severity >= 3]
        if errors:
            raise RuntimeError("\n".join(errors))
        self.declarations(unit.cursor)

    def declarations(self, parent: Cursor) -> None:
        for cursor in parent.get_children():
            file = cursor.location.file
            name = self.name(file.name) if file else None
            if name is None:
                continue
            if cursor.kind == CursorKind.NAMESPACE:
                self.declarations(cursor)
                continue
            extent = cursor.extent
            identity = (name, extent.start.offset, extent.end.offset)
            if identity in self.seen:
                continue
            self.seen.add(identity)
            if name not in self.sources:
                self.sources[name] = Source(self.root / name)
            self.visit(cursor, None, Place(self.sources[name], name))

    def mutants(self) -> list[Mutant]:
        """All that were found, numbered from 1 by file and place."""
        counts: Counter = Counter()
        result = []
        # The negation of a relation is killed by what kills the relation's own mutants; that of !x is x.
        negated = {(m.file, m.start, m.end) for m in self.found.values()
                   if m.operator == "relation" or (m.operator == "logic" and m.original.startswith("!"))}
        kept = [m for m in self.found.values() if m.operator != "condition" or (m.file, m.start, m.end) not in negated]
        for number, mutant in enumerate(sorted(kept, key=lambda m: (m.file, m.start, -m.end, m.replacement)), 1):
            same = (mutant.file, mutant.function, mutant.original, mutant.replacement)
            counts[same] += 1
            result.append(dataclasses.replace(mutant, id=number, occurrence=counts[same]))
        return result

    # --- the tree

    def visit(self, cursor: Cursor, parent: Cursor | None, place: Place) -> None:
        kind = cursor.kind
        if kind in CONSTANT:
            return
        begins = cursor.extent.start
        if begins.file is None or self.name(begins.file.name) != place.file:
            return  # a list that is included in the middle of a file
        start, end = begins.offset, cursor.extent.end.offset
        source = place.source
        head = source.masked[start:end]
        if kind in FUNCTIONS:
            self.function(cursor, place, head)
            return
        children = list(cursor.get_children())
        inner = dataclasses.replace(place, statement=False)
        if place.statement:
            self.statement(cursor, start, end, place)
        if kind in (CursorKind.VAR_DECL, CursorKind.FIELD_DECL, CursorKind.PARM_DECL):
            if re.match(r"(\[\[.*?\]\]\s*)?(inline |static |extern |thread_local )*(constexpr|constinit)\b", head):
                return
            if kind == CursorKind.VAR_DECL and self.is_constant(cursor):
                return
            name_at = cursor.location.offset
            children = [c for c in children if c.extent.start.offset >= name_at]  # not what belongs to its type
        elif kind in CLASSES:
            inner = dataclasses.replace(inner, function=qualified(cursor))  # for what initializes members
        elif kind == CursorKind.LAMBDA_EXPR:
            for child in children:
                if child.kind in (CursorKind.COMPOUND_STMT, CursorKind.PARM_DECL):
                    self.visit(child, cursor, dataclasses.replace(inner, followed=False))
            return
        elif kind == CursorKind.COMPOUND_STMT:
            for i, child in enumerate(children):
                self.visit(child, cursor, dataclasses.replace(place, statement=True, followed=place.followed or i + 1 < len(children)))
            return
        elif kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.FOR_STMT, CursorKind.CXX_FOR_RANGE_STMT, CursorKind.SWITCH_STMT):
            self.controlled(cursor, children, start, place)
            return
        elif kind == CursorKind.DO_STMT:
            if len(children) == 2:
                self.visit(children[0], cursor, dataclasses.replace(place, statement=True))
                self.condition(children[1], inner)
                self.visit(children[1], cursor, inner)
            return
        elif kind in (CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT):
            for child in children[-1:]:
                self.visit(child, cursor, dataclasses.replace(place, statement=True))
            return
        elif kind == CursorKind.MEMBER_REF_EXPR:
            children = [c for c in children if c.extent.start.offset == start]  # not template arguments
        elif kind == CursorKind.DECL_REF_EXPR:
            children = []
        if kind.is_expression():
            self.expression(cursor, parent, children, start, end, inner)
        elif kind == CursorKind.RETURN_STMT:
            for child in children[:1]:
                if child.type.get_canonical().kind == TypeKind.BOOL:
                    for value in ("true", "false"):
                        self.add(inner, "result", "condition", child.extent.start.offset, child.extent.end.offset, value)
        for child in children:
            self.visit(child, cursor, inner)

    def function(self, cursor: Cursor, place: Place, head: str) -> None:
        if re.match(r"[^{(]*\bconsteval\b", head):
            return
        place = dataclasses.replace(place, function=qualified(cursor), statement=False, followed=False)
        initializes = cursor.kind == CursorKind.CONSTRUCTOR or "(" in head and cursor.kind == CursorKind.FUNCTION_TEMPLATE
        for child in cursor.get_children():
            if child.kind in (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT, CursorKind.PARM_DECL) or \
               (initializes and child.kind.is_expression()):
                self.visit(child, cursor, place)

    def is_constant(self, cursor: Cursor) -> bool:
        """Whether a compiler evaluates the initializer of a variable, so that nothing in it can change when the program runs."""
        kind = cursor.type.get_canonical().kind
        if not cursor.type.get_canonical().is_const_qualified() or kind not in INTEGERS | {TypeKind.BOOL, TypeKind.ENUM}:
            return False
        for node in cursor.walk_preorder():
            if node.kind in (CursorKind.CALL_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.LAMBDA_EXPR, CursorKind.CXX_THIS_EXPR):
                return False
            if node.kind == CursorKind.DECL_REF_EXPR and node.referenced is not None and node.referenced.kind != CursorKind.ENUM_CONSTANT_DECL:
                if node.referenced.kind != CursorKind.VAR_DECL or not node.referenced.type.is_const_qualified():
                    return False
                if not self.is_constexpr(node.referenced) and not self.is_constant(node.referenced):
                    return False
        return True

    @staticmethod
    def is_constexpr(variable: Cursor) -> bool:
        return any(token.spelling == "constexpr" for token in variable.get_tokens())

    def controlled(self, cursor: Cursor, children: list[Cursor], start: int, place: Place) -> None:
        """if, while, for, switch: what is between the parentheses, then what they control."""
        source = place.source
        opening = source.masked.find("(", start)
        closing = source.closing(opening)
        header = [c for c in children if c.extent.start.offset < closing]
        inner = dataclasses.replace(place, statement=False)
        if "constexpr" not in source.masked[start:opening]:
            parts, depth = [opening + 1], 0
            for i in range(opening + 1, closing):
                depth += (source.masked[i] in "([{") - (source.masked[i] in ")]}")
                if source.masked[i] == ";" and depth == 0:
                    parts.append(i + 1)
            condition = None
            if cursor.kind == CursorKind.FOR_STMT:
                condition = next((c for c in header if parts[1] <= c.extent.start.offset < parts[2]), None) if len(parts) == 3 else None
            elif cursor.kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT):
                condition = next((c for c in header if c.extent.start.offset >= parts[-1]), None)
            if condition is not None and condition.kind.is_expression():
                self.condition(condition, inner)
                sides = list(condition.get_children())
                if cursor.kind == CursorKind.FOR_STMT and len(sides) == 2 and never_negative(sides[1]) and \
                        self.counts_up(source.code[opening + 1:closing], source.masked[closing:cursor.extent.end.offset]):
                    self.counting.add((place.file, condition.extent.start.offset, condition.extent.end.offset))
            for child in header:
                if cursor.kind == CursorKind.CXX_FOR_RANGE_STMT and child.kind == CursorKind.VAR_DECL:
                    continue
                self.visit(child, cursor, inner)
        for child in children:
            if child.extent.start.offset >= closing:
                self.visit(child, cursor, dataclasses.replace(place, statement=True))

    # --- the operators

    def add(self, place: Place, operator: str, shape: str, start: int, end: int, replacement: str) -> None:
        original = plain(place.source.code[start:end])
        replacement = plain(replacement)
        if not place.function or original == replacement or re.search(r"^\s*#", place.source.code[start:end], re.MULTILINE):
            return
        mutant = Mutant(place.file, place.source.line(start), place.function, operator, shape, start, end, original, replacement)
        self.found.setdefault((place.file, start, end, replacement), mutant)

    def condition(self, cursor: Cursor, place: Place) -> None:
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        if place.source.code[start:end].strip() in ("true", "false"):
            return
        self.add(place, "condition", "condition", start, end, f"!({place.source.code[start:end]})")

    def statement(self, cursor: Cursor, start: int, end: int, place: Place) -> None:
        """Removed statements."""
        source = place.source
        text = source.masked[start:end]
        if cursor.kind in (CursorKind.RETURN_STMT, CursorKind.CXX_THROW_EXPR) and not place.followed:
            return
        if not cursor.kind.is_expression() and cursor.kind not in (CursorKind.RETURN_STMT, CursorKind.BREAK_STMT, CursorKind.CONTINUE_STMT):
            return
        if re.match(r"assert\b|\(void\)\s*\w+\s*$", text):
            return
        semicolon = re.compile(r"\s*;").match(source.masked, end)
        if semicolon:
            self.add(place, "statement", "statement", start, semicolon.end(), "")

    def expression(self, cursor: Cursor, parent: Cursor | None, children: list[Cursor], start: int, end: int, place: Place) -> None:
        source, kind = place.source, cursor.kind
        text = source.code[start:end]
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.UNEXPOSED_EXPR) or \
           (kind == CursorKind.CALL_EXPR and cursor.spelling.startswith("operator")):
            self.binary(children, start, end, place)
        if kind == CursorKind.UNARY_OPERATOR and children:
            self.unary(children[0], text, start, end, place)
        elif kind == CursorKind.CONDITIONAL_OPERATOR and len(children) == 3:
            if source.masked[children[0].extent.end.offset:].lstrip().startswith("?"):  # and not in a macro
                self.condition(children[0], place)
        elif kind == CursorKind.CXX_BOOL_LITERAL_EXPR and text in ("true", "false"):
            self.add(place, "constant", "expression", start, end, "false" if text == "true" else "true")
        elif kind in (CursorKind.INTEGER_LITERAL, CursorKind.DECL_REF_EXPR):
            pass  # with the type that it is converted to, below
        elif kind == CursorKind.CALL_EXPR and parent is not None and \
                parent.kind not in (CursorKind.VAR_DECL, CursorKind.FIELD_DECL, CursorKind.CONSTRUCTOR):
            self.swapped(cursor, start, end, place)
        if not (parent is not None and parent.kind == CursorKind.UNEXPOSED_EXPR and
                (parent.extent.start.offset, parent.extent.end.offset) == (start, end)):
            self.constant(cursor, parent, text, start, end, place)

    def binary(self, children: list[Cursor], start: int, end: int, place: Place) -> None:
        source = place.source
        operands = [c for c in children if c.extent.start.offset == start or c.extent.end.offset == end]
        if len(operands) != 2:
            return
        left, right = operands
        left_end, right_start = left.extent.end.offset, right.extent.start.offset
        if left.extent.start.offset != start or right.extent.end.offset != end or left_end > right_start:
            return
        operator = source.masked[left_end:right_start].strip()
        sides = {"left": source.code[start:left_end], "right": source.code[right_start:end]}
        a, b = (f"({side})" if re.search(r"[-+*/%&|^<>=!?]", mask) else side
                for side, mask in ((sides["left"], source.masked[start:left_end]), (sides["right"], source.masked[right_start:end])))
        same = self.same_relations(left, operator, right)
        if (place.file, start, end) in self.counting:
            same.add("!=")
        for name, table in (("relation", RELATIONS), ("logic", LOGIC), ("arithmetic", ARITHMETIC), ("bits", BITS), ("assignment", ASSIGNMENTS)):
            for replacement in table.get(operator, []):
                if name == "relation" and replacement in same:
                    continue
                shape = "condition" if name in ("relation", "logic") else "expression"
                if replacement in sides:
                    changed = sides[replacement]
                elif replacement in ("true", "false"):
                    changed = replacement
                else:
                    changed = f"{a} {replacement} {b}"
                self.add(place, name, shape, start, end, changed)

    @staticmethod
    def same_relations(left: Cursor, operator: str, right: Cursor) -> set[str]:
        """Those of a relation's replacements that change nothing, because of the values that its sides can have."""
        if operator not in RELATIONS:
            return set()
        to_right, to_left = bounds(right, left), bounds(left, right)
        tables = [SAME_AT_LEAST] * (to_right == "least") + [SAME_AT_GREATEST] * (to_right == "greatest") + \
                 [SAME_AT_GREATEST] * (to_left == "least") + [SAME_AT_LEAST] * (to_left == "greatest")
        return {table[operator] for table in tables if operator in table}

    @staticmethod
    def counts_up(header: str, body: str) -> bool:
        """Whether a loop counts from 0 to a bound, both of which its body leaves alone."""
        match = re.fullmatch(r"\s*[\w:]+ (\w+)\{0\}; \1 < ([\w.:>-]+(?:\(\))?); (?:\+\+\1|\1\+\+)\s*", header)
        if not match:
            return False
        names = "|".join([match[1], *re.findall(r"\w+", match[2])[:1]])
        return not re.search(rf"(\+\+|--|&)({names})\b|\b({names})\s*(\+\+|--|([-+*/%&|^]|<<|>>)?=[^=]|\.(push|emplace|erase|pop|resize|clear|insert|append))",
                             body)

    def unary(self, operand: Cursor, text: str, start: int, end: int, place: Place) -> None:
        inner = place.source.code[operand.extent.start.offset:operand.extent.end.offset]
        if text.startswith("++") or text.startswith("--"):
            self.add(place, "increment", "expression", start, end, ("--" if text.startswith("++") else "++") + inner)
        elif text.endswith("++") or text.endswith("--"):
            self.add(place, "increment", "expression", start, end, inner + ("--" if text.endswith("++") else "++"))
        elif text.startswith("!"):
            self.add(place, "logic", "condition", start, end, inner)
        elif text.startswith(("-", "~")):
            self.add(place, "arithmetic" if text[0] == "-" else "bits", "expression", start, end, inner)

    def constant(self, cursor: Cursor, parent: Cursor | None, text: str, start: int, end: int, place: Place) -> None:
        """A literal, or the name of a constant, one more and one less and 0, in the type that it is converted to."""
        target = cursor.type.get_canonical()
        if target.kind not in INTEGERS:
            return
        leaf = cursor
        while leaf.kind == CursorKind.UNEXPOSED_EXPR:
            inside = list(leaf.get_children())
            if len(inside) != 1 or (inside[0].extent.start.offset, inside[0].extent.end.offset) != (start, end):
                return
            leaf = inside[0]
        if leaf.kind == CursorKind.INTEGER_LITERAL:
            number = INTEGER.fullmatch(text)
            if not number:
                return
            digits = number[1].replace("'", "")
            value = int(digits, 0) if not re.fullmatch("0[0-7]+", digits) else int(digits, 8)
            replacements = [str(value + 1), str(value - 1), "0"]
        elif leaf.kind == CursorKind.DECL_REF_EXPR:
            variable = leaf.referenced
            if variable is None or variable.kind != CursorKind.VAR_DECL or not variable.type.is_const_qualified() or \
               variable.type.get_canonical().kind not in INTEGERS or not (self.is_constexpr(variable) or self.is_constant(variable)):
                return
            replacements = [f"{text} + 1", f"{text} - 1", "0"]
        else:
            return
        before, after = place.source.masked[:start].rstrip()[-1:], place.source.masked[end:end + 80].lstrip()[:1]
        arithmetic = parent is not None and parent.kind == CursorKind.BINARY_OPERATOR
        if before in ("<", ",") and after in (">", ",") and (before == "<" or after == ">") and not arithmetic:
            return  # a template's argument
        if before in ("/", "%"):
            replacements = [r for r in replacements if r != "0"]  # undefined: a compiler may leave it out
        for replacement in replacements:
            self.add(place, "constant", plain(target.spelling.replace("const ", "")), start, end, replacement)

    def swapped(self, cursor: Cursor, start: int, end: int, place: Place) -> None:
        """Neighbouring arguments of one type, exchanged."""
        if not re.match(r"[A-Za-z_:]", place.source.masked[start:start + 1]) or cursor.spelling.startswith("operator") or \
                cursor.spelling in COMMUTATIVE:
            return
        arguments = list(cursor.get_arguments())
        places = [(a.extent.start.offset, a.extent.end.offset) for a in arguments]
        code = place.source.code
        for (first, second), (one, two) in zip(zip(places, places[1:]), zip(arguments, arguments[1:])):
            same = one.type.get_canonical().spelling.replace("const ", "") == two.type.get_canonical().spelling.replace("const ", "")
            if not same or not (start < first[0] < first[1] <= second[0] < second[1] < end):
                continue
            if plain(code[slice(*first)]) != plain(code[slice(*second)]):
                swapped = code[start:first[0]] + code[slice(*second)] + code[first[1]:second[0]] + code[slice(*first)] + code[second[1]:end]
                self.add(place, "arguments", "expression", start, end, swapped)


def compile_commands(build: Path) -> Iterator[tuple[Path, list[str], Path]]:
    """Each file that is compiled, with the compiler's arguments, but not what it writes, and the folder that it runs in."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"]) if "command" in entry else entry["arguments"]
        if words and Path(words[0]).name == "ccache":
            words = words[1:]
        arguments, skip = [], False
        for word in words[1:]:
            if skip:
                skip = False
            elif word == "-o":
                skip = True
            elif word != "-c" and word != entry["file"]:
                arguments.append(word)
        yield Path(entry["file"]), arguments, Path(entry["directory"])

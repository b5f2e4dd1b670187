#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Gaps in the vectors: changes of an implementation, one at a time, under which every vector has its verdict, error and position (with --verdicts:
its verdict).

  survivors.py model     generated changes of the reference model: operators, constants, conditions, operands, statements
  survivors.py module    the rule mutations of contrib/mutation/mutations.toml, in the library
  survivors.py core      those of core_mutations.toml, in Bitcoin Core's interpreter with the rules in it

The model needs Python alone and takes up to 40 minutes; the other two build a library and one program for each change. A survivor has a
reason, here or, in mutations.toml, under no_spend. Exit status 0: each has; 1: one has none; 2: a change cannot be made; 77: what is needed
is not there."""

import argparse
import ast
import copy
import ctypes
import functools
import importlib
import importlib.abc
import importlib.util
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
REFERENCE = HERE.parent / "reference"
FILES = ("interpreter.py", "script.py", "validation.py", "transaction.py", "slhdsa.py")
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.py")}
MODEL_LIMIT = 30  # seconds of CPU time; the vectors take two

# No verdict depends on these: they serialize for people and signers, sign, or name things.
NOT_JUDGING = {
    "script.py": {"instruction_name", "ScriptError", "blaming", "NotModelled"}, "interpreter.py": {"note"},
    "transaction.py": {"ser_tx", "_ser_stripped", "_ser_inputs", "_ser_outputs", "txid", "weight"},
    "slhdsa.py": {"prf_msg", "wots_pk_gen", "wots_sign", "_tree", "_authentication_path", "xmss_tree", "fors_sign", "slh_keygen_internal", "_cached_tree",
                  "slh_sign_internal", "slh_sign", "compressions", "_trees", "SETS"},
}

OLDER = "a rule of scripts that are no tapscript, and not of this document"
SAME = "no difference: "
# File, function or table, a part of the changed line ("" stands for any), and why no vector notices the change.
REASONS = [
    ("interpreter.py", "", "BASE, WITNESS_V0, TAPSCRIPT = ", SAME + "three different names"),
    ("interpreter.py", "__init__", "", SAME + "it is set before it is read"),
    ("interpreter.py", "check_sequence", "by_time, mask = ", SAME + "the height has 16 bits"),
    ("interpreter.py", "BINARY", "OP_NUMEQUALVERIFY", SAME + "of this one, the table only says that it has two operands"),
    *(("interpreter.py", "run", part, OLDER) for part in ("self.sigversion != TAPSCRIPT", "MAX_SCRIPT_SIZE", "ops", "OP_CODESEPARATOR")),
    ("interpreter.py", "execute", "0x51 <= opcode", OLDER + ": 0x50 is OP_SUCCESSx there"),
    ("interpreter.py", "execute", "self.branches.append(False)", SAME + "the branch around it is not executed either"),
    *(("interpreter.py", "execute", part, OLDER) for part in ("self.sigversion != TAPSCRIPT", "self.sigversion == TAPSCRIPT", "WITNESS_V0", '"MINIMALIF"', "OP_CHECKMULTISIG")),
    *(("script.py", name, "", OLDER) for name in ("MAX_OPS", "MAX_SCRIPT_SIZE", "DISABLED", "push")),
    ("script.py", "NAMES", "", SAME + "the names of pushes are for people"),
    ("script.py", "OPERANDS", "SLHDSA", SAME + "its own order of checks has them again"), ("script.py", "OPERANDS", "OP_CHECKSIGADD", SAME + "num is looked at again"),
    ("script.py", "STANDARD_FLAGS", "", "the rule against a scriptSig with opcodes is Bitcoin Core's, and needs none that is empty"),
    ("script.py", "decode", "at + width", SAME + "without its length, the data is cut too"),
    ("script.py", "is_minimal_push", "len(data)", SAME + "the opcode is the length, or the first that is none"),
    ("script.py", "encode_number", "", SAME + "0 has been dealt with"), ("script.py", "decode_number", "max_size=4", SAME + "each caller gives the size"),
    ("script.py", "decode_number", "else 0", SAME + "an empty element"), ("script.py", "witness_program", "", OLDER + ": such a scriptPubKey fails, or has no rule"),
    *(("validation.py", name, "", OLDER) for name in ("is_push_only",)),
    *(("validation.py", "verify_input", part, OLDER) for part in ("SIGPUSHONLY", "P2SH", "is_push_only", "before[", "redeem_script", '"WITNESS"', "CLEANSTACK", "stack and is_true", "stack[:1]")),
    *(("validation.py", "verify_witness_program", part, OLDER) for part in ("version == 0", "WITNESS_EMPTY", "sha256(script)", "check_result", "len(stack) == 2", "WRONG_LENGTH")),
    ("validation.py", "verify_p2tr", "33 + 32 * 128", SAME + "the remainder is checked too"), ("validation.py", "verify_p2mr", "1 + 32 * 128", SAME + "the remainder is checked too"),
    ("validation.py", "verify_p2mr", "len(stack)", SAME + "two elements of which the last begins with 0x50 have failed before"), ("validation.py", "merkle_root", "append", "for the trace alone"),
    *(("transaction.py", name, "", SAME + "a name of Python's") for name in ("TxIn", "TxOut", "Tx")), ("transaction.py", "", "SIGHASH_DEFAULT, SIGHASH_ALL", SAME + "not used"),
    ("transaction.py", "compact_size", "n.to_bytes(1,", SAME + "one byte"), ("transaction.py", "compact_size", "xff", "nothing in a block has 2^32 bytes"),
    *(("transaction.py", name, "signed=True", "no amount is negative") for name in ("ser_output", "parse_tx", "signature_message")),
    *(("transaction.py", name, "", "a transaction that is malformed is no spend") for name in ("_Reader", "parse_tx")),
    ("slhdsa.py", "ParameterSet", "frozen", SAME + "a name of Python's"), ("slhdsa.py", "SLH_DSA_SHA2_128S", '"128s"', SAME + "the name is for people"),
    *(("slhdsa.py", name, "", SAME + "the same quotient with the numbers of 128s") for name in ("len_2", "m")),
    ("slhdsa.py", "_digits", "size", SAME + "as many bits are shifted as there are more"), ("slhdsa.py", "PUBLIC_KEY_SIZE", "", SAME + "not used"), ("slhdsa.py", "_seed_state", "", SAME + "it is remembered or computed again"),
    ("slhdsa.py", "_mgf1", "", SAME + "one block of SHA-256 has more bytes than are used"), ("slhdsa.py", "xmss_pk_from_sig", "N * p.len", SAME + "what follows is not read"),
    ("slhdsa.py", "_split", "", SAME + "7 is added for sets whose digests have parts of bytes, or what follows is masked"),
    ("slhdsa.py", "slh_verify_internal", "signature_size", "the opcodes check the size before"), ("slhdsa.py", "slh_verify_internal", "return False", "the opcodes check the size before"),
    ("slhdsa.py", "slh_verify_internal", "sig_fors", SAME + "what follows is not read"), ("slhdsa.py", "m_prime", "ctx", "the opcodes have an empty context"),
    ("slhdsa.py", "slh_verify", "ctx", "the opcodes have an empty context"),
]

OTHER = "a later check refuses the spend too"
# With --verdicts, these too
REASONS_FOR_ERRORS = [
    ("interpreter.py", "operands", "OP_CHECKSIGADDSLHDSA", OTHER),
    ("interpreter.py", "signature_opcode", "len(stack[-2])", OTHER + ": a large number has more than four bytes"),
    ("interpreter.py", "execute", "OP_RETURN", OTHER + ": it is no known opcode any more"),
    ("script.py", "OPERANDS", "OPERANDS", OTHER), ("script.py", "OPERANDS", "OP_PICK", OTHER), ("script.py", "OPERANDS", "OP_EQUALVERIFY", OTHER + ", or the other operand is as large"),
    *(("script.py", "OPERANDS", part, OTHER + ": a large number has more than four bytes") for part in ("1ADD", "BOOLAND", "OP_WITHIN")),
    ("script.py", "OPERANDS", "OP_IF", OTHER + ": the rule for the argument of OP_IF"),
]


def load(name):
    return json.loads((HERE / name).read_text(encoding="ascii"))


# Rules of mutations.toml and core_mutations.toml that no vector can show, by how their names begin
RULES_WITHOUT_VECTORS = {
    "deferring: what the cache knows is not staged": "the verdict is the same",
    "sets: the signature cache tells them apart": "signatures of two sets never have the same size",
    **dict.fromkeys(("legacy: ", "midstates: ", "version 0: ", "NULLDUMMY", "NULLFAIL of OP_CHECKMULTISIG", "lax DER: ", "ECDSA: ", "P2SH: pushes alone", "opcodes: disabled ones"), OLDER),
    "parsing: ": "a transaction that is malformed is no spend",
    **dict.fromkeys(("batch sharer: ", "block: ", "queue: ", "tickets: ", "verifier: ", "device: ", "wtxid: "), "not about the verdict on one spend"),
}

SPENDS, SIGNATURES = load("spends.json") + load("parameter-sets.json"), load("slhdsa.json")
# The quick ones first
SPENDS.sort(key=lambda vector: (len(vector["tx"]) > 100_000, any(step["step"] in ("slhdsa", "bip340") for step in vector["trace"])))
# Modules that verify signatures. As long as they are not changed themselves, they remember what they have verified.
REMEMBERED = {"slhdsa": ("slh_verify",), "bip340": ("verify", "tweak")}


# Changes of the model. Each is an edit of the text: start, end, what stands there instead.

OPERATORS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
# The names of errors and of steps are for people and programs that compare; a change of one is noticed, or means nothing.
NAMING = {"require", "ScriptError", "NotModelled", "note", "blaming", "ValueError", "Struct"}


def variants(node):
    """The expressions that replace one."""
    def having(**fields):
        other = copy.copy(node)
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            yield having(ops=[*node.ops[:i], OPERATORS[type(op)](), *node.ops[i + 1:]])
    elif isinstance(node, ast.BoolOp):
        yield having(op=OPERATORS[type(node.op)]())
        for i in range(len(node.values)):
            rest = node.values[:i] + node.values[i + 1:]
            yield rest[0] if len(rest) == 1 else having(values=rest)
    elif isinstance(node, ast.BinOp):
        if type(node.op) in OPERATORS:
            yield having(op=OPERATORS[type(node.op)]())
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        yield having(func=ast.Name(FUNCTIONS[node.func.id]))
    elif isinstance(node, ast.Slice):
        if node.lower:
            yield having(lower=None)
        if node.upper:
            yield having(upper=None)
    elif isinstance(node, (ast.Set, ast.Tuple, ast.List)) and len(node.elts) > 1 and isinstance(getattr(node, "ctx", None), (ast.Load, type(None))):
        for i in range(len(node.elts)):
            yield having(elts=node.elts[:i] + node.elts[i + 1:])
    elif isinstance(node, ast.Set):
        yield ast.Call(ast.Name("set"), [], [])
    elif isinstance(node, ast.Dict):
        for i in range(len(node.keys)):
            yield having(keys=node.keys[:i] + node.keys[i + 1:], values=node.values[:i] + node.values[i + 1:])
    elif isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            others = [not value]
        elif isinstance(value, int):
            others = [value + 1] + ([value - 1] if value else [])
        elif isinstance(value, bytes):
            others = [value + b"\0", value[:-1]] if value else [b"\0"]
        elif isinstance(value, str) and "\n" not in value:
            others = [{"little": "big", "big": "little"}.get(value) or (" ".join(value.split()[:-1]) if " " in value else value + "x")]
        else:
            others = []
        yield from (ast.Constant(other) for other in others)


def changes(text, skipped=()):
    """(function or table, line, start, end, replacement) of every change of a file, but for the functions and tables that are skipped."""
    tree = ast.parse(text)
    starts = [0]
    for line in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = []

    def edit(scope, node, replacement):
        span = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        if text.encode()[span[0]:span[1]].decode() != replacement:
            found.append((scope, node.lineno, *span, replacement))

    def visit(node, scope, naming=False):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            scope = node.name if scope is None or scope[:1].isupper() else scope
        elif scope is None and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            scope = node.targets[0].id
        if scope in skipped or isinstance(node, (ast.Import, ast.ImportFrom)) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # the last is a docstring
        if isinstance(node, (ast.stmt, ast.IfExp)) and re.match(r".*(\.note\(|trace is|compressions|error\.position|error\.script)", ast.unparse(node).split("\n")[0]):
            return  # what a trace or a report has
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) or isinstance(node, ast.AugAssign) or \
                isinstance(node, ast.Assign) and not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            edit(scope, node, "pass")
        if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
            other = copy.copy(node)
            other.op = OPERATORS[type(node.op)]()
            edit(scope, node, ast.unparse(other))
        if isinstance(node, (ast.If, ast.While)):
            edit(scope, node.test, "True")
            edit(scope, node.test, "False")
        if isinstance(node, ast.expr) and not (naming and isinstance(node, ast.Constant) and isinstance(node.value, str)) and not isinstance(node, ast.JoinedStr):
            for variant in variants(node):
                changed = ast.unparse(variant)
                edit(scope, node, changed if isinstance(node, (ast.Constant, ast.Slice)) else f"({changed})")
        if isinstance(node, ast.JoinedStr):
            return  # text for people, or a name that is compared elsewhere
        if isinstance(node, ast.Slice):
            for variant in variants(node):
                edit(scope, node, ast.unparse(variant))
        called = getattr(node, "func", None)
        naming = naming or isinstance(node, ast.Call) and getattr(called, "id", getattr(called, "attr", "")) in NAMING
        for child in ast.iter_child_nodes(node):
            visit(child, scope, naming)

    for node in tree.body:
        visit(node, None)
    return sorted(set(found), key=lambda change: change[2:])


@functools.cache
def compiled(name, text):
    return compile(text, name, "exec")


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules of the model, from texts."""

    def __init__(self, texts):
        self.texts = texts

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name + ".py" in self.texts else None

    def exec_module(self, module):
        exec(compiled(module.__name__, self.texts[module.__name__ + ".py"]), module.__dict__)


def judged_by_model(texts, verdicts):
    """The first vector on which a changed model differs, or None. verdicts: errors and positions do not count."""
    for name in [name for name in sys.modules if name + ".py" in texts]:
        if name not in REMEMBERED or texts[name + ".py"] != TEXTS[name + ".py"]:
            del sys.modules[name]
    sys.meta_path.insert(0, Sources(texts))
    try:
        import slhdsa
        import verify
        for vector in SPENDS:
            tx, spent, flags = verify.load(vector)
            one = verify.verify_one(tx, spent, vector["input"], flags, False)
            if one["valid"] != (vector["error"] is None) or not verdicts and (one.get("error"), one.get("opcode_pos")) != (vector["error"], vector.get("opcode_pos")):
                return vector["name"]
        for case in SIGNATURES:
            signature = bytearray.fromhex(case.get("signature") or next(other["signature"] for other in SIGNATURES if other["name"] == case["signature_of"]))
            if "xor_byte" in case:
                signature[case["xor_byte"]] ^= case["xor_value"]
            if slhdsa.slh_verify_internal(bytes.fromhex(case["m_prime"]), bytes(signature), bytes.fromhex(case["public_key"])) != case["valid"]:
                return case["name"]
    except Exception as error:  # a broken model may do anything
        return type(error).__name__
    return None


def attempt(change, verdicts):
    """In a process of its own: the vector that notices."""
    name, _, _, start, end, replacement = change
    data = TEXTS[name].encode()
    texts = {**TEXTS, name: (data[:start] + replacement.encode() + data[end:]).decode()}

    def too_long(*_):
        raise TimeoutError

    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, MODEL_LIMIT)
    try:
        return change, judged_by_model(texts, verdicts)
    except BaseException as error:
        return change, type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def reason_for(name, scope, line, verdicts):
    return next((why for file, where, part, why in REASONS + (REASONS_FOR_ERRORS if verdicts else []) if file == name and where in (scope, "") and part in line), None)


def remember():
    """Let the modules that verify signatures remember, and the unchanged model verify all. Returns the vector on which it differs, or None."""
    sys.meta_path.insert(0, Sources(TEXTS))
    for name, functions in REMEMBERED.items():
        module = importlib.import_module(name)
        for function in functions:
            setattr(module, function, functools.cache(getattr(module, function)))
    return judged_by_model(TEXTS, False)


def model(options):
    if failure := remember():
        print(f"unchanged, it differs: {failure}")
        return 2
    todo = [(name, *change) for name in FILES if options.only in name for change in changes(TEXTS[name], NOT_JUDGING.get(name, ()))]
    if options.sample and options.sample < len(todo):
        todo = random.Random(1).sample(todo, options.sample)
    without = Counter()
    survivors = Counter()
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool:
        for (name, scope, line_number, start, end, replacement), noticed in pool.imap_unordered(functools.partial(attempt, verdicts=options.verdicts), todo):
            if noticed:
                continue
            line = TEXTS[name].split("\n")[line_number - 1].strip()
            why = reason_for(name, scope, line, options.verdicts)
            survivors[name] += 1
            without[name] += why is None
            if why is None or options.all:
                old, new = (" ".join(text.split())[:120] for text in (TEXTS[name].encode()[start:end].decode(), replacement))
                print(f"{name}:{line_number} ({scope}): {old} -> {new}{f'   [{why}]' if why else ''}", flush=True)
    total = Counter(change[0] for change in todo)
    for name in total:
        print(f"{name}: {total[name]} changes, {survivors[name]} survive, {without[name]} without a reason")
    print(f"model: {sum(total.values())} changes, {sum(survivors.values())} survive, {sum(without.values())} without a reason")
    return 1 if sum(without.values()) else 0


# Changes of the library and of Bitcoin Core's interpreter: contrib/mutation makes them and builds, and here is what they are shown to.

class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def value(self):
        return ctypes.string_at(self.data, self.size)


class Answer(ctypes.Structure):
    _fields_ = [("script_error", ctypes.c_int), ("n_staged", ctypes.c_size_t)]


SLHDSA_VERIFY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, Bytes, Bytes, Bytes)


class Oracle(ctypes.Structure):
    """core_oracle of src/test/core/core_oracle.h"""

    _fields_ = [
        ("abi", ctypes.c_uint32), ("has_rules", ctypes.c_int),
        ("tx_create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)),
        ("tx_destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("tx_parse", ctypes.c_void_p),
        ("verify", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int, SLHDSA_VERIFY, ctypes.POINTER(Answer))),
        *((name, ctypes.c_void_p) for name in ("verify_tx", "script_sigops", "p2sh_sigops", "witness_sigops", "script_properties")),
        ("script_error_name", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)),
    ]


def judged_by_oracle(library):
    """The first vector on which Bitcoin Core, as this shared object has it, differs in verdict or error: eager, deferred, and with a cache that knows."""
    sys.path.insert(0, str(REFERENCE))
    import slhdsa
    import verify
    from interpreter import SET_NUMBERS
    from script import FLAG_NAMES
    from transaction import ser_output
    get = ctypes.CDLL(library).core_oracle_get
    get.restype = ctypes.POINTER(Oracle)
    oracle = get().contents
    if oracle.abi != 5 or not oracle.has_rules:
        raise SystemExit(f"{library}: another interface")

    @functools.cache
    def verified(number, key, message, ctx, signature):
        return int(slhdsa.slh_verify(message, signature, ctx, key, p=SET_NUMBERS.get(number, slhdsa.SLH_DSA_SHA2_128S)))

    @SLHDSA_VERIFY
    def slh_verify(number, key, message, ctx, signature):
        return verified(number, ctypes.string_at(key, 32), message.value(), ctx.value(), signature.value())

    for vector in SPENDS:
        raw = bytes.fromhex(vector["tx"])
        _, spent, flags = verify.load(vector)
        outputs = b"".join(map(ser_output, spent))
        tx = oracle.tx_create(raw, len(raw), outputs, len(outputs))
        bits = sum(1 << FLAG_NAMES.index(name) for name in flags)
        for timing in range(3):
            answer = Answer()
            valid = oracle.verify(tx, vector["input"], bits, timing, slh_verify, ctypes.byref(answer))
            error = None if answer.script_error == 0 else oracle.script_error_name(answer.script_error).decode()
            if (valid, error) != (int(vector["error"] is None), vector["error"]):
                return f"{vector['name']}: {valid}, {error}"
        oracle.tx_destroy(tx)
    return None


class Vectors:
    """The vectors in the place of the differential test."""

    def __init__(self, library):
        self.command = [sys.executable, "-B", __file__, "oracle", str(library)]

    def disagreement(self):
        run = subprocess.run(self.command, capture_output=True, text=True, check=False)
        return run.stdout.strip() or (f"crash: {run.returncode} {run.stderr[-150:]}" if run.returncode else None)


def rules(options):
    sys.path.insert(0, str(ROOT / "contrib/mutation"))
    import run
    import run_differential
    work, jobs = options.work or ROOT / f"build/survivors-{options.of}", str(options.jobs)
    if options.of == "module":
        run.SUITES[:] = ["bip_vectors_tests"]
        mutations = run.load()
        checkout = run.Copy(work, jobs)
        checkout.update()
        checkout.configure()
        built, test, attempt_at = checkout.build(), checkout.first_failure, checkout.attempt
    else:
        fetched = subprocess.run([ROOT / "contrib/core-differential/fetch_core.sh"], capture_output=True, text=True, check=False)
        if fetched.returncode:
            print(f"skipped: {fetched.stderr.strip()}")
            return 77
        _lock = run.alone_in(work)  # until this function ends
        tree, mutations = work / "core-with-rules", run_differential.tomllib.loads(run_differential.CORE_MUTATIONS.read_text())["mutation"]
        subprocess.run([sys.executable, "-B", ROOT / "contrib/bitcoin-core/integrate.py", fetched.stdout.strip(), "--to", tree, "--force"], check=True)
        run_differential.compiler_cache(work)
        oracle = run_differential.Build(tree, work / "oracle", "core_rules_oracle", jobs)
        oracle.configure(ROOT / "src/test/core/oracle", f"CORE_SOURCE_DIR={fetched.stdout.strip()}", f"CORE_RULES_SOURCE_DIR={tree}", f"SLHC_SOURCE_DIR={ROOT}/src",
                         "CMAKE_BUILD_TYPE=None", "CORE_OPTIMIZATION=-O0")
        vectors = Vectors(oracle.folder / "libcore_rules_oracle.so")
        built, test = oracle.build(), vectors.disagreement

        def attempt_at(mutation):
            return run_differential.attempt(mutation, oracle, vectors)
    if not built or (failure := test()):
        print(f"unchanged, it does not build, see {work}" if not built else f"unchanged, it differs: {failure}")
        return 2
    outcomes = Counter()
    for mutation in (mutation for mutation in mutations if options.only in mutation["rule"]):
        outcome, what = attempt_at(mutation)
        why = mutation.get("no_spend") or next((why for start, why in RULES_WITHOUT_VECTORS.items() if mutation["rule"].startswith(start)), None)
        if outcome == "SURVIVED" and why:
            outcome, what = "reason", why
        outcomes[outcome] += 1
        if outcome != "noticed" or options.all:
            print(f"{outcome:8} {mutation['rule']}{': ' + what if what else ''}", flush=True)
    print(f"{options.of}: {sum(outcomes.values())} changes, {outcomes['SURVIVED'] + outcomes['reason']} survive, {outcomes['SURVIVED']} without a reason")
    return 2 if outcomes["BROKEN"] or not outcomes else 1 if outcomes["SURVIVED"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("of", choices=("model", "module", "core", "oracle"), metavar="{model,module,core}")
    parser.add_argument("library", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="only files, or rules, with this in their names")
    parser.add_argument("--sample", type=int, help="of the model: so many changes, chosen by a fixed seed")
    parser.add_argument("--verdicts", action="store_true", help="of the model: errors and positions do not count, as in consensus")
    parser.add_argument("--all", action="store_true", help="of the model, print what has a reason, too; of the others, what is noticed")
    parser.add_argument("--work", type=Path, help="folder to build in (default: build/survivors-module, build/survivors-core)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.of == "oracle":
        print(judged_by_oracle(options.library) or "")
        return 0
    return model(options) if options.of == "model" else rules(options)


if __name__ == "__main__":
    sys.exit(main())

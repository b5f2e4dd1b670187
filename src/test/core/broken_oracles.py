#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Programs that need Bitcoin Core as an oracle: without one they are skipped; with one that cannot be used, they fail.

  broken_oracles.py STUBS PROGRAM...

STUBS is the folder of the stubs that stub_oracle.c makes. Exit status: 0 if every program did so, else 1."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
FAILED = 1


def main() -> int:
    stubs = Path(sys.argv[1])
    fine = str(stubs / "libstub_oracle.so")  # as far as loading goes; it is Core without the rules
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.so"
        text.write_text("no shared object\n")
        # For each: Core as it is, Core with the rules, what the program says, its exit status
        cases = [
            ("", fine, "skipped: Bitcoin Core's sources", SKIPPED),
            (f"{folder}/absent.so", fine, "error: ", FAILED),
            (str(text), fine, "error: ", FAILED),
            (str(stubs / "libstub_oracle_other_function.so"), fine, "has no core_oracle_get", FAILED),
            (str(stubs / "libstub_oracle_other_abi.so"), fine, "was built from another version of core_oracle.h", FAILED),
        ]
        with_rules = [
            (fine, "", "skipped: Python 3.11", SKIPPED),
            (fine, f"{folder}/absent.so", "error: ", FAILED),
            (fine, fine, "is Bitcoin Core without the rules", FAILED),
        ]
        for program in sys.argv[2:]:
            name = Path(program).name
            for today, rules, said, status in [*cases, *(with_rules if "differential" in name else [])]:
                environment = os.environ | {"SLHC_CORE_ORACLE": today, "SLHC_CORE_RULES_ORACLE": rules}
                result = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60)
                output = result.stdout + result.stderr
                if result.returncode != status or said not in output:
                    print(f"{name} with '{today}' and '{rules}': {result.returncode} instead of {status}, '{said}' in: {output}")
                    wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

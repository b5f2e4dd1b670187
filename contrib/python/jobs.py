# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""How many compilers or tests the scripts run at a time."""

import subprocess
from pathlib import Path


def default_jobs() -> int:
    """The answer of contrib/jobs.sh, which knows the limits of a container; os.cpu_count() does not."""
    script = Path(__file__).resolve().parents[1] / "jobs.sh"
    return int(subprocess.run([script], check=True, capture_output=True, text=True).stdout)

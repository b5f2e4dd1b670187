# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Talking to implementations of SLH-DSA: this project's driver and the peers.

Each is a process for one parameter set that reads questions, one a line, and writes an answer for each, one a line. A question is a
name and fields with one space between them; fields are hexadecimal, "-" is the empty one:

    keygen SEED                        the public key; SEED is SK.seed || SK.prf || PK.seed
    sign SK MSG CTX RND                the pure signature; RND empty: the deterministic variant
    sign_internal SK MSG RND           the signature of the internal interface
    verify PK MSG CTX SIG              1 or 0
    verify_internal PK MSG SIG         1 or 0

A signer answers "refused" where it takes no such input (a context over 255 bytes, or any if its interface has
none). Our driver alone:

    compressions                       how often the question before called the compression function of SHA-256

And for measuring:

    time COUNT                         COUNT questions follow; the answer is the CPU time of all of them in nanoseconds, without
                                       parsing and printing, and then their answers, one a line
"""

import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_FOLDER = HERE.parents[1] / "build" / "peers"


class Process:
    """One implementation, running."""

    def __init__(self, name, command):
        self.name = name
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, questions):
        """The answers to a list of questions, a line each. Blocks; different processes may be asked from different threads."""
        def write():
            for question in questions:
                self._process.stdin.write(question + "\n")
            self._process.stdin.flush()

        writer = threading.Thread(target=write)
        writer.start()
        answers = []
        for question in questions:
            answer = self._process.stdout.readline().rstrip("\n")
            if not answer or answer.startswith("error"):
                self._process.kill()
                raise RuntimeError(f"{self.name}: {answer or 'ended'} (asked: {question[:60]}...)")
            answers.append(answer)
        writer.join()
        return answers

    def time(self, questions):
        """Seconds of CPU time that these questions take, and the answers to them."""
        nanoseconds, *answers = self.ask([f"time {len(questions)}", *questions])
        return int(nanoseconds) / 1e9, answers

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def ask_in_parallel(work):
    """Ask several processes at once: {process: questions} to {name: answers}."""
    answers, errors = {}, []

    def run(process, questions):
        try:
            answers[process.name] = process.ask(questions)
        except (RuntimeError, OSError) as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=item) for item in work.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return answers


ORACLES = ("noble", "rustcrypto", "openssl")  # fips205 has no internal interface: it is only measured
PYTHON = ("pypi", "model")  # for any parameter set
VERIFIERS = ("c",)  # verification alone, of 128s
WITHOUT_CONTEXT = ("botan",)  # no internal interface either


def takes(name, question, p):
    """True if a peer's interface has a place for all of a question, and the peer time for it."""
    kind, *fields = question.split(" ")
    if name in VERIFIERS or (name in PYTHON and has_large_trees(p)):
        return kind.startswith("verify")
    return name not in WITHOUT_CONTEXT or kind == "keygen" or (kind in ("sign", "verify") and fields[2] == "-")


def has_large_trees(p):
    """True if a tree of this set is for engines alone."""
    return p.h_prime > 16


def start_peers(folder, names=ORACLES, parameter_set="128s", c_verifier=None):
    """The peers installed in a folder by setup_peers.sh that have a parameter set, as a list of processes, and a list of the others."""
    binary = folder / "slhdsa-peer"
    commands = {
        "noble": ["node", str(HERE / "noble_peer" / "peer.mjs"), str(folder / "noble")],
        "rustcrypto": [str(binary), "rustcrypto"],
        "fips205": [str(binary), "fips205"],
        "openssl": [str(binary), "openssl"],
        "botan": [str(binary), "botan"],
        "c": [str(c_verifier)],
        **{name: [sys.executable, "-B", str(HERE / "python_peer.py"), name, str(folder / "pypi")] for name in PYTHON},
    }
    found, missing = [], []
    for name, command in ((name, [*commands[name], parameter_set]) for name in names):
        # With its input at an end at once, a peer that is there, with all it needs, does nothing and exits with 0.
        try:
            there = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
        except OSError:
            there = False
        if there:
            found.append(Process(name, command))
        else:
            missing.append(name)
    return found, missing

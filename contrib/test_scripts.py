# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Scripts of contrib when something is in their way, with stand-ins for the programs that they call."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

CONTRIB = Path(__file__).resolve().parent
PATIENCE = 60  # seconds for what takes a fraction of one


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def copy(root: Path, *names: str) -> None:
    """Put these scripts of contrib into a tree of their own."""
    for name in names:
        (root / "contrib" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CONTRIB / name, root / "contrib" / name)


def module(name: str) -> ModuleType:
    """A program of contrib in Python, by its path: several have the same name."""
    path = CONTRIB / name
    sys.path.insert(0, str(path.parent))  # for what it imports
    try:
        spec = importlib.util.spec_from_file_location(f"slhc_{path.parent.name}_{path.stem}", path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(path.parent))
    return loaded


def wait_for(path: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f"there is no {path}"
        time.sleep(0.01)


# As libFuzzer's -merge=1 NEW OLD: lists OLD, then copies into NEW. Once it has the list it waits for the file "go", though not forever.
FUZZ_TARGET = """#!/bin/bash
folder=$(dirname "$0")
case "$*" in
  *-merge=1*)
    new=${@: -2:1} old=${@: -1}
    mapfile -t names < <(ls "$old")
    touch "$folder/merging"
    for ((i = 0; i < 1000; ++i)); do [ ! -e "$folder/go" ] || break; sleep 0.01; done
    for name in "${names[@]}"; do cp "$old/$name" "$new/$name" || exit 1; done ;;
  *) echo "stat::number_of_executed_units: 1" ;;
esac
"""


def test_minimize_alone(tmp_path):
    """Nothing is lost from a corpus on which two runs want to work, one of which minimizes it."""
    programs = tmp_path / "build/src/test/fuzz"
    program(programs / "make_fuzz_corpus", "#!/bin/sh\n")
    program(programs / "fuzz_x", FUZZ_TARGET)
    corpus = tmp_path / "corpus"
    names = {str(i) for i in range(20)}
    for name in names:
        (corpus / "x").mkdir(parents=True, exist_ok=True)
        (corpus / "x" / name).touch()
    command = [CONTRIB / "fuzz/run.sh", "--seconds", "1", "--build", tmp_path / "build", "--corpus", corpus, "x"]
    with subprocess.Popen([*command, "--minimize"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        wait_for(programs / "merging")
        others = [subprocess.run([*command, *option], capture_output=True, text=True, check=False) for option in (["--minimize"], [])]
        (programs / "go").touch()
        output, error = first.communicate(timeout=PATIENCE)
    assert first.returncode == 0 and "20 inputs minimized to 20" in output, output + error
    for other in others:
        assert other.returncode == 1 and other.stdout == "" and "another run works on" in other.stderr, other
    assert {path.name for path in (corpus / "x").iterdir()} == names
    # The next run may, and so may several that only add to it.
    for option in (["--minimize"], []):
        assert subprocess.run([*command, *option], capture_output=True, check=False).returncode == 0
    with open(f"{corpus}.lock") as another:
        subprocess.run(["flock", "-s", str(another.fileno())], pass_fds=[another.fileno()], check=True)
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_mutations_in_one_folder(tmp_path, capsys):
    """A second run would write the checkout's files over the first one's mutant, which then survives."""
    run = module("mutation/run.py")
    first = run.Copy(tmp_path / "work", "1")
    with pytest.raises(SystemExit) as stopped:
        run.Copy(tmp_path / "work", "1")
    assert stopped.value.code == 2
    assert capsys.readouterr().err == f"another run is at work in {tmp_path}/work (--work names another folder)\n"
    first.lock.close()
    run.Copy(tmp_path / "work", "1")


def test_node_built_once_at_a_time(tmp_path):
    """Two builds in one folder write the same files; and what the first one leaves running keeps no second one waiting."""
    copy(tmp_path, "bitcoin-core/build.sh", "jobs.sh", "core-differential/fetch_core.sh")
    (tmp_path / "contrib/bitcoin-core/integrate.py").touch()
    (tmp_path / "core/src/script").mkdir(parents=True)
    (tmp_path / "core/src/script/interpreter.cpp").touch()
    log, server, go = tmp_path / "log", tmp_path / "server", tmp_path / "go"
    program(tmp_path / "bin/cmake", f"""#!/bin/bash
echo "$PPID $*" >>"{log}"
case "$*" in
  *--build*/slhconsensus*)
    [ ! -e "{go}" ] || exit 0
    sleep {PATIENCE} >/dev/null 2>&1 &
    echo $! >"{server}.new"; mv "{server}.new" "{server}"
    for ((i = 0; i < 1000; ++i)); do [ ! -e "{go}" ] || break; sleep 0.01; done ;;
  --install*) mkdir -p "{tmp_path}/node/prefix/lib" ;;
esac
""")
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "BITCOIN_CORE_SRC": str(tmp_path / "core")}
    environment.pop("SLHC_MODULE_BUILD", None)

    def start() -> subprocess.Popen:
        return subprocess.Popen([tmp_path / "contrib/bitcoin-core/build.sh", tmp_path / "node"], env=environment, stdout=subprocess.PIPE, text=True)
    with start() as first:
        wait_for(server)
        try:
            with start() as second:
                says = second.stdout.readline()
                go.touch()
                output = second.communicate(timeout=PATIENCE / 2)[0]
        finally:
            os.kill(int(server.read_text()), signal.SIGKILL)
        first.communicate(timeout=PATIENCE)
    assert "waiting for another build.sh" in says
    assert (first.returncode, second.returncode) == (0, 0), output
    by = [int(line.split()[0]) for line in log.read_text().splitlines()]
    assert by == 5 * [first.pid] + 5 * [second.pid], log.read_text()


def test_worst_case_out(tmp_path, monkeypatch, capsys):
    """Where the results cannot be written, that is said before an hour of measuring; and what fails only then costs no results."""
    worst_case = module("bench/worst_case.py")
    monkeypatch.setattr(worst_case, "tables", lambda results: {"measured": f"{results['ms']} ms"})
    monkeypatch.setattr(worst_case.cost_model, "TABLES", {})
    folder = tmp_path / "folder"
    out = folder / "results.json"

    def run(path: Path, what_happens=lambda: None) -> tuple[str | None, str, str]:
        """The error, what was printed, and whether it was measured."""
        measured = []

        def measure(options):
            measured.append("measured")
            what_happens()
            return {"ms": 5}
        monkeypatch.setattr(worst_case, "measure", measure)
        monkeypatch.setattr(sys, "argv", ["worst_case.py", "--out", str(path)])
        error = None
        try:
            worst_case.main()
        except SystemExit as stopped:
            error = stopped.code
        return error, capsys.readouterr().out, "".join(measured)
    error, printed, measured = run(out)
    assert (error, printed, measured) == (f"worst_case.py: --out: {out}: No such file or directory", "", "")
    folder.mkdir()
    error, printed, measured = run(folder)
    assert error == f"worst_case.py: --out: {folder} is a folder" and not measured
    assert run(out) == (None, "measured\n\n5 ms\n", "measured")
    assert out.read_text() == '{"ms": 5}' and [path.name for path in folder.iterdir()] == ["results.json"]
    error, printed, measured = run(out, lambda: shutil.rmtree(folder))
    assert (error, printed) == (f"worst_case.py: --out: {out}: No such file or directory", "measured\n\n5 ms\n")
    device = tmp_path / "device"
    device.symlink_to("/dev/null")
    assert run(device) == (None, "measured\n\n5 ms\n", "measured") and device.is_symlink()


# As npm without a network: says why unless it is told to be silent, and takes more than a minute for its usual two retries.
NPM_REASON = "npm error request to https://registry.example/@noble%2fpost-quantum failed, reason: getaddrinfo EAI_AGAIN registry.example"
NPM = f"""#!/bin/bash
case " $* " in *" --silent "* | *" --loglevel=silent "*) exit 1 ;; esac
case " $* " in *" --fetch-retries="[01]" "*) ;; *) echo "npm error a minute later"; exit 1 ;; esac
cat >&2 <<END
npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error errno EAI_AGAIN
{NPM_REASON}
npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log
END
exit 1
"""


def test_peers_without_network(tmp_path):
    """Each implementation that is left out has the reason beside it."""
    program(tmp_path / "bin/node", "#!/bin/sh\n")
    program(tmp_path / "bin/npm", NPM)
    program(tmp_path / "bin/cargo", "#!/bin/sh\necho 'error: no network' >&2\nexit 101\n")
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    result = subprocess.run([CONTRIB / "differential/setup_peers.sh", tmp_path / "peers"], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result
    assert result.stdout.splitlines() == [f"noble: left out: {NPM_REASON}", f"p2mr: left out: {NPM_REASON}", "rustcrypto, fips205: left out: error: no network"]


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="there is no dpkg")
def test_packages_that_are_installed(tmp_path):
    """Those on hold are. Those of another architecture do not count, nor those that were removed."""
    native = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    other = "s390x" if native != "s390x" else "amd64"
    packages = [("plain", "install ok installed", native), ("held", "hold ok installed", native), ("script", "install ok installed", "all"),
                ("foreign", "install ok installed", other), ("both", "install ok installed", native), ("both", "install ok installed", other),
                ("removed", "deinstall ok config-files", native)]
    database = tmp_path / "dpkg"
    for folder in "info", "updates", "triggers":
        (database / folder).mkdir(parents=True)
    (database / "available").touch()
    (database / "arch").write_text(f"{native}\n{other}\n")
    (database / "status").write_text("".join(
        f"Package: {name}\nStatus: {status}\nMaintainer: somebody\nArchitecture: {architecture}\nMulti-Arch: same\nVersion: 1\nDescription: a package\n\n"
        .replace("Architecture: all\nMulti-Arch: same", "Architecture: all") for name, status, architecture in packages))
    for name in "apt-get", "sudo":
        program(tmp_path / "bin" / name, "#!/bin/sh\n")  # nothing is installed
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "DPKG_ADMINDIR": str(database)}
    command = [CONTRIB / "install-deps.sh", "--packages", *dict.fromkeys(name for name, *_ in packages), "unknown"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "Installing Debian packages: foreign removed unknown\n"), result


@pytest.mark.parametrize("command", [["bash", "contrib/release/reproduce.sh"], [sys.executable, "-B", "contrib/mutation/run.py"]])
def test_sources_without_git(tmp_path, command):
    """An unpacked archive is no checkout: one line says so, before anything is built."""
    copy(tmp_path, "release/reproduce.sh", "mutation/run.py", "python/jobs.py", "jobs.sh")
    (tmp_path / "contrib/mutation/mutations.toml").write_text("mutation = []\n")
    (tmp_path / "temporary").mkdir()
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "LC_ALL": "C", "TMPDIR": str(tmp_path / "temporary")}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 2 and result.stdout == "", result
    assert re.fullmatch(r"(reproduce.sh: )?this needs a git checkout: fatal: not a git repository.*\n", result.stderr), result.stderr
    assert not list((tmp_path / "temporary").iterdir())


# regtest.py with an experiment that lasts until its input ends
EXPERIMENT = """
import sys
import regtest
def run(args, bitcoind, folder):
    (folder / "chain").touch()
    print("running", flush=True)
    sys.stdin.read()
regtest.run, regtest.enter_environment = run, lambda: None
sys.argv = ["regtest.py", "--bitcoind", sys.executable]
sys.exit(regtest.main())
"""


def test_interrupted_experiment(tmp_path):
    """regtest.py leaves nothing behind when it is told to end, or its terminal is closed; under nohup, that is nothing to it."""
    for number, ignored in ((signal.SIGTERM, False), (signal.SIGHUP, False), (signal.SIGHUP, True)):
        folder = tmp_path / f"{number}-{ignored}"
        folder.mkdir()
        environment = os.environ | {"TMPDIR": str(folder), "PYTHONPATH": str(CONTRIB / "bitcoin-core")}
        command = [*(["nohup"] if ignored else ["env", "--default-signal=HUP"]), sys.executable, "-B", "-c", EXPERIMENT]
        with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "running\n"
            assert len(list(folder.glob("slhconsensus-regtest-*/chain"))) == 1
            process.send_signal(number)
            if ignored:
                time.sleep(0.1)
            output = process.communicate(timeout=PATIENCE)
        assert process.returncode == (0 if ignored else 130), output
        assert not list(folder.iterdir())

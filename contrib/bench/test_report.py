# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What run.py shows: arithmetic, tables, files that are no results, and the page in a browser.

SLHC_BENCH_BUILD names a build whose benchmarks a short run of run.py measures; without it, that test is skipped.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import device  # noqa: E402
import prepare  # noqa: E402
from report import document, machine, page, plots, results, suite, tables, targets  # noqa: E402
from report.results import Results, Series  # noqa: E402


def verify(by, batch, samples, reference_samples=(), **members):
    return Series("verify", by, members.pop("ours", True), "us", "signature", "CPU", batch=batch, samples=list(samples),
                  reference="BIP 340" if reference_samples else "", reference_samples=list(reference_samples), **members)


@pytest.fixture
def run():
    """A run whose every figure is known."""
    about = {"machine": {"processor": "A processor", "core": "Zen 4", "family": 25, "model": 17, "threads": 2, "memory_gib": 24, "system": "Debian", "kernel": "6", "load": 2.5, "ghz": 4.0},
             "versions": {"libsecp256k1": "0.2.0", "rustc": "rustc 1.85.0"}, "compiler": "gcc", "commit": "abc", "date": "2026-01-01",
             "options": {"rounds": 5}, "complete": True, "missing": {"slhvk": "<not> given"}}
    return Results(about, [
        verify("cpu:avx512", 1, [50, 40, 60], [40, 40, 40]),
        verify("cpu:avx512", 512, [30, 20, 40], [60, 20, 60]),
        verify("Another", 1, [100, 200], ours=False),
        Series("threads", "cpu:avx512", True, "us", "signature", "wall", threads=2, samples=[16, 20],
               reference="one thread", reference_samples=[30, 37.5]),
        Series("sign", "cpu:avx512", True, "ms", "signature", "CPU", samples=[25]),
        Series("sign", "cpu:avx512", True, "ms", "signature", "CPU", variant="top tree remembered", samples=[20]),
        Series("sign", "Another", False, "ms", "signature", "CPU", samples=[100]),
        Series("block", "cpu", True, "ms", "block", "wall", what="489 spends", samples=[16.1]),
        Series("worst", "today's rules", True, "ms", "block", "CPU", what="hashes", samples=[10], reference="Core", reference_samples=[11]),
        Series("worst", "today's rules", True, "ms", "block", "CPU", what="signatures", samples=[200], reference="Core", reference_samples=[190]),
    ])


def test_a_ratio_is_that_of_pairs(run):
    batch = run.group("verify")[1]
    assert batch.median == 30
    assert batch.ratio == 1.5  # of 60/30, 20/20, 60/40; the medians' would be 2


def test_rounds_are_added_up(run):
    run.add(verify("cpu:avx512", 512, [10], [10]))
    run.add(verify("cpu:avx512", 8, [33]))
    assert run.group("verify")[1].samples == [30, 20, 40, 10]
    assert [s.batch for s in run.group("verify")] == [1, 512, 1, 8]


def test_what_is_added_stays_as_it_was():
    """Two series may come with the same list: each adds to its own."""
    run = Results({})
    for _ in range(3):
        both = [40]
        run.add(dataclasses.replace(verify("cpu:a", 512, [20]), reference="BIP 340", reference_samples=both))
        run.add(dataclasses.replace(verify("cpu:b", 512, []), samples=both))
        assert both == [40]
    assert [(s.samples, s.reference_samples) for s in run.group("verify")] == [([20] * 3, [40] * 3), ([40] * 3, [])]


def test_samples_and_references_are_pairs(run):
    with pytest.raises(ValueError, match="cpu:avx512: 1 samples, but 2 of the reference"):
        run.add(verify("cpu:avx512", 512, [10], [10, 10]))
    with pytest.raises(ValueError, match="cpu:avx512: 4 samples, but 3 of the reference"):
        run.add(dataclasses.replace(verify("cpu:avx512", 512, [10]), reference="BIP 340"))
    with pytest.raises(ValueError, match="beside 'BIP 340', then beside 'OpenSSL'"):
        run.add(dataclasses.replace(verify("cpu:avx512", 512, [10], [10]), reference="OpenSSL"))
    assert run.group("verify")[1].samples == [30, 20, 40]
    with pytest.raises(ValueError):
        _ = dataclasses.replace(verify("cpu:avx512", 512, [10]), reference_samples=[1, 2]).ratio


LAVAPIPE = {"vulkan:0": "llvmpipe (LLVM 15.0.6, 256 bits) (cpu, Vulkan 1.3.230, driver version 0.0.1, llvmpipe, Mesa 22.3.6 (LLVM 15.0.6))"}
GPU = {"vulkan:0": "NVIDIA H200 (discrete, Vulkan 1.3.289, driver version 560.35.3, NVIDIA, 560.35.03)"}


def bench_row(name, **members):
    return {"name": f"{name}/manual_time", **members}


def several_times(rows, context=None, rounds=3):
    """The series of as many rounds, in each of which bench_slhconsensus prints the same rows."""
    run = Results({"machine": {"core": "Zen 4"}, "devices": suite.devices(context or {}), "options": {"rounds": rounds}})
    for _ in range(rounds):
        for row in rows:
            for series in suite._from_bench(row, context or {}):
                run.add(series)
    return run


def test_rounds_of_the_benchmark():
    rows = [bench_row("verify/avx2/batch:512", us=50, bip340_us=50),
            bench_row("verify/avx2/threads:2", us=26, one_us=49.4, scaling=0.95, cpu_scaling=1),
            bench_row("sign/avx2", us=40_000, openssl_us=120_000), bench_row("sign/avx2/cached", us=30_000, openssl_us=120_000),
            bench_row("keygen/avx2", us=5_000)]
    run = several_times(rows, rounds=5)
    found = {(s.group, s.label, s.batch, s.threads, s.clock): (len(s.samples), len(s.reference_samples), s.ratio)
             for group in results.GROUPS for s in run.group(group)}
    assert found == {
        ("verify", "cpu:avx2", 512, 1, "CPU"): (5, 5, 1.0),
        ("threads", "cpu:avx2", 1, 2, "wall"): (5, 5, pytest.approx(1.9)),
        ("sign", "cpu:avx2", 1, 1, "CPU"): (5, 5, 3.0),
        ("sign", "cpu:avx2, top tree remembered", 1, 1, "CPU"): (5, 5, 4.0),
        ("keygen", "cpu:avx2", 1, 1, "CPU"): (5, 0, None),
    }
    assert run.group("threads")[0].reference == "one thread"
    target, = (t for t in targets.targets(run) if "threads" in t.what)
    assert (target.what, target.measured, target.met) == ("2 threads, share of 2 times one thread (cpu:avx2)", "0.95", True)


@pytest.mark.parametrize("context, clock", [(LAVAPIPE, "CPU"), (GPU, "wall"), ({}, None), ({"vulkan:0": "Odd (virtual, driver)"}, None),
                                            ({"vulkan:0": "Odd"}, None)])
def test_what_of_a_device_is_beside_one_core(context, clock):
    """A driver that computes on all cores is not compared with one of them by wall-clock time, and nothing is that is not known."""
    run = several_times([bench_row("vulkan:0/batch:512", us=50, cpu_us=90, bip340_us=45)], context)
    assert not run.group("verify")
    found = {s.clock: (s.median, s.ratio) for s in run.group("devices")}
    assert found == {"wall": (50, 0.9 if clock == "wall" else None), "CPU": (90, 0.5 if clock == "CPU" else None)}
    assert run.group("devices")[0].samples == [50] * 3


def test_devices_are_named():
    assert suite.devices({"compiler": "GNU", **LAVAPIPE, "vulkan:1": GPU["vulkan:0"]}) == {
        "vulkan:0": {"name": "llvmpipe (LLVM 15.0.6, 256 bits)", "type": "cpu",
                     "driver": "Vulkan 1.3.230, driver version 0.0.1, llvmpipe, Mesa 22.3.6 (LLVM 15.0.6)"},
        "vulkan:1": {"name": "NVIDIA H200", "type": "discrete", "driver": "Vulkan 1.3.289, driver version 560.35.3, NVIDIA, 560.35.03"}}
    row = bench_row("vulkan:0/batch:512", us=50, cpu_us=90, bip340_us=45)
    for context, says in (
            (LAVAPIPE, "vulkan:0 is llvmpipe (LLVM 15.0.6, 256 bits) (type cpu, which computes on the processor's own cores; Vulkan 1.3.230"),
            (GPU, "vulkan:0 is NVIDIA H200 (type discrete; Vulkan 1.3.289"),
            ({}, "Which device vulkan:0 is was not recorded, so there is no ratio to one core's BIP 340.")):
        table, = (t for t in tables.tables(several_times([row], context)) if t.title == "Verification on devices")
        assert says in table.about
        assert ("times as fast" in table.columns) == bool(context)


def test_what_is_beside_slhvk(tmp_path, monkeypatch):
    printed = "ours: vulkan:0 llvmpipe (cpu)\n\n| batch | ...\n| 64 | 110.0 | 250.0 | 2.27 | 70.0 | 245.0 | 3.50 | 0 | 0 of 1 |\n"
    monkeypatch.setattr(suite, "_run", lambda *_: printed)
    made = suite.slhvk(suite.Options(build=tmp_path, peers=tmp_path, quick=True, core=0, slhvk=tmp_path))[0].run()
    assert [(s.group, s.label, s.clock, s.batch, s.ratio) for s in made] == [
        ("devices", "vulkan:0, beside slhvk", "CPU", 64, pytest.approx(250 / 110)), ("devices", "vulkan:0, beside slhvk", "wall", 64, 3.5)]
    monkeypatch.setattr(suite, "_run", lambda *_: printed.partition("\n")[2])
    with pytest.raises(suite.Missing, match="which device"):
        suite.slhvk(suite.Options(build=tmp_path, peers=tmp_path, quick=True, core=0, slhvk=tmp_path))[0].run()


class Jit:
    """A peer whose first answer to each question takes ten times as long as all later ones."""

    name = "noble"

    def __init__(self):
        self.asked = set()

    def ask(self, questions):
        return ["1", "0"]

    def close(self):
        pass

    def time(self, questions):
        answers = {"verify": "1", "sign": "c0", "keygen": "b0"}
        seconds = sum(1e-3 if question in self.asked else 1e-2 for question in questions)
        self.asked.update(questions)
        return seconds, [answers[question.split()[0]] for question in questions]


def test_compilers_of_peers_are_warm(tmp_path, monkeypatch):
    corpus = [{"seed": f"{i:02x}", "sk": "a0", "pk": "b0", "message": f"{i:02x}", "signature": "c0"} for i in range(8)]
    monkeypatch.setattr(suite.peer_processes, "start_peers", lambda *_: ([Jit()], []))
    monkeypatch.setattr(suite, "make_corpus", lambda *_: corpus)
    task, = suite.peers(suite.Options(build=tmp_path, peers=tmp_path, quick=False, core=0))
    for _ in range(2):
        made = {s.group: s.samples for s in task.run()}
        assert made == {"verify": [pytest.approx(1e3)], "sign": [pytest.approx(1)], "keygen": [pytest.approx(1)]}


def test_share_of_the_bound(run):
    # 2194 compressions of 44.8 cycles at 4 GHz: 24.6 us
    assert run.of_bound(run.group("verify")[1]) == pytest.approx(2194 * 44.8 / 4000 / 30)
    del run.about["machine"]["ghz"]
    assert run.of_bound(run.group("verify")[1]) is None
    run.about["machine"].update(ghz=4.0, core="unknown")
    assert run.of_bound(run.group("verify")[1]) is None


def test_tables_say_what_is_compared_with_what(run):
    text = tables.markdown(run)
    assert "| cpu:avx512 | 512 | CPU | 30.0 | 20.0 to 40.0 | 3 | 1.50 x BIP 340 | 82% |" in text
    assert "| Another | 1 | CPU | 150 | 100 to 200 | 2 |  |  | 3.00 x, 5.00 x in a batch of 512 |" in text
    assert "| Another | CPU | 100 | one sample | 1 | 4.00 x |" in text  # our 25, not what took 20 because it remembered something
    assert "| cpu:avx512, top tree remembered | CPU | 20.0 | one sample | 1 |  |" in text
    assert "| cpu:avx512 | 2 | wall | 18.0 | 16.0 to 20.0 | 2 | 1.88 x one thread |" in text
    assert "the load before it was 2.5" in text and "slhvk (<not> given)" in text
    assert "Versions: libsecp256k1 0.2.0, rustc 1.85.0." in text
    run.about["complete"] = False
    assert "interrupted" in tables.markdown(run)


def test_few_rounds_are_said(run, tmp_path, monkeypatch, capsys):
    assert ", 5 rounds; the load" in tables.describe(run) and "chance" not in tables.describe(run)
    run.about["options"]["rounds"] = 2
    run.about["notes"] = ["Something was <left> out."]
    for text in (tables.markdown(run), page.page([run])):
        assert ", 2 rounds; the load" in text and "With fewer than 5 rounds, a difference within the spreads may be chance." in text
    assert "Something was <left> out." in tables.markdown(run) and "Something was &lt;left&gt; out." in page.page([run])
    run.save(tmp_path / "a.json")
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])
    import run as program
    monkeypatch.setattr(program, "results", results, raising=False)
    assert len(program.load([tmp_path / "a.json"])) == 1
    assert "a.json: rounds: 2, fewer than 5" in capsys.readouterr().err


def test_files_come_back(run, tmp_path):
    run.save(tmp_path / "a.json")
    again = results.load(tmp_path / "a.json")
    assert tables.markdown(again) == tables.markdown(run)
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize("spoil, says", [
    (lambda data: data.update(format=1), "its format is not 2"),
    (lambda data: data.pop("format"), "not a file of results"),
    (lambda data: data.pop("machine"), "not a file of results"),
    (lambda data: data["series"][0].update(group="other"), "group 'other'"),
    (lambda data: data["series"][0].update(samples=[]), "group 'verify' is unknown or empty"),
    (lambda data: data["series"][0].pop("by"), "not a file of results"),
    (lambda data: data["series"][0].update(more=1), "not a file of results"),
    (lambda data: data["series"][0]["reference_samples"].append(40), "3 samples, but 4 of the reference"),
    (lambda data: data["options"].pop("rounds"), "not a file of results"),
])
def test_files_that_are_not_results(run, tmp_path, spoil, says):
    path = tmp_path / "a.json"
    run.save(path)
    data = json.loads(path.read_text())
    spoil(data)
    path.write_text(json.dumps(data))
    with pytest.raises(results.ResultsError, match=says):
        results.load(path)
    for text in ["", "[]", "{"]:
        path.write_text(text)
        with pytest.raises(results.ResultsError, match="a.json"):
            results.load(path)
    with pytest.raises(results.ResultsError, match="No such file"):
        results.load(tmp_path / "none.json")


def test_side_by_side(run):
    other = Results({**run.about, "machine": {**run.about["machine"], "core": "Zen 5"}}, [verify("cpu:avx512", 512, [15], [30]), verify("cpu:avx2", 512, [80])])
    table = tables.compare([run, other])
    assert table.columns[-2:] == ["Zen 4, 2 threads", "Zen 5, 2 threads"]
    assert [row[-2:] for row in table.rows] == [["30.0 (1.50 x BIP 340)", "15.0 (2.00 x BIP 340)"]]


def test_targets(run):
    run.add(Series("sign", "OpenSSL (openssl-src)", False, "ms", "signature", "CPU", samples=[100]))
    run.add(Series("start", "slhtool verify, backend auto", True, "ms", "process", "wall", samples=[21]))
    run.add(Series("start", "slhtool verify, backend cpu", True, "ms", "process", "wall", samples=[10]))
    run.add(Series("block", "cpu", True, "ms", "block", "wall", what="489 spends, deferred", samples=[11]))
    run.add(Series("block", "cpu", True, "ms", "block", "wall", what="489 spends, signatures alone", samples=[10]))
    run.add(Series("node", "cpu:avx512", True, "ms", "block", "wall", what="SLH-DSA, each at once, 481 signatures", samples=[20]))
    run.add(Series("node", "cpu:avx512", True, "ms", "block", "wall", what="SLH-DSA, deferred, CPU, 481 signatures", samples=[15]))
    run.add(Series("node", "cpu:avx512, vulkan:0", True, "ms", "block", "wall", what="SLH-DSA, deferred, Vulkan, 481 signatures", samples=[40]))
    run.add(Series("devices", "vulkan:0", True, "us", "signature", "wall", batch=64, variant="beside slhvk", samples=[10],
                   reference="slhvk", reference_samples=[45]))
    found = {target.what: (target.measured, target.met) for target in targets.targets(run)}
    assert found == {
        "one core, batch of 512, against BIP 340 (cpu:avx512)": ("1.5 x", False),
        "one core, one signature, against BIP 340 (cpu:avx512)": ("0.8 x", False),
        "one core, batch of 512, share of the arithmetic bound (cpu:avx512)": ("82%", False),
        "vulkan:0 (device not recorded), batch of 64, against slhvk": ("4.5 x", True),
        "2 threads, share of 2 times one thread (cpu:avx512)": ("0.938", False),
        "signing, one core, against OpenSSL (cpu:avx512)": ("4 x", False),
        "a process that verifies one signature, beyond one whose backend is named": ("11 ms", False),
        "a full block of SLH-DSA spends, beside its signatures alone, threads: 1": ("1.1 x", True),
        "a full block on the regtest node, deferred, beside each signature at once": ("0.75 x", True),
        "the most expensive of all blocks, beside Bitcoin Core's interpreter": ("1.05 x", True),
    }


def test_a_target_that_is_just_missed():
    """Nobody reads that 1.55 is less than 1.55."""
    for value, shown in ((1.549, "1.549"), (1.5496, "1.5496"), (1.55, "1.55"), (1.5, "1.5"), (1.552, "1.552"), (1.6, "1.6")):
        target, = targets._at_least("", 1.55, value)
        assert (target.measured, target.met) == (f"{shown} x", value >= 1.55)
    target, = targets._at_most("", 10, 10.04, " ms")
    assert (target.measured, target.met) == ("10.04 ms", False)
    assert targets._shown(0.847, 0.85, "%", 0) == "84.7%" and targets._shown(0.75, 0.85, "%", 0) == "75%"


def test_blocks_of_a_reindex(tmp_path, monkeypatch):
    """What bench_reindex prints becomes samples per block, each beside the Schnorr blocks of the same turn, in every round."""
    for name in ("bench_blocks", "bench_reindex"):
        (tmp_path / "src/bench").mkdir(parents=True, exist_ok=True)
        (tmp_path / "src/bench" / name).touch()
    runs = [{"kind": kind, "what": what, "threads": 1, "backend": "cpu:avx2", "one_by_one": {"turns_wall_s": one},
             "queued": {"turns_wall_s": queued}}
            for kind, what, one, queued in (("slhdsa", "SLH-DSA spends", [0.2, 0.1], [0.1, 0.1]), ("schnorr", "Schnorr spends", [2, 1], [1, 2]))]
    monkeypatch.setattr(suite, "_run", lambda command, *_: json.dumps({"segment": 10, "runs": runs}))
    task = next(task for task in suite.blocks(suite.Options(build=tmp_path, peers=tmp_path, quick=True, core=0)) if task.name == "reindex")
    run = Results({})
    for _ in range(3):
        for series in task.run():
            run.add(series)
    made = {s.what: s for s in run.group("reindex")}
    assert {what: (len(s.samples), len(s.reference_samples)) for what, s in made.items()} == {
        "SLH-DSA spends, one by one": (6, 6), "SLH-DSA spends, queued": (6, 6),
        "Schnorr spends, one by one": (6, 0), "Schnorr spends, queued": (6, 0)}
    assert made["SLH-DSA spends, one by one"].samples == [20, 10] * 3 and made["SLH-DSA spends, one by one"].ratio == 10
    assert made["SLH-DSA spends, queued"].ratio == 15
    assert made["Schnorr spends, queued"].samples == [100, 200] * 3 and made["Schnorr spends, queued"].ratio is None


def test_names_of_cores():
    assert machine.core_name("AuthenticAMD", 25, 17) == "Zen 4"
    assert machine.core_name("AuthenticAMD", 26, 2) == "Zen 5"
    assert machine.core_name("GenuineIntel", 6, 143) == "Sapphire Rapids"
    assert machine.core_name("GenuineIntel", 6, 1) == ""


def test_plots(run, tmp_path):
    figures = plots.draw(run)
    assert list(figures) == ["throughput", "scaling", "block", "bound", "worst"]
    plots.save(figures, tmp_path)
    for name in figures:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert plots.INK not in (tmp_path / f"{name}.svg").read_text()
    assert plots.svg(figures["bound"], "red") == plots.svg(plots.draw(run)["bound"], "red")  # the same run, the same bytes
    assert plots.draw(Results(run.about)) == {}


def curves(figure):
    return {container.get_label(): container.lines[0].get_xydata().tolist() for container in figure.axes[0].containers}


def test_each_line_of_the_plots_is_one_thing(run):
    """Devices have a plot of their own, in wall-clock time; what was measured once more beside slhvk is no curve in it, slhvk is."""
    assert plots.devices(run) is None
    run.about["devices"] = suite.devices(LAVAPIPE)
    for clock, ours, theirs in (("CPU", 20, 90), ("wall", 10, 45)):
        for batch in (1, 64):
            run.add(Series("devices", "vulkan:0", True, "us", "signature", clock, batch=batch, samples=[ours]))
            run.add(Series("devices", "vulkan:0", True, "us", "signature", clock, batch=batch, variant="beside slhvk", samples=[ours],
                           reference="slhvk", reference_samples=[theirs]))
    assert set(curves(plots.throughput(run))) == {"cpu:avx512"}
    assert curves(plots.devices(run)) == {"vulkan:0 (llvmpipe (LLVM 15.0.6, 256 bits))": [[1, 1e5], [64, 1e5]],
                                          "slhvk": [[1, 1e6 / 45], [64, 1e6 / 45]]}
    assert curves(plots.scaling(run)) == {"cpu:avx512": [[2, 1.875]]}  # pair by pair


def test_documentation_is_what_its_runs_say():
    """After a change to a committed run, or to what is made of it, run run.py --document."""
    runs = sorted((HERE.parents[1] / "doc/benchmarks").glob("*.json"))
    if not runs:
        pytest.skip("no run is committed")
    assert (HERE.parents[1] / "doc/benchmarks.md").read_text(encoding="utf-8") == document.text([results.load(path) for path in runs])


def test_committed_runs_are_as_they_were_saved(tmp_path):
    for path in (HERE.parents[1] / "doc/benchmarks").glob("*.json"):
        results.load(path).save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def test_committed_results_name_no_path_of_this_checkout():
    import run as program
    assert program.reason(suite.Missing(f"{prepare.ROOT / 'build/node'} is not built")) == "build/node is not built"
    assert program.reason(KeyError()) == "KeyError"


def test_plot_of_the_documentation_is_that_of_the_newest_run(run, monkeypatch, tmp_path):
    older = Results({**run.about, "date": "2025-12-31"})
    plotted = []
    monkeypatch.setattr(plots, "throughput", plotted.append)
    for runs in ([older, run], [run, older]):
        document.write(runs, tmp_path)
    assert plotted == [run, run]


def test_device_runs_every_suite_of_its_backend():
    found = set()
    for path in (HERE.parents[1] / "src/test").glob("*.cpp"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"BOOST_AUTO_TEST_SUITE\((vulkan_\w+|root_computer_tests|several_devices_tests)\b", text))
    found -= {"vulkan_choice_tests", "vulkan_loader_tests"}  # the one opens no device, the other's cannot be opened
    assert found == set(device.SUITES.split(":"))


def test_builds(tmp_path, monkeypatch, capfd):
    """What a folder lacks is configured; what CMake says goes to the log, or to standard error, and a failure is one line."""
    cmake = tmp_path / "cmake"
    cmake.write_text('#!/bin/sh\necho "cmake $*"\n[ "$1" != --build ] || [ ! -e "$2/broken" ]\n')
    cmake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("CMAKE_BUILD_PARALLEL_LEVEL", "3")
    monkeypatch.setattr(sys, "argv", ["/some/where/program.py"])
    parts = "-DSLHC_BUILD_BENCH=ON -DSLHC_BUILD_TOOL=ON"
    prepare.build(tmp_path, ["a", "b"])
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"cmake --preset release -B {tmp_path} {parts}\ncmake --build {tmp_path} --parallel 3 --target a b\n"
    (tmp_path / "CMakeCache.txt").touch()
    prepare.build(tmp_path, ["test_slhconsensus"], tmp_path / "more/log")
    assert (tmp_path / "more/log").read_text() == \
        f"cmake -S {HERE.parents[1]} -B {tmp_path} {parts} -DSLHC_BUILD_TESTS=ON\ncmake --build {tmp_path} --parallel 3 --target test_slhconsensus\n"
    (tmp_path / "broken").touch()
    with pytest.raises(SystemExit, match=r"^program.py: Command .* returned non-zero exit status 1.; its output is in .*/more/log$"):
        prepare.build(tmp_path, ["a"], tmp_path / "more/log")


def run_without_building(tmp_path, program, *arguments):
    """Run a program of this folder, and see that it does not call CMake."""
    cmake = tmp_path / "cmake"
    cmake.write_text(f'#!/bin/sh\ntouch {tmp_path}/ran\n')
    cmake.chmod(0o755)
    done = subprocess.run([sys.executable, str(HERE / program), *map(str, arguments)], env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
                          capture_output=True, text=True, check=False)
    assert not (tmp_path / "ran").exists()
    return done


@pytest.mark.parametrize("program, arguments, status, says", [("device.py", [], 77, "no Vulkan device here"),
                                                              ("run.py", ["--peers", "/none", "--only", "nothing"], 1, "nothing to measure")])
def test_what_another_machine_built(program, arguments, status, says, tmp_path):
    """With --no-build, the programs of the build folder are taken as they are."""
    bench = tmp_path / "build/src/bench/bench_slhconsensus"
    bench.parent.mkdir(parents=True)
    bench.write_text("#!/bin/sh\n[ \"$1\" = --benchmark_list_tests ] || echo '{}'\n")
    bench.chmod(0o755)
    done = run_without_building(tmp_path, program, "--no-build", "--build", tmp_path / "build", *arguments)
    assert done.returncode == status and says in done.stdout + done.stderr, done.stdout + done.stderr
    none = run_without_building(tmp_path, program, "--no-build", "--build", tmp_path / "none", *arguments)
    assert none.returncode == 1 and "Traceback" not in none.stderr and "none" in none.stdout + none.stderr, none.stdout + none.stderr


def test_listing_builds_nothing(tmp_path):
    """It names what is missing, which may be the build."""
    done = run_without_building(tmp_path, "run.py", "--list", "--build", tmp_path / "none", "--peers", tmp_path / "none")
    assert done.returncode == 0 and "missing: " in done.stdout and "building" not in done.stdout, done.stdout + done.stderr


def test_environment_is_entered_once(monkeypatch):
    prepare.enter_environment()  # it is where this test runs
    monkeypatch.setattr(prepare, "MODULES", ("no_such_module",))
    monkeypatch.setattr(sys, "argv", [str(HERE / "run.py"), "--quick"])
    monkeypatch.delenv(prepare.IN_ENVIRONMENT, raising=False)
    monkeypatch.setenv("SLHC_REQUIREMENTS", "")
    started = []
    monkeypatch.setattr(os, "execv", lambda program, command: started.append((program, command)))
    prepare.enter_environment()
    (program, command), = started
    assert program == command[0] and program.endswith("contrib/python/with-env.sh") and command[-2:] == [str(HERE / "run.py"), "--quick"]
    with pytest.raises(SystemExit, match="run.py: no_such_module"):
        prepare.enter_environment()


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, without a window; skipped where there is none."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


def check_page(browser, path, plots_wanted, **look):
    """Open a page: nothing in the console, nothing fetched, plots visible, tables that sort; wide content scrolls inside its box."""
    opened = browser.new_page(**look)
    said, fetched = [], []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda request: fetched.append(request.url))
    opened.goto(path.as_uri())
    assert said == []
    assert [url for url in fetched if not url.startswith("data:")] == [path.as_uri()]
    pictures = opened.locator("figure svg")
    assert pictures.count() == plots_wanted
    for i in range(plots_wanted):
        box = pictures.nth(i).bounding_box()
        assert box["width"] > 200 and box["height"] > 50
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return opened


@pytest.mark.parametrize("look", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}])
def test_page(run, tmp_path, browser, look):
    path = tmp_path / "report.html"
    path.write_text(page.page([run]), encoding="utf-8")
    opened = check_page(browser, path, 5, **look)
    assert "slhvk (<not> given)" in opened.inner_text("body")
    ink, paper = opened.evaluate("[getComputedStyle(document.querySelector('figure svg text')).fill, getComputedStyle(document.body).backgroundColor]")
    assert ink != paper
    table = opened.locator("table", has=opened.locator("th", has_text="us per signature")).first
    column = table.locator("th", has_text="us per signature")
    at = column.evaluate("cell => cell.cellIndex")
    figures = lambda: [float(row.locator("td").nth(at).inner_text()) for row in table.locator("tbody tr").all()]  # noqa: E731
    before = figures()
    column.locator("button").click()
    assert figures() == sorted(before) and column.get_attribute("aria-sort") == "ascending"
    column.locator("button").click()
    assert figures() == sorted(before, reverse=True)
    opened.close()


def test_page_of_several_runs(run, tmp_path, browser):
    path = tmp_path / "report.html"
    path.write_text(page.page([run, run]), encoding="utf-8")
    check_page(browser, path, 10).close()


def test_a_short_run(tmp_path, browser):
    """The program itself, on a build that is there: one short round of what a few seconds suffice for."""
    build = os.environ.get("SLHC_BENCH_BUILD")
    if not build:
        pytest.skip("SLHC_BENCH_BUILD names no build")
    out = tmp_path / "out"
    command = [sys.executable, str(HERE / "run.py"), "--quick", "--rounds", "1", "--build", build, "--out", str(out), "--peers", str(tmp_path / "none"),
               "--only", "clock", "--only", "cpu:avx2", "--only", "process"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = results.load(out / "results.json")
    assert found.about["complete"] and found.about["machine"]["ghz"] > 0.5
    assert found.group("start") and found.group("memory")
    assert "other implementations" in found.about["missing"]
    assert (out / "results.md").read_text() in done.stdout
    check_page(browser, out / "report.html", len(plots.draw(found))).close()
    # Side by side, from the file.
    again = subprocess.run([sys.executable, str(HERE / "run.py"), "--compare", str(out / "results.json"), str(out / "results.json"), "--out", str(tmp_path / "both")], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "both/report.html").exists()
    bad = subprocess.run([sys.executable, str(HERE / "run.py"), "--compare", str(HERE / "run.py")], capture_output=True, text=True, check=False)
    assert bad.returncode == 2 and bad.stderr.startswith("run.py: ") and bad.stderr.count("\n") == 1

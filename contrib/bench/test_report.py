# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What run.py shows: arithmetic, tables, files that are no results, and the page in a browser.

SLHC_BENCH_BUILD names a build whose benchmarks a short run of run.py measures; without it, that test is skipped.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from report import document, machine, page, plots, results, suite, tables, targets  # noqa: E402
from report.results import Results, Series  # noqa: E402


def verify(by, batch, samples, reference_samples=(), **members):
    return Series("verify", by, members.pop("ours", True), "us", "signature", "CPU", batch=batch, samples=list(samples),
                  reference="BIP 340" if reference_samples else "", reference_samples=list(reference_samples), **members)


@pytest.fixture
def run():
    """A run whose every figure is known."""
    about = {"machine": {"processor": "A processor", "core": "Zen 4", "family": 25, "model": 17, "threads": 2, "memory_gib": 24, "system": "Debian", "kernel": "6", "load": 2.5, "ghz": 4.0},
             "versions": {"libsecp256k1": "0.2.0", "rustc": "rustc 1.85.0"}, "compiler": "gcc", "commit": "abc", "date": "2026-01-01", "options": {}, "complete": True, "missing": {"slhvk": "<not> given"}}
    return Results(about, [
        verify("cpu:avx512", 1, [50, 40, 60], [40, 40, 40]),
        verify("cpu:avx512", 512, [30, 20, 40], [60, 20, 60]),
        verify("Another", 1, [100, 200], ours=False),
        Series("threads", "cpu:avx512", True, "us", "signature", "wall", threads=1, samples=[30]),
        Series("threads", "cpu:avx512", True, "us", "signature", "wall", threads=2, samples=[16]),
        Series("sign", "cpu:avx512", True, "ms", "signature", "CPU", samples=[25]),
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
    assert "| Another | CPU | 100 | one sample | 1 | 4.00 x |" in text
    assert "the load before it was 2.5" in text and "slhvk (<not> given)" in text
    assert "Versions: libsecp256k1 0.2.0, rustc 1.85.0." in text
    run.about["complete"] = False
    assert "interrupted" in tables.markdown(run)


def test_files_come_back(run, tmp_path):
    run.save(tmp_path / "a.json")
    again = results.load(tmp_path / "a.json")
    assert tables.markdown(again) == tables.markdown(run)
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize("spoil, says", [
    (lambda data: data.update(format=2), "its format is not 1"),
    (lambda data: data.pop("format"), "not a file of results"),
    (lambda data: data.pop("machine"), "not a file of results"),
    (lambda data: data["series"][0].update(group="other"), "group 'other'"),
    (lambda data: data["series"][0].update(samples=[]), "group 'verify' is unknown or empty"),
    (lambda data: data["series"][0].pop("by"), "not a file of results"),
    (lambda data: data["series"][0].update(more=1), "not a file of results"),
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
    run.add(Series("node", "vulkan:0", True, "ms", "block", "wall", what="SLH-DSA, deferred, Vulkan, 481 signatures", samples=[40]))
    run.add(Series("verify", "vulkan beside slhvk", True, "us", "signature", "wall", batch=64, samples=[10], reference="slhvk", reference_samples=[45]))
    found = {target.what: (target.measured, target.met) for target in targets.targets(run)}
    assert found == {
        "one core, batch of 512, against BIP 340 (cpu:avx512)": ("1.5 x", False),
        "one core, one signature, against BIP 340 (cpu:avx512)": ("0.8 x", False),
        "one core, batch of 512, share of the arithmetic bound (cpu:avx512)": ("82%", False),
        "Vulkan, batch of 64, against slhvk on the same driver": ("4.5 x", True),
        "2 threads, share of 2 times one thread (cpu:avx512)": ("0.938", False),
        "signing, one core, against OpenSSL (cpu:avx512)": ("4 x", False),
        "a process that verifies one signature, beyond one whose backend is named": ("11 ms", False),
        "a full block of SLH-DSA spends, beside its signatures alone, threads: 1": ("1.1 x", True),
        "a full block on the regtest node, deferred, beside each signature at once": ("0.75 x", True),
        "the most expensive of all blocks, beside Bitcoin Core's interpreter": ("1.05 x", True),
    }


def test_blocks_of_a_reindex(tmp_path, monkeypatch):
    """What bench_reindex prints becomes samples per block, each beside the Schnorr blocks of the same turn."""
    for name in ("bench_blocks", "bench_reindex"):
        (tmp_path / "src/bench").mkdir(parents=True, exist_ok=True)
        (tmp_path / "src/bench" / name).touch()
    runs = [{"kind": kind, "what": what, "threads": 1, "one_by_one": {"turns_wall_s": one}, "queued": {"turns_wall_s": queued}}
            for kind, what, one, queued in (("slhdsa", "SLH-DSA spends", [0.2, 0.1], [0.1, 0.1]), ("schnorr", "Schnorr spends", [2, 1], [1, 2]))]
    monkeypatch.setattr(suite, "_run", lambda command, *_: json.dumps({"backend": "cpu", "segment": 10, "runs": runs}))
    task = next(task for task in suite.blocks(suite.Options(build=tmp_path, peers=tmp_path, quick=True, core=0)) if task.name == "reindex")
    made = {s.what: s for s in task.run()}
    assert made["SLH-DSA spends, one by one"].samples == [20, 10] and made["SLH-DSA spends, one by one"].ratio == 10
    assert made["SLH-DSA spends, queued"].ratio == 15
    assert made["Schnorr spends, queued"].samples == [100, 200] and made["Schnorr spends, queued"].ratio is None


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


def test_each_line_of_the_plot_is_one_thing(run):
    """What was measured beside slhvk, by two clocks, is no curve of its own; slhvk's time on the wall is."""
    for clock, theirs in (("CPU", 90), ("wall", 45)):
        for batch in (1, 64):
            run.add(Series("verify", "vulkan beside slhvk", True, "us", "signature", clock, batch=batch, samples=[10], reference="slhvk", reference_samples=[theirs]))
    lines = {container.get_label(): container.lines[0].get_xydata().tolist() for container in plots.throughput(run).axes[0].containers}
    assert set(lines) == {"cpu:avx512", "slhvk"}
    assert lines["slhvk"] == [[1, 1e6 / 45], [64, 1e6 / 45]]


def test_documentation_is_what_its_runs_say():
    """After a change to a committed run, or to what is made of it, run run.py --document."""
    runs = sorted((HERE.parents[1] / "doc/benchmarks").glob("*.json"))
    if not runs:
        pytest.skip("no run is committed")
    assert (HERE.parents[1] / "doc/benchmarks.md").read_text(encoding="utf-8") == document.text([results.load(path) for path in runs])


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

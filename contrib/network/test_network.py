# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What needs no podman: networks for Warnet, slh-chain's files, the rules for pods, and the report of a scenario's results."""
import importlib.util
import json
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bench"), str(HERE.parent / "bitcoin-core")]
import pods  # noqa: E402
from experiment_report import load, merge  # noqa: E402


def network(folder, *options):
    subprocess.run([sys.executable, "-B", HERE / "warnet/network.py", folder, *options], check=True)
    return yaml.safe_load((folder / "network.yaml").read_text())["nodes"]


def test_networks(tmp_path):
    """Six nodes and fifty: who has the rules, and that all are one network."""
    for options, count, plain in (((), 6, 2), (("--nodes", "50", "--plain", "10"), 50, 10), (("--nodes", "2", "--plain", "0"), 2, 0)):
        nodes = network(tmp_path, *options)
        assert len(nodes) == count and sum("vbparams=p2mr:-2:" in node["config"] for node in nodes) == plain
        links, reached = {node["name"]: node["addnode"] for node in nodes}, set()
        ahead = ["tank-0000"]
        while ahead:
            name = ahead.pop()
            reached.add(name)
            assert name not in links[name]
            ahead += [other for other in links[name] if other not in reached]
        assert reached == links.keys()
    assert "vbparams=p2mr:0:" in network(tmp_path, "--signal")[0]["config"]
    for options, says in ((["--nodes", "3", "--plain", "3"], "--nodes: at least 2; --plain: fewer than these\n"),
                          (["--image", "slhconsensus"], "--image: with its tag, NAME:TAG\n")):
        bad = subprocess.run([sys.executable, "-B", HERE / "warnet/network.py", tmp_path, *options], capture_output=True, text=True)
        assert bad.returncode == 2 and bad.stderr.endswith(says)


def test_records(tmp_path, capsys):
    """Blocks stand after a magic and a length, transactions after a length."""
    loader = SourceFileLoader("slh_chain", str(HERE / "slh-chain"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("slh_chain", loader))
    loader.exec_module(module)
    module.FOLDER = tmp_path
    (tmp_path / "tip.dat").write_bytes(bytes.fromhex("fabfb5da02000000aabb" "fabfb5da01000000cc"))
    (tmp_path / "flood.dat").write_bytes(bytes.fromhex("02000000aabb" "01000000cc"))
    for name in ("tip.dat", "flood.dat"):
        module.show(name)
        assert capsys.readouterr().out == "aabb\ncc\n"


def test_rules_for_pods(tmp_path):
    """What podman cannot take goes, and nothing else."""
    data, conf = "/root/.bitcoin", "/root/.bitcoin/bitcoin.conf"
    mounts = [{"mountPath": data, "name": "data"}, {"mountPath": conf, "name": "config", "subPath": "bitcoin.conf"}]
    container = {"name": "bitcoincore", "image": "i:1", "ports": [{}], "livenessProbe": {}, "readinessProbe": {}, "startupProbe": None,
                 "volumeMounts": mounts}
    documents = [{"kind": "Service"}, {"kind": "ConfigMap", "data": {"bitcoin.conf": "regtest=1\n"}},
                 {"kind": "Pod", "metadata": {"name": "t"}, "spec": {"restartPolicy": "Never", "containers": [container],
                  "volumes": [{"name": "data", "emptyDir": {}}, {"name": "config", "configMap": {"name": "t"}}]}}]
    spec = pods.for_podman(documents, {"t": "10.0.0.1"}, tmp_path)["spec"]
    assert (tmp_path / "t.conf").read_text() == "regtest=1\n"
    assert spec == {"restartPolicy": "Never", "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["t"]}],
                    "containers": [{"name": "bitcoincore", "image": "i:1",
                                    "volumeMounts": [{"mountPath": data, "name": "t-data"}, {"mountPath": conf, "name": "t-config"}]}],
                    "volumes": [{"name": "t-data", "emptyDir": {}},
                                {"name": "t-config", "hostPath": {"path": str(tmp_path / "t.conf"), "type": "File"}}]}
    assert list(pods.unknown_keys({"image": {"tag": "1", "name": "x"}, "conf": ""}, {"image": {"tag": ""}})) == ["image.name", "conf"]


def test_report(tmp_path):
    """Results of a scenario beside those of experiment.py: one table, one plot, and both machines."""
    for name, mode, value in (("a", "deferred", 114), ("b", "4 pods", 250)):
        machine = {"processor": f"processor {name}", "core": "", "family": 6, "model": 1, "threads": 2, "memory_gib": 24, "system": name}
        plan = {"plan": {"mix": [{"spend": "128s", "share": 100, "inputs": 1}], "blocks": 3}, "outputs": 481, "seconds": {"x": 1},
                "block": {"transactions": 482, "inputs": 481, "signatures": {"128s": 481}, "bytes": 3_860_000}}
        about = {"machine": machine, "compiler": "c", "commit": "c", "options": {"rounds": 1}, "date": "2026-11-29", "missing": {},
                 "complete": True, "plans": {"128s": plan}}
        sample = {"experiment": "relay", "plan": "128s", "mode": mode, "par": 2, "figures": {"new block: last node later by, ms": [value]}}
        (tmp_path / f"{name}.json").write_text(json.dumps(about | {"samples": [sample]}))
    text = merge([load(tmp_path / "a.json"), load(tmp_path / "b.json")]).write(tmp_path / "out")
    assert "| 128s | deferred | 114 |" in text and "| 128s | 4 pods | 250 |" in text and "4 pods: processor b" in text
    page = (tmp_path / "out/report.html").read_text()
    assert "processor a" in page and "128s, 4 pods" in page

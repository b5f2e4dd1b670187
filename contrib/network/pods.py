#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Warnet's pods without a cluster: its chart rendered by helm, played by podman, and its commander.py on them. try.sh runs it.

    pods.py render NETWORK OUT    the chart of the installed warnet with this network's values, as podman takes it
    pods.py up OUT                start the pods, and wait until each answers
    pods.py run OUT SCENARIO [OPTION...]
    pods.py down OUT

What podman 4.3 cannot take of a rendered pod is changed by the rules in for_podman(), and by nothing else.
"""
import json
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import yaml

PODMAN_NETWORK, SUBNET = "slh-try", "10.89.77"
HELM = os.environ.get("HELM", "helm")


def chart():
    import resources  # of the package warnet
    return Path(resources.__file__).parent / "charts/bitcoincore"


def unknown_keys(values, known, name=""):
    """Keys of ours that the chart does not have."""
    for key, value in values.items():
        if key not in known:
            yield f"{name}{key}"
        elif isinstance(value, dict) and known[key]:
            yield from unknown_keys(value, known[key], f"{name}{key}.")


def podman(*command, may_fail=False):
    """Its output; what it says on standard error is of use only if it fails."""
    result = subprocess.run(["podman", *map(str, command)], capture_output=True, text=True, check=False)
    if result.returncode and not may_fail:
        sys.exit(f"pods.py: podman {' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout if not result.returncode else None


def for_podman(documents, addresses, out):
    """The documents of one tank for podman 4.3. Its labels need no rule: that `app` occurs twice ends with reading it."""
    (pod,), (config,) = ([each for each in documents if each["kind"] == kind] for kind in ("Pod", "ConfigMap"))
    name, spec = pod["metadata"]["name"], pod["spec"]
    (container,) = spec["containers"]
    # 1. A file of a ConfigMap by subPath: a file of this machine.
    conf = out / f"{name}.conf"
    conf.write_text(config["data"]["bitcoin.conf"], encoding="utf-8")
    for mount in container["volumeMounts"]:
        mount.pop("subPath", None)
    for volume in spec["volumes"]:
        if volume.pop("configMap", None):
            volume["hostPath"] = {"path": str(conf.resolve()), "type": "File"}
    # 2. Probes need systemd's timers: up() asks instead.
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        container.pop(probe, None)
    # 3. Ports would be published on this machine.
    container.pop("ports", None)
    # 4. A volume of one name would be one volume for all pods.
    for volume in [*spec["volumes"], *container["volumeMounts"]]:
        volume["name"] = f"{name}-{volume['name']}"
    # 5. Services have no names here: addresses are fixed, and in each pod's /etc/hosts.
    spec["hostAliases"] = [{"ip": address, "hostnames": [other]} for other, address in addresses.items()]
    return pod


def render(network, out):
    network, out = Path(network), Path(out)
    nodes = yaml.safe_load((network / "network.yaml").read_text(encoding="utf-8"))["nodes"]
    values = yaml.safe_load((chart() / "values.yaml").read_text(encoding="utf-8"))
    defaults = network / "node-defaults.yaml"
    out.mkdir(parents=True)
    addresses = {node["name"]: f"{SUBNET}.{10 + n}" for n, node in enumerate(nodes)}
    for node in nodes:
        own = {key: value for key, value in node.items() if key != "name"}
        for given in (yaml.safe_load(defaults.read_text(encoding="utf-8")), own):
            for key in unknown_keys(given, values):
                sys.exit(f"pods.py: {node['name']}: {key} is no value of Warnet's chart")
        override = out / f"{node['name']}.values.yaml"
        override.write_text(yaml.safe_dump(own), encoding="utf-8")
        # As warnet deploy calls it, but for `template` in the place of `upgrade --install`.
        command = [HELM, "template", node["name"], chart(), "--namespace", "warnet", "-f", defaults, "-f", override]
        text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        documents = [each for each in yaml.safe_load_all(text) if each]
        pod = for_podman(documents, addresses, out)
        (out / f"{node['name']}.pod.yaml").write_text(yaml.safe_dump(pod), encoding="utf-8")
    (out / "addresses.json").write_text(json.dumps(addresses), encoding="utf-8")
    print(f"{len(nodes)} pods in {out}")


def addresses_of(out):
    return json.loads((Path(out) / "addresses.json").read_text(encoding="utf-8"))


def up(out):
    if podman("network", "exists", PODMAN_NETWORK, may_fail=True) is None:
        podman("network", "create", "--subnet", f"{SUBNET}.0/24", PODMAN_NETWORK)
    for name, address in addresses_of(out).items():
        podman("play", "kube", "--network", PODMAN_NETWORK, "--ip", address, Path(out) / f"{name}.pod.yaml")
    for name in addresses_of(out):
        for _ in range(300):  # as the chart's probes: a process bitcoind, and an RPC port that answers
            if podman("exec", f"{name}-bitcoincore", "sh", "-c", "pidof bitcoind && bitcoin-cli getblockcount", may_fail=True) is not None:
                break
            time.sleep(0.2)
        else:
            sys.exit(f"pods.py: {name} does not answer: {podman('logs', '--tail', 20, f'{name}-bitcoincore')}")
    print(f"{len(addresses_of(out))} pods run")


def down(out):
    for name in addresses_of(out):
        podman("pod", "rm", "--force", "--time", "5", name, may_fail=True)
        podman("volume", "rm", "--force", f"{name}-data", may_fail=True)
    podman("network", "rm", PODMAN_NETWORK, may_fail=True)


def run(out, scenario, *options):
    """By Warnet's own commander.py, which would ask a cluster for the pods."""
    sys.path.insert(0, str(chart().parents[1] / "scenarios"))
    import commander

    for name, address in addresses_of(out).items():
        pod = yaml.safe_load((Path(out) / f"{name}.pod.yaml").read_text(encoding="utf-8"))["metadata"]
        labels = pod["labels"]
        assert labels["mission"] == "tank"
        commander.WARNET["tanks"].append({
            "tank": name, "namespace": "warnet", "chain": labels["chain"], "p2pport": int(labels["P2PPort"]), "rpc_host": address,
            "rpc_port": int(labels["RPCPort"]), "rpc_user": "user", "rpc_password": labels["rpcpassword"],
            "init_peers": pod["annotations"]["init_peers"]})
    commander.sclient = SimpleNamespace(connect_get_namespaced_pod_exec=None)
    commander.stream = lambda _, name, container, command, **rest: podman("exec", f"{name}-{container}", *command)
    sys.argv = [scenario, *options]
    runpy.run_path(scenario, run_name="__main__")


if __name__ == "__main__":
    commands = {"render": render, "up": up, "run": run, "down": down}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])

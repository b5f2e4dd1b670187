#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Writes Warnet's network.yaml and node-defaults.yaml: nodes in a ring, each with a second neighbour, the last ones plain.

    contrib/network/warnet/network.py DIR                          six nodes, two of them plain
    contrib/network/warnet/network.py DIR --nodes 50 --plain 10
    contrib/network/warnet/network.py DIR --signal                 the rules begin when blocks signal, for the scenario `activation`

A plain node has the same program with the rules off, which is what a release of Bitcoin Core does with these outputs.
"""
import argparse
from pathlib import Path

import yaml

ALWAYS, NEVER, SIGNAL, END = -1, -2, 0, 9223372036854775807


def rules(start: int) -> str:
    sets = NEVER if start == NEVER else ALWAYS
    return "".join(f"vbparams={name}:{begin}:{END}\n" for name, begin in (("p2mr", start), ("slhdsa", start), ("slhdsasets", sets)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="of the network, in a Warnet project's networks/")
    parser.add_argument("--nodes", type=int, default=6, metavar="N", help="in all (default: %(default)s)")
    parser.add_argument("--plain", type=int, metavar="N", help="of them without the rules, the last ones (default: a third)")
    parser.add_argument("--signal", action="store_true", help="nothing is active before blocks have signalled for it")
    parser.add_argument("--image", default="localhost/slhconsensus:31.99-slhdsa", metavar="NAME:TAG", help="(default: %(default)s)")
    args = parser.parse_args()
    plain = args.nodes // 3 if args.plain is None else args.plain
    if args.nodes < 2 or not 0 <= plain < args.nodes:
        parser.error("--nodes: at least 2; --plain: fewer than these")
    repository, _, tag = args.image.rpartition(":")
    if not repository or "/" in tag:
        parser.error("--image: with its tag, NAME:TAG")
    names = [f"tank-{n:04}" for n in range(args.nodes)]
    step = max(2, args.nodes // 3)  # to a second neighbour
    nodes = []
    for n, name in enumerate(names):
        others = sorted({names[(n + 1) % args.nodes], names[(n + step) % args.nodes]} - {name})
        start = NEVER if n >= args.nodes - plain else SIGNAL if args.signal else ALWAYS
        nodes.append({"name": name, "addnode": others, "config": rules(start)})
    # Instead of the chart's: what slows a node in tests and fills disks goes, and a chain of 2011 is not one that a node is behind with.
    config = ("checkmempool=0\ncheckblockindex=0\nfallbackfee=0.00001\nlisten=1\nrpcuser=user\nrpcallowip=0.0.0.0/0\nrpcbind=0.0.0.0\n"
              "rpcservertimeout=900\nmaxtipage=1000000000\n")
    defaults = {"image": {"repository": repository, "pullPolicy": "IfNotPresent", "tag": tag}, "baseConfig": config}
    args.folder.mkdir(parents=True, exist_ok=True)
    for file, content in (("network.yaml", {"nodes": nodes}), ("node-defaults.yaml", defaults)):
        (args.folder / file).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()

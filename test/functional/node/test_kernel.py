# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""libbitcoinkernel judges as the node does: bitcoin-chainstate, a main function around that library, reads blocks from standard input."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from slhconsensus import CBlock

from conftest import BITCOIND
from framework.chain import Chain
from framework.node import Nodes
from framework.scenarios import BAD_SIGNATURE, ERROR_TEXTS, fund, in_block, spend, timeless
from framework.spends import break_signature, fund_and_sign, single_key

TREES = {"static": "", "shared": "-shared"}  # how the library is linked, and the end of the build tree's name
READY = "Enter the block you want to validate on the next line:"
TIMEOUT = 300  # seconds


def program(bitcoind: Path, linkage: str = "") -> Path:
    """bitcoin-chainstate of the same sources."""
    tree = bitcoind.resolve().parents[1]
    return tree.with_name(tree.name + linkage) / "bin" / "bitcoin-chainstate"


def chainstate(bitcoind: Path, linkage: str) -> Path:
    path = program(bitcoind, linkage)
    if not path.exists():
        pytest.skip(f"{path} is not built (contrib/bitcoin-core/build.sh --plain --kernel --shared)")
    return path


pytestmark = pytest.mark.skipif(not program(BITCOIND).exists(),
                                reason=f"there is no bitcoin-chainstate at {program(BITCOIND)} (contrib/bitcoin-core/build.sh --plain --kernel --shared makes it)")


@pytest.fixture(params=TREES)
def linkage(request: pytest.FixtureRequest) -> str:
    return TREES[request.param]


def judge(chainstate: Path, folder: Path, blocks: Sequence[str]) -> list[str | None]:
    """Give blocks to the chain in this folder. Why each was refused; None if it became the tip."""
    result = subprocess.run([str(chainstate), "-regtest", str(folder)], input="".join(f"{block}\n" for block in blocks), capture_output=True, text=True,
                            timeout=TIMEOUT, check=True)
    lines = result.stdout.splitlines()
    verdicts: list[str | None] = []
    reason = ""
    for line in lines[lines.index(READY):]:
        if found := re.search(r"Block validation error: (.*), input \d+ of ", line):
            reason = found[1]
        elif line == "Invalid block: invalid by consensus rules":
            verdicts.append(reason)
        elif line == "Valid block":
            verdicts.append(None)
    return verdicts


def hex_of(block: CBlock) -> str:
    return block.serialize().hex()


@dataclass(frozen=True)
class Blocks:
    """As the node makes and judges them, on one chain."""

    chain: list[str]
    all_valid: str  #: a block with every spend that is valid
    all_invalid: str  #: one with every spend that is not
    invalid: list[str]  #: a block for each of these, and why it is refused
    reasons: list[str]


@pytest.fixture(scope="module")
def blocks(chain: Chain) -> Blocks:
    valid, invalid = timeless(valid=True), timeless(valid=False)
    txs = [spend(case, coins) for case, coins in zip([*valid, *invalid], fund(chain, [*valid, *invalid]))]
    node = chain.node
    reasons = [in_block(ERROR_TEXTS[case.expect]) for case in invalid]
    return Blocks([node.rpc.getblock(node.rpc.getblockhash(height), 0) for height in range(1, chain.height + 1)],
                  hex_of(chain.build(txs[:len(valid)])), hex_of(chain.build(txs[len(valid):])),
                  [hex_of(chain.refuse([tx], reason)) for tx, reason in zip(txs[len(valid):], reasons)], reasons)


def test_judges_as_the_node(blocks: Blocks, linkage: str, tmp_path: Path) -> None:
    library = chainstate(BITCOIND, linkage)
    assert judge(library, tmp_path, [*blocks.chain, *blocks.invalid]) == [None] * len(blocks.chain) + blocks.reasons
    assert judge(library, tmp_path, [blocks.all_valid]) == [None]  # the chain is on disk


def test_without_the_module(blocks: Blocks, plain_bitcoind: Path, linkage: str, tmp_path: Path) -> None:
    """Without the rules, anyone can spend these outputs."""
    library = chainstate(plain_bitcoind, linkage)
    assert judge(library, tmp_path, [*blocks.chain, blocks.all_invalid]) == [None] * (len(blocks.chain) + 1)


def test_directory_of_a_node(nodes: Nodes, linkage: str) -> None:
    """The library goes on where a node has stopped, and the node where the library has."""
    library = chainstate(BITCOIND, linkage)
    node = nodes.make().start()
    chain = Chain(node).start()
    (tx,) = fund_and_sign(chain, [single_key()])
    valid, invalid = chain.build([tx]), chain.build([break_signature(tx)])
    node.stop()
    assert judge(library, node.chain_folder, [hex_of(invalid), hex_of(valid)]) == [in_block(BAD_SIGNATURE), None]
    node.start()
    assert chain.tip == valid.hash_hex
    node.stop()

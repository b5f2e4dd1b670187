// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <script/p2mr.h>
#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <tool/tree.h>
#include <tool/witness_plan.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace slhc::tool {
namespace {

struct Options {
    std::vector<std::string> leaves, keys;
    std::string tree, network;
    bool json{false};
};

ScriptTree Tree(const Options& options)
{
    if (!options.tree.empty()) {
        if (!options.leaves.empty() || !options.keys.empty()) throw InputError{"--tree", "cannot be combined with leaves or --key"};
        return Within("--tree", [&] { return TreeArgument(options.tree); });
    }
    if (options.keys.empty() && options.leaves.size() == 1) return ParseTree(options.leaves[0]);
    std::vector<std::string> leaves;
    for (const auto& key : options.keys) leaves.push_back("pk_slhdsa(" + key + ")");
    leaves.insert(leaves.end(), options.leaves.begin(), options.leaves.end());
    if (leaves.empty()) throw InputError{"no leaf script, --key or --tree given"};
    return BalancedTree(leaves);
}

Json LeafJson(const ScriptTree::Leaf& leaf, size_t index)
{
    return {{"index", index},
            {"leaf_version", leaf.version},
            {"script", HexStr(leaf.script)},
            {"asm", FormatScript(leaf.script)},
            {"leaf_hash", HexStr(leaf.hash.Bytes())},
            {"depth", leaf.Depth()},
            {"control_block", HexStr(leaf.P2MRControlBlock())}};
}

Json AddressJson(const ScriptTree& tree)
{
    const CScript script_pubkey{P2MRScriptPubKey(tree.Root())};
    const auto program{WitnessProgram::FromScriptPubKey(script_pubkey)};
    Json addresses = Json::object();
    for (const Network network : LISTED_NETWORKS) {
        if (network == Network::MAINNET && g_script_for_experiments) continue;
        addresses[std::string{NetworkName(network)}] = EncodeAddress(network, *program);
    }
    Json leaves = Json::array();
    for (size_t i = 0; i < tree.Leaves().size(); ++i) leaves.push_back(LeafJson(tree.Leaves()[i], i));
    Json json{{"type", "p2mr"}, {"also_called", "p2tsh"}, {"tree", FormatTree(tree)}};
    json.update(Json{{"merkle_root", HexStr(tree.Root().Bytes())},
                     {"script_pubkey", HexStr(script_pubkey)},
                     {"addresses", addresses},
                     {"note", "Where these rules are not in force, as on the main network, anyone can spend such an output."},
                     {"leaves", leaves}});
    if (g_script_for_experiments) json["experiment"] = true;
    return json;
}

void PrintText(const Json& json)
{
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& [network, address] : json["addresses"].items()) rows.emplace_back(network, address);
    rows.emplace_back("scriptPubKey", json["script_pubkey"]);
    rows.emplace_back("merkle root", json["merkle_root"]);
    PrintTable(rows);
    PrintLine("");
    PrintLine(json["note"].get<std::string>());
    PrintLine("Keep the tree, which --json prints: without it, not even the keys can spend.");
    for (const auto& leaf : json["leaves"]) {
        PrintLine("");
        PrintTable({{"leaf " + leaf["index"].dump(), leaf["asm"]},
                    {"  version", "0x" + HexStr(std::array{leaf["leaf_version"].get<uint8_t>()})},
                    {"  script", leaf["script"]},
                    {"  leaf hash", leaf["leaf_hash"]},
                    {"  control block", leaf["control_block"]}});
    }
}

ExitStatus Address(const Options& options)
{
    if (options.json && !options.network.empty()) {
        throw InputError{"--network", "cannot be combined with --json, which prints the addresses of all networks"};
    }
    const ScriptTree tree{Tree(options)};
    RefuseSingleLeaf(tree);
    if (!options.network.empty()) {
        const Network network{ParseNetwork(options.network)};
        if (network == Network::MAINNET && g_script_for_experiments) {
            throw InputError{"--network", "no mainnet address of a tree with a key for experiments, which protects nothing"};
        }
        PrintLine(EncodeAddress(network, *WitnessProgram::FromScriptPubKey(P2MRScriptPubKey(tree.Root()))));
        return EXIT_VALID;
    }
    const Json json = AddressJson(tree);
    options.json ? PrintJson(json) : PrintText(json);
    return EXIT_VALID;
}

} // namespace

Action DeclareAddress(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "P2MR is Pay-to-Merkle-Root (BIP 360), called P2TSH, Pay-to-Tapscript-Hash, in earlier drafts. Prints the address\n"
        "on each network, the scriptPubKey, the merkle root, and for each leaf its hash and control block. A tree with a\n"
        "single leaf is refused, since under BIP 360 anyone could spend it. Of the files of keys for experiments (keygen\n"
        "--experiment) no mainnet address is made.\n"
        "Spending needs the tree: keep what --json prints.");
    parser.Add("LEAF", options->leaves, "Leaf scripts, in hex or as below, or one tree {A,{B,C}}; several leaves form a balanced tree");
    parser.Add("--key KEY", options->keys, "Add a leaf that one SLH-DSA key can spend, before the others: hex digits as below, or @FILE");
    parser.Add("--tree TREE", options->tree,
               "A tree {A,{B,C}} or descriptor mr(...), @FILE containing one, or @FILE containing what --json printed");
    AddNetworkOption(parser, options->network, "Print only the address on this network");
    AddJsonFlag(parser, options->json);
    parser.Explain(
        "Leaf scripts: opcodes by name (OP_CHECKSIGSLHDSA), pushes <00ff> or <@key.file>, numbers 144, raw bytes 0x51, and\n"
        "  pk_slhdsa(KEY)            one SLH-DSA signature\n"
        "  pk_schnorr(KEY)           one BIP 340 signature\n"
        "  multi_slhdsa(k,KEY,...)   k SLH-DSA signatures by these keys, all different\n"
        "  multi_schnorr(k,KEY,...)  k BIP 340 signatures by these keys, all different\n"
        "  hybrid(KEY,KEY)           an SLH-DSA and a BIP 340 signature, by these keys in this order\n"
        "  after(n)                  in front of a condition: not before this block height (1 to 499999999) or time\n"
        "                            (500000000 to 4294967294, seconds since 1970; in descriptors to 2147483647)\n"
        "  older(n)                  in front of a condition: not before the coin has this many confirmations\n"
        "                            (1 to 65535) or this age: 4194304 plus 1 to 65535 units of 512 seconds\n"
        "  sha256(H)                 in front of a condition: also the preimage of H\n"
        "  leaf(0xfa,SCRIPT)         a leaf whose version is not 0xc0\n"
        "Two conditions that leave a result need OP_VERIFY between them: pk_slhdsa(A) OP_VERIFY pk_slhdsa(B).\n"
        "A leaf that consists of hex digits is the script in hex. KEY is 64 hex digits or @FILE.\n"
        "An SLH-DSA key of another parameter set than 128s has 66, and begins with the number of the set: 18 for 128-24, 28\n"
        "for 128-q40. Such a key is of an unknown type where the rules do not have SLHDSA_SETS: anyone could spend.");
    parser.AddExamples(
        {{"one SLH-DSA key, and a leaf that nobody can spend", "slhtool address --key @alice.key OP_RETURN"},
         {"a tree for slhtool spend, and its address",
          "slhtool address --key @alice.key OP_RETURN --json > alice.tree; slhtool address --tree @alice.tree --network regtest"},
         {"two of three SLH-DSA keys, or after a year one Schnorr key",
          "slhtool address 'multi_slhdsa(2,@a.pub,@b.pub,@c.pub)' 'older(52560) pk_schnorr(@d.pub)'"},
         {"a tree of a given shape", "slhtool address '{pk_slhdsa(@a.pub),{pk_schnorr(@b.pub),hybrid(@a.pub,@b.pub)}}'"}});
    return [options] { return Address(*options); };
}

} // namespace slhc::tool

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Scripts as bytes: decoding, classes, counting, numbers, the search for OP_SUCCESSx, control blocks.

#include <primitives/script.h>
#include <script/address.h>
#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/script.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <span>

using namespace slhc;
using slhc::test::Require;

namespace {

void CheckInstructions(const CScript& script)
{
    auto pc{script.begin()};
    opcodetype opcode;
    std::span<const uint8_t> data;
    bool push_only{true};
    unsigned most_sigops{0};
    bool decodes{true};
    while (pc != script.end()) {
        const auto before{pc};
        if (!script.GetOp(pc, opcode, data)) {
            decodes = false;
            break;
        }
        Require(pc > before && pc <= script.end(), "decoding goes on, and stays inside");
        Require(static_cast<size_t>(pc - before) > data.size() || data.empty(), "an instruction holds what it pushes");
        if (opcode > OP_16) push_only = false;
        if (opcode == OP_CHECKSIG || opcode == OP_CHECKSIGVERIFY) ++most_sigops;
        if (opcode == OP_CHECKMULTISIG || opcode == OP_CHECKMULTISIGVERIFY) most_sigops += MAX_PUBKEYS_PER_MULTISIG;
        Require(!GetOpName(opcode).empty() && !GetTapscriptOpName(opcode, SCRIPT_VERIFY_SLHDSA).empty(), "every opcode has a name");
        if (opcode <= OP_PUSHDATA4 && CheckMinimalPush(data, opcode)) {
            CScript again;
            again << data;
            Require(std::equal(again.begin(), again.end(), before, pc), "the shortest push of data is the one that the builder writes");
        }
    }
    Require(script.IsPushOnly() == (push_only && decodes), "push-only is what decoding shows");
    Require(script.GetSigOpCount(false) == most_sigops && script.GetSigOpCount(true) <= most_sigops,
            "signature operations are counted up to where decoding ends");

    for (const script_verify_flags flags : {SCRIPT_VERIFY_NONE, script_verify_flags{SCRIPT_VERIFY_SLHDSA}}) {
        const TapscriptScan scan{ScanTapscript(script, flags)};
        if (scan.outcome == TapscriptScan::Outcome::EXECUTE) Require(decodes, "what is executed decodes");
        if (scan.outcome == TapscriptScan::Outcome::UNDECODABLE) Require(!decodes, "undecodable is undecodable");
        Require(!scan.has_slhdsa_opcode || (flags & SCRIPT_VERIFY_SLHDSA), "without the flag the opcodes are OP_SUCCESSx");
    }
}

void CheckWitnessProgram(const CScript& script)
{
    int version;
    std::span<const uint8_t> program;
    const bool is_program{script.IsWitnessProgram(version, program)};
    const auto parsed{WitnessProgram::FromScriptPubKey(script)};
    Require(is_program == parsed.has_value(), "the two recognize the same witness programs");
    if (!parsed) return;
    Require(parsed->version == version && std::ranges::equal(parsed->program, program) &&
                std::ranges::equal(parsed->ScriptPubKey(), script),
            "and read them alike");
    if (parsed->version == 0 && parsed->program.size() != 20 && parsed->program.size() != 32) return; // has no address
    for (const Network network : ALL_NETWORKS) {
        std::string error;
        const auto decoded{DecodeAddress(EncodeAddress(network, *parsed), error)};
        Require(decoded && decoded->program == *parsed && decoded->hrp == NetworkHrp(network), "an address decodes to what it was made of");
    }
}

void CheckNumber(std::span<const uint8_t> bytes)
{
    for (const bool minimal : {false, true}) {
        try {
            const CScriptNum number{bytes, minimal, 5};
            Require(bytes.size() <= 5, "a number has up to five bytes here");
            Require(!minimal || std::ranges::equal(number.getvch(), bytes), "a minimal number has one form");
            Require(CScriptNum{number.getvch(), true, 5} == number, "numbers survive being written");
        } catch (const scriptnum_error&) {
            Require(minimal || bytes.size() > 5, "only size makes no number of bytes");
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::span<const uint8_t> bytes{data, size};
    const CScript script{bytes};
    CheckInstructions(script);
    CheckWitnessProgram(script);
    CheckNumber(bytes);

    // The first byte says where one script ends and the other begins.
    if (size > 1) {
        const size_t cut{1 + data[0] % size};
        CScript haystack{bytes.subspan(cut)};
        const CScript needle{bytes.first(cut).subspan(1)};
        const size_t before{haystack.size()};
        const int found{FindAndDelete(haystack, needle)};
        Require(haystack.size() + static_cast<size_t>(found) * needle.size() == before, "what is found is deleted, and nothing else");
    }
    // BIP 360's sizes, and not ValidControlSize(), by which the parser judges.
    const auto control{P2MRControlBlock::Parse(bytes)};
    Require(control.has_value() == (size % 32 == 1 && size <= 1 + 32 * 128), "a control block has a possible size");
    if (control) {
        Require(control->PathLength() == size / 32, "its path is what follows the first byte");
        Require((control->leaf_version | (control->control_bit ? 1 : 0)) == bytes[0], "its first byte is version and bit");
    }
    return 0;
}

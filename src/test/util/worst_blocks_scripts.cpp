// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_block_parts.h>

#include <algorithm>
#include <utility>

/** Blocks full of opcodes that neither hash nor check: moves, copies, numbers, branches. */
namespace slhc::test {

namespace {

/** A body that takes n large elements and leaves n of them. */
Loop LargeLoop(BlockRules rules, size_t n, CScript body)
{
    return {.elements = EqualElements(n, LargestElement(rules)),
            .before = AllowLargestElement(rules),
            .body = std::move(body),
            .height = n};
}

/** Large elements at the bottom of a stack of 999, and the lowest moved to the top again and again. */
Loop RollLarge(const BlockRequest& request)
{
    constexpr size_t N{999};
    const auto n_large{static_cast<size_t>(request.weight * 2 / 5) / (LargestElement(BlockRules::MODULE) + 3)};
    Loop loop{LargeLoop(request.rules, n_large, CScript{} << static_cast<int64_t>(N - 1) << OP_ROLL)};
    loop.elements.resize(N);
    loop.height = N;
    return loop;
}

/** The element at the bottom of a full stack of small ones to the top. */
Loop RollSmall(const BlockRequest&)
{
    return {.elements = EqualElements(999, 1), .before = {}, .body = CScript{} << int64_t{998} << OP_ROLL, .height = 999};
}

/** A copy of the element at the bottom of a high stack. */
Loop PickDeep(const BlockRequest& request)
{
    const auto n{std::min<size_t>(998, static_cast<size_t>(request.weight / 2) / 523)};
    return {.elements = EqualElements(n, MAX_SCRIPT_ELEMENT_SIZE),
            .before = {},
            .body = CScript{} << static_cast<int64_t>(n - 1) << OP_PICK << OP_DROP,
            .height = n};
}

/** A stack full of 520 bytes each, three of them dropped and made again. */
Loop CopyOnFullStack(const BlockRequest&)
{
    Loop loop{.elements = EqualElements(3, MAX_SCRIPT_ELEMENT_SIZE),
              .before = {},
              .body = Ops({OP_2DROP, OP_DROP, OP_3DUP}),
              .height = 999};
    Repeat(loop.before, 332, Ops({OP_3DUP}));
    return loop;
}

/** An OP_SUCCESSx behind everything: the whole leaf is searched, and nothing executed. */
BlockWithSpent OpSuccessAtTheEnd(const BlockRequest& request)
{
    OneInputBlock block{request};
    const Elements elements{EqualElements(static_cast<size_t>(request.weight / 5) / LargestElement(request.rules),
                                          LargestElement(request.rules))}; // nothing looks at them
    CScript script;
    Repeat(script, block.Room() - ElementsWeight(elements) - 1,
           Ops({request.rules == BlockRules::MODULE ? OP_CHECKSIGSLHDSA : OP_CHECKSIG}));
    script << static_cast<opcodetype>(0xfe);
    return std::move(block).Finish(std::move(script), [&](const auto&) { return elements; });
}

/** Branches in branches, each turned over once, none taken. */
BlockWithSpent NestedBranches(const BlockRequest& request)
{
    OneInputBlock block{request};
    const int64_t n{(block.Room() - 4) / 3};
    CScript script{Ops({OP_0, OP_IF})};
    Repeat(script, n, Ops({OP_IF}));
    Repeat(script, n, Ops({OP_ELSE}));
    Repeat(script, n, Ops({OP_ENDIF}));
    script << OP_ENDIF << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return Elements{}; });
}

/** As high as branches can be nested, all of them taken. */
BlockWithSpent NestedTakenBranches(const BlockRequest& request)
{
    OneInputBlock block{request};
    const int64_t n{(block.Room() - 1) / 3};
    CScript script;
    Repeat(script, n, Ops({OP_1, OP_IF}));
    Repeat(script, n, Ops({OP_ENDIF}));
    script << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return Elements{}; });
}

} // namespace

void AddScriptBlocks(std::vector<WorstBlock>& blocks)
{
    using MakeLoopParts = std::function<Loop(const BlockRequest&)>;
    const auto add{[&](const char* name, const char* what, MakeLoopParts parts) {
        blocks.push_back({.name = name,
                          .what = what,
                          .make = [parts = std::move(parts)](const BlockRequest& request) { return MakeLoop(request, parts(request)); },
                          .least_weight = 6'000});
    }};
    const auto add_loop{[&](const char* name, const char* what, Loop loop) {
        add(name, what, [loop = std::move(loop)](const BlockRequest&) { return loop; });
    }};
    const auto add_large{[&](const char* name, const char* what, size_t n, CScript body) {
        add(name, what, [n, body = std::move(body)](const BlockRequest& request) { return LargeLoop(request.rules, n, body); });
        blocks.back().least_weight = 4'000 + static_cast<int64_t>(n) * 8'000;
    }};

    // Moves of large elements; today, of 520 bytes
    add("roll_large", "OP_ROLL of large elements through a stack of 999", RollLarge);
    blocks.back().least_weight = 30'000;
    add_large("2rot_large", "OP_2ROT of large elements", 6, Ops({OP_2ROT}));
    add_large("2swap_large", "OP_2SWAP of large elements", 4, Ops({OP_2SWAP}));
    add_large("rot_large", "OP_ROT of large elements", 3, Ops({OP_ROT}));
    add_large("swap_large", "OP_SWAP of large elements", 2, Ops({OP_SWAP}));
    add_large("altstack_large", "a large element to the alternative stack and back", 1, Ops({OP_TOALTSTACK, OP_FROMALTSTACK}));
    add_large("size_large", "OP_SIZE of a large element", 1, Ops({OP_SIZE, OP_DROP}));

    // Copies
    add("copy_3dup_full", "elements of 520 bytes copied three at a time and dropped on a full stack", CopyOnFullStack);
    const auto add_520{[&](const char* name, const char* what, size_t n, CScript body) {
        add_loop(name, what, {.elements = EqualElements(n, MAX_SCRIPT_ELEMENT_SIZE), .before = {}, .body = std::move(body), .height = n});
    }};
    add_520("copy_dup", "OP_DUP of 520 bytes", 1, Ops({OP_DUP, OP_DROP}));
    add_520("copy_2dup", "OP_2DUP of 520 bytes each", 2, Ops({OP_2DUP, OP_2DROP}));
    add_520("copy_2over", "OP_2OVER of 520 bytes each", 4, Ops({OP_2OVER, OP_2DROP}));
    add_520("copy_over", "OP_OVER of 520 bytes", 2, Ops({OP_OVER, OP_DROP}));
    add_520("copy_tuck", "OP_TUCK of 520 bytes", 2, Ops({OP_TUCK, OP_DROP}));
    add_520("copy_nip", "OP_OVER and OP_NIP of 520 bytes", 2, Ops({OP_OVER, OP_NIP}));
    add("copy_pick", "OP_PICK of 520 bytes from the bottom of a stack of 998", PickDeep);
    add_520("equal", "OP_EQUAL of 520 bytes and their copies", 2, Ops({OP_2DUP, OP_EQUAL, OP_DROP}));

    // Small elements
    add("roll_small", "OP_ROLL of a small element through a stack of 999", RollSmall);
    add_loop("2dup_small", "OP_2DUP of empty elements",
             {.elements = EqualElements(2, 0), .before = {}, .body = Ops({OP_2DUP, OP_2DROP}), .height = 2});
    add_loop("swap_small", "OP_SWAP", {.elements = EqualElements(2, 1), .before = {}, .body = Ops({OP_SWAP}), .height = 2});
    add_loop("push_opcode", "OP_1 and OP_DROP", {.elements = {}, .before = {}, .body = Ops({OP_1, OP_DROP}), .height = 0});
    add_loop("push_empty", "OP_0 and OP_DROP", {.elements = {}, .before = {}, .body = Ops({OP_0, OP_DROP}), .height = 0});
    add_loop("push_byte", "pushes of one byte, dropped",
             {.elements = {}, .before = {}, .body = CScript{} << std::vector<uint8_t>{0x17} << OP_DROP, .height = 0});
    add_loop("push_520", "pushes of 520 bytes, dropped",
             {.elements = {}, .before = {}, .body = CScript{} << std::vector<uint8_t>(MAX_SCRIPT_ELEMENT_SIZE) << OP_DROP, .height = 0});
    add_loop("depth", "OP_DEPTH and OP_DROP", {.elements = {}, .before = {}, .body = Ops({OP_DEPTH, OP_DROP}), .height = 0});

    // Numbers
    const std::vector<uint8_t> big{0xfe, 0xff, 0xff, 0x7e};
    add_loop("number_1add", "OP_1ADD, again and again", {.elements = {{}}, .before = {}, .body = Ops({OP_1ADD}), .height = 1});
    add_loop("number_not", "OP_NOT, again and again", {.elements = {{}}, .before = {}, .body = Ops({OP_NOT}), .height = 1});
    add_loop("number_add", "OP_ADD of numbers of four bytes",
             {.elements = {big, big}, .before = {}, .body = Ops({OP_2DUP, OP_ADD, OP_DROP}), .height = 2});
    add_loop("number_within", "OP_WITHIN of numbers of four bytes",
             {.elements = {big, {}, big}, .before = {}, .body = Ops({OP_3DUP, OP_WITHIN, OP_DROP}), .height = 3});
    // Five bytes and the bit set that makes it a no-operation once it's read (BIP 112)
    add_loop("number_sequence", "OP_CHECKSEQUENCEVERIFY of a number of five bytes",
             {.elements = {{0x00, 0x00, 0x00, 0x80, 0x00}}, .before = {}, .body = Ops({OP_CHECKSEQUENCEVERIFY}), .height = 1});

    // Truth: a zero with a sign at its end, which all bytes are read for
    std::vector<uint8_t> long_truth(MAX_SCRIPT_ELEMENT_SIZE);
    long_truth.back() = 0x01;
    add_loop("truth", "OP_IFDUP and OP_VERIFY of 520 bytes, the last of them not zero",
             {.elements = {long_truth}, .before = {}, .body = Ops({OP_IFDUP, OP_VERIFY}), .height = 1});

    // Control
    add_loop("nops", "nothing but OP_NOPs", {.elements = {}, .before = {}, .body = Ops({OP_NOP}), .height = 0});
    add_loop("code_separators", "nothing but OP_CODESEPARATORs",
             {.elements = {}, .before = {}, .body = Ops({OP_CODESEPARATOR}), .height = 0});
    add_loop("branches", "OP_IF and OP_ENDIF", {.elements = {}, .before = {}, .body = Ops({OP_1, OP_IF, OP_ENDIF}), .height = 0});
    const auto add_untaken{[&](const char* name, const char* what, CScript body) {
        blocks.push_back(
            {.name = name, .what = what, .make = [body = std::move(body)](const BlockRequest& request) {
                 return MakeLoop(request,
                                 {.elements = {}, .before = Ops({OP_0, OP_IF}), .body = body, .after = Ops({OP_ENDIF}), .height = 0});
             }});
    }};
    add_untaken("else_else", "OP_ELSE, again and again", Ops({OP_ELSE, OP_ELSE}));
    add_untaken("not_taken_opcodes", "opcodes in a branch that is not taken", Ops({OP_ADD}));
    add_untaken("not_taken_pushes", "pushes of one byte in a branch that is not taken", CScript{} << std::vector<uint8_t>{0x17});
    blocks.push_back({.name = "nested_branches", .what = "branches in one another, none taken", .make = NestedBranches});
    blocks.push_back({.name = "nested_taken_branches", .what = "branches in one another, all taken", .make = NestedTakenBranches});
    blocks.push_back({.name = "op_success", .what = "OP_SUCCESS254 behind opcodes that are never executed", .make = OpSuccessAtTheEnd});

    // Checks of empty signatures cost no validation weight and verify nothing.
    const std::vector<uint8_t> key(32, 0x5a);
    add_loop("checksig_empty", "OP_CHECKSIG with an empty signature",
             {.elements = {{}, key}, .before = {}, .body = Ops({OP_2DUP, OP_CHECKSIG, OP_DROP}), .height = 2});
    add_loop("checksigadd_empty", "OP_CHECKSIGADD with an empty signature",
             {.elements = {{}, {}, key}, .before = {}, .body = Ops({OP_3DUP, OP_CHECKSIGADD, OP_DROP}), .height = 3});
    add("slhdsa_empty", "OP_CHECKSIGSLHDSA with an empty signature; today: OP_CHECKSIG", [key](const BlockRequest& request) {
        return Loop{.elements = {{}, key},
                    .before = {},
                    .body = Ops({OP_2DUP, request.rules == BlockRules::MODULE ? OP_CHECKSIGSLHDSA : OP_CHECKSIG, OP_DROP}),
                    .height = 2};
    });
}

} // namespace slhc::test

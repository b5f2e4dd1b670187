// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_block_parts.h>

/** Blocks full of hash opcodes. */
namespace slhc::test {

void AddHashBlocks(std::vector<WorstBlock>& blocks)
{
    struct Hash {
        const char* name;
        opcodetype opcode;
    };
    for (const Hash hash : {Hash{"ripemd160", OP_RIPEMD160}, Hash{"sha1", OP_SHA1}, Hash{"sha256", OP_SHA256}, Hash{"hash160", OP_HASH160},
                            Hash{"hash256", OP_HASH256}}) {
        const std::string name{std::string{"hash_"} + hash.name};
        // The most that an element may have, two blocks with padding, and one: copied three at a time, hashed and dropped.
        for (const size_t size : {size_t{MAX_SCRIPT_ELEMENT_SIZE}, size_t{64}, size_t{55}}) {
            blocks.push_back({.name = name + "_" + std::to_string(size),
                              .what = GetOpName(hash.opcode) + " of " + std::to_string(size) + " bytes",
                              .make = [opcode = hash.opcode, size](const BlockRequest& request) {
                                  return MakeLoop(request, {.elements = EqualElements(3, size),
                                                            .before = {},
                                                            .body = Ops({OP_3DUP, opcode, OP_DROP, opcode, OP_DROP, opcode, OP_DROP}),
                                                            .height = 3});
                              },
                              .least_weight = 3'000});
        }
        blocks.push_back({.name = name + "_chain",
                          .what = GetOpName(hash.opcode) + " of its own result, a byte of script for each",
                          .make =
                              [opcode = hash.opcode](const BlockRequest& request) {
                                  return MakeLoop(request,
                                                  {.elements = EqualElements(1, 32), .before = {}, .body = Ops({opcode}), .height = 1});
                              },
                          .least_weight = 3'000});
    }
}

} // namespace slhc::test

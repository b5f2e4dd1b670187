// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>

namespace slhc::tool {

std::span<const Command> Commands()
{
    static constexpr Command COMMANDS[]{
        {"keygen", "Make a key pair: SLH-DSA-SHA2-128s, or BIP 340 for Schnorr", DeclareKeygen},
        {"pubkey", "Print the public key of a key file", DeclarePubkey},
        {"sign", "Sign a message", DeclareSign},
        {"verify", "Verify a signature over a message", DeclareVerify},
        {"address", "Make a P2MR (P2TSH) address from leaf scripts or public keys", DeclareAddress},
        {"descriptor", "Check an output descriptor, and print its checksum, addresses and leaves", DeclareDescriptor},
        {"spend", "Build and sign a transaction that spends P2MR (P2TSH) coins", DeclareSpend},
        {"psbt", "Create, sign, combine and finalize partially signed transactions", DeclarePSBT},
        {"sighash", "Print what the signers of a transaction sign", DeclareSighash},
        {"verify-tx", "Verify transactions, one by one or in a batch", DeclareVerifyTx},
        {"verify-block", "Verify a block, given the outputs that it spends", DeclareVerifyBlock},
        {"decode", "Decode a script, witness, control block, transaction or address", DeclareDecode},
        {"debug", "Run an input step by step: opcode, stack, budget, verdict", DeclareDebug},
        {"demo", "The whole path on made-up coins: keys, addresses, spends, verdicts", DeclareDemo},
        {"devices", "List the CPU engines and devices that can verify, and try them", DeclareDevices},
        {"bench", "Time verification, signing and key generation next to BIP 340's", DeclareBench},
    };
    return COMMANDS;
}

} // namespace slhc::tool

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/command_line.h>
#include <tool/commands.h>
#include <tool/output.h>
#include <tool/process_verifier.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace {

using namespace slhc::tool;

struct Command {
    const char* name;
    const char* summary;                      //!< one line, for the list in slhtool --help
    Action (*declare)(CommandParser& parser); //!< adds options and examples; the action may keep references to what it owns
};

constexpr Command COMMANDS[]{
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
};

constexpr const char* DESCRIPTION{
    R"(slhtool: coins locked with SLH-DSA-SHA2-128s (FIPS 205), from the key to the verdict.

Coins are locked by P2MR outputs (Pay-to-Merkle-Root, BIP 360, witness version 2,
addresses bc1z...; called P2TSH, Pay-to-Tapscript-Hash, in earlier drafts). An output
commits to a tree of tapscript leaves; a leaf checks SLH-DSA signatures with
OP_CHECKSIGSLHDSA (0x7f) and OP_CHECKSIGADDSLHDSA (0x80), alongside BIP 340's.
)"};

constexpr const char* FOOTER{
    R"(slhtool COMMAND --help explains a command, with examples.

Conventions:
  Bytes are hexadecimal. Where a value is expected, @FILE stands for a file's content
  and - for standard input. Where FILE is expected, write its name without @.
  Amounts are satoshis. Transaction ids are written as usual in Bitcoin, last byte
  first. Secret keys are read from files or standard input. Input files may have up to
  32 MiB. No existing file is replaced without --force.

  With --json, standard output is one JSON value; on bad input it is empty, and the error
  is the same line on standard error.

Exit status:
  0  done; what was verified is valid
  1  what was verified is not valid
  2  bad usage or bad input; one line on standard error says what and where

Environment:
  SLHC_BACKEND    cpu (default here: no device starts), auto, cpu:<instruction set>,
                  vulkan, vulkan:<index>, vulkan:<part of its name> or vulkan:all
  SLHC_THREADS    threads that work at once; default: the cores this process may use
  SLHC_CACHE_DIR  where pipeline caches are kept
  SLHC_DEVICE_PROGRAM
                  the program that runs a device's driver, if it is not the slhgpu that
                  was installed with slhtool
  SLHC_LOG        logged to standard error: debug, info, warning or error, and what
                  is more urgent; default: nothing

From a new key to a verified spend:
  slhtool keygen alice.key
  slhtool address --key @alice.key OP_RETURN --json > alice.tree
  slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key \
                --to bcrt1z... --out spend.json
  slhtool verify-tx spend.json
  slhtool debug spend.json --input 0
All of it on made-up coins: slhtool demo)"};

/** One line, whatever went into the message. */
int Complain(const std::string& where, std::string message)
{
    constexpr size_t HEAD{600}, TAIL{200};
    if (message.size() > HEAD + TAIL) message = message.substr(0, HEAD) + "..." + message.substr(message.size() - TAIL);
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", where.c_str(), Printable(message).c_str());
    return EXIT_BAD_INPUT;
}

int Run(int argc, char** argv)
{
    ProgramParser program{"slhtool", "slhtool " SLHC_VERSION, DESCRIPTION};
    Action action;
    for (const Command& command : COMMANDS) {
        CommandParser parser{program.AddCommand(command.name, command.summary)};
        parser.OnSelected([declared = command.declare(parser), &action] { action = declared; });
    }
    program.RequireCommand();
    program.Explain(FOOTER); // after the commands, which would inherit it
    try {
        const ExitStatus status{program.Parse(argc, argv) ? action() : EXIT_VALID};
        if (!FinishOutput()) return Complain(program.Selected(), "cannot write to standard output");
        return status;
    } catch (const std::bad_alloc&) {
        return Complain(program.Selected(), "out of memory");
    } catch (const std::exception& e) {
        return Complain(program.Selected(), e.what());
    }
}

} // namespace

int main(int argc, char** argv)
{
    int status{EXIT_BAD_INPUT};
    try {
        status = Run(argc, argv);
    } catch (...) {
        std::fputs("slhtool: out of memory\n", stderr); // even for an error message
    }
    DestroyProcessVerifier();
    return status;
}

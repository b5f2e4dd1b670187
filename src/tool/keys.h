// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_KEYS_H
#define SLHCONSENSUS_TOOL_KEYS_H

#include <pqc/slhdsa/params.h>
#include <primitives/uint256.h>
#include <script/sighash.h>
#include <wallet/key_type.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slhc::slhdsa {
class ExperimentSigner;
}

/** Keys, and signatures over messages, of the two kinds that tapscript checks. */
namespace slhc::tool {

struct OutputFile;
class CommandParser;

using wallet::KeyType;
using wallet::KeyTypeName;
using wallet::SignatureSize;

//! Set once a script has the key of a file that is for experiments: no mainnet address is made of such a script.
inline bool g_script_for_experiments{false};

inline constexpr size_t ANY_PUBLIC_KEY_SIZE{32}; //!< of both types, without the number of a set before it

size_t SecretSize(KeyType type);
/** The set with that name, one of AddSetChoice's. */
slhdsa::ParameterSet ParseParameterSet(std::string_view name);
/** The option --set. */
void AddSetChoice(CommandParser& parser, std::string& set, const std::string& description);
/** True if a key's top tree takes seconds to make. */
bool HasLargeTopTree(slhdsa::ParameterSet set);
/** The file beside that of a key with its top tree. */
std::string TreeFile(const std::string& key_file);
/** Bytes that a key is made of: SK.seed || SK.prf || PK.seed, or the secret itself. */
size_t SeedSize(KeyType type);

struct KeyPair {
    KeyType type;
    std::vector<uint8_t> secret;
    std::vector<uint8_t> public_key;
    slhdsa::ParameterSet set{slhdsa::ParameterSet::SHA2_128S}; //!< of an SLH-DSA key
    std::shared_ptr<const slhdsa::ExperimentSigner> experiment{}; //!< signs, if this is a key for experiments

    /** The public key as a script has it (wallet/key_type.h). @pre scripts know the set */
    [[nodiscard]] std::vector<uint8_t> Element() const;
};

/** True if a BIP 340 public key of 32 bytes is the x coordinate of a point: half of all values are not, and nobody can
 *  sign for them. Any 32 bytes may be an SLH-DSA key. */
bool IsSchnorrPublicKey(std::span<const uint8_t> public_key);

/** @throws InputError if a Schnorr seed is no secret key (zero, or not below the group's order) */
KeyPair MakeKeyPair(KeyType type, std::span<const uint8_t> seed, slhdsa::ParameterSet set = slhdsa::ParameterSet::SHA2_128S);

/** A key for experiments, which protects nothing (pqc/experiment_signer.h).
 *  @param[in] secret  SK.seed || SK.prf || PK.seed, and 8 bytes with the number of the key */
KeyPair MakeExperimentKey(std::vector<uint8_t> secret, slhdsa::ParameterSet set);

/** The key that a secret of SecretSize(type) bytes is. Of an SLH-DSA key PK.root is computed again, since a secret key with
 *  a wrong digit would lock coins that it cannot unlock. (In SK.prf alone a digit may change: it adds randomness and
 *  nothing else.)
 *  @throws InputError as MakeKeyPair, or if PK.root is another one */
KeyPair KeyPairFromSecret(KeyType type, std::vector<uint8_t> secret, slhdsa::ParameterSet set = slhdsa::ParameterSet::SHA2_128S);

/** The key in a file, "-" for standard input: what WriteKeyFile writes, or one line of 128 hex digits (SLH-DSA).
 *  @throws InputError, also if no script knows keys of that set */
KeyPair ReadKeyFile(const std::string& path);
/** A key of any set. If its top tree is in path + ".tree", it need not be made again. */
KeyPair ReadKeyFileOfAnySet(const std::string& path);

/** The type of a key as its file names it. */
std::string FileTypeName(KeyType type, slhdsa::ParameterSet set, bool experiment);

/** A JSON object with "type", "secret_key" and "public_key", readable by its owner alone; and if the key's top tree takes seconds to make,
 *  that in another file, whose name ends in ".tree". The type of a key for experiments is "experiment-slh-dsa-sha2-128s" (or of another
 *  set), and its "secret_key" what MakeExperimentKey takes. */
void WriteKeyFile(const OutputFile& file, const KeyPair& key);

struct PublicKey {
    std::optional<KeyType> type; //!< none: a line of 64 hex digits, which does not say it
    std::vector<uint8_t> bytes;
    slhdsa::ParameterSet set{slhdsa::ParameterSet::SHA2_128S};
    bool experiment{false};
};

/** The public key in a file, "-" for standard input: the file of a public key, or of a secret one.
 *  @throws InputError */
PublicKey ReadPublicKeyFile(const std::string& path);

/** A public key as users write it: 64 hex digits, or "@FILE" for the key in a public or secret key file.
 *  @param[in] type  that a file's key must have; hex may be either
 *  @param[in] set   the set that a file's SLH-DSA key must have */
std::vector<uint8_t> ParsePublicKey(std::string_view text, KeyType type, slhdsa::ParameterSet set);

/** A public key for a script (wallet/key_type.h): 64 hex digits, 66 of an SLH-DSA key with the number of its set, or "@FILE".
 *  Sets g_script_for_experiments.
 *  @param[in] type  if given, the type that a file's key must have; hex may be either
 *  @throws InputError, also if scripts know no keys of that set */
std::vector<uint8_t> ParseScriptKey(std::string_view text, std::optional<KeyType> type);

/** Sign. Schnorr takes messages of any length, with the tag of BIP 340 for all of them.
 *  @param[in] context  FIPS 205's; empty for Schnorr
 *  @param[in] random   extra randomness (16 bytes SLH-DSA, 32 Schnorr), empty for the deterministic variant
 *  @throws InputError if context is longer than 255 bytes, or not empty with Schnorr; with a key for experiments */
std::vector<uint8_t> SignMessage(const KeyPair& key, std::span<const uint8_t> message, std::span<const uint8_t> context,
                                 std::span<const uint8_t> random);
/** Bytes of `random` in SignMessage. */
size_t SigningRandomSize(KeyType type);

//! All that BIP 341 defines.
inline constexpr std::array<std::pair<std::string_view, uint8_t>, 7> HASH_TYPES{{
    {"DEFAULT", SIGHASH_DEFAULT},
    {"ALL", SIGHASH_ALL},
    {"NONE", SIGHASH_NONE},
    {"SINGLE", SIGHASH_SINGLE},
    {"ALL|ANYONECANPAY", SIGHASH_ALL | SIGHASH_ANYONECANPAY},
    {"NONE|ANYONECANPAY", SIGHASH_NONE | SIGHASH_ANYONECANPAY},
    {"SINGLE|ANYONECANPAY", SIGHASH_SINGLE | SIGHASH_ANYONECANPAY},
}};

/** @throws InputError */
uint8_t ParseHashType(std::string_view text);
/** Its name, or in hex if it has none. */
std::string HashTypeName(uint8_t hash_type);

/** A signature as it stands in a witness: randomized, its hash type behind it unless that is DEFAULT. */
std::vector<uint8_t> SignHash(const KeyPair& key, const uint256& hash, uint8_t hash_type);
/** The same by a key for experiments, and not randomized. */
std::vector<uint8_t> SignHashForExperiment(const KeyPair& key, const uint256& hash, uint8_t hash_type);

/** @throws InputError as SignMessage; a signature of a wrong size is invalid, which is no error */
bool VerifyMessage(KeyType type, std::span<const uint8_t> public_key, std::span<const uint8_t> message,
                   std::span<const uint8_t> context, std::span<const uint8_t> signature,
                   slhdsa::ParameterSet set = slhdsa::ParameterSet::SHA2_128S);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_KEYS_H

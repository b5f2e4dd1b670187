// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/keys.h>

#include <pqc/experiment_signer.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/encoding.h>
#include <script/sighash.h>
#include <script/slhdsa_pubkey.h>
#include <tool/command_line.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/output_file.h>
#include <tool/process_verifier.h>
#include <util/check.h>
#include <util/counted.h>
#include <util/hex.h>
#include <util/random.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

constexpr std::string_view SLHDSA_NAME{"slh-dsa-sha2-"}; //!< before the name of a set
constexpr std::string_view EXPERIMENT{"experiment-"}; //!< before that, in the type of a key for experiments
constexpr size_t EXPERIMENT_SECRET_SIZE{slhdsa::KEYGEN_SEED_SIZE + 8};
constexpr size_t SCHNORR_SECRET_SIZE{32};
using wallet::SCHNORR_SIGNATURE_SIZE;
constexpr size_t SCHNORR_RANDOM_SIZE{32};

struct ContextDeleter {
    void operator()(secp256k1_context* context) const { secp256k1_context_destroy(context); }
};

/** libsecp256k1's context, blinded against side channels. */
const secp256k1_context* Secp256k1()
{
    static const std::unique_ptr<secp256k1_context, ContextDeleter> context{[] {
        secp256k1_context* created{secp256k1_context_create(SECP256K1_CONTEXT_NONE)};
        std::array<uint8_t, 32> seed;
        GetStrongRandBytes(seed);
        if (!secp256k1_context_randomize(created, seed.data())) throw InputError{"libsecp256k1 does not accept random bytes"};
        return created;
    }()};
    return context.get();
}

/** libsecp256k1's expanded secret key. */
class SchnorrKeyPair
{
public:
    explicit SchnorrKeyPair(std::span<const uint8_t> secret)
    {
        if (!secp256k1_keypair_create(Secp256k1(), &m_keypair, secret.data())) {
            throw InputError{"zero, or not below the order of secp256k1's group: not a Schnorr key"};
        }
    }

    const secp256k1_keypair* Get() const { return &m_keypair; }

    std::vector<uint8_t> PublicKey() const
    {
        secp256k1_xonly_pubkey xonly;
        std::vector<uint8_t> bytes(ANY_PUBLIC_KEY_SIZE);
        if (!secp256k1_keypair_xonly_pub(Secp256k1(), &xonly, nullptr, &m_keypair) ||
            !secp256k1_xonly_pubkey_serialize(Secp256k1(), bytes.data(), &xonly)) {
            throw InputError{"libsecp256k1 cannot serialize a public key"};
        }
        return bytes;
    }

private:
    secp256k1_keypair m_keypair;
};

void CheckContext(KeyType type, std::span<const uint8_t> context)
{
    if (type == KeyType::SCHNORR && !context.empty()) throw InputError{"context", "Schnorr signatures have none"};
    if (context.size() > slhdsa::MAX_CONTEXT_SIZE) {
        throw InputError{"context", std::to_string(context.size()) + " bytes, at most " + std::to_string(slhdsa::MAX_CONTEXT_SIZE)};
    }
}

std::vector<uint8_t> SignSchnorr(const KeyPair& key, std::span<const uint8_t> message, std::span<const uint8_t> random)
{
    const SchnorrKeyPair keypair{key.secret};
    std::vector<uint8_t> aux{random.begin(), random.end()};
    secp256k1_schnorrsig_extraparams params = SECP256K1_SCHNORRSIG_EXTRAPARAMS_INIT;
    if (!aux.empty()) params.ndata = aux.data();
    std::vector<uint8_t> signature(SCHNORR_SIGNATURE_SIZE);
    if (!secp256k1_schnorrsig_sign_custom(Secp256k1(), signature.data(), message.data(), message.size(), keypair.Get(), &params)) {
        throw InputError{"libsecp256k1 cannot sign"};
    }
    // A faulty signature can give the secret away.
    if (!VerifyMessage(KeyType::SCHNORR, key.public_key, message, {}, signature)) {
        throw InputError{"the signature that was just made does not verify: this machine made an error"};
    }
    return signature;
}

slhdsa::TopTreeCache& TopTrees()
{
    static slhdsa::TopTreeCache top_trees{slhdsa::MAX_TOP_TREES};
    return top_trees;
}

/** How far long work is, in a line on the terminal that is gone in the end; where there is no terminal, nothing. */
class ProgressLine
{
public:
    ProgressLine(const char* what, slhdsa::ParameterSet set) : m_shown{HasLargeTopTree(set) && isatty(STDERR_FILENO) != 0}, m_what{what} {}
    ~ProgressLine()
    {
        if (m_percent >= 0) std::fputs("\r\033[K", stderr);
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    [[nodiscard]] slhdsa::lanes::SigningProgress Callback()
    {
        if (!m_shown) return {};
        return [this](size_t done, size_t total) {
            const auto percent{static_cast<int>(100 * done / total)};
            if (std::exchange(m_percent, percent) != percent) std::fprintf(stderr, "\r%s: %d %%", m_what, percent);
        };
    }

private:
    const bool m_shown;
    const char* const m_what;
    int m_percent{-1};
};

std::vector<uint8_t> SignSLHDSA(const KeyPair& key, std::span<const uint8_t> message, std::span<const uint8_t> context,
                                std::span<const uint8_t> random)
{
    const std::span secret{key.secret};
    std::vector<uint8_t> signature(slhdsa::ParamsOf(key.set).SignatureSize());
    ProgressLine progress{"signing", key.set};
    try {
        // It verifies what it made.
        const bool made{slhdsa::Sign(ProcessVerifier()->Pool(), key.set, message, context, secret.first<slhdsa::SECRET_KEY_SIZE>(),
                                     random.empty() ? nullptr : random.data(), signature, &TopTrees(), progress.Callback())};
        assert(made); // the context is not too long, and nobody interrupts
    } catch (const slhdsa::FaultySignature& e) {
        throw InputError{e.what()};
    }
    return signature;
}

constexpr size_t MAX_KEY_FILE{4096};

struct KeyFile {
    std::optional<KeyType> type;
    std::optional<std::vector<uint8_t>> secret_key, public_key;
    slhdsa::ParameterSet set{slhdsa::ParameterSet::SHA2_128S};
    bool experiment{false};
};

/** A file of that type, without keys. */
KeyFile ParseKeyType(std::string_view name)
{
    if (name == KeyTypeName(KeyType::SCHNORR, slhdsa::ParameterSet::SHA2_128S)) {
        return {.type = KeyType::SCHNORR, .secret_key = {}, .public_key = {}};
    }
    const bool experiment{name.starts_with(EXPERIMENT)};
    if (const auto scheme{name.substr(experiment ? EXPERIMENT.size() : 0)}; scheme.starts_with(SLHDSA_NAME)) {
        const auto set{slhdsa::ParameterSetByName(scheme.substr(SLHDSA_NAME.size()))};
        if (set) return {.type = KeyType::SLHDSA, .secret_key = {}, .public_key = {}, .set = *set, .experiment = experiment};
    }
    throw InputError{Quote(name) + " is neither slh-dsa-sha2-128s (or of another set) nor schnorr-bip340"};
}

/** A line of 64 digits is a public key, one of 128 a secret one. */
KeyFile KeyFileFromHex(std::string_view text)
{
    if (text.size() == 2 * SecretSize(KeyType::SLHDSA)) return {.type = KeyType::SLHDSA, .secret_key = ParseHex(text), .public_key = {}};
    if (text.size() == 2 * ANY_PUBLIC_KEY_SIZE) return {.type = {}, .secret_key = {}, .public_key = ParseHex(text)};
    throw InputError{"neither a key file's JSON object nor a line of 128 hex digits (secret) or 64 (public)"};
}

KeyFile ReadKeyFileParts(const std::string& path)
{
    const std::string text{ReadFile(path, MAX_KEY_FILE)};
    return Within(FileName(path), [&] {
        if (!IsJsonObject(text)) return KeyFileFromHex(Trim(text));
        const JsonDocument json{text};
        const JsonValue top{json.Top()};
        top.OnlyMembers({"type", "secret_key", "public_key"});
        KeyFile file{top.At("type").Parse(ParseKeyType)};
        const size_t secret_size{file.experiment ? EXPERIMENT_SECRET_SIZE : SecretSize(*file.type)};
        if (const auto key{top.Find("secret_key")}) file.secret_key = key->Hex(secret_size);
        if (const auto key{top.Find("public_key")}) file.public_key = key->Hex(ANY_PUBLIC_KEY_SIZE);
        if (!file.secret_key && !file.public_key) throw InputError{"has neither 'secret_key' nor 'public_key'"};
        return file;
    });
}

/** Let the signer know the top tree of a key, if it is in that file. @throws InputError if what is there is another key's */
bool ReadTopTree(const std::string& path, slhdsa::ParameterSet set, slhdsa::TopTreeCache::SecretKeyView secret)
{
    if (std::error_code error; !std::filesystem::exists(path, error)) return false;
    const std::string text{ReadFile(path, slhdsa::TopTreeSize(set))};
    const std::vector<uint8_t> tree{text.begin(), text.end()};
    if (tree.size() != slhdsa::TopTreeSize(set)) {
        throw InputError{FileName(path), "not a top tree of " + std::string{slhdsa::ParameterSetName(set)}};
    }
    if (!slhdsa::LoadTopTree(TopTrees(), set, secret, tree)) throw InputError{FileName(path), "is another key's"};
    return true;
}

/** @param[in] path  of the file, which its top tree may be beside */
KeyPair KeyPairFrom(const std::string& path, const KeyFile& file)
{
    if (!file.secret_key) throw InputError{"contains no secret key"};
    const std::span secret{*file.secret_key};
    const bool tree_is_known{HasLargeTopTree(file.set) && !file.experiment && path != "-" &&
                             ReadTopTree(TreeFile(path), file.set, secret.first<slhdsa::SECRET_KEY_SIZE>())};
    KeyPair key{file.experiment ? MakeExperimentKey(*file.secret_key, file.set)
                : tree_is_known ? KeyPair{*file.type, *file.secret_key, {secret.end() - slhdsa::PUBLIC_KEY_SIZE, secret.end()}, file.set}
                                : KeyPairFromSecret(*file.type, *file.secret_key, file.set)};
    if (file.public_key && *file.public_key != key.public_key) throw InputError{"public_key does not belong to secret_key"};
    return key;
}

uint64_t ExperimentNumber(const KeyPair& key) { return slhdsa::toInt(std::span{key.secret}.subspan(slhdsa::KEYGEN_SEED_SIZE)); }

/** @throws InputError naming the set if no script can have such a key */
void RequireKeyType(KeyType type, slhdsa::ParameterSet set)
{
    if (type == KeyType::SCHNORR || set == slhdsa::ParameterSet::SHA2_128S || SLHDSAPubKey::HasKeyType(set)) return;
    throw InputError{"no script knows keys of type " + KeyTypeName(type, set)};
}

} // namespace

std::vector<uint8_t> KeyPair::Element() const
{
    if (type == KeyType::SCHNORR) return public_key;
    return SLHDSAPubKey{set, std::span{public_key}.first<slhdsa::PUBLIC_KEY_SIZE>()}.Element();
}

slhdsa::ParameterSet ParseParameterSet(std::string_view name)
{
    const auto set{slhdsa::ParameterSetByName(name)};
    assert(set);
    return *set;
}

void AddSetChoice(CommandParser& parser, std::string& set, const std::string& description)
{
    std::vector<std::string> names;
    for (const slhdsa::ParameterSetEntry& entry : slhdsa::PARAMETER_SETS) {
        if (!IsForTests(entry.set)) names.emplace_back(entry.name);
    }
    parser.AddChoice("--set", set, names, description);
}

bool HasLargeTopTree(slhdsa::ParameterSet set) { return slhdsa::ParamsOf(set).h_prime() > 16; }

std::string TreeFile(const std::string& key_file) { return key_file + ".tree"; }

size_t SecretSize(KeyType type)
{
    return type == KeyType::SLHDSA ? slhdsa::SECRET_KEY_SIZE : SCHNORR_SECRET_SIZE;
}

size_t SeedSize(KeyType type)
{
    return type == KeyType::SLHDSA ? slhdsa::KEYGEN_SEED_SIZE : SCHNORR_SECRET_SIZE;
}

size_t SigningRandomSize(KeyType type)
{
    return type == KeyType::SLHDSA ? slhdsa::N : SCHNORR_RANDOM_SIZE;
}

bool IsSchnorrPublicKey(std::span<const uint8_t> public_key)
{
    secp256k1_xonly_pubkey xonly;
    return secp256k1_xonly_pubkey_parse(Secp256k1(), &xonly, public_key.data()) == 1;
}

KeyPair KeyPairFromSecret(KeyType type, std::vector<uint8_t> secret, slhdsa::ParameterSet set)
{
    if (type == KeyType::SCHNORR) {
        auto public_key{SchnorrKeyPair{secret}.PublicKey()};
        return {type, std::move(secret), std::move(public_key), {}};
    }
    KeyPair key{MakeKeyPair(type, std::span{secret}.first(slhdsa::KEYGEN_SEED_SIZE), set)};
    if (key.secret != secret) {
        throw InputError{"PK.root does not follow from SK.seed and PK.seed: the key is damaged, or not of " + KeyTypeName(type, set)};
    }
    return key;
}

KeyPair MakeKeyPair(KeyType type, std::span<const uint8_t> seed, slhdsa::ParameterSet set)
{
    if (seed.size() != SeedSize(type)) {
        throw InputError{"seed", "has " + Counted(seed.size(), "byte") + ", not " + std::to_string(SeedSize(type))};
    }
    if (type == KeyType::SCHNORR) return KeyPairFromSecret(type, std::vector<uint8_t>{seed.begin(), seed.end()});

    slhdsa::SecretKey secret;
    slhdsa::PublicKey public_key;
    ProgressLine progress{"making the key", set};
    const bool made{slhdsa::GenerateKey(ProcessVerifier()->Pool(), set, seed.first<slhdsa::KEYGEN_SEED_SIZE>(), secret, public_key,
                                        &TopTrees(), progress.Callback())};
    assert(made); // nobody interrupts
    return {type, {secret.begin(), secret.end()}, {public_key.begin(), public_key.end()}, set};
}

KeyPair MakeExperimentKey(std::vector<uint8_t> secret, slhdsa::ParameterSet set)
{
    KeyPair key{KeyType::SLHDSA, std::move(secret), {}, set};
    key.experiment = std::make_shared<const slhdsa::ExperimentSigner>(set, std::span{key.secret}.first<slhdsa::KEYGEN_SEED_SIZE>());
    const slhdsa::PublicKey public_key{key.experiment->Key(ExperimentNumber(key))};
    key.public_key.assign(public_key.begin(), public_key.end());
    return key;
}

std::vector<uint8_t> SignMessage(const KeyPair& key, std::span<const uint8_t> message, std::span<const uint8_t> context,
                                 std::span<const uint8_t> random)
{
    if (key.experiment) throw InputError{"a key for experiments protects nothing: slhtool spend alone signs with it"};
    CheckContext(key.type, context);
    if (!random.empty() && random.size() != SigningRandomSize(key.type)) {
        throw InputError{"randomness",
                         "has " + Counted(random.size(), "byte") + ", not " + std::to_string(SigningRandomSize(key.type))};
    }
    return key.type == KeyType::SCHNORR ? SignSchnorr(key, message, random) : SignSLHDSA(key, message, context, random);
}

uint8_t ParseHashType(std::string_view text)
{
    for (const auto& [name, value] : HASH_TYPES) {
        if (text == name) return value;
    }
    throw InputError{Quote(text) + " is not a hash type (DEFAULT, ALL, NONE, SINGLE; the last three also with |ANYONECANPAY)"};
}

std::string HashTypeName(uint8_t hash_type)
{
    for (const auto& [name, value] : HASH_TYPES) {
        if (hash_type == value) return std::string{name};
    }
    return "0x" + HexStr(std::array{hash_type});
}

std::vector<uint8_t> SignHash(const KeyPair& key, const uint256& hash, uint8_t hash_type)
{
    std::vector<uint8_t> random(SigningRandomSize(key.type));
    GetStrongRandBytes(random);
    auto signature{SignMessage(key, hash.Bytes(), {}, random)};
    if (hash_type != SIGHASH_DEFAULT) signature.push_back(hash_type);
    return signature;
}

std::vector<uint8_t> SignHashForExperiment(const KeyPair& key, const uint256& hash, uint8_t hash_type)
{
    std::vector<uint8_t> signature(slhdsa::ParamsOf(key.set).SignatureSize());
    key.experiment->Sign(ExperimentNumber(key), *slhdsa::MessagePieces::Pure(hash.Bytes(), {}), signature);
    if (hash_type != SIGHASH_DEFAULT) signature.push_back(hash_type);
    return signature;
}

bool VerifyMessage(KeyType type, std::span<const uint8_t> public_key, std::span<const uint8_t> message,
                   std::span<const uint8_t> context, std::span<const uint8_t> signature, slhdsa::ParameterSet set)
{
    CheckContext(type, context);
    if (public_key.size() != ANY_PUBLIC_KEY_SIZE) {
        throw InputError{"public key", "has " + Counted(public_key.size(), "byte") + ", not " + std::to_string(ANY_PUBLIC_KEY_SIZE)};
    }
    if (type == KeyType::SLHDSA) {
        // Not VerifyNow, so that SLHC_BACKEND applies.
        const slhdsa::CheckView check{public_key.data(), *slhdsa::MessagePieces::Pure(message, context), signature, set};
        slhdsa::Verdict verdict{};
        return ProcessVerifier()->VerifyMany(std::span{&check, 1}, std::span{&verdict, 1}) && verdict == slhdsa::Verdict::VALID;
    }

    if (signature.size() != SCHNORR_SIGNATURE_SIZE) return false;
    secp256k1_xonly_pubkey xonly;
    if (!secp256k1_xonly_pubkey_parse(Secp256k1(), &xonly, public_key.data())) return false;
    return secp256k1_schnorrsig_verify(Secp256k1(), signature.data(), message.data(), message.size(), &xonly) == 1;
}

KeyPair ReadKeyFileOfAnySet(const std::string& path)
{
    const KeyFile file{ReadKeyFileParts(path)};
    return Within(FileName(path), [&] { return KeyPairFrom(path, file); });
}

KeyPair ReadKeyFile(const std::string& path)
{
    const KeyFile file{ReadKeyFileParts(path)};
    return Within(FileName(path), [&] {
        if (file.type) RequireKeyType(*file.type, file.set);
        return KeyPairFrom(path, file);
    });
}

std::string FileTypeName(KeyType type, slhdsa::ParameterSet set, bool experiment)
{
    return std::string{experiment ? EXPERIMENT : ""} + KeyTypeName(type, set);
}

void WriteKeyFile(const OutputFile& file, const KeyPair& key)
{
    const std::string type{FileTypeName(key.type, key.set, key.experiment != nullptr)};
    WriteSecretFile(file, "{\n  \"type\": \"" + type + "\",\n  \"secret_key\": \"" + HexStr(key.secret) + "\",\n  \"public_key\": \"" +
                              HexStr(key.public_key) + "\"\n}\n");
    if (!HasLargeTopTree(key.set) || key.experiment) return;
    std::vector<uint8_t> tree(slhdsa::TopTreeSize(key.set));
    if (!SaveTopTree(TopTrees(), key.set, std::span{key.secret}.first<slhdsa::SECRET_KEY_SIZE>(), tree)) return;
    WriteTextFile({TreeFile(file.path), file.force}, std::string{tree.begin(), tree.end()});
}

PublicKey ReadPublicKeyFile(const std::string& path)
{
    KeyFile file{ReadKeyFileParts(path)};
    if (file.secret_key) file.public_key = Within(FileName(path), [&] { return KeyPairFrom(path, file).public_key; });
    return {file.type, *std::move(file.public_key), file.set, file.experiment};
}

std::vector<uint8_t> ParsePublicKey(std::string_view text, KeyType type, slhdsa::ParameterSet set)
{
    if (!text.starts_with('@')) {
        return WithMissingAtHint(std::string{text}, [&] { return ParseHex(text, ANY_PUBLIC_KEY_SIZE); });
    }
    const std::string path{text.substr(1)};
    auto key{ReadPublicKeyFile(path)};
    if (key.type && (*key.type != type || key.set != set)) {
        throw InputError{FileName(path), "holds a key of type " + KeyTypeName(*key.type, key.set) + ", not " + KeyTypeName(type, set)};
    }
    return std::move(key.bytes);
}

std::vector<uint8_t> ParseScriptKey(std::string_view text, std::optional<KeyType> type)
{
    if (!text.starts_with('@')) {
        if (text.size() != 2 * SLHDSAPubKey::SIZE_WITH_SET || type == KeyType::SCHNORR) {
            return WithMissingAtHint(std::string{text}, [&] { return ParseHex(text, ANY_PUBLIC_KEY_SIZE); });
        }
        auto key{ParseHex(text)};
        if (!wallet::IsKey(KeyType::SLHDSA, key)) throw InputError{wallet::KeySetProblem(key)};
        return key;
    }
    const std::string path{text.substr(1)};
    PublicKey key{ReadPublicKeyFile(path)};
    g_script_for_experiments |= key.experiment;
    if (!key.type) return std::move(key.bytes);
    return Within(FileName(path), [&] {
        if (type && *key.type != *type) {
            throw InputError{"holds a key of type " + KeyTypeName(*key.type, key.set) + ", not " +
                             KeyTypeName(*type, slhdsa::ParameterSet::SHA2_128S)};
        }
        RequireKeyType(*key.type, key.set);
        return KeyPair{*key.type, {}, std::move(key.bytes), key.set}.Element();
    });
}

} // namespace slhc::tool

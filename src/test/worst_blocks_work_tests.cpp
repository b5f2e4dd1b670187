// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/consensus.h>
#include <script/interpreter.h>
#include <script/observer.h>
#include <test/allocations.h>
#include <test/compressions.h>
#include <test/counting_sink.h>
#include <test/util/worst_blocks.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;

/** The verification of the most expensive blocks does the work that the rules ask for, and hardly more: compressions of hash functions and
 *  bytes of memory are counted, and compared with those that follow from the opcodes executed. A hash computed twice
 *  or an element copied once too often shows here, where no clock would tell. */
BOOST_AUTO_TEST_SUITE(worst_blocks_work_tests)

namespace {

struct Work {
    uint64_t sha256{0};    //!< compressions
    uint64_t sha1{0};      //!< compressions
    uint64_t ripemd160{0}; //!< compressions
    uint64_t bytes{0};     //!< asked of operator new

    Work& operator+=(const Work& other) noexcept
    {
        sha256 += other.sha256;
        sha1 += other.sha1;
        ripemd160 += other.ripemd160;
        bytes += other.bytes;
        return *this;
    }
};

/** Blocks of a message of n bytes with its padding: a byte, and eight for the length. */
constexpr uint64_t BlocksOf(uint64_t n) { return (n + 8) / 64 + 1; }
static_assert(BlocksOf(0) == 1 && BlocksOf(55) == 1 && BlocksOf(56) == 2 && BlocksOf(520) == 9);

/** Of the results of opcodes: operands have up to four bytes, their sum five; a truth value has one. */
constexpr uint64_t NUMBER_BYTES{5};
/** BIP 341's message and, for a leaf, BIP 342's extension: compressions after those of the tag, which is hashed beforehand. */
constexpr uint64_t SchnorrMessageBlocks(uint8_t hash_type, bool leaf)
{
    const uint8_t output_type{static_cast<uint8_t>(hash_type == SIGHASH_DEFAULT ? SIGHASH_ALL : hash_type & SIGHASH_OUTPUT_MASK)};
    const bool anyone_can_pay{(hash_type & SIGHASH_INPUT_MASK) != 0};
    uint64_t size{1 + 1 + 4 + 4};                                                  // epoch, type, version, lock time
    size += (anyone_can_pay ? 0 : 4 * 32) + (output_type == SIGHASH_NONE ? 0 : 32); // hashes of inputs and outputs
    size += 1 + (anyone_can_pay ? 36 + 8 + 35 + 4 : 4);                             // this input
    return BlocksOf(64 + size + (leaf ? 32 + 1 + 4 : 0)) - 1;
}
static_assert(SchnorrMessageBlocks(SIGHASH_DEFAULT, true) == 4);
/** The rest of an ECDSA message when all of it but the hash type was hashed before: one block or two, and the second hash. */
constexpr uint64_t ECDSA_MESSAGE_END_BLOCKS{3};

/** Other requests to operator new for an input, not repeated. */
constexpr uint64_t REST_BYTES{200};

/** Adds up the work of an input's opcodes as they are executed. */
class OpcodeWork : public EvalObserver
{
public:
    OpcodeWork(const CTransaction& tx, uint32_t n_in) : m_tx{tx}, m_n_in{n_in} {}

    void BeginScript(const CScript& script, SigVersion sigversion, const ScriptStack& stack) override
    {
        m_sigversion = sigversion;
        m_script_code_size = script.size();
        m_script_size = script.size();
        m_new_script_code = true;
        m_signs_output = true;
        if (sigversion == SigVersion::BASE) return;
        m_work.bytes += stack.size() * sizeof(StackElement);
        for (size_t position = 1; position <= stack.size(); ++position) m_work.bytes += stack.SizeOf(position);
        m_initial_height = m_height = stack.size();
    }

    void BeforeOpcode(const EvalStep& step) override
    {
        m_height = std::max(m_height, step.stack.size() + step.altstack.size());
        if (step.executed) Add(step);
    }

    void EndScript(ScriptError, const ScriptStack&) override {}

    [[nodiscard]] const Work& Total() const noexcept { return m_work; }
    /** The memory requests of a vector that doubles its capacity until it holds all elements. */
    [[nodiscard]] uint64_t GrowthBytes() const noexcept { return m_height > m_initial_height ? 4 * m_height * sizeof(StackElement) : 0; }

private:
    const CTransaction& m_tx;
    const uint32_t m_n_in;
    Work m_work;
    size_t m_initial_height{0};
    size_t m_height{0}; //!< the most elements so far
    SigVersion m_sigversion{SigVersion::BASE};
    size_t m_script_size{0};
    size_t m_script_code_size{0};
    bool m_new_script_code{true}; //!< no check has hashed it yet
    bool m_signs_output{true};    //!< no SIGHASH_SINGLE has hashed this input's output yet

    void Add(const EvalStep& step)
    {
        const auto size{[&](size_t position) { return step.stack.SizeOf(position); }};
        if (step.opcode <= OP_PUSHDATA4) {
            m_work.bytes += step.data.size();
            return;
        }
        switch (step.opcode) {
        case OP_DUP:
        case OP_IFDUP:
        case OP_TUCK: m_work.bytes += size(1); break;
        case OP_OVER: m_work.bytes += size(2); break;
        case OP_2DUP: m_work.bytes += size(1) + size(2); break;
        case OP_3DUP: m_work.bytes += size(1) + size(2) + size(3); break;
        case OP_2OVER: m_work.bytes += size(3) + size(4); break;
        case OP_PICK: m_work.bytes += size(static_cast<size_t>(CScriptNum{step.stack.Read(1), false}.getint()) + 2); break;

        case OP_RIPEMD160: AddHash(m_work.ripemd160, size(1), 20); break;
        case OP_SHA1: AddHash(m_work.sha1, size(1), 20); break;
        case OP_SHA256: AddHash(m_work.sha256, size(1), 32); break;
        case OP_HASH160:
            AddHash(m_work.sha256, size(1), 20);
            m_work.ripemd160 += BlocksOf(32);
            break;
        case OP_HASH256:
            AddHash(m_work.sha256, size(1), 32);
            m_work.sha256 += BlocksOf(32);
            break;

        case OP_CODESEPARATOR:
            m_script_code_size = m_script_size - step.byte_offset - 1;
            m_new_script_code = true;
            break;
        case OP_CHECKSIG:
        case OP_CHECKSIGVERIFY:
            AddScriptCode();
            AddCheck(step.stack.Read(2));
            break;
        case OP_CHECKSIGADD:
            AddScriptCode();
            AddCheck(step.stack.Read(3));
            break;
        case OP_CHECKMULTISIG:
        case OP_CHECKMULTISIGVERIFY: {
            AddScriptCode();
            const auto n_keys{static_cast<size_t>(CScriptNum{step.stack.Read(1), false}.getint())};
            const auto n_sigs{static_cast<size_t>(CScriptNum{step.stack.Read(n_keys + 2), false}.getint())};
            for (size_t sig = 0; sig < n_sigs; ++sig) AddCheck(step.stack.Read(n_keys + 3 + sig));
            break;
        }
        case OP_CHECKSIGSLHDSA:
        case OP_CHECKSIGADDSLHDSA:
            m_work.bytes += NUMBER_BYTES;
            AddSchnorrMessage(PeekForDisplay(step.stack, step.opcode == OP_CHECKSIGSLHDSA ? 2 : 3), slhdsa::SIGNATURE_SIZE);
            break;

        default:
            // Numbers and truth values, OP_DEPTH, OP_SIZE; everything else moves, drops or does nothing.
            if (step.opcode < OP_NOP || step.opcode == OP_DEPTH || step.opcode == OP_SIZE || step.opcode == OP_EQUAL ||
                (step.opcode >= OP_1ADD && step.opcode <= OP_WITHIN)) {
                m_work.bytes += NUMBER_BYTES;
            }
        }
    }

    void AddHash(uint64_t& compressions, size_t size, size_t result_size)
    {
        compressions += BlocksOf(size);
        m_work.bytes += result_size;
    }

    /** A check's result, and before taproot a copy of the code that is signed. */
    void AddScriptCode()
    {
        m_work.bytes += NUMBER_BYTES;
        if (m_sigversion != SigVersion::TAPSCRIPT) m_work.bytes += m_script_code_size;
    }

    void AddCheck(std::span<const uint8_t> sig)
    {
        if (m_sigversion == SigVersion::TAPSCRIPT) {
            AddSchnorrMessage(sig, 64);
            return;
        }
        // Without the signature, which is looked for as a push
        if (m_sigversion == SigVersion::BASE) m_work.bytes += m_script_code_size + 2 * sig.size() + 10;
        if (sig.empty()) return;
        m_work.sha256 += ECDSA_MESSAGE_END_BLOCKS;
        if (!m_new_script_code) return;
        m_new_script_code = false;
        m_work.bytes += m_script_code_size; // kept with what is hashed of it
        // The other inputs' scriptSigs are empty, in these transactions as in the message.
        const size_t message{m_sigversion == SigVersion::WITNESS_V0 ? 156 + 3 : GetSerializeSize(m_tx, TxFormat::WITHOUT_WITNESS) + 2};
        m_work.sha256 += BlocksOf(message + m_script_code_size);
    }

    /** @param[in] size  bytes of a signature without a hash type */
    void AddSchnorrMessage(std::span<const uint8_t> sig, size_t size)
    {
        if (sig.empty()) return;
        const uint8_t hash_type{sig.size() > size ? sig.back() : uint8_t{SIGHASH_DEFAULT}};
        m_work.sha256 += SchnorrMessageBlocks(hash_type, /*leaf=*/true);
        if ((hash_type & SIGHASH_OUTPUT_MASK) != SIGHASH_SINGLE || !m_signs_output) return;
        m_work.sha256 += BlocksOf(GetSerializeSize(m_tx.vout[m_n_in]));
        m_signs_output = false;
    }
};

/** The work that the rules ask for an input besides its scripts' opcodes. */
Work WitnessWork(const CTxIn& txin, const CScript& script_pub_key)
{
    Work work;
    int version;
    std::span<const uint8_t> program;
    const auto& stack{txin.scriptWitness.stack};
    if (!script_pub_key.IsWitnessProgram(version, program)) return work;
    // A script is copied once, to be executed.
    if (version == 0 && program.size() == WITNESS_V0_KEYHASH_SIZE) {
        work.bytes = 25;
    } else if (version == 0) {
        work = {.sha256 = BlocksOf(stack.back().size()), .bytes = stack.back().size()};
    } else if (stack.size() == 1) {
        work.sha256 = SchnorrMessageBlocks(SIGHASH_DEFAULT, /*leaf=*/false); // no opcode asks for it
    } else {
        // Tags are hashed beforehand. The leaf with version and size; for each step of the path two nodes; a P2TR output's tweak.
        const auto& script{stack[stack.size() - 2]};
        work.sha256 = BlocksOf(64 + 1 + 5 + script.size()) - 1 + (stack.back().size() / 32) * (BlocksOf(64 + 64) - 1);
        work.bytes = script.size();
    }
    return work;
}

/** Hashes that a transaction's inputs share: of prevouts, sequences, outputs, amounts and scripts; for version 0, three of
 *  them hashed once more. */
Work TransactionWork(const CTransaction& tx, std::span<const CTxOut> spent)
{
    if (std::ranges::all_of(tx.vin, [](const CTxIn& txin) { return txin.scriptWitness.IsNull(); })) return {};
    uint64_t outputs{0}, scripts{0};
    for (const CTxOut& txout : tx.vout) outputs += GetSerializeSize(txout);
    for (const CTxOut& txout : spent) scripts += GetSerializeSize(txout) - 8;
    const size_t n{tx.vin.size()};
    const bool version0{std::ranges::any_of(spent, [](const CTxOut& txout) { return txout.scriptPubKey[0] == OP_0; })};
    return {.sha256 = BlocksOf(36 * n) + BlocksOf(4 * n) + BlocksOf(outputs) + BlocksOf(8 * n) + BlocksOf(scripts) +
                      (version0 ? 3 * BlocksOf(32) : 0)};
}

Work Counted()
{
    const Compressions c{CountedCompressions()};
    return {.sha256 = c.sha256, .sha1 = c.sha1, .ripemd160 = c.ripemd160, .bytes = AllocatedBytes()};
}

/** The work done by the verification of a block's scripts, and the work that the rules ask for. */
void CompareWork(const BlockWithSpent& b, Work& done, Work& asked)
{
    ForEachSpender(b, [&](const CTransaction& tx, std::span<const CTxOut> spent) {
        const Work before{Counted()};
        const PrecomputedTransactionData txdata{tx, {spent.begin(), spent.end()}};
        const Work shared{Counted()};
        done.sha256 += shared.sha256 - before.sha256;
        asked.sha256 += TransactionWork(tx, spent).sha256;
        for (uint32_t n = 0; n < tx.vin.size(); ++n) {
            const CTxIn& txin{tx.vin[n]};
            CountingSink sink;
            const auto verify{[&](EvalObserver* observer) {
                const TransactionSignatureChecker checker{tx, n, spent[n].nValue, &txdata, sink};
                ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker, .observer = observer};
                return VerifyScript(txin.scriptSig, spent[n].scriptPubKey, &txin.scriptWitness, run);
            }};
            const Work start{Counted()};
            const bool valid{verify(nullptr)};
            const Work end{Counted()};
            done += {.sha256 = end.sha256 - start.sha256,
                     .sha1 = end.sha1 - start.sha1,
                     .ripemd160 = end.ripemd160 - start.ripemd160,
                     .bytes = end.bytes - start.bytes};

            OpcodeWork opcodes{tx, n};
            BOOST_REQUIRE(valid && verify(&opcodes));
            asked += opcodes.Total();
            asked += WitnessWork(txin, spent[n].scriptPubKey);
            asked.bytes += opcodes.GrowthBytes() + REST_BYTES;
        }
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(no_more_than_the_rules_ask)
{
    FillerSigner signer;
    // Results that are computed once for a process, by whichever input comes first
    for (const char* warm_up : {"schnorr_key_path", "mixed_spends"}) {
        Work done, asked;
        const auto it{std::ranges::find(WorstBlocks(), warm_up, &WorstBlock::name)};
        CompareWork(it->make({.signer = signer, .weight = 40'000}), done, asked);
    }
    for (const WorstBlock& worst : WorstBlocks()) {
        for (const BlockRules rules : {BlockRules::MODULE, BlockRules::TODAY}) {
            const std::string name{worst.name + (rules == BlockRules::TODAY ? " as of today" : "")};
            Work done, asked;
            CompareWork(worst.make({.signer = signer, .rules = rules, .weight = std::min<int64_t>(worst.weight, 100'000)}), done, asked);
            BOOST_TEST_MESSAGE(name << ": SHA-256 " << done.sha256 << " of " << asked.sha256 << ", SHA-1 " << done.sha1 << " of "
                                    << asked.sha1 << ", RIPEMD-160 " << done.ripemd160 << " of " << asked.ripemd160 << ", bytes "
                                    << done.bytes << " of " << asked.bytes);
            BOOST_CHECK_MESSAGE(done.sha256 <= asked.sha256,
                                name << ": " << done.sha256 << " compressions of SHA-256 instead of " << asked.sha256);
            // Nothing but opcodes uses these: not one more, and not one less.
            BOOST_CHECK_MESSAGE(done.sha1 == asked.sha1, name << ": " << done.sha1 << " compressions of SHA-1 instead of " << asked.sha1);
            BOOST_CHECK_MESSAGE(done.ripemd160 == asked.ripemd160,
                                name << ": " << done.ripemd160 << " compressions of RIPEMD-160 instead of " << asked.ripemd160);
            BOOST_CHECK_MESSAGE(done.bytes <= asked.bytes, name << ": " << done.bytes << " bytes of memory instead of " << asked.bytes);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Answers questions about SLH-DSA with a parameter set (default: 128s), one a line, as contrib/differential/peers.py describes them: this
// project's side of the live comparison with other implementations. The scalar code answers, but for keys and signatures of a set whose
// trees are too large for it.
//
//     slhdsa_driver [SET]

#include <pqc/cpu/engines.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <test/compressions.h>
#include <util/hex.h>
#include <util/threadpool.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

struct Question {
    std::string name;
    std::vector<std::vector<uint8_t>> fields;
};

/** Words with one space between them: the question's name, then hexadecimal fields, of which "-" is the empty one. */
std::optional<Question> Parse(const std::string& line)
{
    Question question;
    size_t begin{line.find(' ')};
    question.name = line.substr(0, begin);
    while (begin != std::string::npos) {
        const size_t end{line.find(' ', ++begin)};
        const std::string word{line.substr(begin, end == std::string::npos ? end : end - begin)};
        std::optional<std::vector<uint8_t>> field{TryParseHex(word == "-" ? "" : word)};
        if (!field) return std::nullopt;
        question.fields.push_back(std::move(*field));
        begin = end;
    }
    return question;
}

template <size_t SIZE>
std::span<const uint8_t, SIZE> Sized(const std::vector<uint8_t>& field)
{
    return std::span<const uint8_t, SIZE>{field.data(), SIZE};
}

class Driver
{
public:
    explicit Driver(ParameterSet set) : m_set{set} {}

    std::string Answer(const Question& question);

private:
    [[nodiscard]] bool HasLargeTrees() const { return ParamsOf(m_set).h_prime() > 16; }

    std::string Sign(const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd)
    {
        std::vector<uint8_t> sig(ParamsOf(m_set).SignatureSize());
        if (HasLargeTrees()) {
            const auto& kernels{CpuEngines().Best().Kernels()};
            if (!slhdsa::Sign(kernels ? &*kernels : nullptr, m_pool, m_set, m, sk, addrnd, sig, &m_top_trees)) return "error: interrupted";
        } else {
            slh_sign_internal(m_set, m, sk, addrnd, sig);
        }
        return HexStr(sig);
    }

    ParameterSet m_set;
    ThreadPool m_pool{0};
    TopTreeCache m_top_trees{1};
    uint64_t m_counted{0}; //!< compressions before the last question
};

std::string Driver::Answer(const Question& question)
{
    // No structured binding: clang 14 does not let a lambda capture one.
    const std::string& name{question.name};
    const std::vector<std::vector<uint8_t>>& fields{question.fields};
    const auto has_sizes{[&](std::initializer_list<std::optional<size_t>> sizes) {
        if (fields.size() != sizes.size()) return false;
        for (size_t i{0}; i < sizes.size(); ++i) {
            const std::optional<size_t> size{sizes.begin()[i]};
            if (size && fields[i].size() != *size) return false;
        }
        return true;
    }};
    constexpr std::optional<size_t> ANY;

    const uint64_t before{std::exchange(m_counted, test::CountedCompressions().sha256)};
    if (name == "compressions" && fields.empty()) return std::to_string(m_counted - before);
    if (name == "keygen" && has_sizes({KEYGEN_SEED_SIZE})) {
        SecretKey sk;
        PublicKey pk;
        const auto seed{Sized<KEYGEN_SEED_SIZE>(fields[0])};
        if (!HasLargeTrees()) {
            slh_keygen_internal(m_set, seed, sk, pk);
        } else if (!GenerateKey(m_pool, m_set, seed, sk, pk, &m_top_trees)) {
            return "error: interrupted";
        }
        return HexStr(pk);
    }
    if (name == "sign" && (has_sizes({SECRET_KEY_SIZE, ANY, ANY, N}) || has_sizes({SECRET_KEY_SIZE, ANY, ANY, 0}))) {
        const auto sk{Sized<SECRET_KEY_SIZE>(fields[0])};
        const auto m{MessagePieces::Pure(fields[1], fields[2])};
        return m ? Sign(*m, sk, fields[3].empty() ? sk.subspan<2 * N, N>() : Sized<N>(fields[3])) : "refused";
    }
    if (name == "sign_internal" && has_sizes({SECRET_KEY_SIZE, ANY, N})) {
        return Sign(MessagePieces::Internal(fields[1]), Sized<SECRET_KEY_SIZE>(fields[0]), Sized<N>(fields[2]));
    }
    if (name == "verify" && has_sizes({PUBLIC_KEY_SIZE, ANY, ANY, ANY})) {
        return slh_verify(m_set, fields[1], fields[3], fields[2], Sized<PUBLIC_KEY_SIZE>(fields[0])) ? "1" : "0";
    }
    if (name == "verify_internal" && has_sizes({PUBLIC_KEY_SIZE, ANY, ANY})) {
        return slh_verify_internal(m_set, MessagePieces::Internal(fields[1]), fields[2], Sized<PUBLIC_KEY_SIZE>(fields[0])) ? "1" : "0";
    }
    return "error: cannot answer '" + name + "' with these fields";
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view set{argc > 1 ? argv[1] : "128s"};
    const auto* entry{std::ranges::find(PARAMETER_SETS, set, &ParameterSetEntry::name)};
    if (argc > 2 || entry == std::end(PARAMETER_SETS)) {
        std::fprintf(stderr, "usage: slhdsa_driver [SET]\n");
        return 2;
    }
    Driver driver{entry->set};
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const std::optional<Question> question{Parse(line)};
        std::cout << (question ? driver.Answer(*question) : "error: a field is not hexadecimal") << std::endl;
    }
    return 0;
}

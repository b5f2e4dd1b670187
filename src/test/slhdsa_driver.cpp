// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Answers questions about SLH-DSA, one a line, as contrib/differential/peers.py describes them: this
// project's side of the live comparison with other implementations.

#include <pqc/slhdsa/slhdsa.h>
#include <util/hex.h>

#include <iostream>
#include <optional>
#include <string>
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

std::string Answer(const Question& question)
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

    Signature sig;
    if (name == "keygen" && has_sizes({KEYGEN_SEED_SIZE})) {
        SecretKey sk;
        PublicKey pk;
        slh_keygen_internal(Sized<KEYGEN_SEED_SIZE>(fields[0]), sk, pk);
        return HexStr(pk);
    }
    if (name == "sign" && (has_sizes({SECRET_KEY_SIZE, ANY, ANY, N}) || has_sizes({SECRET_KEY_SIZE, ANY, ANY, 0}))) {
        const uint8_t* addrnd{fields[3].empty() ? nullptr : fields[3].data()};
        return slh_sign(fields[1], fields[2], Sized<SECRET_KEY_SIZE>(fields[0]), addrnd, sig) ? HexStr(sig) : "refused";
    }
    if (name == "sign_internal" && has_sizes({SECRET_KEY_SIZE, ANY, N})) {
        slh_sign_internal(fields[1], Sized<SECRET_KEY_SIZE>(fields[0]), Sized<N>(fields[2]), sig);
        return HexStr(sig);
    }
    if (name == "verify" && has_sizes({PUBLIC_KEY_SIZE, ANY, ANY, ANY})) {
        return slh_verify(fields[1], fields[3], fields[2], Sized<PUBLIC_KEY_SIZE>(fields[0])) ? "1" : "0";
    }
    if (name == "verify_internal" && has_sizes({PUBLIC_KEY_SIZE, ANY, ANY})) {
        return slh_verify_internal(fields[1], fields[2], Sized<PUBLIC_KEY_SIZE>(fields[0])) ? "1" : "0";
    }
    return "error: cannot answer '" + name + "' with these fields";
}

} // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const std::optional<Question> question{Parse(line)};
        std::cout << (question ? Answer(*question) : "error: a field is not hexadecimal") << std::endl;
    }
    return 0;
}

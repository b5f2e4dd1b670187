// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/peers.h>

#ifdef SLHC_BENCH_OPENSSL
#include <bench/corpus.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <stdexcept>
#endif

namespace slhc::bench {

#ifdef SLHC_BENCH_OPENSSL

namespace {

constexpr const char* ALGORITHM{"SLH-DSA-SHA2-128s"};

void Require(bool ok)
{
    if (!ok) throw std::runtime_error{"OpenSSL refused"};
}

template <class T, void (*FREE)(T*)>
struct Free {
    void operator()(T* p) const { FREE(p); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX, EVP_PKEY_CTX_free>>;
using Algorithm = std::unique_ptr<EVP_SIGNATURE, Free<EVP_SIGNATURE, EVP_SIGNATURE_free>>;

Algorithm Fetch()
{
    Algorithm algorithm{EVP_SIGNATURE_fetch(nullptr, ALGORITHM, nullptr)};
    Require(algorithm != nullptr);
    return algorithm;
}

/** Verifies the corpus: OpenSSL must accept the signatures of this project. */
class VerifyPeer final : public Peer
{
public:
    std::string Name() const override { return "openssl"; }

    void Run() override
    {
        const Corpus::Entry& entry{Corpus::Get().At(m_next++)};
        const Key key{EVP_PKEY_new_raw_public_key_ex(nullptr, ALGORITHM, nullptr, entry.public_key.data(), entry.public_key.size())};
        const KeyContext context{EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr)};
        Require(EVP_PKEY_verify_message_init(context.get(), m_algorithm.get(), nullptr) == 1);
        Require(EVP_PKEY_verify(context.get(), entry.signature.data(), entry.signature.size(), entry.message.data(),
                                entry.message.size()) == 1);
    }

private:
    const Algorithm m_algorithm{Fetch()};
    size_t m_next{0};
};

class SignPeer final : public Peer
{
public:
    std::string Name() const override { return "openssl"; }

    void Run() override
    {
        const Corpus::Entry& entry{Corpus::Get().At(m_next++)};
        const Key key{EVP_PKEY_new_raw_private_key_ex(nullptr, ALGORITHM, nullptr, entry.secret_key.data(), entry.secret_key.size())};
        const KeyContext context{EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr)};
        Require(EVP_PKEY_sign_message_init(context.get(), m_algorithm.get(), nullptr) == 1);
        slhdsa::Signature signature;
        size_t size{signature.size()};
        Require(EVP_PKEY_sign(context.get(), signature.data(), &size, entry.message.data(), entry.message.size()) == 1);
    }

private:
    const Algorithm m_algorithm{Fetch()};
    size_t m_next{0};
};

class KeygenPeer final : public Peer
{
public:
    std::string Name() const override { return "openssl"; }

    void Run() override
    {
        const Key key{EVP_PKEY_Q_keygen(nullptr, nullptr, ALGORITHM)};
        Require(key != nullptr);
    }
};

} // namespace

std::unique_ptr<Peer> MakeOpenSslVerifyPeer() { return std::make_unique<VerifyPeer>(); }
std::unique_ptr<Peer> MakeOpenSslSignPeer() { return std::make_unique<SignPeer>(); }
std::unique_ptr<Peer> MakeOpenSslKeygenPeer() { return std::make_unique<KeygenPeer>(); }
std::string OpenSslVersionText() { return OpenSSL_version(OPENSSL_VERSION); }

#else

std::unique_ptr<Peer> MakeOpenSslVerifyPeer() { return nullptr; }
std::unique_ptr<Peer> MakeOpenSslSignPeer() { return nullptr; }
std::unique_ptr<Peer> MakeOpenSslKeygenPeer() { return nullptr; }
std::string OpenSslVersionText() { return "left out: none of 3.5 or later was found"; }

#endif

} // namespace slhc::bench

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/eager.h>

#include <pqc/backends.h>
#include <pqc/judge.h>

namespace slhc::slhdsa {

namespace {

class DefaultEngineVerifier final : public EagerVerifier
{
public:
    [[nodiscard]] bool VerifyPure(std::span<const uint8_t> m, std::span<const uint8_t, SIGNATURE_SIZE> sig,
                                  std::span<const uint8_t, PUBLIC_KEY_SIZE> pk) const override
    {
        // An empty context is never too long.
        return VerifyOn(DefaultCpuEngine(), {pk.data(), *MessagePieces::Pure(m, {}), sig.data()});
    }
};

} // namespace

const EagerVerifier& DefaultEagerVerifier()
{
    static const DefaultEngineVerifier verifier;
    return verifier;
}

} // namespace slhc::slhdsa

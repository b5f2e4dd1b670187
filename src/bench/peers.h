// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_PEERS_H
#define SLHCONSENSUS_BENCH_PEERS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace slhc::bench {

/** Something that others wrote, to compare with: one operation, on a different input each time. */
class Peer
{
public:
    virtual ~Peer() = default;
    /** A word for counters and tables, e.g. "bip340". */
    [[nodiscard]] virtual std::string Name() const = 0;
    /** One operation. @throws std::runtime_error  if it does not end as it should */
    virtual void Run() = 0;
};

/** Verification of a BIP 340 signature by libsecp256k1, to which the design's targets are ratios. */
[[nodiscard]] std::unique_ptr<Peer> MakeBip340Peer();
/** The same with another compression function of SHA-256 in the place of libsecp256k1's own; null where it takes none (before 0.8). */
[[nodiscard]] std::unique_ptr<Peer> MakeBip340Peer(void (*compression)(uint32_t* state, const unsigned char* blocks, size_t n));
/** Verification of an ECDSA signature by libsecp256k1. */
[[nodiscard]] std::unique_ptr<Peer> MakeEcdsaPeer();

/** SLH-DSA-SHA2-128s by OpenSSL; null where this was built without OpenSSL 3.5 or later. */
[[nodiscard]] std::unique_ptr<Peer> MakeOpenSslVerifyPeer();
[[nodiscard]] std::unique_ptr<Peer> MakeOpenSslSignPeer();
[[nodiscard]] std::unique_ptr<Peer> MakeOpenSslKeygenPeer();

/** Descriptions of the peers, for the report. */
[[nodiscard]] std::string OpenSslVersionText();

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_PEERS_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SECRET_NODE_H
#define SLHCONSENSUS_PQC_SECRET_NODE_H

#include <pqc/hash_functions.h>
#include <util/cleanse.h>

namespace slhc::slhdsa {

/** A node that must not stay in memory: wiped when it goes out of scope. */
class SecretNode
{
public:
    explicit SecretNode(const Node& value) noexcept : m_value{value} {}
    ~SecretNode() { memory_cleanse(m_value.data(), m_value.size()); }
    SecretNode(const SecretNode&) = delete;
    SecretNode& operator=(const SecretNode&) = delete;

    [[nodiscard]] const Node& Get() const noexcept { return m_value; }

private:
    Node m_value;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SECRET_NODE_H

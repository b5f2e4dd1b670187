// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_WITNESS_VIEW_H
#define SLHCONSENSUS_SCRIPT_WITNESS_VIEW_H

#include <primitives/serialize.h>
#include <primitives/transaction.h>
#include <util/check.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slhc {

/** The elements of a witness, bottom first, or those that are left of them. They belong to a CScriptWitness, or to a caller who has them in
 *  another kind of array. Millions of elements fit into a block, and most of their limits are known only once the script is, so nothing is
 *  copied before. */
class WitnessView
{
public:
    /** Returns the bytes of element i of an array. */
    using BytesAt = std::span<const uint8_t> (*)(const void* elements, size_t i) noexcept;

    /** @param[in] elements  size of them, of the kind that bytes_at knows; may be null if size is 0 */
    WitnessView(const void* elements, size_t size, BytesAt bytes_at) noexcept : m_elements{elements}, m_size{size}, m_bytes_at{bytes_at} {}
    // Implicit: functions take these as views.
    WitnessView(std::span<const std::vector<uint8_t>> elements) noexcept : WitnessView{elements.data(), elements.size(), VectorAt} {}
    WitnessView(const CScriptWitness& witness) noexcept : WitnessView{std::span{witness.stack}} {}

    [[nodiscard]] size_t size() const noexcept { return m_size; }
    [[nodiscard]] bool empty() const noexcept { return m_size == 0; }
    /** @pre i < size() */
    [[nodiscard]] std::span<const uint8_t> operator[](size_t i) const noexcept
    {
        assert(i < m_size);
        return m_bytes_at(m_elements, i);
    }
    /** The last element. @pre not empty */
    [[nodiscard]] std::span<const uint8_t> back() const noexcept { return (*this)[m_size - 1]; }

    /** Take the last element off the view. @pre not empty */
    std::span<const uint8_t> PopBack() noexcept
    {
        const auto last{back()};
        --m_size;
        return last;
    }

private:
    const void* m_elements;
    size_t m_size;
    BytesAt m_bytes_at;

    static std::span<const uint8_t> VectorAt(const void* elements, size_t i) noexcept
    {
        return static_cast<const std::vector<uint8_t>*>(elements)[i];
    }
};

/** Serializes like the witness that it views. */
template <ByteSink S>
void Serialize(S& sink, const WitnessView& witness)
{
    WriteCompactSize(sink, witness.size());
    for (size_t i = 0; i < witness.size(); ++i) WriteVarBytes(sink, witness[i]);
}

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_WITNESS_VIEW_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_STACK_H
#define SLHCONSENSUS_SCRIPT_STACK_H

#include <script/script.h>
#include <util/check.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/** The stack of the interpreter, from which no large element can be read by mistake: there is one way to read an element, which refuses
 *  large ones, and one way to pop it, which copies nothing. The length of any element can be read, since it reveals none of its bytes. So
 *  the rules for elements over 520 bytes are enforced here, not opcode by opcode. */
namespace slhc {

/** An opcode tried to read an element of more than MAX_SCRIPT_ELEMENT_SIZE bytes. EvalScript turns it into SCRIPT_ERR_PUSH_SIZE. */
class LargeElementError : public std::exception
{
public:
    [[nodiscard]] const char* what() const noexcept override { return "a stack element over 520 bytes cannot be read"; }
};

/** One element. It can be moved, not copied. */
class StackElement
{
public:
    StackElement() noexcept = default;
    /** Copies the bytes. */
    explicit StackElement(std::span<const uint8_t> bytes) : m_bytes(bytes.begin(), bytes.end()) {}
    explicit StackElement(std::vector<uint8_t>&& bytes) noexcept : m_bytes{std::move(bytes)} {}
    StackElement(StackElement&&) noexcept = default;
    StackElement& operator=(StackElement&&) noexcept = default;
    StackElement(const StackElement&) = delete;
    StackElement& operator=(const StackElement&) = delete;
    ~StackElement() = default;

    [[nodiscard]] size_t size() const noexcept { return m_bytes.size(); }
    [[nodiscard]] bool IsLarge() const noexcept { return size() > MAX_SCRIPT_ELEMENT_SIZE; }

    /** The bytes. @throws LargeElementError if there are more than 520 */
    [[nodiscard]] std::span<const uint8_t> Read() const
    {
        if (IsLarge()) throw LargeElementError{};
        return m_bytes;
    }

    /** Move the bytes out, of any size; only for opcodes that consume a signature. */
    [[nodiscard]] std::vector<uint8_t> TakeBytes() && noexcept { return std::move(m_bytes); }

private:
    friend std::span<const uint8_t> PeekForDisplay(const StackElement& element) noexcept;

    std::vector<uint8_t> m_bytes;
};

static_assert(sizeof(StackElement) <= 32 && std::is_nothrow_move_constructible_v<StackElement> &&
              std::is_nothrow_move_assignable_v<StackElement> && !std::is_copy_constructible_v<StackElement>);

/** A stack of elements. Positions are counted from the top, which is 1. Callers must have checked the size. */
class ScriptStack
{
public:
    ScriptStack() = default;
    /** Copies all elements, the last one on top. Reserves room for the elements that one opcode adds, so that a stack over its limit, which
     *  version 0 checks after the first opcode, does not double its capacity before it fails. */
    explicit ScriptStack(std::span<const std::vector<uint8_t>> elements)
    {
        m_elements.reserve(elements.size() + MOST_ADDED_BY_OPCODE);
        for (const auto& element : elements) m_elements.emplace_back(std::span{element});
    }

    [[nodiscard]] size_t size() const noexcept { return m_elements.size(); }
    [[nodiscard]] bool empty() const noexcept { return m_elements.empty(); }

    /** The one way to look at an element's bytes.
     *  @throws LargeElementError if it is large
     *  @return a view that the next change of the stack invalidates */
    [[nodiscard]] std::span<const uint8_t> Read(size_t position) const { return At(position).Read(); }

    /** The number of bytes of an element of any size. */
    [[nodiscard]] size_t SizeOf(size_t position) const { return At(position).size(); }

    /** The one way to get an element of any size: remove it from the stack. Moves it and closes the gap. */
    [[nodiscard]] StackElement Move(size_t position)
    {
        const auto it{m_elements.end() - static_cast<std::ptrdiff_t>(Checked(position))};
        StackElement element{std::move(*it)};
        m_elements.erase(it);
        return element;
    }

    /** Swap two elements of any size. */
    void Swap(size_t position1, size_t position2) noexcept { std::swap(m_elements[Index(position1)], m_elements[Index(position2)]); }

    void Push(StackElement element) { m_elements.push_back(std::move(element)); }
    /** Push a copy of bytes, which may be a view into this stack. */
    void Push(std::span<const uint8_t> bytes) { Push(StackElement{bytes}); }
    void PushNum(const CScriptNum& n) { Push(StackElement{n.getvch()}); }
    void PushBool(bool value) { Push(StackElement{value ? std::vector<uint8_t>{1} : std::vector<uint8_t>{}}); }

    /** Remove the top n elements, of any size. @pre n is at least 1 */
    void Drop(size_t n = 1) { m_elements.resize(Index(n)); }

    /** A copy of a stack that has no large elements. @throws LargeElementError if it has one */
    [[nodiscard]] ScriptStack Clone() const
    {
        ScriptStack copy;
        copy.m_elements.reserve(size());
        for (size_t position{size()}; position > 0; --position) copy.Push(Read(position));
        return copy;
    }

private:
    friend std::span<const uint8_t> PeekForDisplay(const ScriptStack& stack, size_t position) noexcept;

    static constexpr size_t MOST_ADDED_BY_OPCODE{3}; //!< OP_3DUP

    std::vector<StackElement> m_elements;

    size_t Checked(size_t position) const noexcept
    {
        assert(position >= 1 && position <= m_elements.size());
        return position;
    }
    size_t Index(size_t position) const noexcept { return m_elements.size() - Checked(position); }
    const StackElement& At(size_t position) const noexcept { return m_elements[Index(position)]; }
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_STACK_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_FORK_SAFE_STATIC_H
#define SLHCONSENSUS_UTIL_FORK_SAFE_STATIC_H

#include <atomic>
#include <memory>

namespace slhc {

/** A static object that is made when it is first asked for, and kept until the program ends. A static variable of a function has a
 *  lock: in a child that was forked while another thread made the object, nobody releases it. This has none: threads that ask at
 *  the same time make one object each, and use the first of them. */
template <typename T>
class ForkSafeStatic
{
public:
    /** @param[in] make  returns the object; may be called by several threads that ask at the same time; one result is kept */
    template <typename Make>
    const T& Get(Make make)
    {
        if (const T* const made{Find()}) return *made;
        std::unique_ptr<const T> own{new T(make())};
        const T* first{nullptr};
        if (m_object.compare_exchange_strong(first, own.get(), std::memory_order_acq_rel, std::memory_order_acquire)) return *own.release();
        return *first;
    }

    /** @return null: nobody has asked for it yet */
    [[nodiscard]] const T* Find() const { return m_object.load(std::memory_order_acquire); }

private:
    std::atomic<const T*> m_object{nullptr};
};

/** The same for a member: destroyed with its owner. In place of std::call_once, which may hold a lock. */
template <typename T>
class ForkSafeMember : public ForkSafeStatic<T>
{
public:
    ForkSafeMember() = default;
    ~ForkSafeMember() { delete this->Find(); }
    ForkSafeMember(const ForkSafeMember&) = delete;
    ForkSafeMember& operator=(const ForkSafeMember&) = delete;
};

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_FORK_SAFE_STATIC_H

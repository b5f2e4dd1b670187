// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_LOADER_USE_H
#define SLHCONSENSUS_PQC_VULKAN_LOADER_USE_H

namespace slhc::slhdsa::vulkan {

/** Marks that a thread of this process is loading or unloading drivers. In a child that was forked meanwhile, the dynamic linker stays
 *  in the middle of that, and ends the process when it is asked again. */
class LoaderUse
{
public:
    LoaderUse() = default;
    ~LoaderUse();
    LoaderUse(const LoaderUse&) = delete;
    LoaderUse& operator=(const LoaderUse&) = delete;

    /** From now until the end of this object's life. @return false, and nothing may be loaded, in such a child */
    [[nodiscard]] bool Begin() noexcept;

private:
    bool m_begun{false};
};

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_LOADER_USE_H

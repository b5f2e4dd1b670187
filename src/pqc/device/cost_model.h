// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_COST_MODEL_H
#define SLHCONSENSUS_PQC_DEVICE_COST_MODEL_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::slhdsa {

/** How long a batch takes on all threads of the CPU and on a device, as measured at some sizes and corrected by later batches; and from
 *  that, how many signatures of a batch to give to the device. */
class CostModel
{
public:
    /** A device must be this much faster than the CPU, and both together than either, to be worth using: two measurements may differ by
     *  less. */
    static constexpr double WORTHWHILE{0.95};

    /** Batches of fewer signatures tell nothing: much of what they take is what any batch takes, be it to wake threads or to fill cold
     *  caches, and that says nothing about larger ones. So nobody would notice if a device that gets so few became slow, and it gets none,
     *  be it faster: little can be gained by them. */
    static constexpr size_t LEAST_TELLING{16};

    enum class Side { CPU, DEVICE };

    struct Sample {
        size_t n;           //!< signatures
        uint64_t cpu_ns;    //!< wall time of a batch of n
        uint64_t device_ns;
        friend bool operator==(const Sample&, const Sample&) = default;
    };

    /** @param[in] samples    in strictly rising order of n, every number above 0; at least one
     *  @param[in] may_split  whether CPU and device were measured to be faster together than the faster one of them */
    CostModel(std::vector<Sample> samples, bool may_split);

    /** How many of n signatures are best given to the device, while the CPU works on the others: none, or LEAST_TELLING at least. */
    [[nodiscard]] size_t DeviceShare(size_t n) const;

    /** ns */
    [[nodiscard]] double CpuTime(size_t n) const { return Time(n, &Sample::cpu_ns); }
    [[nodiscard]] double DeviceTime(size_t n) const { return Time(n, &Sample::device_ns); }
    /** The device's part of n if both work at the same time and do not slow each other down, whether or not the model
     *  may split. */
    [[nodiscard]] size_t SplitShare(size_t n) const { return Split(n).device; }

    void AllowSplit(bool may_split) { m_may_split = may_split; }

    /** Learn from a batch of n that took `ns` on that side: the load on the machine may have changed since the samples were measured. A
     *  single batch may be an outlier, so it moves the model only part of the way. Fewer than LEAST_TELLING change nothing. */
    void Observe(Side side, size_t n, uint64_t ns);

    /** A share of n that gives a small part, but LEAST_TELLING at least, to the side that DeviceShare(n) leaves idle, since the model could
     *  not learn about it otherwise. By the model, that part takes no longer than all of n on the other side; DeviceShare(n) if there is
     *  no such part. */
    [[nodiscard]] size_t TrialShare(size_t n) const;

    [[nodiscard]] std::string Serialize() const;
    /** @return nothing if text is not such a model; what it returns satisfies the constructor's conditions */
    [[nodiscard]] static std::optional<CostModel> Parse(std::string_view text);

    friend bool operator==(const CostModel&, const CostModel&) = default;

private:
    struct Parts {
        size_t device;
        double time;
    };

    double Time(size_t n, uint64_t Sample::*column) const;
    Parts Split(size_t n) const;

    std::vector<Sample> m_samples;
    bool m_may_split;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_COST_MODEL_H

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The PSBTs of slhconsensus.h: what parses is written as it was read, findings can be read and fit what they lead to, and a call that
// fails changes nothing.

#include <slhconsensus.h>
#include <test/fuzz/capi_error.h>
#include <test/fuzz/fuzz.h>

#include <memory>
#include <vector>

using slhc::test::Require;
using slhc::test::RequireError;
using slhc::test::RequireOneLine;

namespace {

using PSBTPtr = std::unique_ptr<slhc_psbt, decltype(&slhc_psbt_destroy)>;
using Bytes = std::vector<unsigned char>;

PSBTPtr Parse(const Bytes& bytes, slhc_error* error = nullptr)
{
    return {slhc_psbt_parse({bytes.data(), bytes.size()}, error), slhc_psbt_destroy};
}

Bytes Written(const PSBTPtr& psbt)
{
    slhc_bytes bytes{};
    Require(slhc_psbt_serialize(psbt.get(), &bytes) == SLHC_OK, "a PSBT can be written");
    return {bytes.data, bytes.data + bytes.size};
}

/** How many findings there are of each kind. */
struct Findings {
    size_t wrong{0}; //!< in inputs and outputs
    size_t missing{0};
    size_t others{0};
};

Findings Read(const PSBTPtr& psbt, size_t n)
{
    Findings findings;
    slhc_psbt_finding finding = SLHC_PSBT_FINDING_INIT;
    for (size_t i{0}; i < n; ++i) {
        Require(slhc_psbt_get_finding(psbt.get(), i, &finding) == SLHC_OK, "a finding can be read");
        RequireOneLine(finding.why);
        const bool wrong{finding.kind == SLHC_PSBT_WRONG || finding.kind == SLHC_PSBT_WRONG_OUTPUT};
        Require(wrong == (finding.field.size > 0), "what is wrong is a field");
        if (wrong) {
            ++findings.wrong;
        } else if (finding.kind == SLHC_PSBT_MISSING) {
            ++findings.missing;
        } else {
            Require(finding.kind == SLHC_PSBT_NEVER || finding.kind == SLHC_PSBT_ANYONE_CAN_SPEND, "a finding is of a known kind");
            ++findings.others;
        }
    }
    Require(slhc_psbt_get_finding(psbt.get(), n, &finding) == SLHC_ERROR, "there is no finding behind the last");
    RequireError(SLHC_ERR_ARGUMENT);
    return findings;
}

/** What is wrong, and what is left without it. */
void CheckAndDrop(const Bytes& bytes)
{
    const PSBTPtr psbt{Parse(bytes)};
    size_t n{0};
    if (slhc_psbt_check(psbt.get(), &n) != SLHC_OK) return RequireError(SLHC_ERR_DATA);
    const Findings before{Read(psbt, n)};
    Require(before.missing == 0, "nothing is made final here");
    Require(Written(psbt) == bytes, "to look changes nothing");
    size_t n_dropped{0};
    Require(slhc_psbt_drop_invalid(psbt.get(), &n_dropped) == SLHC_OK, "what can be found can be removed");
    Require(Read(psbt, n_dropped).wrong == n_dropped && n_dropped >= before.wrong, "what is wrong is removed, and nothing else");
    Require((n_dropped > 0) == (before.wrong > 0) && (n_dropped > 0) == (Written(psbt) != bytes), "what is removed is not written");
    Require(slhc_psbt_check(psbt.get(), &n) == SLHC_OK && Read(psbt, n).wrong == 0, "nothing wrong is left");
}

void CheckCombine(const Bytes& bytes)
{
    const PSBTPtr psbt{Parse(bytes)}, other{Parse(bytes)};
    if (slhc_psbt_combine(psbt.get(), other.get()) != SLHC_OK) RequireError(SLHC_ERR_DATA);
    Require(Written(psbt) == bytes, "combined with itself a PSBT is the same");
}

void CheckFinalize(const Bytes& bytes)
{
    const PSBTPtr psbt{Parse(bytes)};
    size_t n{0};
    const int result{slhc_psbt_finalize(psbt.get(), &n)};
    if (result == SLHC_ERROR) {
        RequireError(SLHC_ERR_DATA);
        Require(Written(psbt) == bytes, "what fails changes nothing");
        return;
    }
    const Findings findings{Read(psbt, n)};
    Require((result == SLHC_VALID) == (findings.missing == 0 && findings.others == 0), "what is not final lacks something");
    const Bytes finalized{Written(psbt)};
    const PSBTPtr again{Parse(finalized)};
    Require(again && Written(again) == finalized, "what was finalized parses");
    Require(result == SLHC_VALID || !again || slhc_psbt_finalize(again.get(), &n) != SLHC_VALID, "what lacks something still lacks it");
}

/** The lock times of the bytes as a leaf, for each input and one more. */
void CheckLockTimes(const PSBTPtr& psbt, slhc_bytes leaf)
{
    for (unsigned i{0}; i < 4; ++i) {
        char why[SLHC_PSBT_REASON_SIZE]{};
        const int result{slhc_psbt_check_lock_times(psbt.get(), i, leaf, why)};
        if (result == SLHC_ERROR) {
            slhc_error error = SLHC_ERROR_INIT;
            Require(slhc_last_error(&error) == SLHC_OK, "an error can be asked for");
            // Inputs that cannot agree on a lock time have no transaction.
            return RequireError(error.code == SLHC_ERR_ARGUMENT ? SLHC_ERR_ARGUMENT : SLHC_ERR_DATA);
        }
        Require((result == SLHC_VALID) == (why[0] == 0), "a lock time is not met for a reason");
        if (result == SLHC_INVALID) RequireOneLine(why);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const Bytes bytes(data, data + size);
    slhc_error error = SLHC_ERROR_INIT;
    const PSBTPtr psbt{Parse(bytes, &error)};
    if (!psbt) {
        Require(error.code == SLHC_ERR_DATA, "a PSBT is refused for its bytes");
        RequireError(SLHC_ERR_DATA);
        return 0;
    }
    const Bytes written{Written(psbt)};
    Require(written.size() == size, "every byte is written again");
    const PSBTPtr again{Parse(written)};
    Require(again && Written(again) == written, "a PSBT is written as it was read");
    CheckAndDrop(written);
    CheckCombine(written);
    CheckFinalize(written);
    // A leaf, if the data has one where many a PSBT ends; and what is there in any case
    CheckLockTimes(psbt, {data + size / 2, size - size / 2});
    return 0;
}

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_SIGNATURE_CACHE_H
#define SLHCONSENSUS_CAPI_SIGNATURE_CACHE_H

#include <script/sigcache.h>
#include <slhconsensus.h>

struct slhc_signature_cache {
    slhc::SignatureCache cache;
};

namespace slhc::capi {

/** The cache behind a nullable argument. */
[[nodiscard]] inline SignatureCache* CacheOf(slhc_signature_cache* cache) { return cache == nullptr ? nullptr : &cache->cache; }

} // namespace slhc::capi

#endif // SLHCONSENSUS_CAPI_SIGNATURE_CACHE_H

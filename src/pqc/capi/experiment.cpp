// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/capi/arguments.h>
#include <pqc/capi/error.h>
#include <pqc/experiment_signer.h>
#include <slhdsa.h>

#include <algorithm>

using namespace slhc;
using namespace slhc::capi;
using namespace slhc::slhdsa;

struct slhc_experiment_signer {
    ExperimentSigner signer;
};

slhc_experiment_signer* slhc_experiment_signer_create(int set, const unsigned char seed[48])
{
    return Guarded<slhc_experiment_signer*>(__func__, nullptr, [&] {
        const ParameterSet known{RequiredSet(set)};
        return new slhc_experiment_signer{ExperimentSigner{known, FixedBytes<KEYGEN_SEED_SIZE>(seed, "seed")}};
    });
}

void slhc_experiment_signer_destroy(slhc_experiment_signer* signer) { delete signer; }

int slhc_experiment_public_key(const slhc_experiment_signer* signer, uint64_t number, unsigned char public_key[32])
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        const ExperimentSigner& used{Required(signer, "signer").signer};
        Required(public_key, "public_key");
        std::ranges::copy(used.Key(number), public_key);
        return SLHC_OK;
    });
}

int slhc_experiment_sign(const slhc_experiment_signer* signer, uint64_t number, slhc_bytes message, slhc_bytes ctx,
                         unsigned char* signature)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        const ExperimentSigner& used{Required(signer, "signer").signer};
        const auto m{Bytes(message, "message.data")};
        const auto pieces{MessagePieces::Pure(m, ContextString(ctx))};
        used.Sign(number, *pieces, {&Required(signature, "signature"), ParamsOf(used.Set()).SignatureSize()});
        return SLHC_OK;
    });
}

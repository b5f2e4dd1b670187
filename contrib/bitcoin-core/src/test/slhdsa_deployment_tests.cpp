// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <chainparams.h>
#include <common/args.h>
#include <consensus/params.h>
#include <deploymentinfo.h>
#include <slhdsa/config.h>
#include <test/util/common.h>
#include <test/util/setup_common.h>
#include <tinyformat.h>
#include <util/chaintype.h>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using Consensus::BIP9Deployment;

namespace {

//! OP_TRUE, as a signet's challenge.
const std::string OWN_CHALLENGE{"51"};
//! That of the default signet, with which it is public.
const std::string DEFAULT_CHALLENGE{"512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae"};

std::unique_ptr<const CChainParams> MakeParams(ChainType chain, const std::string& vbparams, const std::string& challenge = "")
{
    ArgsManager args;
    if (!vbparams.empty()) args.ForceSetArg("-vbparams", vbparams);
    if (!challenge.empty()) args.ForceSetArg("-signetchallenge", challenge);
    return CreateChainParams(args, chain);
}

const std::vector<ChainType> PUBLIC_CHAINS{ChainType::MAIN, ChainType::TESTNET, ChainType::TESTNET4, ChainType::SIGNET};
const std::vector<Consensus::DeploymentPos> DEPLOYMENTS{Consensus::DEPLOYMENT_P2MR, Consensus::DEPLOYMENT_SLHDSA, Consensus::DEPLOYMENT_SLHDSA_SETS};

} // namespace

BOOST_FIXTURE_TEST_SUITE(slhdsa_deployment_tests, BasicTestingSetup)

BOOST_AUTO_TEST_CASE(defaults)
{
    for (const auto dep : DEPLOYMENTS) {
        for (const auto chain : PUBLIC_CHAINS) {
            BOOST_CHECK_EQUAL(MakeParams(chain, "")->GetConsensus().vDeployments[dep].nStartTime, BIP9Deployment::NEVER_ACTIVE);
        }
        BOOST_CHECK_EQUAL(MakeParams(ChainType::SIGNET, "", OWN_CHALLENGE)->GetConsensus().vDeployments[dep].nStartTime, BIP9Deployment::NEVER_ACTIVE);
        BOOST_CHECK_EQUAL(MakeParams(ChainType::REGTEST, "")->GetConsensus().vDeployments[dep].nStartTime,
                          HAVE_SLHDSA && dep != Consensus::DEPLOYMENT_SLHDSA_SETS ? BIP9Deployment::ALWAYS_ACTIVE : BIP9Deployment::NEVER_ACTIVE);
    }
}

BOOST_AUTO_TEST_CASE(set_by_vbparams)
{
    for (const auto dep : DEPLOYMENTS) {
        const std::string name{VersionBitsDeploymentInfo[dep].name};
        const std::string vbparams{name + ":1199145601:1230767999:432"};

        if (!HAVE_SLHDSA) {
            // As any name that this node does not know.
            BOOST_CHECK_EXCEPTION(MakeParams(ChainType::REGTEST, vbparams), std::runtime_error, HasReason(strprintf("Invalid deployment (%s)", name)));
            continue;
        }

        for (const auto& [chain, challenge] : {std::pair{ChainType::REGTEST, std::string{}}, std::pair{ChainType::SIGNET, OWN_CHALLENGE}}) {
            const auto params{MakeParams(chain, vbparams, challenge)};
            const auto unchanged{MakeParams(chain, "", challenge)};
            BOOST_CHECK_EQUAL(params->GetConsensus().vDeployments[dep].nStartTime, 1199145601);
            BOOST_CHECK_EQUAL(params->GetConsensus().vDeployments[dep].nTimeout, 1230767999);
            BOOST_CHECK_EQUAL(params->GetConsensus().vDeployments[dep].min_activation_height, 432);
            // Each is set by itself.
            for (const auto other : DEPLOYMENTS) {
                if (other != dep) BOOST_CHECK_EQUAL(params->GetConsensus().vDeployments[other].nStartTime, unchanged->GetConsensus().vDeployments[other].nStartTime);
            }
        }

        // Not where anybody else is; and the default signet is public however its challenge is given.
        for (const std::string& start : {strprintf("%s:1199145601:1230767999", name), strprintf("%s:%d:0", name, BIP9Deployment::ALWAYS_ACTIVE)}) {
            for (const auto chain : PUBLIC_CHAINS) {
                BOOST_CHECK_EXCEPTION(MakeParams(chain, start), std::runtime_error,
                                      HasReason(strprintf("Deployment %s cannot be set on the public chain \"%s\"", name, ChainTypeToString(chain))));
            }
            BOOST_CHECK_EXCEPTION(MakeParams(ChainType::SIGNET, start, DEFAULT_CHALLENGE), std::runtime_error, HasReason("public chain \"signet\""));
        }
        // That it is never active holds there anyway, and may be said.
        const std::string never{strprintf("%s:%d:0", name, BIP9Deployment::NEVER_ACTIVE)};
        for (const auto chain : PUBLIC_CHAINS) {
            BOOST_CHECK_EQUAL(MakeParams(chain, never)->GetConsensus().vDeployments[dep].nStartTime, BIP9Deployment::NEVER_ACTIVE);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

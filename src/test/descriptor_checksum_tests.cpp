// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/descriptor_checksum.h>

#include <boost/test/unit_test.hpp>

using namespace slhc::wallet;

BOOST_AUTO_TEST_SUITE(descriptor_checksum_tests)

// BIP 380, "Test Vectors", and BIP 385's descriptors.
BOOST_AUTO_TEST_CASE(bip_vectors)
{
    BOOST_CHECK_EQUAL(DescriptorChecksum("raw(deadbeef)"), "89f8spxm");
    BOOST_CHECK(DescriptorChecksum("raw(deedbeef)") != "89f8spxm");
}

BOOST_AUTO_TEST_CASE(characters)
{
    BOOST_CHECK_EQUAL(FindInvalidDescriptorCharacter("raw(deadbeef)"), std::string_view::npos);
    BOOST_CHECK_EQUAL(FindInvalidDescriptorCharacter("raw(\xc3\x9c)"), 4u);
    BOOST_CHECK_EQUAL(FindInvalidDescriptorCharacter("a\tb"), 1u);
    BOOST_CHECK_EQUAL(FindInvalidDescriptorCharacter(std::string_view{"\0", 1}), 0u);
}

// BIP 380's promise: any single error is detected, whatever the character and its place.
BOOST_AUTO_TEST_CASE(single_errors)
{
    const std::string descriptor{"mr({pk(a34b99),older(144)})"};
    const std::string checksum{DescriptorChecksum(descriptor)};
    for (size_t i = 0; i < descriptor.size(); ++i) {
        for (char c{' '}; c <= '~'; ++c) {
            std::string wrong{descriptor};
            wrong[i] = c;
            BOOST_CHECK_EQUAL(DescriptorChecksum(wrong) == checksum, c == descriptor[i]);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

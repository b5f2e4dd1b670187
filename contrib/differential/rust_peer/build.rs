// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

fn main() {
    #[cfg(feature = "openssl")]
    openssl_src::Build::new().build().print_cargo_metadata();
}

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! Answers questions about SLH-DSA-SHA2-128s, one a line, as peers.py in the folder above describes them:
//! `slhdsa-peer rustcrypto` with the crate slh-dsa, `slhdsa-peer openssl` with OpenSSL.

#[cfg(feature = "openssl")]
mod openssl;
mod rustcrypto;

use std::io::{self, BufRead, Write};

/// What a peer can be asked. `None`: the peer refuses the input.
trait Peer {
    fn keygen(&self, seed: &[u8]) -> Option<Vec<u8>>;
    fn sign(&self, sk: &[u8], msg: &[u8], ctx: &[u8], rnd: Option<&[u8]>) -> Option<Vec<u8>>;
    fn sign_internal(&self, sk: &[u8], msg: &[u8], rnd: &[u8]) -> Option<Vec<u8>>;
    fn verify(&self, pk: &[u8], msg: &[u8], ctx: &[u8], sig: &[u8]) -> bool;
    fn verify_internal(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool;
}

fn from_hex(field: &str) -> Vec<u8> {
    let digits = field.trim_start_matches('-');
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn to_hex(bytes: Option<Vec<u8>>) -> String {
    match bytes {
        Some(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        None => "refused".to_string(),
    }
}

fn answer(peer: &dyn Peer, line: &str) -> String {
    let fields: Vec<&str> = line.split(' ').collect();
    let bytes: Vec<Vec<u8>> = fields[1..].iter().map(|field| from_hex(field)).collect();
    let verdict = |valid: bool| u8::from(valid).to_string();
    match (fields[0], bytes.as_slice()) {
        ("keygen", [seed]) => to_hex(peer.keygen(seed)),
        ("sign", [sk, msg, ctx, rnd]) => {
            to_hex(peer.sign(sk, msg, ctx, (!rnd.is_empty()).then_some(rnd)))
        }
        ("sign_internal", [sk, msg, rnd]) => to_hex(peer.sign_internal(sk, msg, rnd)),
        ("verify", [pk, msg, ctx, sig]) => verdict(peer.verify(pk, msg, ctx, sig)),
        ("verify_internal", [pk, msg, sig]) => verdict(peer.verify_internal(pk, msg, sig)),
        _ => format!("error: cannot answer '{}'", fields[0]),
    }
}

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let peer: Box<dyn Peer> = match name.as_str() {
        "rustcrypto" => Box::new(rustcrypto::RustCrypto),
        #[cfg(feature = "openssl")]
        "openssl" => Box::new(openssl::OpenSsl::new()),
        _ => {
            eprintln!("usage: slhdsa-peer rustcrypto|openssl (the latter if built with --features openssl)");
            std::process::exit(2);
        }
    };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(peer.as_ref(), &line?))?;
        out.flush()?;
    }
    Ok(())
}

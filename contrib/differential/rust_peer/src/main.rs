// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! Answers questions about SLH-DSA-SHA2-128s, one a line, as peers.py in the folder above describes them:
//! `slhdsa-peer rustcrypto` with the crate slh-dsa, `slhdsa-peer fips205` with the crate of that name, `slhdsa-peer openssl` with
//! OpenSSL, `slhdsa-peer botan` with Botan.

#[cfg(feature = "botan")]
mod botan;
mod fips205;
#[cfg(feature = "openssl")]
mod openssl;
mod rustcrypto;

use cpu_time::ThreadTime;
use std::io::{self, BufRead, Write};

/// The questions to a peer. `None`: the peer refuses the input.
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

/// A question: its name and its fields.
fn parse(line: &str) -> (&str, Vec<Vec<u8>>) {
    let mut fields = line.split(' ');
    (fields.next().unwrap_or_default(), fields.map(from_hex).collect())
}

fn answer(peer: &dyn Peer, name: &str, fields: &[Vec<u8>]) -> String {
    let verdict = |valid: bool| u8::from(valid).to_string();
    match (name, fields) {
        ("keygen", [seed]) => to_hex(peer.keygen(seed)),
        ("sign", [sk, msg, ctx, rnd]) => {
            to_hex(peer.sign(sk, msg, ctx, (!rnd.is_empty()).then_some(rnd)))
        }
        ("sign_internal", [sk, msg, rnd]) => to_hex(peer.sign_internal(sk, msg, rnd)),
        ("verify", [pk, msg, ctx, sig]) => verdict(peer.verify(pk, msg, ctx, sig)),
        ("verify_internal", [pk, msg, sig]) => verdict(peer.verify_internal(pk, msg, sig)),
        _ => format!("error: cannot answer '{name}'"),
    }
}

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let peer: Box<dyn Peer> = match name.as_str() {
        "rustcrypto" => Box::new(rustcrypto::RustCrypto),
        "fips205" => Box::new(fips205::Fips205),
        #[cfg(feature = "openssl")]
        "openssl" => Box::new(openssl::OpenSsl::new()),
        #[cfg(feature = "botan")]
        "botan" => Box::new(botan::Botan),
        _ => {
            eprintln!("usage: slhdsa-peer rustcrypto|fips205|openssl|botan (the last two if built with --features openssl,botan)");
            std::process::exit(2);
        }
    };
    let mut out = io::stdout().lock();
    let mut lines = io::stdin().lock().lines();
    while let Some(line) = lines.next().transpose()? {
        if let Some(count) = line.strip_prefix("time ") {
            let count = count.parse().expect("a number of questions");
            let questions: Vec<String> = lines.by_ref().take(count).collect::<io::Result<_>>()?;
            let parsed: Vec<_> = questions.iter().map(|question| parse(question)).collect();
            let start = ThreadTime::now();
            let answers: Vec<String> = parsed.iter().map(|(name, fields)| answer(peer.as_ref(), name, fields)).collect();
            writeln!(out, "{}", start.elapsed().as_nanos())?;
            writeln!(out, "{}", answers.join("\n"))?;
        } else {
            let (name, fields) = parse(&line);
            writeln!(out, "{}", answer(peer.as_ref(), name, &fields))?;
        }
        out.flush()?;
    }
    Ok(())
}

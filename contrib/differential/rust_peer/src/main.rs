// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! Answers questions about SLH-DSA, one a line, as peers.py in the folder above describes them: `slhdsa-peer rustcrypto SET` with the
//! crate slh-dsa, `slhdsa-peer fips205 SET` with the crate of that name (128s alone), `slhdsa-peer openssl SET` with OpenSSL,
//! `slhdsa-peer botan SET` with Botan.

#[cfg(feature = "botan")]
mod botan;
mod fips205;
#[cfg(feature = "openssl")]
mod openssl;
mod rustcrypto;

use cpu_time::ThreadTime;
use slh_dsa::{Sha2_128f, Sha2_128s};
use std::ffi::CString;
use std::io::{self, BufRead, Write};
use std::marker::PhantomData;

/// The questions to a peer. `None`: the peer refuses the input.
trait Peer {
    fn keygen(&self, seed: &[u8]) -> Option<Vec<u8>>;
    fn sign(&self, sk: &[u8], msg: &[u8], ctx: &[u8], rnd: Option<&[u8]>) -> Option<Vec<u8>>;
    fn sign_internal(&self, sk: &[u8], msg: &[u8], rnd: &[u8]) -> Option<Vec<u8>>;
    fn verify(&self, pk: &[u8], msg: &[u8], ctx: &[u8], sig: &[u8]) -> bool;
    fn verify_internal(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool;
}

/// A parameter set, as libraries in C know it.
#[cfg_attr(not(any(feature = "openssl", feature = "botan")), allow(dead_code))]
struct Scheme {
    name: CString,
    signature_size: usize,
}

impl Scheme {
    fn of(set: &str) -> Option<Scheme> {
        let signature_size = match set {
            "128s" => 7856,
            "128f" => 17088,
            _ => return None,
        };
        Some(Scheme { name: CString::new(format!("SLH-DSA-SHA2-{set}")).ok()?, signature_size })
    }
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
    let [name, set] = [1, 2].map(|i| std::env::args().nth(i).unwrap_or_default());
    let peer: Box<dyn Peer> = match (name.as_str(), Scheme::of(&set)) {
        ("rustcrypto", Some(_)) if set == "128f" => Box::new(rustcrypto::RustCrypto(PhantomData::<Sha2_128f>)),
        ("rustcrypto", Some(_)) => Box::new(rustcrypto::RustCrypto(PhantomData::<Sha2_128s>)),
        ("fips205", Some(_)) if set == "128s" => Box::new(fips205::Fips205),
        #[cfg(feature = "openssl")]
        ("openssl", Some(scheme)) => Box::new(openssl::OpenSsl::new(scheme)),
        #[cfg(feature = "botan")]
        ("botan", Some(scheme)) => Box::new(botan::Botan(scheme)),
        _ => {
            eprintln!("usage: slhdsa-peer rustcrypto|fips205|openssl|botan 128s|128f (fips205: 128s; the last two if built with --features openssl,botan)");
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

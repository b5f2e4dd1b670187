// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! The crate fips205. It is asked for time only: it takes no given randomness for a signature without a generator of its own
//! kind, and has no internal interface.

use crate::Peer;
use fips205::slh_dsa_sha2_128s::{PrivateKey, PublicKey, KG};
use fips205::traits::{KeyGen, SerDes, Signer, Verifier};

pub struct Fips205;

impl Peer for Fips205 {
    fn keygen(&self, seed: &[u8]) -> Option<Vec<u8>> {
        let (pk, _) = KG::keygen_from_seed::<16>(&seed[..16].try_into().ok()?, &seed[16..32].try_into().ok()?, &seed[32..].try_into().ok()?);
        Some(pk.into_bytes().to_vec())
    }

    fn sign(&self, sk: &[u8], msg: &[u8], ctx: &[u8], rnd: Option<&[u8]>) -> Option<Vec<u8>> {
        if rnd.is_some() {
            return None;
        }
        let key = PrivateKey::try_from_bytes(sk.try_into().ok()?).ok()?;
        key.try_sign(msg, ctx, false).ok().map(|sig| sig.to_vec())
    }

    fn sign_internal(&self, _sk: &[u8], _msg: &[u8], _rnd: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn verify(&self, pk: &[u8], msg: &[u8], ctx: &[u8], sig: &[u8]) -> bool {
        match (<[u8; 32]>::try_from(pk).map(PublicKey::try_from_bytes), <[u8; 7856]>::try_from(sig)) {
            (Ok(Ok(key)), Ok(sig)) => key.verify(msg, &sig, ctx),
            _ => false,
        }
    }

    fn verify_internal(&self, _pk: &[u8], _msg: &[u8], _sig: &[u8]) -> bool {
        false
    }
}

// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! The crate slh-dsa.

use crate::Peer;
use slh_dsa::{ParameterSet, Signature, SigningKey, VerifyingKey};
use std::marker::PhantomData;

pub struct RustCrypto<P>(pub PhantomData<P>);

fn verifying_key<P: ParameterSet>(pk: &[u8]) -> Option<VerifyingKey<P>> {
    VerifyingKey::try_from(pk).ok()
}

fn signing_key<P: ParameterSet>(sk: &[u8]) -> Option<SigningKey<P>> {
    SigningKey::try_from(sk).ok()
}

fn signature<P: ParameterSet>(sig: &[u8]) -> Option<Signature<P>> {
    Signature::try_from(sig).ok()
}

impl<P: ParameterSet> Peer for RustCrypto<P> {
    fn keygen(&self, seed: &[u8]) -> Option<Vec<u8>> {
        let key = SigningKey::<P>::slh_keygen_internal(&seed[..16], &seed[16..32], &seed[32..48]);
        Some(key.to_bytes()[32..].to_vec())
    }

    fn sign(&self, sk: &[u8], msg: &[u8], ctx: &[u8], rnd: Option<&[u8]>) -> Option<Vec<u8>> {
        let sig = signing_key::<P>(sk)?.try_sign_with_context(msg, ctx, rnd).ok()?;
        Some(sig.to_bytes().to_vec())
    }

    fn sign_internal(&self, sk: &[u8], msg: &[u8], rnd: &[u8]) -> Option<Vec<u8>> {
        let sig = signing_key::<P>(sk)?.slh_sign_internal(&[msg], Some(rnd));
        Some(sig.to_bytes().to_vec())
    }

    fn verify(&self, pk: &[u8], msg: &[u8], ctx: &[u8], sig: &[u8]) -> bool {
        match (verifying_key::<P>(pk), signature(sig)) {
            (Some(key), Some(sig)) => key.try_verify_with_context(msg, ctx, &sig).is_ok(),
            _ => false,
        }
    }

    fn verify_internal(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        match (verifying_key::<P>(pk), signature(sig)) {
            (Some(key), Some(sig)) => key.slh_verify_internal(&[msg], &sig).is_ok(),
            _ => false,
        }
    }
}

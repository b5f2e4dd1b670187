// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! Botan's C interface, version 3.13. It has no contexts and no internal interface; randomness that is given reaches it as the
//! output of a generator.

use crate::{Peer, Scheme};
use botan_sys::*;
use std::ffi::{c_int, c_void};
use std::{ptr, slice};

/// An object of Botan's, freed with this.
struct Object<T> {
    raw: *mut T,
    destroy: unsafe extern "C" fn(*mut T) -> c_int,
}

impl<T> Object<T> {
    fn new(destroy: unsafe extern "C" fn(*mut T) -> c_int, make: impl FnOnce(*mut *mut T) -> c_int) -> Option<Object<T>> {
        let mut raw = ptr::null_mut();
        (make(&mut raw) == 0).then_some(Object { raw, destroy })
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        unsafe { (self.destroy)(self.raw) };
    }
}

/// A generator whose output is the bytes given, and fails after them.
fn generator(given: &mut &[u8]) -> Option<Object<botan_rng_struct>> {
    extern "C" fn take(given: *mut c_void, out: *mut u8, size: usize) -> c_int {
        let given = unsafe { &mut *given.cast::<&[u8]>() };
        if size > given.len() {
            return -1;
        }
        unsafe { ptr::copy_nonoverlapping(given.as_ptr(), out, size) };
        *given = &given[size..];
        0
    }
    Object::new(botan_rng_destroy, |rng| unsafe {
        botan_rng_init_custom(rng, c"given".as_ptr(), ptr::from_mut(given).cast(), Some(take), None, None)
    })
}

fn secret_key_bytes(key: &Object<botan_privkey_struct>) -> Option<Vec<u8>> {
    extern "C" fn copy(out: *mut c_void, data: *const u8, size: usize) -> c_int {
        unsafe { (*out.cast::<Vec<u8>>()).extend_from_slice(slice::from_raw_parts(data, size)) };
        0
    }
    let mut bytes = Vec::new();
    let done = unsafe { botan_privkey_view_raw(key.raw, ptr::from_mut(&mut bytes).cast(), copy) };
    (done == 0).then_some(bytes)
}

pub struct Botan(pub Scheme);

impl Botan {
    fn check(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> Option<bool> {
        let key = Object::new(botan_pubkey_destroy, |key| unsafe {
            botan_pubkey_load_slh_dsa(key, pk.as_ptr(), pk.len(), self.0.name.as_ptr())
        })?;
        let operation = Object::new(botan_pk_op_verify_destroy, |operation| unsafe {
            botan_pk_op_verify_create(operation, key.raw, c"".as_ptr(), 0)
        })?;
        unsafe {
            Some(botan_pk_op_verify_update(operation.raw, msg.as_ptr(), msg.len()) == 0
                && botan_pk_op_verify_finish(operation.raw, sig.as_ptr(), sig.len()) == 0)
        }
    }
}

impl Peer for Botan {
    fn keygen(&self, seed: &[u8]) -> Option<Vec<u8>> {
        let mut given = seed;
        let rng = generator(&mut given)?;
        let key = Object::new(botan_privkey_destroy, |key| unsafe {
            botan_privkey_create(key, c"SLH-DSA".as_ptr(), self.0.name.as_ptr(), rng.raw)
        })?;
        Some(secret_key_bytes(&key)?[32..].to_vec())
    }

    fn sign(&self, sk: &[u8], msg: &[u8], ctx: &[u8], rnd: Option<&[u8]>) -> Option<Vec<u8>> {
        if !ctx.is_empty() {
            return None;
        }
        let mode = if rnd.is_some() { c"Randomized" } else { c"Deterministic" };
        let mut given = rnd.unwrap_or_default();
        let rng = generator(&mut given)?;
        let key = Object::new(botan_privkey_destroy, |key| unsafe {
            botan_privkey_load_slh_dsa(key, sk.as_ptr(), sk.len(), self.0.name.as_ptr())
        })?;
        let operation = Object::new(botan_pk_op_sign_destroy, |operation| unsafe {
            botan_pk_op_sign_create(operation, key.raw, mode.as_ptr(), 0)
        })?;
        let mut sig = vec![0u8; self.0.signature_size];
        let mut size = sig.len();
        let signed = unsafe {
            botan_pk_op_sign_update(operation.raw, msg.as_ptr(), msg.len()) == 0
                && botan_pk_op_sign_finish(operation.raw, rng.raw, sig.as_mut_ptr(), &mut size) == 0
        };
        (signed && size == self.0.signature_size).then_some(sig)
    }

    fn sign_internal(&self, _sk: &[u8], _msg: &[u8], _rnd: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn verify(&self, pk: &[u8], msg: &[u8], ctx: &[u8], sig: &[u8]) -> bool {
        ctx.is_empty() && self.check(pk, msg, sig).unwrap_or(false)
    }

    fn verify_internal(&self, _pk: &[u8], _msg: &[u8], _sig: &[u8]) -> bool {
        false
    }
}

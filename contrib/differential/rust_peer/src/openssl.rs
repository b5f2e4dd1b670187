// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

//! OpenSSL's EVP interface, version 3.5 or later.

use crate::{Peer, Scheme};
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::ptr;

/// OSSL_PARAM, openssl/core.h.
#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

extern "C" {
    fn OSSL_PARAM_construct_octet_string(key: *const c_char, buf: *mut c_void, size: usize) -> Param;
    fn OSSL_PARAM_construct_int(key: *const c_char, value: *mut c_int) -> Param;
    fn OSSL_PARAM_construct_end() -> Param;
    fn EVP_SIGNATURE_fetch(lib: *mut c_void, name: *const c_char, props: *const c_char) -> *mut c_void;
    fn EVP_PKEY_new_raw_public_key_ex(lib: *mut c_void, name: *const c_char, props: *const c_char, key: *const u8, size: usize) -> *mut c_void;
    fn EVP_PKEY_new_raw_private_key_ex(lib: *mut c_void, name: *const c_char, props: *const c_char, key: *const u8, size: usize) -> *mut c_void;
    fn EVP_PKEY_get_raw_public_key(key: *const c_void, out: *mut u8, size: *mut usize) -> c_int;
    fn EVP_PKEY_free(key: *mut c_void);
    fn EVP_PKEY_CTX_new_from_name(lib: *mut c_void, name: *const c_char, props: *const c_char) -> *mut c_void;
    fn EVP_PKEY_CTX_new_from_pkey(lib: *mut c_void, key: *mut c_void, props: *const c_char) -> *mut c_void;
    fn EVP_PKEY_CTX_free(ctx: *mut c_void);
    fn EVP_PKEY_CTX_set_params(ctx: *mut c_void, params: *const Param) -> c_int;
    fn EVP_PKEY_keygen_init(ctx: *mut c_void) -> c_int;
    fn EVP_PKEY_generate(ctx: *mut c_void, key: *mut *mut c_void) -> c_int;
    fn EVP_PKEY_sign_message_init(ctx: *mut c_void, algorithm: *mut c_void, params: *const Param) -> c_int;
    fn EVP_PKEY_sign(ctx: *mut c_void, sig: *mut u8, size: *mut usize, msg: *const u8, msg_size: usize) -> c_int;
    fn EVP_PKEY_verify_message_init(ctx: *mut c_void, algorithm: *mut c_void, params: *const Param) -> c_int;
    fn EVP_PKEY_verify(ctx: *mut c_void, sig: *const u8, size: usize, msg: *const u8, msg_size: usize) -> c_int;
}

/// A message context for one key, freed with it.
struct KeyContext {
    key: *mut c_void,
    ctx: *mut c_void,
}

impl KeyContext {
    fn new(key: *mut c_void) -> Option<KeyContext> {
        if key.is_null() {
            return None;
        }
        let ctx = unsafe { EVP_PKEY_CTX_new_from_pkey(ptr::null_mut(), key, ptr::null()) };
        Some(KeyContext { key, ctx })
    }
}

impl Drop for KeyContext {
    fn drop(&mut self) {
        unsafe {
            EVP_PKEY_CTX_free(self.ctx);
            EVP_PKEY_free(self.key);
        }
    }
}

/// How the message is encoded: the internal interface hashes it as it is.
enum Interface<'a> {
    Internal,
    Pure { ctx: &'a [u8] },
}

/// Options of one operation, with what they point to.
struct Options {
    encoding: c_int,
    deterministic: c_int,
    context: Vec<u8>,
    entropy: Vec<u8>,
}

impl Options {
    fn new(interface: Interface, rnd: Option<&[u8]>) -> Options {
        let (encoding, context) = match interface {
            Interface::Internal => (0, Vec::new()),
            Interface::Pure { ctx } => (1, ctx.to_vec()),
        };
        Options { encoding, deterministic: rnd.is_none().into(), context, entropy: rnd.unwrap_or_default().to_vec() }
    }

    fn params(&mut self, signing: bool) -> Vec<Param> {
        let octets = |key: &CStr, bytes: &mut Vec<u8>| unsafe {
            OSSL_PARAM_construct_octet_string(key.as_ptr(), bytes.as_mut_ptr().cast(), bytes.len())
        };
        let mut params = Vec::new();
        unsafe {
            params.push(OSSL_PARAM_construct_int(c"message-encoding".as_ptr(), &mut self.encoding));
            if self.encoding == 1 {
                params.push(octets(c"context-string", &mut self.context));
            }
            if signing {
                params.push(OSSL_PARAM_construct_int(c"deterministic".as_ptr(), &mut self.deterministic));
                if !self.entropy.is_empty() {
                    params.push(octets(c"test-entropy", &mut self.entropy));
                }
            }
            params.push(OSSL_PARAM_construct_end());
        }
        params
    }
}

pub struct OpenSsl {
    scheme: Scheme,
    algorithm: *mut c_void,
}

impl OpenSsl {
    pub fn new(scheme: Scheme) -> OpenSsl {
        let algorithm = unsafe { EVP_SIGNATURE_fetch(ptr::null_mut(), scheme.name.as_ptr(), ptr::null()) };
        assert!(!algorithm.is_null(), "this OpenSSL has no {:?}", scheme.name);
        OpenSsl { scheme, algorithm }
    }

    fn sign_with(&self, sk: &[u8], msg: &[u8], mut options: Options) -> Option<Vec<u8>> {
        let mut sig = vec![0u8; self.scheme.signature_size];
        let mut size = sig.len();
        let params = options.params(true);
        unsafe {
            let key = EVP_PKEY_new_raw_private_key_ex(ptr::null_mut(), self.scheme.name.as_ptr(), ptr::null(), sk.as_ptr(), sk.len());
            let key = KeyContext::new(key)?;
            let signed = EVP_PKEY_sign_message_init(key.ctx, self.algorithm, params.as_ptr()) == 1
                && EVP_PKEY_sign(key.ctx, sig.as_mut_ptr(), &mut size, msg.as_ptr(), msg.len()) == 1;
            (signed && size == self.scheme.signature_size).then_some(sig)
        }
    }

    fn verify_with(&self, pk: &[u8], msg: &[u8], sig: &[u8], mut options: Options) -> bool {
        let params = options.params(false);
        unsafe {
            let key = EVP_PKEY_new_raw_public_key_ex(ptr::null_mut(), self.scheme.name.as_ptr(), ptr::null(), pk.as_ptr(), pk.len());
            let Some(key) = KeyContext::new(key) else { return false };
            EVP_PKEY_verify_message_init(key.ctx, self.algorithm, params.as_ptr()) == 1
                && EVP_PKEY_verify(key.ctx, sig.as_ptr(), sig.len(), msg.as_ptr(), msg.len()) == 1
        }
    }
}

impl Peer for OpenSsl {
    fn keygen(&self, seed: &[u8]) -> Option<Vec<u8>> {
        let mut seed = seed.to_vec();
        let mut pk = vec![0u8; 32];
        let mut size = pk.len();
        unsafe {
            let params = [
                OSSL_PARAM_construct_octet_string(c"seed".as_ptr(), seed.as_mut_ptr().cast(), seed.len()),
                OSSL_PARAM_construct_end(),
            ];
            let ctx = EVP_PKEY_CTX_new_from_name(ptr::null_mut(), self.scheme.name.as_ptr(), ptr::null());
            let mut key = ptr::null_mut();
            let made = EVP_PKEY_keygen_init(ctx) == 1
                && EVP_PKEY_CTX_set_params(ctx, params.as_ptr()) == 1
                && EVP_PKEY_generate(ctx, &mut key) == 1
                && EVP_PKEY_get_raw_public_key(key, pk.as_mut_ptr(), &mut size) == 1;
            EVP_PKEY_free(key);
            EVP_PKEY_CTX_free(ctx);
            made.then_some(pk)
        }
    }

    fn sign(&self, sk: &[u8], msg: &[u8], ctx: &[u8], rnd: Option<&[u8]>) -> Option<Vec<u8>> {
        self.sign_with(sk, msg, Options::new(Interface::Pure { ctx }, rnd))
    }

    fn sign_internal(&self, sk: &[u8], msg: &[u8], rnd: &[u8]) -> Option<Vec<u8>> {
        self.sign_with(sk, msg, Options::new(Interface::Internal, Some(rnd)))
    }

    fn verify(&self, pk: &[u8], msg: &[u8], ctx: &[u8], sig: &[u8]) -> bool {
        self.verify_with(pk, msg, sig, Options::new(Interface::Pure { ctx }, None))
    }

    fn verify_internal(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        self.verify_with(pk, msg, sig, Options::new(Interface::Internal, None))
    }
}

//! A reader that hashes.

use std::io::{self, Read};

use plexus_domain::Digest;
use sha2::{Digest as _, Sha256};

/// Reader that computes the SHA-256 digest of what is read through it.
pub(crate) struct HashingReader<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> HashingReader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    pub fn digest(self) -> Digest {
        Digest::from_bytes(self.hash.finalize().into())
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

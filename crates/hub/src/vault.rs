//! Encryption of secrets at rest: XChaCha20-Poly1305 with a key from a separate file.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use anyhow::{Context as _, bail};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};

use plexus_store::permissions;

use crate::ClockRng;

const NONCE: usize = 24;
const KEY: usize = 32;

/// Encrypts secrets that the hub must be able to read again: credentials and signing keys.
pub struct Vault {
    cipher: XChaCha20Poly1305,
    env: ClockRng,
}

impl Vault {
    /// Loads the key from `file`, or creates the file (mode 0600) with a new key.
    pub fn open(file: &Path, env: &ClockRng) -> anyhow::Result<Self> {
        permissions::restrict(file);
        let key = match fs::read(file) {
            Ok(key) => key,
            Err(error) if error.kind() == ErrorKind::NotFound => create(file, env)?,
            Err(error) => {
                return Err(error).with_context(|| format!("reading the secret key file {}", file.display()));
            }
        };
        let Ok(key) = <[u8; KEY]>::try_from(key) else {
            bail!(
                "the secret key file {} does not hold {KEY} bytes; restore it from a backup",
                file.display()
            );
        };
        Ok(Self { cipher: XChaCha20Poly1305::new(&key.into()), env: env.clone() })
    }

    /// Encrypts `secret`. `purpose` is authenticated with it: it can be decrypted for the same purpose only.
    pub fn seal(&self, purpose: &str, secret: &[u8]) -> anyhow::Result<Vec<u8>> {
        let nonce = self.env.bytes::<NONCE>();
        let payload = Payload { msg: secret, aad: purpose.as_bytes() };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| anyhow::anyhow!("sealing a secret for {purpose}"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts a secret that was encrypted for `purpose`.
    pub fn open_sealed(&self, purpose: &str, sealed: &[u8]) -> anyhow::Result<Vec<u8>> {
        let (nonce, body) = sealed.split_first_chunk::<NONCE>().context("a sealed secret is too short")?;
        let payload = Payload { msg: body, aad: purpose.as_bytes() };
        let opened = self.cipher.decrypt(&XNonce::from(*nonce), payload);
        opened.map_err(|_| anyhow::anyhow!("a secret for {purpose} does not open with this hub's key file"))
    }
}

/// Creates the key file atomically: a hard link publishes a complete draft.
///
/// When instances start concurrently, the first link wins and all of them read its key.
fn create(file: &Path, env: &ClockRng) -> anyhow::Result<Vec<u8>> {
    let writing = || format!("making the secret key file {}", file.display());
    let draft = file.with_extension(format!("{:032x}", u128::from_be_bytes(env.bytes())));
    let mut new =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).with_context(writing)?;
    let linked = new.write_all(&env.bytes::<KEY>()).and_then(|()| new.sync_all());
    let linked = linked.and_then(|()| fs::hard_link(&draft, file));
    fs::remove_file(&draft).with_context(writing)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error).with_context(writing),
        _ => fs::read(file).with_context(writing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_for_its_purpose_with_its_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let vault = Vault::open(&file, &ClockRng::system()).unwrap();
        let sealed = vault.seal("agent 1", b"token").unwrap();
        let again = Vault::open(&file, &ClockRng::system()).unwrap();
        assert_eq!(again.open_sealed("agent 1", &sealed).unwrap(), b"token");
        assert!(again.open_sealed("agent 2", &sealed).is_err());
        let other = Vault::open(&folder.path().join("other"), &ClockRng::system()).unwrap();
        assert!(other.open_sealed("agent 1", &sealed).is_err());
        assert!(again.open_sealed("agent 1", b"short").is_err());
    }
}

//! Password hashing: Argon2id with 19 MiB, two passes, one lane (OWASP Password Storage), on blocking
//! threads.

use std::sync::Arc;

use argon2::{
    Argon2, Params,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use plexus_domain::account::NewPassword;
use tokio::sync::Semaphore;

use crate::{ClockRng, Error, Result};

/// One verification takes a core about 10 ms and 19 MiB; more concurrent ones would only wait for a core.
const AT_ONCE: usize = 2;
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Hashes and verifies passwords, at most `AT_ONCE` at a time.
#[derive(Clone)]
pub struct Passwords {
    env: ClockRng,
    turns: Arc<Semaphore>,
    /// Hash that is verified when there is no account, so that timing does not reveal which names exist.
    decoy: Arc<str>,
}

impl Passwords {
    pub fn new(env: ClockRng) -> Result<Self> {
        let decoy = hash("no account has this password", env.bytes())?.into();
        Ok(Self { env, turns: Arc::new(Semaphore::new(AT_ONCE)), decoy })
    }

    /// Hashes a password. Returns the PHC string to store.
    pub async fn hash(&self, password: NewPassword) -> Result<String> {
        let salt = self.env.bytes();
        self.in_turn(move || hash(password.reveal(), salt)).await?
    }

    /// Verifies `password` against the hash `kept`. Without a hash it returns false after the same time.
    pub async fn verify(&self, password: String, kept: Option<String>) -> Result<bool> {
        if password.len() > NewPassword::MAX_BYTES {
            return Ok(false);
        }
        let known = kept.is_some();
        let kept = kept.unwrap_or_else(|| self.decoy.to_string());
        let matches = self.in_turn(move || verify(&password, &kept)).await??;
        Ok(matches && known)
    }

    async fn in_turn<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(Error::fault)?;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.map_err(Error::fault)
    }
}

fn argon2() -> Result<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)
        .map_err(|error| Error::Fault(anyhow::anyhow!("{error}")))?;
    Ok(Argon2::from(params))
}

fn hash(password: &str, salt: [u8; 16]) -> Result<String> {
    let hash: PasswordHash = argon2()?
        .hash_password_with_salt(password.as_bytes(), &salt)
        .map_err(|error| Error::Fault(anyhow::anyhow!("hashing a password: {error}")))?;
    Ok(hash.to_string())
}

fn verify(password: &str, kept: &str) -> Result<bool> {
    let kept = PasswordHash::new(kept)
        .map_err(|error| Error::Fault(anyhow::anyhow!("a kept password hash: {error}")))?;
    Ok(argon2()?.verify_password(password.as_bytes(), &kept).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_verifies_and_an_unknown_account_never_does() {
        let passwords = Passwords::new(ClockRng::system()).unwrap();
        let raw = "a quiet morning walk".to_owned();
        let kept = passwords.hash(NewPassword::new(raw.clone(), &[]).unwrap()).await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(passwords.verify(raw.clone(), Some(kept.clone())).await.unwrap());
        assert!(!passwords.verify("another quiet walk".to_owned(), Some(kept)).await.unwrap());
        assert!(!passwords.verify(raw, None).await.unwrap());
    }
}

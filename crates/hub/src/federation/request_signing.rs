//! Signs requests to agents of remote hubs for a local user, named by a pseudonym.

use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderName, HeaderValue};
use plexus_a2a::{
    http_signature::{self, CONTENT_DIGEST, SIGNATURE, SIGNATURE_INPUT, SignableRequest, content_digest},
    keys::SecretKey,
};
use plexus_domain::{AccountId, Digest, run::Failure, run::FailureClass};
use plexus_federation::HubId;
use plexus_runtime::a2a::{Headers, RequestSigner};
use plexus_store::{Conn, agents::Agent, hubs};
use sha2::Sha256;
use url::Url;

use super::remote_users::PERSON;
use crate::{ClockRng, Error, Hub, Result, keys};

/// Pseudonym length: 128 bits, so that pseudonyms of other users cannot be guessed.
const PSEUDONYM_BYTES: usize = 16;

/// Request signer with this hub's key for one of its users.
pub(crate) struct UserRequestSigner {
    key: SecretKey,
    pseudonym: String,
    env: ClockRng,
}

impl UserRequestSigner {
    /// Pseudonym of the user.
    pub const fn pseudonym(&self) -> &String {
        &self.pseudonym
    }

    /// Creates a signer for an account, addressed to the home hub of a replicated agent.
    pub async fn new(hub: &Hub, conn: &mut Conn, account: AccountId, agent: &Agent) -> Result<Self> {
        let (seed, key) = keys::hub_seed(hub, conn).await?;
        let home = hubs::find(conn, agent.hub).await?.and_then(|row| row.hub_key).unwrap_or_default();
        let home: HubId = home.parse().map_err(Error::fault)?;
        let pseudonym = pseudonym(&seed, account, home);
        Ok(Self { key, pseudonym, env: hub.env().clone() })
    }
}

/// Derives the pseudonym of an account at one remote hub: stable, and unlinkable between hubs.
///
/// It is an HMAC with a secret derived from the hub's key. A remote user is
/// identified by hub id and pseudonym.
fn pseudonym(seed: &[u8; 32], account: AccountId, home: HubId) -> String {
    // The seed is a signing key. Key separation: derive another key from it.
    let secret = Digest::of([b"plexus pseudonyms 1\n", seed.as_slice()].concat());
    #[expect(clippy::expect_used, reason = "a key may have any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(home.as_bytes());
    mac.update(account.uuid().as_bytes());
    let code = mac.finalize().into_bytes();
    data_encoding::BASE32_NOPAD.encode(&code[..PSEUDONYM_BYTES]).to_lowercase()
}

impl RequestSigner for UserRequestSigner {
    fn sign(&self, method: &str, url: &Url, body: &[u8]) -> Result<Headers, Failure> {
        let said = [(CONTENT_DIGEST, content_digest(body)), (PERSON, self.pseudonym.clone())];
        let request = SignableRequest {
            method,
            authority: url.authority(),
            path: url.path(),
            query: url.query(),
            fields: said.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        };
        let nonce = data_encoding::HEXLOWER.encode(&self.env.bytes::<16>());
        let (input, signature) = http_signature::sign(&self.key, &request, self.env.now(), &nonce);
        let made = [(SIGNATURE_INPUT, input), (SIGNATURE, signature)];
        said.into_iter().chain(made).map(|(name, value)| header(name, &value)).collect()
    }
}

fn header(name: &'static str, value: &str) -> Result<(HeaderName, HeaderValue), Failure> {
    let value = HeaderValue::from_str(value);
    let value = value.map_err(|error| {
        Failure::new(FailureClass::Internal, format!("The request could not be signed: {error}."))
    })?;
    Ok((HeaderName::from_static(name), value))
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    #[test]
    fn a_pseudonym_is_one_persons_at_one_hub() {
        let hub = |seed: u8| HubId::from(SecretKey::from_seed(&[seed; 32]).public());
        let account = |seed: u8| AccountId::new(Timestamp::from_millis(1), &[seed; 10]);
        let one = pseudonym(&[1; 32], account(1), hub(7));
        assert_eq!(one, pseudonym(&[1; 32], account(1), hub(7)), "it stays");
        assert_eq!(one.len(), 26);
        for other in [
            pseudonym(&[1; 32], account(2), hub(7)),
            pseudonym(&[1; 32], account(1), hub(8)),
            pseudonym(&[2; 32], account(1), hub(7)),
        ] {
            assert_ne!(one, other);
        }
    }
}

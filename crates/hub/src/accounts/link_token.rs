//! Tokens of links that are sent or shown to a person. They are not stored: the hub's key file encrypts their content.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Hub, Result};

/// Encrypts the content of a token. `purpose` keeps tokens of other links from being accepted.
pub(super) fn seal(hub: &Hub, purpose: &str, content: &impl Serialize) -> Result<String> {
    let plain = serde_json::to_vec(content).map_err(anyhow::Error::new)?;
    Ok(URL_SAFE_NO_PAD.encode(hub.vault().seal(purpose, &plain)?))
}

/// Returns the content of a token; none if it is forged, or longer than `max_len` bytes.
pub(super) fn open<T: DeserializeOwned>(hub: &Hub, purpose: &str, token: &str, max_len: usize) -> Option<T> {
    if token.len() > max_len {
        return None;
    }
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    serde_json::from_slice(&hub.vault().open_sealed(purpose, &sealed).ok()?).ok()
}

//! Files of tasks as MCP resources: they are read with the token that called the agent, or without one if the
//! agent is public.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::BytesMut;
use futures::TryStreamExt as _;
use plexus_domain::{Address, Error as Refusal, RunId, media_type::is_text};
use plexus_hub::{
    Caller, Error, Result,
    blobs::Download,
    calls::{self, AuthorizedAgent},
};
use rmcp::model::{ReadResourceResult, ResourceContents};
use url::Url;

use crate::app_state::AppState;

/// Maximum size of a file that is sent within a message.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The address of a file of a task, parsed from its URI.
pub struct FileUri {
    pub agent: Address,
    task: RunId,
    sha256: String,
}

impl FileUri {
    /// Parses the URI of a resource link, by any name of this hub. Returns `None` for other URIs.
    pub fn parse(site: &AppState, uri: &str) -> Option<Self> {
        let url: Url = uri.parse().ok()?;
        if !site.hub.config().is_own_origin(&url) {
            return None;
        }
        let path: Vec<&str> = url.path_segments()?.collect();
        let ["a2a", owner, name, "files", task, sha256] = path[..] else { return None };
        let agent = format!("@{owner}/{name}").parse().ok()?;
        Some(Self { agent, task: task.parse().ok()?, sha256: sha256.to_owned() })
    }

    /// Reads the file for a caller of its agent.
    pub async fn read(
        &self,
        site: &AppState,
        authorized: &AuthorizedAgent,
        uri: &str,
    ) -> Result<ReadResourceResult> {
        let file = calls::file(&site.hub, authorized, self.task, &self.sha256).await?;
        let media_type = file.media_type.clone();
        let bytes = read_bytes(file, MAX_BYTES).await?;
        let text =
            media_type.as_deref().filter(|kind| is_text(kind)).and_then(|_| std::str::from_utf8(&bytes).ok());
        let contents = match text {
            Some(text) => ResourceContents::text(text, uri),
            None => ResourceContents::blob(STANDARD.encode(&bytes), uri),
        };
        let contents = match media_type {
            Some(media_type) => contents.with_mime_type(media_type),
            None => contents,
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }

    /// Authorizes the caller at the file's agent and reads the file.
    pub async fn read_as(&self, site: &AppState, caller: &Caller, uri: &str) -> Result<ReadResourceResult> {
        let authorized = calls::authorize(&site.hub, caller, &self.agent).await?;
        self.read(site, &authorized, uri).await
    }
}

/// Reads a whole file of at most `limit` bytes.
pub async fn read_bytes(file: Download, limit: u64) -> Result<Vec<u8>> {
    if file.size > limit {
        let words = format!(
            "The file has {} bytes; at most {limit} are sent over MCP. Download it at its URI.",
            file.size
        );
        return Err(Refusal::too_large(words, limit).into());
    }
    let bytes: BytesMut = file.bytes.map_err(Error::fault).try_collect().await?;
    Ok(bytes.to_vec())
}

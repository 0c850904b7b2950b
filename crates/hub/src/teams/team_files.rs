//! Files and links that a team produced, with addresses that its owner's programs can open.

use plexus_domain::{ChatId, PartBody};
use plexus_store::Conn;

use super::{TeamView, report};
use crate::{
    Hub, Result,
    calls::{LinkSigner, link_label},
};

/// A file or a link in the answer of a member.
#[derive(Clone, Debug)]
pub struct TeamFile {
    /// Address of the agent that produced it.
    pub by: String,
    pub name: Option<String>,
    pub media_type: Option<String>,
    /// In bytes; `None` for a link.
    pub size: Option<u64>,
    /// Signed and expiring for a file of the hub.
    pub url: String,
}

impl TeamView {
    /// Returns the answer as text, with links to the files.
    pub fn answer_with_files(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        if self.files.is_empty() {
            return Some(answer.clone());
        }
        let line = |file: &TeamFile| {
            format!("- [{}]({})", link_label(file.name.as_deref().unwrap_or("file")), file.url)
        };
        let lines: Vec<String> = self.files.iter().map(line).collect();
        Some(format!("{answer}\n\nFiles:\n\n{}", lines.join("\n")))
    }
}

/// Returns the files and links of a team, oldest first.
pub(super) async fn list(hub: &Hub, conn: &mut Conn, id: ChatId) -> Result<Vec<TeamFile>> {
    let artifacts = report::artifacts(conn, id).await?;
    if artifacts.is_empty() {
        return Ok(Vec::new());
    }
    let signer = LinkSigner::read(hub, conn).await?;
    let file = |artifact: report::TeamArtifact| {
        let (url, size) = match &artifact.part.content {
            PartBody::File { blob, size, .. } => {
                let (agent, run) = artifact.source.as_ref()?;
                (signer.file_url(hub, agent, *run, blob), Some(*size))
            }
            PartBody::Link { url } => (url.clone(), None),
            _ => return None,
        };
        let (name, media_type) = (artifact.part.name, artifact.part.media_type);
        Some(TeamFile { by: artifact.by, name, media_type, size, url })
    };
    Ok(artifacts.into_iter().filter_map(file).collect())
}

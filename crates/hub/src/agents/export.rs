//! Exports a model agent as one document.

use plexus_domain::{Address, knowledge::join_passages};
use plexus_store::{knowledge, knowledge::FilePassage};
use tokio::task::spawn_blocking;
use url::Url;

use super::{
    agent_export::{AGENT_EXPORT_FORMAT, AgentExport, ExportedFile, ExportedModel, ExportedTool},
    model_agent::Owned,
    tool_credentials::ToolKeys,
};
use crate::{Caller, Hub, Result, caller::Scope, limits::Rate};

/// Returns a model agent of the caller as a document, with its knowledge files and without credentials.
pub async fn export_agent(hub: &Hub, caller: &Caller, address: &Address) -> Result<AgentExport> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Exports, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let Owned { agent, written, keys, .. } = Owned::at(hub, &mut conn, person, address).await?;
    let passages = knowledge::passages(&mut conn, agent.id).await?;
    drop(conn);
    let files = spawn_blocking(move || join_files(&passages)).await.map_err(anyhow::Error::new)?;
    Ok(AgentExport {
        format: AGENT_EXPORT_FORMAT.to_owned(),
        name: agent.name.to_string(),
        tools: written
            .tools
            .iter()
            .map(|source| ExportedTool::new(source, has_credentials(&keys, &source.place.to_string())))
            .collect(),
        model: ExportedModel {
            name: written.model,
            reads_images: written.reads_images,
            parameters: written.parameters.into(),
        },
        limits: written.budget.into(),
        title: written.title,
        summary: written.summary,
        tags: written.tags,
        starters: written.starters,
        instructions: written.instructions,
        files,
    })
}

pub(super) fn has_credentials(keys: &ToolKeys, place: &str) -> bool {
    place.parse::<Url>().is_ok_and(|url| keys.shown(&url).is_some())
}

/// Joins the passages of each file. They are in the order of the files.
fn join_files(passages: &[FilePassage]) -> Vec<ExportedFile> {
    let files = passages.chunk_by(|one, next| one.file == next.file);
    let files = files.filter_map(|passages| Some((&passages.first()?.file, passages)));
    let file = |(name, passages): (&String, &[FilePassage])| ExportedFile {
        name: name.clone(),
        text: join_passages(
            name,
            passages.iter().map(|passage| (passage.place.as_str(), passage.text.as_str())),
        ),
    };
    files.map(file).collect()
}

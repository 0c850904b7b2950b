//! What each version of an agent changed against the one before.

use plexus_a2a::Card;
use plexus_domain::{Address, VersionId, agent::Connector};
use plexus_store::{Conn, agent_versions::Version, cards};
use tokio::task::spawn_blocking;

use super::{
    line_diff::LineDiff,
    version_fields::{VersionFields, card_fields, connector_fields},
    view::{self, AgentView},
};
use crate::{Caller, Hub, Result};

/// Number of the newest versions that are compared with the one before.
pub const COMPARED_VERSIONS: usize = 20;

/// Agent with the changes of its newest versions.
pub struct VersionHistory {
    pub view: AgentView,
    /// In the order of [`AgentView::versions`]; at most [`COMPARED_VERSIONS`]. Empty for callers who may not manage the
    /// agent: an earlier card may be from a time when it was private.
    pub changes: Vec<VersionChanges>,
}

/// Changes of a version.
#[derive(Clone, Debug)]
pub struct VersionChanges {
    pub version: VersionId,
    /// `None` for the first version.
    pub fields: Option<Vec<FieldChange>>,
    /// Whether the caller may publish its content as a new version.
    pub can_restore: bool,
}

/// Change of one field.
#[derive(Clone, Debug)]
pub struct FieldChange {
    pub label: &'static str,
    pub diff: LineDiff,
}

/// Returns the agent with the changes of its versions. `None` if the agent does not exist or the caller may not see it.
pub async fn version_history(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
) -> Result<Option<VersionHistory>> {
    let Some(view) = view::get(hub, caller, address).await? else { return Ok(None) };
    if !view.can_manage {
        return Ok(Some(VersionHistory { view, changes: Vec::new() }));
    }
    let newest = &view.versions[..view.versions.len().min(COMPARED_VERSIONS + 1)];
    let mut contents = Vec::with_capacity(newest.len());
    let mut conn = hub.store().snapshot().await?;
    for version in newest {
        contents.push(content(&mut conn, version).await?);
    }
    drop(conn);
    let heads = newest.iter().enumerate().map(|(position, version)| {
        let can_restore = position > 0 && matches!(version.connector, Connector::Llm { .. });
        VersionChanges { version: version.id, fields: None, can_restore }
    });
    let heads: Vec<VersionChanges> = heads.take(COMPARED_VERSIONS).collect();
    let compared = spawn_blocking(move || compare_all(heads, &contents));
    let changes = compared.await.map_err(anyhow::Error::new)?;
    Ok(Some(VersionHistory { view, changes }))
}

async fn content(conn: &mut Conn, version: &Version) -> Result<VersionFields> {
    let card = cards::find(conn, &version.card).await?.and_then(|body| Card::read(&body).card);
    let mut fields = card.as_ref().map(card_fields).unwrap_or_default();
    fields.extend(connector_fields(&version.connector));
    Ok(fields)
}

fn compare_all(mut changes: Vec<VersionChanges>, contents: &[VersionFields]) -> Vec<VersionChanges> {
    for (change, pair) in changes.iter_mut().zip(contents.windows(2)) {
        change.fields = Some(compare(&pair[1], &pair[0]));
    }
    changes
}

/// Compares the fields by their labels. A field that only one version has is compared with an empty text.
fn compare(before: &VersionFields, after: &VersionFields) -> Vec<FieldChange> {
    let text = |fields: &VersionFields, label: &str| {
        let found = fields.iter().find(|(known, _)| *known == label);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let removed = before.iter().filter(|(label, _)| !after.iter().any(|(known, _)| known == label));
    let labels = after.iter().chain(removed).map(|(label, _)| *label);
    let change = |label: &'static str| {
        let diff = LineDiff::between(&text(before, label), &text(after, label))?;
        Some(FieldChange { label, diff })
    };
    labels.filter_map(change).collect()
}

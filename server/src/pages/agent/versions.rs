//! Page `/@{owner}/{agent}/versions`: what each version changed.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_app::view_models::{
    agent::{AgentPage, AgentTab},
    agent_versions::{AgentVersions, Changes, DiffLine, DiffLineKind, FieldDiff, VersionRow},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    agents::{self, FieldChange, Version, VersionChanges, VersionHistory},
};

use super::head;
use crate::{
    app_state::AppState,
    pages::agent_manage::address,
    web::{
        page::{PageContext, redirect_with_notice},
        page_cache,
    },
};

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): Path<(String, String)>,
) -> Response {
    let caller = visit.caller.clone();
    let page = async {
        let address = address(&at)?;
        let history = agents::version_history(&site.hub, &caller, &address).await?;
        let missing = || Refusal::not_found(format!("Agent {address} not found."));
        Ok(page(history.ok_or_else(missing)?))
    };
    page_cache::cached_page(&site, visit, page).await
}

/// Handles `/@{owner}/{agent}/versions/{version}/restore`.
pub async fn restore(
    State(site): State<AppState>,
    visit: PageContext,
    Path((owner, name, version)): Path<(String, String, String)>,
) -> Response {
    let restored = async {
        let address = address(&(owner, name))?;
        let missing = |_| Refusal::not_found("This agent has no such version. Reload the page.");
        let version = version.parse().map_err(missing)?;
        agents::restore_version(&site.hub, &visit.caller, &address, version).await?;
        Ok::<_, Error>(address)
    };
    match restored.await {
        Ok(address) => redirect_with_notice(&format!("/{address}/versions"), "version-restored"),
        Err(error) => visit.refuse(error),
    }
}

fn page(history: VersionHistory) -> AgentPage {
    let VersionHistory { view, changes } = history;
    let mut changes = changes.into_iter();
    let row = |version: &Version| row(version, &view.summary.protocol, changes.next());
    let rows = view.versions.iter().map(row).collect();
    let tab = AgentVersions { rows, compared: agents::COMPARED_VERSIONS };
    AgentPage { head: head(view), tab: AgentTab::Versions(tab) }
}

fn row(version: &Version, protocol: &str, changes: Option<VersionChanges>) -> VersionRow {
    VersionRow {
        id: version.id,
        version: version.semver.clone(),
        created: version.created_at,
        protocol: protocol.to_owned(),
        card: version.card.to_string(),
        yanked: version.yanked_reason.clone(),
        can_restore: changes.as_ref().is_some_and(|changes| changes.can_restore),
        changes: match changes {
            None => Changes::NotCompared,
            Some(VersionChanges { fields: None, .. }) => Changes::First,
            Some(VersionChanges { fields: Some(fields), .. }) => {
                Changes::Fields(fields.into_iter().map(field).collect())
            }
        },
    }
}

fn field(change: FieldChange) -> FieldDiff {
    let line = |line: agents::DiffLine| DiffLine {
        kind: match line.kind {
            agents::DiffLineKind::Unchanged => DiffLineKind::Unchanged,
            agents::DiffLineKind::Added => DiffLineKind::Added,
            agents::DiffLineKind::Removed => DiffLineKind::Removed,
            agents::DiffLineKind::Gap => DiffLineKind::Gap,
        },
        text: line.text,
    };
    FieldDiff {
        label: change.label.to_owned(),
        lines: change.diff.lines.into_iter().map(line).collect(),
        omitted: change.diff.omitted,
    }
}

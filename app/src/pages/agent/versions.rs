//! Versions tab of an agent's page: the versions, and what each changed.

use leptos::prelude::*;

use crate::{
    components::{
        button::ActionForm,
        diff::Diff,
        format::{agent_href, protocol_label},
        icon::Icon,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales, text,
    view_models::{
        agent::AgentHead,
        agent_versions::{AgentVersions, Changes, FieldDiff, VersionRow},
    },
};

pub fn view(model: AgentVersions, head: &AgentHead) -> AnyView {
    let AgentVersions { rows, compared } = model;
    let path = agent_href(&head.address);
    let is_cut = rows.iter().any(|version| matches!(version.changes, Changes::NotCompared));
    let changes = rows.iter().enumerate().map(|(position, version)| changes(version, position == 0, &path));
    let changes = changes.collect_view();
    let rows = rows.into_iter().map(row).collect();
    let changes = head.can_manage.then(|| {
        let lead = text!("versions-changes-lead");
        view! {
            <Section title=text!("versions-changes") lead>
                {changes}
                {is_cut.then(|| view! { <p class="quiet">{text!("versions-compared", count = compared)}</p> })}
            </Section>
        }
    });
    let heads = vec![
        text!("agent-version"),
        text!("versions-since"),
        text!("agent-protocol"),
        text!("versions-card"),
    ];
    view! {
        <p class="quiet">{text!("versions-lead")}</p>
        <Table caption=text!("versions-caption") heads rows />
        {changes}
    }
    .into_any()
}

fn row(version: VersionRow) -> AnyView {
    let short: String = version.card.chars().take(12).collect();
    let yanked = version.yanked.map(|reason| view! { <p class="state caution" dir="auto">{text!("version-withdrawn", reason = reason)}</p> });
    view! {
        <tr>
            <th scope="row"><code>{version.version}</code>{yanked}</th>
            <td><Ago at=version.created /></td>
            <td>{protocol_label(&version.protocol)}</td>
            <td><code title=version.card>{short}</code></td>
        </tr>
    }
    .into_any()
}

/// Renders the changes of a version, collapsed unless it is the newest.
fn changes(version: &VersionRow, is_newest: bool, path: &str) -> Option<AnyView> {
    let (summary, body) = match &version.changes {
        Changes::NotCompared => return None,
        Changes::First => (text!("version-first"), None),
        Changes::Fields(fields) if fields.is_empty() => (text!("version-unchanged"), None),
        Changes::Fields(fields) => {
            let labels: Vec<String> = fields.iter().map(|field| field_label(&field.label)).collect();
            (labels.join(&text!("list-separator")), Some(fields.iter().cloned().map(field).collect_view()))
        }
    };
    let action = format!("{path}/versions/{}/restore", version.id);
    let about = version.version.clone();
    let restore = version.can_restore.then(
        || view! { <div><ActionForm action label=text!("version-restore") icon=Icon::Retry about /></div> },
    );
    if body.is_none() && restore.is_none() {
        return Some(view! { <p><code>{version.version.clone()}</code>" "{summary}</p> }.into_any());
    }
    let fold = view! {
        <details class="fold" open=is_newest>
            <summary><code>{version.version.clone()}</code><span>{summary}</span></summary>
            <div class="stack">{body}{restore}</div>
        </details>
    };
    Some(fold.into_any())
}

fn field(field: FieldDiff) -> AnyView {
    let label = field_label(&field.label);
    view! { <div class="stack"><h3>{label}</h3><Diff diff=field /></div> }.into_any()
}

/// Returns the name of a field of an agent, which the hub writes in English.
fn field_label(english: &str) -> String {
    locales::translated_text(english.to_owned())
}

//! Report of an ended team: files, timeline, replay and share link.

use leptos::prelude::*;

use super::timeline::drawing;
use crate::{
    components::{
        button::{ActionForm, ButtonLink, Kind},
        code_block::Copyable,
        icon::Icon,
        notice::Note,
        section::Section,
        time::Ago,
    },
    view_models::{
        Tone,
        team::{ArtifactRow, Report, Share},
    },
};

pub(super) fn report(report: Report) -> AnyView {
    let artifacts = artifacts(report.artifacts);
    view! {
        {artifacts}
        <Section title="Report">
            {drawing(&report.timeline)}
            <p class="actions"><ButtonLink label="Replay" href=report.replay icon=Icon::Forward /></p>
        </Section>
        {report.share.map(share)}
    }
    .into_any()
}

fn artifacts(artifacts: Vec<ArtifactRow>) -> Option<AnyView> {
    if artifacts.is_empty() {
        return None;
    }
    let rows = artifacts.into_iter().map(artifact).collect_view();
    Some(
        view! { <Section title="Files and links"><ul class="stack" role="list">{rows}</ul></Section> }
            .into_any(),
    )
}

fn artifact(row: ArtifactRow) -> AnyView {
    let name = match row.is_link {
        true => {
            view! { {Icon::External.view()}" "<a href=row.href rel="nofollow noopener noreferrer ugc">{row.name}</a> }
                .into_any()
        }
        false => {
            let saved_as = row.name.clone();
            view! { {Icon::File.view()}" "<a href=row.href download=saved_as>{row.name}</a> }.into_any()
        }
    };
    view! { <li class="card">{name}" "<span class="quiet">{row.about}</span>" "<code class="quiet">{row.by}</code></li> }
        .into_any()
}

fn share(share: Share) -> AnyView {
    let revoke = share.action.replace("/share", "/unshare");
    let has_one = share.made.is_some();
    let made = share.made.map(|at| {
        view! { <p>"A share link was created "<Ago at=at />". It gives read access to this team, its files and its replay."</p> }
    });
    let link = share.link.map(|link| {
        view! {
            <Note tone=Tone::Good>
                <p><strong>"Copy the link now."</strong>" The hub stores only a hash and cannot show it again."</p>
                <p><Copyable text=link about="link" /></p>
            </Note>
        }
    });
    let label = if has_one { "Create new link" } else { "Create link" };
    let lead = "Anyone with the link can read this team and nothing else, until you revoke it. \
                A new link replaces the previous one.";
    view! {
        <Section title="Share" lead=lead>
            {link}
            {made}
            <div class="row-actions">
                <ActionForm action=share.action label=label icon=Icon::Link />
                {has_one.then(|| view! { <ActionForm action=revoke label="Revoke link" kind=Kind::Danger /> })}
            </div>
        </Section>
    }
    .into_any()
}

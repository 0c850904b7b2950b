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
    rich, text,
    view_models::{
        Tone,
        team::{ArtifactRow, Report, Share},
    },
};

pub(super) fn report(report: Report) -> AnyView {
    let artifacts = artifacts(report.artifacts);
    view! {
        {artifacts}
        <Section title=text!("team-report")>
            {drawing(&report.timeline)}
            <p class="actions"><ButtonLink label=text!("team-replay") href=report.replay icon=Icon::Forward /></p>
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
        view! { <Section title=text!("team-files")><ul class="stack" role="list">{rows}</ul></Section> }
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
        view! { <p>{rich!("team-share-made"; time = move |_| view! { <Ago at=at /> })}</p> }
    });
    let link = share.link.map(|link| {
        view! {
            <Note tone=Tone::Good>
                <p>{rich!("team-share-copy"; strong = |inner| view! { <strong>{inner}</strong> })}</p>
                <p><Copyable text=link about=text!("about-link") /></p>
            </Note>
        }
    });
    let label = if has_one { text!("team-share-new") } else { text!("team-share-create") };
    let lead = text!("team-share-lead");
    view! {
        <Section title=text!("team-share") lead=lead>
            {link}
            {made}
            <div class="row-actions">
                <ActionForm action=share.action label=label icon=Icon::Link />
                {has_one.then(|| view! { <ActionForm action=revoke label=text!("team-share-revoke") kind=Kind::Danger /> })}
            </div>
        </Section>
    }
    .into_any()
}

use leptos::prelude::*;

use super::{warnings_section, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        format::{hub_href, short_hub},
        section::Section,
        table::Table,
        time::{Ago, Date},
    },
    locales::{grouped, translated},
    pages::{
        Page, PageMeta,
        network::{name_of, sync_progress},
    },
    rich, text,
    view_models::{
        Form,
        admin::{AdminNetwork, ImportedRules, NetworkRuleRow, RuleListRow},
        network::HubRow,
    },
};

impl Page for AdminNetwork {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("admin-hubs"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let progress = progress(&self.syncing);
        let rules = if self.rows.is_empty() {
            view! { <Empty title=text!("rules-none")><p>{text!("rules-none-why")}</p></Empty> }.into_any()
        } else {
            let rows = self.rows.into_iter().map(row).collect();
            view! { <Table caption=text!("rules-caption") heads=vec![text!("rule-subject"), text!("hub-rule"), text!("hub-reason"), text!("admin-by"), text!("latency-since"), text!("rule-until"), String::new()] rows /> }.into_any()
        };
        let content = view! {
            <h1>{text!("admin-hubs")}</h1>
            <p class="quiet">{rich!("rules-lead"; link = |inner| view! { <a href="/network">{inner}</a> })}</p>
            {warnings_section(self.warnings)}
            {progress}
            {self.imported.map(imported)}
            {form_errors(&self.form, None)}
            {rules}
            {keep_out(&self.form)}
            {lists(self.lists, &self.form)}
            {hand_on(&self.form)}
        };
        with_side("/admin/network", content.into_any())
    }
}

fn progress(hubs: &[HubRow]) -> Option<AnyView> {
    if hubs.is_empty() {
        return None;
    }
    let line = |hub: &HubRow| {
        let (href, name) = (hub_href(&hub.id), name_of(hub));
        hub.sync_progress
            .map(|progress| view! { <li><a href=href>{name}</a>" "{sync_progress(progress)}</li> })
    };
    let lines = hubs.iter().map(line).collect_view();
    Some(view! { <ul class="plain-list" role="list">{lines}</ul> }.into_any())
}

fn imported(done: ImportedRules) -> AnyView {
    let (href, short) = (hub_href(&done.signer), short_hub(&done.signer));
    let words = text!(
        "rules-imported",
        count = done.imported,
        present = done.already_present,
        invalid = done.invalid,
    );
    let signed = rich!("rules-signed", name = done.name, hub = short;
        link = |inner| view! { <a href=href><code>{inner}</code></a> });
    view! {
        <div class="notice good" role="status"><div>
            <p>{words}</p>
            <p>{signed}</p>
        </div></div>
    }
    .into_any()
}

fn row(row: NetworkRuleRow) -> AnyView {
    let (about, fields) = (row.subject.clone(), vec![("subject", row.subject.clone())]);
    view! {
        <tr>
            <th scope="row"><code>{row.subject}</code></th>
            <td>{if row.allows { text!("rule-allowed") } else { text!("hub-blocked") }}</td>
            <td class="text">{row.reason}</td>
            <td class="text">"@"{row.by}</td>
            <td><Ago at=row.at /></td>
            <td>{row.expires.map(|at| view! { <Date at /> })}</td>
            <td class="end"><ActionForm action="/admin/network/remove" label=text!("remove") about fields /></td>
        </tr>
    }
    .into_any()
}

fn keep_out(form: &Form) -> AnyView {
    let subject = Field::text("subject", text!("rule-subject-field"))
        .placeholder("12D3KooW…, hub.example, @owner/name@hub, tag:word")
        .of(form);
    let reason = Field::text("reason", text!("hub-reason")).max(200).of(form);
    view! {
        <Section title=text!("rule-block-title")>
            <form class="stack narrow" method="post" action="/admin/network">
                {subject}
                {reason}
                <p class="actions"><Button label=text!("rule-block") kind=Kind::Primary /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn lists(lists: Vec<RuleListRow>, form: &Form) -> AnyView {
    let table = (!lists.is_empty()).then(|| {
        let rows = lists.into_iter().map(list).collect();
        view! { <Table caption=text!("lists-caption") heads=vec![text!("list-name"), text!("list-rules"), text!("card-signed-by"), text!("admin-by"), text!("list-fetched"), String::new()] rows /> }
    });
    let place = Field::text("list", text!("list-place")).mono().placeholder(text!("list-place-example"));
    let place = place.of(form);
    let signer = Field::text("signer", text!("list-signer")).mono().optional();
    let signer = signer.hint(text!("list-signer-hint")).of(form);
    view! {
        <Section title=text!("list-subscribe-title") lead=text!("list-subscribe-lead")>
            {table}
            <form class="stack narrow" method="post" action="/admin/network/subscribe">
                {place}
                {signer}
                <p class="actions"><Button label=text!("list-subscribe") /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn list(list: RuleListRow) -> AnyView {
    let (href, short) = (hub_href(&list.signer), short_hub(&list.signer));
    let (about, fields) = (list.url.clone(), vec![("url", list.url.clone())]);
    let problem = list.last_error.map(|problem| view! { <p class="state caution">{translated(problem)}</p> });
    view! {
        <tr>
            <th scope="row">{list.name}<p class="quiet small"><code>{list.url}</code></p>{problem}</th>
            <td class="number">{grouped(list.rules)}</td>
            <td><a href=href><code>{short}</code></a></td>
            <td class="text">"@"{list.by}</td>
            <td><Ago at=list.last_fetch_at /></td>
            <td class="end"><ActionForm action="/admin/network/unsubscribe" label=text!("list-unsubscribe") about fields /></td>
        </tr>
    }
    .into_any()
}

fn hand_on(form: &Form) -> AnyView {
    let document =
        Field::lines("document", text!("rules-document"), 4).hint(text!("rules-document-hint")).of(form);
    view! {
        <Section title=text!("rules-exchange") lead=text!("rules-exchange-lead")>
            <p class="actions"><ButtonLink label=text!("rules-export") href="/admin/network/rules" /></p>
            <form class="stack narrow" method="post" action="/admin/network/import">
                {document}
                <p class="actions"><Button label=text!("rules-import") /></p>
            </form>
        </Section>
    }
    .into_any()
}

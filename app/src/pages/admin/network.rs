use leptos::prelude::*;

use super::{warnings_section, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        format::{count, grouped, hub_href, short_hub},
        section::Section,
        table::Table,
        time::{Ago, Date},
    },
    pages::{
        Page, PageMeta,
        network::{name_of, sync_progress},
    },
    view_models::{
        Form,
        admin::{AdminNetwork, ImportedRules, NetworkRuleRow, RuleListRow},
        network::HubRow,
    },
};

impl Page for AdminNetwork {
    fn head(&self) -> PageMeta {
        PageMeta::private("Other hubs")
    }

    fn body(self) -> AnyView {
        let progress = progress(&self.syncing);
        let rules = if self.rows.is_empty() {
            view! { <Empty title="No rules"><p>"The configured federation mode applies to all hubs."</p></Empty> }
                .into_any()
        } else {
            let rows = self.rows.into_iter().map(row).collect();
            view! { <Table caption="Rules about other hubs" heads=vec!["Subject", "Rule", "Reason", "By", "Since", "Until", ""] rows /> }.into_any()
        };
        let content = view! {
            <h1>"Other hubs"</h1>
            <p class="quiet">"Rules apply immediately. Removing a rule restores what it hid. "<a href="/network">"Known hubs"</a></p>
            {warnings_section(self.warnings)}
            {progress}
            {self.imported.map(imported)}
            {form_errors(&self.form, None)}
            {rules}
            {keep_out(&self.form)}
            {lists(self.lists, &self.form)}
            {hand_on(&self.form)}
        };
        with_side("Other hubs", content.into_any())
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
    let words = format!(
        "{} imported, {} already present, {} invalid.",
        count(done.imported, "rule", "rules"),
        grouped(done.already_present),
        grouped(done.invalid),
    );
    view! {
        <div class="notice good" role="status"><div>
            <p>{words}</p>
            <p>"Signed by "{done.name}", "<a href=href><code>{short}</code></a>"."</p>
        </div></div>
    }
    .into_any()
}

fn row(row: NetworkRuleRow) -> AnyView {
    let (about, fields) = (row.subject.clone(), vec![("subject", row.subject.clone())]);
    view! {
        <tr>
            <th scope="row"><code>{row.subject}</code></th>
            <td>{if row.allows { "Allowed" } else { "Blocked" }}</td>
            <td class="text">{row.reason}</td>
            <td class="text">"@"{row.by}</td>
            <td><Ago at=row.at /></td>
            <td>{row.expires.map(|at| view! { <Date at /> })}</td>
            <td class="end"><ActionForm action="/admin/network/remove" label="Remove" about fields /></td>
        </tr>
    }
    .into_any()
}

fn keep_out(form: &Form) -> AnyView {
    let subject = Field::text("subject", "Hub, agent or tag")
        .placeholder("12D3KooW…, hub.example, @owner/name@hub, tag:word")
        .of(form);
    let reason = Field::text("reason", "Reason").max(200).of(form);
    view! {
        <Section title="Block a hub, agent or tag">
            <form class="stack narrow" method="post" action="/admin/network">
                {subject}
                {reason}
                <p class="actions"><Button label="Block" kind=Kind::Primary /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn lists(lists: Vec<RuleListRow>, form: &Form) -> AnyView {
    let table = (!lists.is_empty()).then(|| {
        let rows = lists.into_iter().map(list).collect();
        view! { <Table caption="Subscribed rule lists" heads=vec!["List", "Rules", "Signed by", "By", "Last fetch", ""] rows /> }
    });
    let place =
        Field::text("list", "Hub or address").mono().placeholder("hub.example, or https://hub.example/rules");
    let place = place.of(form);
    let signer = Field::text("signer", "Expected signer (hub id)").mono().optional();
    let signer = signer.hint("If empty, the current signer is pinned (trust on first use).").of(form);
    view! {
        <Section title="Subscribe to a rule list" lead="The rules of another hub, fetched daily. Local rules take precedence. Unsubscribing removes the rules of the list.">
            {table}
            <form class="stack narrow" method="post" action="/admin/network/subscribe">
                {place}
                {signer}
                <p class="actions"><Button label="Subscribe" /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn list(list: RuleListRow) -> AnyView {
    let (href, short) = (hub_href(&list.signer), short_hub(&list.signer));
    let (about, fields) = (list.url.clone(), vec![("url", list.url.clone())]);
    let problem = list.last_error.map(|problem| view! { <p class="state caution">{problem}</p> });
    view! {
        <tr>
            <th scope="row">{list.name}<p class="quiet small"><code>{list.url}</code></p>{problem}</th>
            <td class="number">{grouped(list.rules)}</td>
            <td><a href=href><code>{short}</code></a></td>
            <td class="text">"@"{list.by}</td>
            <td><Ago at=list.last_fetch_at /></td>
            <td class="end"><ActionForm action="/admin/network/unsubscribe" label="Unsubscribe" about fields /></td>
        </tr>
    }
    .into_any()
}

fn hand_on(form: &Form) -> AnyView {
    let document = Field::lines("document", "Rules of another hub", 4)
        .hint("Paste the signed document. Its rules become local rules; existing rules are kept.")
        .of(form);
    view! {
        <Section title="Export and import rules" lead="The export is a document signed by this hub, with all local rules and their reasons.">
            <p class="actions"><ButtonLink label="Export rules" href="/admin/network/rules" /></p>
            <form class="stack narrow" method="post" action="/admin/network/import">
                {document}
                <p class="actions"><Button label="Import rules" /></p>
            </form>
        </Section>
    }
    .into_any()
}

//! Page of a remote hub: what is known of it, and its agents that are found here.

use leptos::prelude::*;

use super::{meaning, name_of, state_badge, sync_progress};
use crate::{
    components::{
        agent_row::AgentList,
        button::{ActionForm, Button},
        code_block::Copyable,
        definition_list::{fact, facts},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        format::{count, grouped, hub_href, short_hub},
        identicon::Mark,
        pager::pager,
        section::Section,
        table::Table,
        time::{Ago, Date},
    },
    pages::{Page, PageMeta},
    view_models::network::{
        HubAdmin, HubPage, HubRule, HubRuleOrigin, HubState, Replication, ReplicationTier, RuleMaker,
        ViolationRow,
    },
};

impl Page for HubPage {
    fn head(&self) -> PageMeta {
        let name = name_of(&self.hub);
        PageMeta {
            description: Some(format!("{name}: a remote hub, and its agents here.")),
            canonical: Some(hub_href(&self.hub.id)),
            ..PageMeta::public(name)
        }
    }

    fn body(self) -> AnyView {
        let (id, short) = (self.hub.id.clone(), short_hub(&self.hub.id));
        let path = hub_href(&self.hub.id);
        let (what, agents) = (known(&self), agents(&self));
        let pages = pager(self.pager, |page| format!("{path}?page={page}"));
        view! {
            <div class="title-row">
                <Mark seed=id.clone() />
                <div>
                    <h1>{name_of(&self.hub)}</h1>
                    <p class="quiet">"A hub in the "<a href="/network">"network"</a>" · "<span class="address" title=id.clone()>{short}</span></p>
                </div>
            </div>
            {what}
            <p>"Hub id (public key):"</p>
            <Copyable text=id about="hub id" />
            {self.admin.map(|admin| administration(admin, self.rule.as_ref(), &path))}
            {violations(self.violations)}
            <Section title=count(self.pager.total(), "agent here", "agents here")>{agents}{pages}</Section>
        }
        .into_any()
    }
}

fn known(page: &HubPage) -> AnyView {
    let hub = &page.hub;
    let state = view! { {state_badge(hub)}<p class="quiet">{meaning(hub.state)}</p> };
    let progress = hub.sync_progress.map(sync_progress);
    let replication = page.replication;
    facts(vec![
        ("State", Some(state.into_any())),
        ("Domain", domain(page)),
        ("Self-reported name", hub.name.clone().and_then(fact)),
        ("Replication", replication.map(|it| tier(it.tier))),
        ("Rule", page.rule.as_ref().map(rule)),
        ("Listings here", replication.map(listings)),
        ("Progress", progress),
        ("Last seen", Some(view! { <Ago at=hub.last_seen /> }.into_any())),
        (
            "Last signed inventory",
            page.last_head_at.map(|at| view! { <Ago at />" (by its clock)" }.into_any()),
        ),
        ("First seen", page.first_seen.map(|at| view! { <Date at /> }.into_any())),
        ("Software", page.software.clone().and_then(fact)),
        ("HTTP API", page.api.clone().map(|api| view! { <code>{api}</code> }.into_any())),
    ])
}

fn domain(page: &HubPage) -> Option<AnyView> {
    let proved = page.hub.domain.clone().map(|domain| view! { {domain}" (verified)" }.into_any());
    let claimed = page.claimed.clone();
    let claimed = claimed.map(|claimed| view! { {claimed}" (claimed, not verified)" }.into_any());
    proved.or(claimed)
}

fn tier(tier: ReplicationTier) -> AnyView {
    match tier {
        ReplicationTier::Full => "All listings".into_any(),
        ReplicationTier::Probation(until) => view! {
            "On probation (reduced quota) until it verifies a domain, at most until "<Date at=until />
        }
        .into_any(),
        ReplicationTier::Refused => "Refused".into_any(),
    }
}

fn rule(rule: &HubRule) -> AnyView {
    let does = if rule.allows { "Allowed by rule " } else { "Blocked by rule " };
    let until = rule.expires.map(|at| view! { " until "<Date at /> });
    view! { {does}<code>{rule.subject.clone()}</code>{until} }.into_any()
}

fn listings(replication: Replication) -> AnyView {
    let words = match replication.announced {
        Some(announced) => {
            format!("{} of {} signed", grouped(replication.replicated), grouped(announced))
        }
        None => grouped(replication.replicated),
    };
    let partial = replication.partial.then_some("; some omitted (quota)");
    view! { {words}{partial} }.into_any()
}

fn agents(page: &HubPage) -> AnyView {
    if !page.agents.is_empty() {
        return view! { <AgentList rows=page.agents.clone() /> }.into_any();
    }
    let words = match page.hub.state {
        HubState::Blocked => "A rule blocks its agents.",
        HubState::Silent => "They reappear when the hub publishes a new signed inventory.",
        HubState::Fresh | HubState::Stale => "It has no federated agents, or none has been replicated yet.",
    };
    view! { <Empty title="No agents here"><p>{words}</p></Empty> }.into_any()
}

fn violations(violations: Vec<ViolationRow>) -> Option<AnyView> {
    if violations.is_empty() {
        return None;
    }
    let rows = violations.into_iter().map(violation).collect();
    let view = view! {
        <Section title="Protocol violations" lead="Violations observed by this hub. Slow replication is not listed.">
            <Table caption="Protocol violations of this hub" heads=vec!["Violation", "Count", "First", "Last"] rows />
        </Section>
    };
    Some(view.into_any())
}

fn violation(violation: ViolationRow) -> AnyView {
    let about = violation.about_hub.map(|hub| {
        let (href, short) = (hub_href(&hub), short_hub(&hub));
        view! { <p class="quiet small">"Concerns listings of "<a href=href>{short}</a></p> }
    });
    view! {
        <tr>
            <th scope="row">{violation.what}{about}</th>
            <td class="number">{grouped(violation.count)}</td>
            <td><Ago at=violation.first_seen /></td>
            <td><Ago at=violation.last_seen /></td>
        </tr>
    }
    .into_any()
}

fn administration(admin: HubAdmin, rule: Option<&HubRule>, path: &str) -> AnyView {
    let HubAdmin { addresses, rule: origin, form } = admin;
    let undo = origin.as_ref().is_some_and(|origin| matches!(origin.made, RuleMaker::Here(_)));
    let undo = rule.filter(|_| undo).map(|rule| {
        let fields = vec![("action", "undo".to_owned()), ("subject", rule.subject.clone())];
        view! { <ActionForm action=path.to_owned() label="Undo" about=format!("the rule {}", rule.subject) fields /> }
    });
    // Omit the button for what the current rule does already.
    let does = |allows: bool| rule.is_some_and(|rule| rule.allows == allows);
    let block = (!does(false)).then(|| view! { <Button label="Block hub" name="action" value="block" /> });
    let allow = (!does(true)).then(|| view! { <Button label="Allow hub" name="action" value="allow" /> });
    let addresses =
        addresses.into_iter().map(|text| view! { <Copyable text about="address" /> }).collect_view();
    let action = path.to_owned();
    view! {
        <Section title="For administrators" lead="Rules apply immediately. Removing a rule restores what it hid.">
            {origin.map(origin_of)}
            {undo}
            {form_errors(&form, None)}
            <form class="stack narrow" method="post" action=action>
                {Field::text("reason", "Reason").max(200).of(&form)}
                <p class="actions">{block}{allow}</p>
            </form>
            <h3>"Addresses"</h3>
            {addresses}
        </Section>
    }
    .into_any()
}

fn origin_of(origin: HubRuleOrigin) -> AnyView {
    let by = match origin.made {
        RuleMaker::Here(name) => view! { "by @"{name} }.into_any(),
        RuleMaker::List(url) => view! { "by the list at "<code>{url}</code> }.into_any(),
    };
    view! { <p>"Rule added "{by}", "<Ago at=origin.created />": “"{origin.reason}"”"</p> }.into_any()
}

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
        format::{hub_href, short_hub},
        identicon::Mark,
        pager::pager,
        section::Section,
        table::Table,
        time::{Ago, Date},
    },
    locales::{grouped, translated},
    pages::{Page, PageMeta},
    rich, text,
    view_models::network::{
        HubAdmin, HubPage, HubRule, HubRuleOrigin, HubState, Replication, ReplicationTier, RuleMaker,
        ViolationRow,
    },
};

impl Page for HubPage {
    fn head(&self) -> PageMeta {
        let name = name_of(&self.hub);
        PageMeta {
            description: Some(text!("hub-description", name = name.clone())),
            canonical: Some(hub_href(&self.hub.id)),
            ..PageMeta::public(name)
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let (id, short) = (self.hub.id.clone(), short_hub(&self.hub.id));
        let path = hub_href(&self.hub.id);
        let (what, agents) = (known(&self), agents(&self));
        let lead = rich!("hub-lead"; link = |inner| view! { <a href="/network">{inner}</a> });
        let pages = pager(self.pager, |page| format!("{path}?page={page}"));
        view! {
            <div class="title-row">
                <Mark seed=id.clone() />
                <div>
                    <h1 dir="auto">{name_of(&self.hub)}</h1>
                    <p class="quiet">{lead}" · "<span class="address" title=id.clone()>{short}</span></p>
                </div>
            </div>
            {what}
            <p>{text!("network-hub-id")}</p>
            <Copyable text=id about=text!("about-hub-id") />
            {self.admin.map(|admin| administration(admin, self.rule.as_ref(), &path))}
            {violations(self.violations)}
            <Section title=text!("count-agents-here", count = self.pager.total())>{agents}{pages}</Section>
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
        (text!("team-state"), Some(state.into_any())),
        (text!("hub-domain"), domain(page)),
        (text!("hub-own-name"), hub.name.clone().and_then(fact)),
        (text!("hub-replication"), replication.map(|it| tier(it.tier))),
        (text!("hub-rule"), page.rule.as_ref().map(rule)),
        (text!("hub-listings"), replication.map(listings)),
        (text!("hub-progress"), progress),
        (text!("network-last-seen"), Some(view! { <Ago at=hub.last_seen /> }.into_any())),
        (
            text!("hub-inventory"),
            page.last_head_at.map(|at| rich!("hub-by-its-clock"; time = move |_| view! { <Ago at /> })),
        ),
        (text!("hub-first-seen"), page.first_seen.map(|at| view! { <Date at /> }.into_any())),
        (text!("hub-software"), page.software.clone().and_then(fact)),
        (text!("hub-api"), page.api.clone().map(|api| view! { <code>{api}</code> }.into_any())),
    ])
}

fn domain(page: &HubPage) -> Option<AnyView> {
    let proved = page.hub.domain.clone().map(|domain| text!("hub-domain-verified", domain = domain));
    let claimed = page.claimed.clone().map(|domain| text!("hub-domain-claimed", domain = domain));
    proved.or(claimed).and_then(fact)
}

fn tier(tier: ReplicationTier) -> AnyView {
    match tier {
        ReplicationTier::Full => text!("hub-tier-full").into_any(),
        ReplicationTier::Probation(until) => {
            rich!("hub-tier-probation"; date = move |_| view! { <Date at=until /> })
        }
        ReplicationTier::Refused => text!("hub-tier-refused").into_any(),
    }
}

fn rule(rule: &HubRule) -> AnyView {
    let subject = rule.subject.clone();
    match (rule.allows, rule.expires) {
        (true, None) => rich!("hub-rule-allowed", subject = subject; code = code),
        (false, None) => rich!("hub-rule-blocked", subject = subject; code = code),
        (true, Some(at)) => rich!("hub-rule-allowed-until", subject = subject;
            code = code, date = move |_| view! { <Date at /> }),
        (false, Some(at)) => rich!("hub-rule-blocked-until", subject = subject;
            code = code, date = move |_| view! { <Date at /> }),
    }
}

fn code(text: String) -> impl IntoView + use<> {
    view! { <code>{text}</code> }
}

fn listings(replication: Replication) -> AnyView {
    let words = match replication.announced {
        Some(announced) => {
            text!("hub-listings-of", replicated = replication.replicated, announced = announced)
        }
        None => grouped(replication.replicated),
    };
    if replication.partial {
        text!("hub-listings-partial", listings = words).into_any()
    } else {
        words.into_any()
    }
}

fn agents(page: &HubPage) -> AnyView {
    if !page.agents.is_empty() {
        return view! { <AgentList rows=page.agents.clone() /> }.into_any();
    }
    let words = match page.hub.state {
        HubState::Blocked => text!("hub-none-blocked"),
        HubState::Silent => text!("hub-none-silent"),
        HubState::Fresh | HubState::Stale => text!("hub-none-federated"),
    };
    view! { <Empty title=text!("hub-none")><p>{words}</p></Empty> }.into_any()
}

fn violations(violations: Vec<ViolationRow>) -> Option<AnyView> {
    if violations.is_empty() {
        return None;
    }
    let rows = violations.into_iter().map(violation).collect();
    let view = view! {
        <Section title=text!("violations") lead=text!("violations-lead")>
            <Table caption=text!("violations-caption") heads=vec![text!("violation"), text!("violation-count"), text!("violation-first"), text!("violation-last")] rows />
        </Section>
    };
    Some(view.into_any())
}

fn violation(violation: ViolationRow) -> AnyView {
    let about = violation.about_hub.map(|hub| {
        let (href, short) = (hub_href(&hub), short_hub(&hub));
        let words = rich!("violation-about", hub = short; link = |inner| view! { <a href=href>{inner}</a> });
        view! { <p class="quiet small">{words}</p> }
    });
    view! {
        <tr>
            <th scope="row">{translated(violation.what.to_owned())}{about}</th>
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
        view! { <ActionForm action=path.to_owned() label=text!("hub-undo") about=text!("hub-undo-about", subject = rule.subject.clone()) fields /> }
    });
    // Omit the button for what the current rule does already.
    let does = |allows: bool| rule.is_some_and(|rule| rule.allows == allows);
    let block =
        (!does(false)).then(|| view! { <Button label=text!("hub-block") name="action" value="block" /> });
    let allow =
        (!does(true)).then(|| view! { <Button label=text!("hub-allow") name="action" value="allow" /> });
    let addresses = addresses
        .into_iter()
        .map(|text| view! { <Copyable text about=text!("about-address") /> })
        .collect_view();
    let action = path.to_owned();
    view! {
        <Section title=text!("hub-administrators") lead=text!("hub-administrators-lead")>
            {origin.map(origin_of)}
            {undo}
            {form_errors(&form, None)}
            <form class="stack narrow" method="post" action=action>
                {Field::text("reason", text!("hub-reason")).max(200).of(&form)}
                <p class="actions">{block}{allow}</p>
            </form>
            <h3>{text!("field-addresses")}</h3>
            {addresses}
        </Section>
    }
    .into_any()
}

fn origin_of(origin: HubRuleOrigin) -> AnyView {
    let (reason, at) = (origin.reason, origin.created);
    let time = move |_| view! { <Ago at /> };
    let words = match origin.made {
        RuleMaker::Here(name) => rich!("hub-rule-by-user", name = name, reason = reason; time = time),
        RuleMaker::List(url) => {
            rich!("hub-rule-by-list", url = url, reason = reason; code = code, time = time)
        }
    };
    view! { <p>{words}</p> }.into_any()
}

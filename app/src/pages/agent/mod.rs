//! Page of an agent: title row, tabs, and a side column with Chat first.

use leptos::prelude::*;
use plexus_domain::agent::Visibility;

use super::{Page, PageMeta, Robots};
use crate::{
    components::{
        badge::Badges,
        format::{agent_href, chat_href, visitor_chat_href},
        identicon::Mark,
        tabs::{Tab, Tabs},
    },
    text,
    view_models::agent::{AgentHead, AgentPage, AgentTab},
};

mod connect;
mod copy;
mod credentials;
mod feedback;
mod manage;
mod overview;
mod sidebar;
mod skills;
mod tool_credentials;
mod versions;
mod visitor_chat;

pub use manage::{accesses, visibilities};
pub use tool_credentials::fields as tool_fields;

impl Page for AgentPage {
    fn head(&self) -> PageMeta {
        let head = &self.head;
        let listed = head.visibility >= Visibility::Public;
        let title = match slug(&self.tab) {
            "" => head.name.clone(),
            slug => format!("{} – {}", head.name, label(slug)),
        };
        let robots = if listed && robots_may_see(&self.tab) { Robots::Index } else { Robots::None };
        let canonical = listed.then(|| tab_href(head, slug(&self.tab)));
        PageMeta { description: Some(head.summary.clone()), robots, canonical, ..PageMeta::public(title) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let Self { head, tab } = self;
        let tabs = tabs(&head, &tab);
        let rail = sidebar::rail(&head, slug(&tab));
        view! {
            <div class="title-row">
                <Mark seed=head.seed.clone() />
                <div>
                    <h1 dir="auto">{head.name.clone()}</h1>
                    <p class="address">{head.address.to_string()}</p>
                </div>
            </div>
            <p class="lead" dir="auto">{head.summary.clone()}</p>
            <Badges badges=head.badges.clone() />
            <div class="with-rail">
                {rail}
                <div class="stack">
                    <Tabs label=text!("agent-tabs") tabs />
                    {content(tab, &head)}
                </div>
            </div>
        }
        .into_any()
    }
}

fn content(tab: AgentTab, head: &AgentHead) -> AnyView {
    match tab {
        AgentTab::Overview(overview) => overview::view(overview, head),
        AgentTab::Skills(list) => skills::view(list),
        AgentTab::Versions(rows) => versions::view(rows, head),
        AgentTab::Connect(snippets) => connect::view(snippets, head),
        AgentTab::Chat(chat) => visitor_chat::view(chat, head),
        AgentTab::Manage(model) => manage::view(model, head),
        AgentTab::Feedback(model) => feedback::view(model),
        AgentTab::Credentials(model) => credentials::view(model, head),
        AgentTab::ToolCredentials(model) => tool_credentials::view(model, head),
    }
}

fn tabs(head: &AgentHead, at: &AgentTab) -> Vec<Tab> {
    let here = slug(at);
    let mut slugs = vec!["", "skills", "versions", "connect"];
    if head.can_manage {
        slugs.push("feedback");
        slugs.push("manage");
    }
    if here == "chat" {
        slugs.insert(1, "chat");
    }
    if here == "credentials" {
        slugs.push("credentials");
    }
    let tab = |slug| Tab { label: label(slug), href: tab_href(head, slug), current: slug == here };
    slugs.into_iter().map(tab).collect()
}

fn label(slug: &str) -> String {
    match slug {
        "skills" => text!("agent-skills"),
        "versions" => text!("agent-versions"),
        "connect" => text!("agent-connect"),
        "chat" => text!("agent-chat"),
        "feedback" => text!("agent-feedback"),
        "manage" => text!("agent-manage"),
        "credentials" => text!("agent-credentials"),
        _ => text!("agent-overview"),
    }
}

fn tab_href(head: &AgentHead, slug: &str) -> String {
    let path = agent_href(&head.address);
    if slug.is_empty() { path } else { format!("{path}/{slug}") }
}

/// Returns the page where the viewer chats with the agent.
fn chat_page(head: &AgentHead) -> String {
    let is_signed_in = head.starred.is_some();
    if is_signed_in { chat_href(&head.address, None) } else { visitor_chat_href(&head.address, None) }
}

const fn slug(tab: &AgentTab) -> &'static str {
    match tab {
        AgentTab::Overview(_) => "",
        AgentTab::Skills(_) => "skills",
        AgentTab::Versions(_) => "versions",
        AgentTab::Connect(_) => "connect",
        AgentTab::Chat(_) => "chat",
        AgentTab::Feedback(_) => "feedback",
        AgentTab::Manage(_) => "manage",
        AgentTab::Credentials(_) | AgentTab::ToolCredentials(_) => "credentials",
    }
}

const fn robots_may_see(tab: &AgentTab) -> bool {
    !matches!(
        tab,
        AgentTab::Chat(_)
            | AgentTab::Feedback(_)
            | AgentTab::Manage(_)
            | AgentTab::Credentials(_)
            | AgentTab::ToolCredentials(_)
    )
}

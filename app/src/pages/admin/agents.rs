use leptos::prelude::*;

use super::{page_href, search, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        dialog::Dialog,
        empty::Empty,
        format::{agent_href, grouped, visibility_name},
        identicon::Mark,
        menu::Menu,
        pager::pager,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::admin::{AdminAgentRow, AdminAgents},
};

impl Page for AdminAgents {
    fn head(&self) -> PageMeta {
        PageMeta::private("Agents – administration")
    }

    fn body(self) -> AnyView {
        let words = self.words.clone();
        let list = if self.rows.is_empty() {
            view! { <Empty title="Nothing found"><p>"No agent’s name or address contains these letters."</p><p><a href="/admin/agents">"All agents"</a></p></Empty> }.into_any()
        } else {
            let page = self.pager.page();
            let rows = self.rows.into_iter().map(|agent| row(agent, &words, page)).collect();
            view! { <Table caption="Agents of this hub" heads=vec!["Agent", "Kind", "Visibility", "State", "Runs today", "Failed", "Last answered", ""] rows /> }.into_any()
        };
        let content = view! {
            <h1>"Agents"</h1>
            {search("/admin/agents", "Part of a name or an address", self.words)}
            {list}
            {pager(self.pager, |page| page_href("/admin/agents", &words, page))}
        };
        with_side("Agents", content.into_any())
    }
}

fn row(agent: AdminAgentRow, words: &str, page: u32) -> AnyView {
    let answered =
        agent.last_answered.map_or_else(|| "Never".into_any(), |at| view! { <Ago at /> }.into_any());
    let (class, state) = match (agent.paused, agent.proved) {
        (true, _) => ("badge neutral", "Paused"),
        (false, true) => ("badge good", "Verified"),
        (false, false) => ("badge caution", "Unverified"),
    };
    let featured = agent.is_featured.then(|| view! { " "<span class="badge neutral">"Featured"</span> });
    let actions = actions(&agent, &[("q", words.to_owned()), ("page", page.to_string())]);
    view! {
        <tr>
            <th scope="row"><div class="named"><Mark seed=agent.seed /><div><a href=agent_href(&agent.address)>{agent.name}</a>" "<span class="address">{agent.address.to_string()}</span></div></div></th>
            <td>{agent.kind}</td>
            <td>{visibility_name(agent.visibility)}</td>
            <td><span class=class>{state}</span>{featured}</td>
            <td class="number">{grouped(agent.runs_today)}</td>
            <td class="number">{grouped(agent.failed_today)}</td>
            <td>{answered}</td>
            <td class="end">{actions}</td>
        </tr>
    }
    .into_any()
}

/// Renders the action menu. Actions that restrict the agent need a reason; resuming it does not.
///
/// `place` is sent along, so that the search and its page are shown again afterwards.
fn actions(agent: &AdminAgentRow, place: &[(&'static str, String)]) -> AnyView {
    let action = format!("/admin/agents/{}", agent.id);
    let resume = agent.paused.then(|| {
        let about = agent.name.clone();
        let fields = place.iter().cloned().chain([("action", "resume".to_owned())]).collect::<Vec<_>>();
        view! { <ActionForm action=action.clone() label="Resume" kind=Kind::Quiet about fields /> }.into_any()
    });
    let listed = agent.can_withdraw && agent.visibility.is_listed();
    let may_feature = agent.can_withdraw && (agent.is_featured || (listed && !agent.paused));
    let feature = may_feature.then(|| feature(agent, &action, place));
    let reasoned = (!agent.paused || listed).then(|| reasoned(agent, action.clone(), listed, place));
    let delete = agent.can_withdraw.then(|| delete(agent, action, place));
    let summary = "Change".into_any();
    view! { <Menu summary>{resume}{feature}{reasoned}{delete}</Menu> }.into_any()
}

/// Renders the choice for the home page.
fn feature(agent: &AdminAgentRow, action: &str, place: &[(&'static str, String)]) -> AnyView {
    let (label, value) =
        if agent.is_featured { ("Stop featuring", "unfeature") } else { ("Feature on home page", "feature") };
    let fields = place.iter().cloned().chain([("action", value.to_owned())]).collect::<Vec<_>>();
    view! { <ActionForm action=action.to_owned() label kind=Kind::Quiet about=agent.name.clone() fields /> }
        .into_any()
}

fn hidden(fields: &[(&'static str, String)]) -> AnyView {
    let field =
        |(name, value): (&'static str, String)| view! { <input type="hidden" name=name value=value /> };
    fields.iter().cloned().map(field).collect_view().into_any()
}

/// Renders the deletion with its question: it cannot be undone.
fn delete(agent: &AdminAgentRow, action: String, place: &[(&'static str, String)]) -> AnyView {
    let (id, name) = (format!("delete-{}", agent.id), agent.name.clone());
    let title = format!("Delete {name}?");
    let (label, place) = (format!("Reason for the deletion of {name}"), hidden(place));
    view! {
        <Dialog id open="Delete" title kind=Kind::Danger about=name>
            <p>"Deletes the agent, its versions and its key. Its address cannot be used again. This cannot be undone."</p>
            <form class="stack" method="post" action=action>
                {place}
                <input class="control" type="text" name="reason" required maxlength="200" placeholder="Reason" aria-label=label />
                <Button label="Delete permanently" kind=Kind::Danger name="action" value="delete" />
            </form>
        </Dialog>
    }
    .into_any()
}

fn reasoned(
    agent: &AdminAgentRow,
    action: String,
    listed: bool,
    place: &[(&'static str, String)],
) -> AnyView {
    let verb = |offered: bool, label: &'static str, value: &str, kind: Kind| {
        let (value, about) = (value.to_owned(), agent.name.clone());
        offered.then(|| view! { <Button label kind name="action" value about /> }.into_any())
    };
    let buttons =
        [verb(!agent.paused, "Pause", "pause", Kind::Quiet), verb(listed, "Unlist", "unlist", Kind::Quiet)];
    let label = format!("Reason for the change to {}", agent.name);
    view! {
        <form class="reasoned" method="post" action=action>
            {hidden(place)}
            <input class="control" type="text" name="reason" required maxlength="200" placeholder="Reason" aria-label=label />
            {buttons.collect_view()}
        </form>
    }
    .into_any()
}

use leptos::prelude::*;

use super::{page_href, search, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        dialog::Dialog,
        empty::Empty,
        format::{agent_href, protocol_label, visibility_name},
        identicon::Mark,
        menu::Menu,
        pager::pager,
        table::Table,
        time::Ago,
    },
    locales::grouped,
    pages::{Page, PageMeta},
    text,
    view_models::admin::{AdminAgentRow, AdminAgents},
};

impl Page for AdminAgents {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("admin-agents-title"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let words = self.words.clone();
        let list = if self.rows.is_empty() {
            view! { <Empty title=text!("admin-agents-none")><p>{text!("admin-agents-none-why")}</p><p><a href="/admin/agents">{text!("admin-agents-all")}</a></p></Empty> }.into_any()
        } else {
            let page = self.pager.page();
            let rows = self.rows.into_iter().map(|agent| row(agent, &words, page)).collect();
            view! { <Table caption=text!("admin-agents-caption") heads=vec![text!("usage-agent"), text!("admin-agent-kind"), text!("agent-visibility"), text!("admin-state"), text!("admin-runs-today"), text!("admin-runs-failed"), text!("agent-last-answered"), String::new()] rows /> }.into_any()
        };
        let content = view! {
            <h1>{text!("nav-agents")}</h1>
            {search("/admin/agents", text!("admin-agents-search"), self.words)}
            {list}
            {pager(self.pager, |page| page_href("/admin/agents", &words, page))}
        };
        with_side("/admin/agents", content.into_any())
    }
}

fn row(agent: AdminAgentRow, words: &str, page: u32) -> AnyView {
    let answered = agent
        .last_answered
        .map_or_else(|| text!("admin-never").into_any(), |at| view! { <Ago at /> }.into_any());
    let (class, state) = match (agent.paused, agent.proved) {
        (true, _) => ("badge neutral", text!("badge-paused")),
        (false, true) => ("badge good", text!("admin-verified")),
        (false, false) => ("badge caution", text!("badge-unverified")),
    };
    let featured =
        agent.is_featured.then(|| view! { " "<span class="badge neutral">{text!("admin-featured")}</span> });
    let actions = actions(&agent, &[("q", words.to_owned()), ("page", page.to_string())]);
    view! {
        <tr>
            <th scope="row"><div class="named"><Mark seed=agent.seed /><div><a href=agent_href(&agent.address)>{agent.name}</a>" "<span class="address">{agent.address.to_string()}</span></div></div></th>
            <td>{protocol_label(&agent.kind)}</td>
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
        view! { <ActionForm action=action.clone() label=text!("manage-resume") kind=Kind::Quiet about fields /> }.into_any()
    });
    let listed = agent.can_withdraw && agent.visibility.is_listed();
    let may_feature = agent.can_withdraw && (agent.is_featured || (listed && !agent.paused));
    let feature = may_feature.then(|| feature(agent, &action, place));
    let reasoned = (!agent.paused || listed).then(|| reasoned(agent, action.clone(), listed, place));
    let delete = agent.can_withdraw.then(|| delete(agent, action, place));
    let summary = text!("admin-change").into_any();
    view! { <Menu summary>{resume}{feature}{reasoned}{delete}</Menu> }.into_any()
}

/// Renders the choice for the home page.
fn feature(agent: &AdminAgentRow, action: &str, place: &[(&'static str, String)]) -> AnyView {
    let (label, value) = if agent.is_featured {
        (text!("admin-unfeature"), "unfeature")
    } else {
        (text!("admin-feature"), "feature")
    };
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
    let title = text!("manage-delete-title", name = name.clone());
    let (label, place) = (text!("admin-delete-reason", name = name.clone()), hidden(place));
    view! {
        <Dialog id open=text!("delete") title kind=Kind::Danger about=name>
            <p>{text!("admin-delete-lead")}</p>
            <form class="stack" method="post" action=action>
                {place}
                <input class="control" type="text" name="reason" required maxlength="200" placeholder=text!("hub-reason") aria-label=label />
                <Button label=text!("manage-delete-permanently") kind=Kind::Danger name="action" value="delete" />
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
    let verb = |offered: bool, label: String, value: &str, kind: Kind| {
        let (value, about) = (value.to_owned(), agent.name.clone());
        offered.then(|| view! { <Button label kind name="action" value about /> }.into_any())
    };
    let buttons = [
        verb(!agent.paused, text!("manage-pause"), "pause", Kind::Quiet),
        verb(listed, text!("admin-unlist"), "unlist", Kind::Quiet),
    ];
    let label = text!("admin-change-reason", name = agent.name.clone());
    view! {
        <form class="reasoned" method="post" action=action>
            {hidden(place)}
            <input class="control" type="text" name="reason" required maxlength="200" placeholder=text!("hub-reason") aria-label=label />
            {buttons.collect_view()}
        </form>
    }
    .into_any()
}

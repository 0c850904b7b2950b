use leptos::prelude::*;
use plexus_domain::account::Role;

use super::{page_href, search, with_side};
use crate::{
    components::{
        button::{ActionForm, Kind},
        code_block::Copyable,
        dialog::Dialog,
        empty::Empty,
        format::role_name,
        menu::Menu,
        notice::Note,
        pager::pager,
        table::Table,
        time::{Ago, Date},
    },
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Tone,
        admin::{AdminUsers, ResetLink, UserRow, UserState},
    },
};

impl Page for AdminUsers {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("admin-users"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let words = self.words.clone();
        let list = if self.rows.is_empty() {
            view! { <Empty title=text!("users-none")><p>{text!("users-none-why")}</p><p><a href="/admin/users">{text!("users-all")}</a></p></Empty> }.into_any()
        } else {
            let page = self.pager.page();
            let rows = self.rows.iter().map(|user| row(user, &words, page)).collect();
            view! { <Table caption=text!("admin-users") heads=vec![text!("name"), text!("user-role"), text!("admin-state"), text!("nav-agents"), text!("latency-since"), text!("network-last-seen"), String::new()] rows /> }.into_any()
        };
        let content = view! {
            <h1>{text!("admin-users")}</h1>
            {self.reset.map(reset_link)}
            {search("/admin/users", text!("users-search"), self.words)}
            {list}
            {pager(self.pager, |page| page_href("/admin/users", &words, page))}
        };
        with_side("/admin/users", content.into_any())
    }
}

fn reset_link(reset: ResetLink) -> AnyView {
    view! {
        <Note tone=Tone::Good>
            <p>{rich!("users-reset", name = reset.name; strong = |inner| view! { <strong>{inner}</strong> })}</p>
            <p><Copyable text=reset.link about=text!("about-reset-link") /></p>
        </Note>
    }
    .into_any()
}

fn row(user: &UserRow, words: &str, page: u32) -> AnyView {
    let seen =
        user.seen.map_or_else(|| text!("admin-never").into_any(), |at| view! { <Ago at /> }.into_any());
    let (class, state) = match user.state {
        UserState::Active => ("badge neutral", text!("user-active")),
        UserState::Waiting => ("badge caution", text!("user-pending")),
        UserState::Suspended => ("badge bad", text!("user-suspended")),
        UserState::Leaving => ("badge neutral", text!("user-leaving")),
    };
    let reason = user.reason.clone().map(|reason| view! { <p class="quiet small">{reason}</p> });
    let href = format!("/@{}", user.name);
    view! {
        <tr>
            <th scope="row"><a href=href>"@"{user.name.clone()}</a>{reason}</th>
            <td>{role_name(user.role)}</td>
            <td><span class=class>{state}</span></td>
            <td class="number">{user.agents}</td>
            <td><Date at=user.since /></td>
            <td>{seen}</td>
            <td class="end">{(!user.own && user.state != UserState::Leaving).then(|| actions(user, &[("q", words.to_owned()), ("page", page.to_string())]))}</td>
        </tr>
    }
    .into_any()
}

/// Renders the actions. `place` is sent along, so that the search and its page are shown again afterwards.
fn actions(user: &UserRow, place: &[(&'static str, String)]) -> AnyView {
    let (action, name) = (format!("/admin/users/{}", user.id), user.name.clone());
    let with_place = |more: &[(&'static str, &str)]| {
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        place.iter().cloned().chain(more).collect::<Vec<_>>()
    };
    let button = |label: String, verb: &str, kind: Kind| {
        let (action, about, fields) = (action.clone(), name.clone(), with_place(&[("action", verb)]));
        view! { <ActionForm action label kind about fields /> }.into_any()
    };
    match user.state {
        UserState::Waiting => button(text!("user-accept"), "approve", Kind::Plain),
        UserState::Suspended => button(text!("user-restore"), "restore", Kind::Plain),
        UserState::Active | UserState::Leaving => {
            let roles = Role::ALL.into_iter().filter(|role| *role != user.role).map(|role| {
                let fields = with_place(&[("action", "role"), ("role", role.as_str())]);
                let label = match role {
                    Role::User => text!("make-user"),
                    Role::Moderator => text!("make-moderator"),
                    Role::Admin => text!("make-administrator"),
                };
                if role == Role::Admin {
                    return view! { <li>{make_administrator(user, action.clone(), label, fields)}</li> };
                }
                let form = view! { <ActionForm action=action.clone() label kind=Kind::Quiet about=name.clone() fields /> };
                view! { <li>{form.into_any()}</li> }
            });
            let roles = roles.collect_view();
            let reset = button(text!("user-reset"), "reset", Kind::Quiet);
            let suspend = button(text!("user-suspend"), "suspend", Kind::Danger);
            let summary = text!("admin-change").into_any();
            view! { <Menu summary><ul role="list">{roles}<li>{reset}</li><li>{suspend}</li></ul></Menu> }
                .into_any()
        }
    }
}

/// Renders the action with its question: a new administrator can demote the one who chose them.
fn make_administrator(
    user: &UserRow,
    action: String,
    label: String,
    fields: Vec<(&'static str, String)>,
) -> AnyView {
    let (id, name) = (format!("admin-{}", user.id), user.name.clone());
    let title = text!("make-administrator-title", name = name.clone());
    view! {
        <Dialog id open=label.clone() title kind=Kind::Quiet about=name.clone()>
            <p>{text!("make-administrator-meaning")}</p>
            <ActionForm action label kind=Kind::Danger about=name fields />
        </Dialog>
    }
    .into_any()
}

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
    view_models::{
        Tone,
        admin::{AdminUsers, ResetLink, UserRow, UserState},
    },
};

impl Page for AdminUsers {
    fn head(&self) -> PageMeta {
        PageMeta::private("Users")
    }

    fn body(self) -> AnyView {
        let words = self.words.clone();
        let list = if self.rows.is_empty() {
            view! { <Empty title="No matching users"><p>"No name contains these letters."</p><p><a href="/admin/users">"All users"</a></p></Empty> }.into_any()
        } else {
            let page = self.pager.page();
            let rows = self.rows.iter().map(|user| row(user, &words, page)).collect();
            view! { <Table caption="Users" heads=vec!["Name", "Role", "State", "Agents", "Since", "Last seen", ""] rows /> }.into_any()
        };
        let content = view! {
            <h1>"Users"</h1>
            {self.reset.map(reset_link)}
            {search("/admin/users", "Part of a name", self.words)}
            {list}
            {pager(self.pager, |page| page_href("/admin/users", &words, page))}
        };
        with_side("Users", content.into_any())
    }
}

fn reset_link(reset: ResetLink) -> AnyView {
    view! {
        <Note tone=Tone::Good>
            <p><strong>"Send this link to @" {reset.name}"."</strong> " It sets a new password, once, within 24 hours. The hub cannot show it again."</p>
            <p><Copyable text=reset.link about="reset link" /></p>
        </Note>
    }
    .into_any()
}

fn row(user: &UserRow, words: &str, page: u32) -> AnyView {
    let seen = user.seen.map_or_else(|| "Never".into_any(), |at| view! { <Ago at /> }.into_any());
    let (class, state) = match user.state {
        UserState::Active => ("badge neutral", "Active"),
        UserState::Waiting => ("badge caution", "Pending"),
        UserState::Suspended => ("badge bad", "Suspended"),
        UserState::Leaving => ("badge neutral", "Deletion scheduled"),
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
    let button = |label: &'static str, verb: &str, kind: Kind| {
        let (action, about, fields) = (action.clone(), name.clone(), with_place(&[("action", verb)]));
        view! { <ActionForm action label kind about fields /> }.into_any()
    };
    match user.state {
        UserState::Waiting => button("Accept", "approve", Kind::Plain),
        UserState::Suspended => button("Restore", "restore", Kind::Plain),
        UserState::Active | UserState::Leaving => {
            let roles = Role::ALL.into_iter().filter(|role| *role != user.role).map(|role| {
                let fields = with_place(&[("action", "role"), ("role", role.as_str())]);
                let label = format!("Make {}", role_name(role).to_lowercase());
                if role == Role::Admin {
                    return view! { <li>{make_administrator(user, action.clone(), label, fields)}</li> };
                }
                let form = view! { <ActionForm action=action.clone() label kind=Kind::Quiet about=name.clone() fields /> };
                view! { <li>{form.into_any()}</li> }
            });
            let roles = roles.collect_view();
            let reset = button("Create reset link", "reset", Kind::Quiet);
            let suspend = button("Suspend", "suspend", Kind::Danger);
            let summary = "Change".into_any();
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
    let title = format!("Make @{name} an administrator?");
    view! {
        <Dialog id open=label.clone() title kind=Kind::Quiet about=name.clone()>
            <p>"Administrators can change every agent, user and rule of this hub, and can take away your own role."</p>
            <ActionForm action label kind=Kind::Danger about=name fields />
        </Dialog>
    }
    .into_any()
}

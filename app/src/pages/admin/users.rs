use leptos::prelude::*;
use plexus_domain::account::Role;

use super::{page_href, search, with_side};
use crate::{
    components::{
        button::{ActionForm, Kind},
        empty::Empty,
        format::role_name,
        menu::Menu,
        pager::pager,
        table::Table,
        time::{Ago, Date},
    },
    pages::{Page, PageMeta},
    view_models::admin::{AdminUsers, UserRow, UserState},
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
            let rows = self.rows.iter().map(row).collect();
            view! { <Table caption="Users" heads=vec!["Name", "Role", "State", "Agents", "Since", "Last seen", ""] rows /> }.into_any()
        };
        let content = view! {
            <h1>"Users"</h1>
            {search("/admin/users", "Part of a name", self.words)}
            {list}
            {pager(self.pager, |page| page_href("/admin/users", &words, page))}
        };
        with_side("Users", content.into_any())
    }
}

fn row(user: &UserRow) -> AnyView {
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
            <td class="end">{(!user.own && user.state != UserState::Leaving).then(|| actions(user))}</td>
        </tr>
    }
    .into_any()
}

fn actions(user: &UserRow) -> AnyView {
    let (action, name) = (format!("/admin/users/{}", user.id), user.name.clone());
    let button = |label: &'static str, verb: &str, kind: Kind| {
        let (action, about, fields) = (action.clone(), name.clone(), vec![("action", verb.to_owned())]);
        view! { <ActionForm action label kind about fields /> }.into_any()
    };
    match user.state {
        UserState::Waiting => button("Accept", "approve", Kind::Plain),
        UserState::Suspended => button("Restore", "restore", Kind::Plain),
        UserState::Active | UserState::Leaving => {
            let roles = Role::ALL.into_iter().filter(|role| *role != user.role).map(|role| {
                let fields = vec![("action", "role".to_owned()), ("role", role.as_str().to_owned())];
                let label = format!("Make {}", role_name(role).to_lowercase());
                view! { <li><ActionForm action=action.clone() label kind=Kind::Quiet about=name.clone() fields /></li> }
            });
            let roles = roles.collect_view();
            let suspend = button("Suspend", "suspend", Kind::Danger);
            let summary = "Change".into_any();
            view! { <Menu summary><ul role="list">{roles}<li>{suspend}</li></ul></Menu> }.into_any()
        }
    }
}

use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{button::ActionForm, table::Table, time::Ago},
    pages::{Page, PageMeta},
    view_models::settings::{SessionRow, SessionsPage},
};

impl Page for SessionsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Sessions")
    }

    fn body(self) -> AnyView {
        let others = self.sessions.iter().any(|session| !session.current);
        let rows = self.sessions.into_iter().map(row).collect();
        let content = view! {
            <h1>"Sessions"</h1>
            <p class="quiet">"Browsers that are signed in to your account."</p>
            <Table caption="Sessions, last used first" heads=vec!["Browser", "Address", "Signed in", "Last used", ""] rows />
            {others.then(|| view! { <div><ActionForm action="/settings/sessions/revoke" label="Sign out everywhere else" fields=vec![("id", "others".to_owned())] /></div> })}
        };
        with_side("/settings/sessions", content.into_any())
    }
}

fn row(session: SessionRow) -> AnyView {
    let about = session.agent.clone();
    let action = if session.current {
        view! { <span class="badge good">"This session"</span> }.into_any()
    } else {
        view! { <ActionForm action="/settings/sessions/revoke" label="Sign out" about fields=vec![("id", session.id)] /> }.into_any()
    };
    view! {
        <tr>
            <th scope="row">{session.agent}</th>
            <td><code>{session.ip}</code></td>
            <td><Ago at=session.created /></td>
            <td><Ago at=session.seen /></td>
            <td class="end">{action}</td>
        </tr>
    }
    .into_any()
}

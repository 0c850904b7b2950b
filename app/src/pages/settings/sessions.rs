use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{button::ActionForm, table::Table, time::Ago},
    pages::{Page, PageMeta},
    text,
    view_models::settings::{SessionRow, SessionsPage},
};

impl Page for SessionsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("settings-sessions"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let others = self.sessions.iter().any(|session| !session.current);
        let rows = self.sessions.into_iter().map(row).collect();
        let content = view! {
            <h1>{text!("settings-sessions")}</h1>
            <p class="quiet">{text!("sessions-lead")}</p>
            <Table caption=text!("sessions-caption") heads=vec![text!("sessions-browser"), text!("sessions-address"), text!("sessions-signed-in"), text!("last-used"), String::new()] rows />
            {others.then(|| view! { <div><ActionForm action="/settings/sessions/revoke" label=text!("sessions-end-others") fields=vec![("id", "others".to_owned())] /></div> })}
        };
        with_side("/settings/sessions", content.into_any())
    }
}

fn row(session: SessionRow) -> AnyView {
    let about = session.agent.clone();
    let action = if session.current {
        view! { <span class="badge good">{text!("sessions-this")}</span> }.into_any()
    } else {
        view! { <ActionForm action="/settings/sessions/revoke" label=text!("sessions-end") about fields=vec![("id", session.id)] /> }.into_any()
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

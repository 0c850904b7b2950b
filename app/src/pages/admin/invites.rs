use leptos::prelude::*;
use plexus_domain::account::Registration;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        code_block::Copyable,
        dialog::Dialog,
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        format::registration_meaning,
        notice::Note,
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Tone,
        admin::{AdminInvites, InviteRow},
    },
};

impl Page for AdminInvites {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("invites-title"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let mode = self.registration;
        let made = self.created.map(|link| {
            view! {
                <Note tone=Tone::Good>
                    <p>{rich!("invites-send"; strong = |inner| view! { <strong>{inner}</strong> })}</p>
                    <p><Copyable text=link about=text!("about-invitation") /></p>
                </Note>
            }
        });
        let days =
            [("1", text!("invites-day")), ("7", text!("invites-week")), ("30", text!("tokens-days-30"))];
        let days = days.map(|(value, label)| (value.to_owned(), label)).into();
        let setting = rich!("invites-setting"; code = |inner| view! { <code>{inner}</code> });
        let content = view! {
            <h1>{text!("invites-heading")}</h1>
            <p>{registration_meaning(mode)} <span class="quiet">" "{setting}</span></p>
            {made}
            {(mode == Registration::Closed).then(|| view! { <Note tone=Tone::Caution>{text!("invites-closed")}</Note> })}
            <Section title=text!("admin-invitations")>
                {list(self.rows)}
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/admin/invites">
                    {Field::choice("days", text!("invites-valid"), days).default("7").of(&self.form)}
                    <p class="actions"><Button label=text!("invites-create") kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("/admin/invites", content.into_any())
    }
}

fn list(rows: Vec<InviteRow>) -> AnyView {
    if rows.is_empty() {
        return view! { <Empty title=text!("invites-none")><p>{text!("invites-none-why")}</p></Empty> }
            .into_any();
    }
    let rows = rows.into_iter().map(row).collect();
    view! { <Table caption=text!("admin-invitations") heads=vec![text!("admin-by"), text!("token-expires"), text!("invites-used-by"), String::new()] rows /> }.into_any()
}

fn row(row: InviteRow) -> AnyView {
    let used = match (row.used, row.used_by) {
        (false, _) => text!("invites-unused"),
        (true, Some(name)) => format!("@{name}"),
        (true, None) => text!("invites-deleted"),
    };
    let withdraw = (!row.used).then(|| {
        let (dialog, by) = (format!("revoke-{}", row.id), text!("invites-by", name = row.by.clone()));
        view! {
            <Dialog id=dialog open=text!("access-revoke") title=text!("invites-revoke-title") about=by.clone()>
                <p>{text!("invites-revoke-meaning")}</p>
                <ActionForm action="/admin/invites/revoke" label=text!("access-revoke-permanently") kind=Kind::Danger about=by fields=vec![("id", row.id)] />
            </Dialog>
        }
    });
    view! { <tr><th scope="row">"@"{row.by}</th><td><Ago at=row.expires /></td><td class="text">{used}</td><td class="end">{withdraw}</td></tr> }.into_any()
}

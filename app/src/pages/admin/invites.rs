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
    view_models::{
        Tone,
        admin::{AdminInvites, InviteRow},
    },
};

impl Page for AdminInvites {
    fn head(&self) -> PageMeta {
        PageMeta::private("Registration and invitations – administration")
    }

    fn body(self) -> AnyView {
        let mode = self.registration;
        let made = self.created.map(|link| {
            view! {
                <Note tone=Tone::Good>
                    <p><strong>"Send this link."</strong> " It works once, and the hub cannot show it again."</p>
                    <p><Copyable text=link about="invitation" /></p>
                </Note>
            }
        });
        let days = [("1", "a day"), ("7", "a week"), ("30", "30 days")];
        let days = days.map(|(value, label)| (value.to_owned(), label.to_owned())).into();
        let content = view! {
            <h1>"Registration and invitations"</h1>
            <p>{registration_meaning(mode)} <span class="quiet">" Set with "<code>"PLEXUS_REGISTRATION"</code>"."</span></p>
            {made}
            {(mode == Registration::Closed).then(|| view! { <Note tone=Tone::Caution>"Registration is closed, so invitations do not work."</Note> })}
            <Section title="Invitations">
                {list(self.rows)}
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/admin/invites">
                    {Field::choice("days", "Valid for", days).default("7").of(&self.form)}
                    <p class="actions"><Button label="Create invitation" kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("Invitations", content.into_any())
    }
}

fn list(rows: Vec<InviteRow>) -> AnyView {
    if rows.is_empty() {
        return view! { <Empty title="No invitations"><p>"There are no pending or recently used invitations."</p></Empty> }.into_any();
    }
    let rows = rows.into_iter().map(row).collect();
    view! { <Table caption="Invitations" heads=vec!["By", "Expires", "Used by", ""] rows /> }.into_any()
}

fn row(row: InviteRow) -> AnyView {
    let used = match (row.used, row.used_by) {
        (false, _) => "Not used yet".to_owned(),
        (true, Some(name)) => format!("@{name}"),
        (true, None) => "Deleted account".to_owned(),
    };
    let withdraw = (!row.used).then(|| {
        let (dialog, by) = (format!("revoke-{}", row.id), format!("invitation by {}", row.by));
        view! {
            <Dialog id=dialog open="Revoke" title="Revoke this invitation?" about=by.clone()>
                <p>"Its link stops working at once. This cannot be undone."</p>
                <ActionForm action="/admin/invites/revoke" label="Revoke permanently" kind=Kind::Danger about=by fields=vec![("id", row.id)] />
            </Dialog>
        }
    });
    view! { <tr><th scope="row">"@"{row.by}</th><td><Ago at=row.expires /></td><td class="text">{used}</td><td class="end">{withdraw}</td></tr> }.into_any()
}

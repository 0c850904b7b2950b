use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::admin::{AdminOrigins, OriginRow},
};

impl Page for AdminOrigins {
    fn head(&self) -> PageMeta {
        PageMeta::private("Trusted origins")
    }

    fn body(self) -> AnyView {
        let list = if self.rows.is_empty() {
            view! { <Empty title="No trusted origins"><p>"Trust an origin only if its owner cannot complete verification."</p></Empty> }.into_any()
        } else {
            let rows = self.rows.into_iter().map(row).collect();
            view! { <Table caption="Trusted origins" heads=vec!["Origin", "Note", "By", "Since", "Agents", ""] rows /> }.into_any()
        };
        let content = view! {
            <h1>"Trusted origins"</h1>
            <p class="quiet">"Agents at these origins count as verified, so the hub calls them for all users."</p>
            {list}
            <Section title="Trust an origin">
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/admin/origins">
                    {Field::url("origin", "Origin").placeholder("https://agents.example.org").hint("Scheme, host and port, without a path.").of(&self.form)}
                    {Field::text("note", "Note").optional().max(200).of(&self.form)}
                    <p class="actions"><Button label="Trust origin" kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("Trusted origins", content.into_any())
    }
}

fn row(row: OriginRow) -> AnyView {
    let (about, fields) = (row.origin.clone(), vec![("origin", row.origin.clone())]);
    view! {
        <tr>
            <th scope="row"><code>{row.origin}</code></th>
            <td class="text">{row.note}</td>
            <td class="text">"@"{row.by}</td>
            <td><Ago at=row.at /></td>
            <td class="number">{row.agents}</td>
            <td class="end"><ActionForm action="/admin/origins/remove" label="Remove" about fields /></td>
        </tr>
    }
    .into_any()
}

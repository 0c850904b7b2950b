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
    text,
    view_models::admin::{AdminOrigins, OriginRow},
};

impl Page for AdminOrigins {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("admin-origins"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.rows.is_empty() {
            view! { <Empty title=text!("origins-none")><p>{text!("origins-none-why")}</p></Empty> }.into_any()
        } else {
            let rows = self.rows.into_iter().map(row).collect();
            view! { <Table caption=text!("admin-origins") heads=vec![text!("origin"), text!("origin-note"), text!("admin-by"), text!("latency-since"), text!("nav-agents"), String::new()] rows /> }.into_any()
        };
        let content = view! {
            <h1>{text!("admin-origins")}</h1>
            <p class="quiet">{text!("origins-lead")}</p>
            {list}
            <Section title=text!("origins-trust")>
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/admin/origins">
                    {Field::url("origin", text!("origin")).placeholder("https://agents.example.org").hint(text!("origin-hint")).of(&self.form)}
                    {Field::text("note", text!("origin-note")).optional().max(200).of(&self.form)}
                    <p class="actions"><Button label=text!("proof-trust") kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("/admin/origins", content.into_any())
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
            <td class="end"><ActionForm action="/admin/origins/remove" label=text!("remove") about fields /></td>
        </tr>
    }
    .into_any()
}

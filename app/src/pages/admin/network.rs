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
    model::admin::{AdminNetwork, NetworkRuleRow},
    pages::{Head, Page},
};

impl Page for AdminNetwork {
    fn head(&self) -> Head {
        Head::private("Other hubs")
    }

    fn body(self) -> AnyView {
        let list = if self.rows.is_empty() {
            view! { <Empty title="No rules"><p>"Hubs are treated as the configuration says."</p></Empty> }
                .into_any()
        } else {
            let rows = self.rows.into_iter().map(row).collect();
            view! { <Table caption="Rules about other hubs" heads=vec!["About", "Rule", "Why", "By", "Since", ""] rows /> }.into_any()
        };
        let content = view! {
            <h1>"Other hubs"</h1>
            <p class="quiet">"A rule holds at once, and taking it back shows again what it hid. "<a href="/network">"The hubs that this one knows"</a></p>
            {list}
            <Section title="Keep somebody out">
                {form_errors(&self.form, None)}
                <form class="stack narrow" method="post" action="/admin/network">
                    {Field::text("subject", "Hub, agent or tag").placeholder("12D3KooW…, hub.example, @owner/name@hub, tag:word").of(&self.form)}
                    {Field::text("reason", "Why").max(200).of(&self.form)}
                    <p class="actions"><Button label="Block" kind=Kind::Primary /></p>
                </form>
            </Section>
        };
        with_side("Other hubs", content.into_any())
    }
}

fn row(row: NetworkRuleRow) -> AnyView {
    let (about, fields) = (row.subject.clone(), vec![("subject", row.subject.clone())]);
    view! {
        <tr>
            <th scope="row"><code>{row.subject}</code></th>
            <td>{if row.allows { "Allowed" } else { "Blocked" }}</td>
            <td>{row.reason}</td>
            <td>"@"{row.by}</td>
            <td><Ago at=row.at /></td>
            <td class="end"><ActionForm action="/admin/network/remove" label="Remove" about fields /></td>
        </tr>
    }
    .into_any()
}

use leptos::prelude::*;

use crate::{
    components::{table::Table, time::Ago},
    view_models::agent::VersionRow,
};

pub fn view(versions: Vec<VersionRow>) -> AnyView {
    let rows = versions.into_iter().map(row).collect();
    view! {
        <p class="quiet">"A version pins one agent card. A run keeps the version that it started with."</p>
        <Table caption="Versions, newest first" heads=vec!["Version", "Since", "Protocol", "Card, SHA-256"] rows />
    }
    .into_any()
}

fn row(version: VersionRow) -> AnyView {
    let short: String = version.card.chars().take(12).collect();
    let yanked = version.yanked.map(|reason| view! { <p class="state caution">"Withdrawn: " {reason}</p> });
    view! {
        <tr>
            <th scope="row"><code>{version.version}</code>{yanked}</th>
            <td><Ago at=version.created /></td>
            <td>{version.protocol}</td>
            <td><code title=version.card>{short}</code></td>
        </tr>
    }
    .into_any()
}

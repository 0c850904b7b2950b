//! Table of share links, with a button to revoke each.

use leptos::prelude::*;

use super::{button::ActionForm, code_block::Copyable, table::Table, time::Ago};
use crate::view_models::shared_chat::ShareLinkRow;

/// Renders the links; `has_titles` adds the chat of each. `back` is the path to return to after a revocation.
pub fn share_links(links: Vec<ShareLinkRow>, has_titles: bool, back: &str) -> AnyView {
    let mut heads = vec!["Link", "Created", "Expires", ""];
    if has_titles {
        heads.insert(0, "Chat");
    }
    let rows = links.into_iter().map(|link| row(link, has_titles, back.to_owned())).collect();
    view! { <Table caption="Share links, newest first" heads rows /> }.into_any()
}

fn row(link: ShareLinkRow, has_titles: bool, back: String) -> AnyView {
    let about = format!("link to {}", link.title);
    let fields = vec![("id", link.id), ("back", back)];
    let expires = link.expires.map_or_else(|| "Never".into_any(), |at| view! { <Ago at /> }.into_any());
    let chat = has_titles.then(|| {
        let href = format!("/chat/{}", link.chat);
        view! { <th scope="row"><a href=href dir="auto">{link.title}</a></th> }
    });
    view! {
        <tr>
            {chat}
            <td><Copyable text=link.url about=about.clone() /></td>
            <td><Ago at=link.created /></td>
            <td>{expires}</td>
            <td class="end"><ActionForm action="/settings/shares/revoke" label="Revoke" about fields /></td>
        </tr>
    }
    .into_any()
}

//! Table of share links, with a button to revoke each.

use leptos::prelude::*;

use super::{button::ActionForm, code_block::Copyable, table::Table, time::Ago};
use crate::{text, view_models::shared_chat::ShareLinkRow};

/// Renders the links; `has_titles` adds the chat of each. `back` is the path to return to after a revocation.
pub fn share_links(links: Vec<ShareLinkRow>, has_titles: bool, back: &str) -> AnyView {
    let mut heads =
        vec![text!("share-links-link"), text!("share-links-created"), text!("expires"), String::new()];
    if has_titles {
        heads.insert(0, text!("share-links-chat"));
    }
    let rows = links.into_iter().map(|link| row(link, has_titles, back.to_owned())).collect();
    view! { <Table caption=text!("share-links-caption") heads rows /> }.into_any()
}

fn row(link: ShareLinkRow, has_titles: bool, back: String) -> AnyView {
    let about = text!("share-links-about", title = link.title.as_str());
    let fields = vec![("id", link.id), ("back", back)];
    let expires =
        link.expires.map_or_else(|| text!("expires-never").into_any(), |at| view! { <Ago at /> }.into_any());
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
            <td class="end"><ActionForm action="/settings/shares/revoke" label=text!("revoke") about fields /></td>
        </tr>
    }
    .into_any()
}

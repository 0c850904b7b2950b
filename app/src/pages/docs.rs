//! Documentation page.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{side_nav::WithSide, tabs::Tab},
    view_models::docs::DocsPage,
};

impl Page for DocsPage {
    fn head(&self) -> PageMeta {
        PageMeta::public(format!("{} – documentation", self.title))
    }

    fn body(self) -> AnyView {
        let links: Vec<Tab> = self
            .contents
            .into_iter()
            .map(|link| Tab { label: link.title, href: link.href, current: link.current })
            .collect();
        let html = self.body.into_string();
        view! { <WithSide label="Documentation" links><article class="prose" inner_html=html></article></WithSide> }
            .into_any()
    }
}

//! Documentation page.

use leptos::prelude::*;

use super::{Head, Page};
use crate::{
    components::{side::WithSide, tabs::Tab},
    model::docs::DocsPage,
};

impl Page for DocsPage {
    fn head(&self) -> Head {
        Head::public(format!("{} – documentation", self.title))
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

//! Links to the other pages of a paginated list.

use leptos::prelude::*;

use super::icon::Icon;
use crate::{text, view_models::Pager};

/// Renders the links, or `None` if there is only one page. `href` returns the URL of a page.
pub fn pager(pager: Pager, href: impl Fn(u32) -> String) -> Option<AnyView> {
    if pager.pages() == 1 {
        return None;
    }
    let numbers = pager.numbers().into_iter().map(|number| number_link(pager, number, &href)).collect_view();
    let previous = pager.previous().map(|page| {
        view! { <a class="button quiet" rel="prev" href=href(page)>{Icon::Back.view()} {text!("page-previous")}</a> }
    });
    let next = pager.next().map(|page| {
        view! { <a class="button quiet" rel="next" href=href(page)>{text!("page-next")} {Icon::Forward.view()}</a> }
    });
    let view = view! { <nav class="pager" aria-label=text!("pages")>{previous}<ol role="list">{numbers}</ol>{next}</nav> };
    Some(view.into_any())
}

fn number_link(pager: Pager, number: Option<u32>, href: impl Fn(u32) -> String) -> AnyView {
    match number {
        None => view! { <li aria-hidden="true">"…"</li> }.into_any(),
        Some(page) => {
            let current = (page == pager.page()).then_some("page");
            view! {
                <li><a href=href(page) aria-current=current><span class="hidden">{text!("page")}" "</span>{page}</a></li>
            }
            .into_any()
        }
    }
}

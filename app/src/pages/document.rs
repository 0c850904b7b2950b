//! HTML document around a page: head, header, notice, content and footer.

use leptos::prelude::*;

use super::{Layout, PageMeta, Robots, SocialPreview};
use crate::{
    components::{
        footer::Footer,
        header::header,
        notice::{Note, NoticeBox},
    },
    script,
    view_models::{Frame, Notice},
};

/// Renders the document around a page.
///
/// The parts are type-erased one by one: a type that names every element would exceed the compiler's limits.
pub fn document(frame: Frame, head: PageMeta, body: AnyView) -> AnyView {
    let layout = head.layout;
    let class = match layout {
        Layout::Column => "column",
        Layout::Narrow => "narrow",
        Layout::Full => "full",
    };
    let (head, header) = (document_head(&frame, head), header(&frame));
    let single_keys = (!frame.single_keys).then_some("off");
    let notice = frame.notice.map(|notice| view! { <NoticeBox notice /> }.into_any());
    let alert = frame.alert.map(alert);
    let footer = (layout != Layout::Full).then(|| view! { <Footer hub=frame.hub /> }.into_any());
    view! {
        <html lang="en" data-theme=frame.theme.as_str() data-density=frame.density.as_str() data-single-keys=single_keys>
            {head}
            <body class=class>
                <a class="skip" href="#main">"Skip to content"</a>
                {header}
                {page_status()}
                <main id="main">{alert}{notice}{body}</main>
                {footer}
            </body>
        </html>
    }
    .into_any()
}

/// Renders a notice that stays, so screen readers do not announce it on each page.
fn alert(alert: Notice) -> AnyView {
    let link = alert.link.map(|(label, href)| view! { " "<a href=href>{label}</a> });
    view! { <Note tone=alert.tone><p>{alert.text}{link}</p></Note> }.into_any()
}

fn document_head(frame: &Frame, head: PageMeta) -> AnyView {
    let title =
        if head.title.is_empty() { frame.hub.clone() } else { format!("{} · {}", head.title, frame.hub) };
    let canonical = head.canonical.map(|path| format!("{}{path}", frame.origin));
    let robots = match head.robots {
        Robots::Index => None,
        Robots::Follow => Some("noindex"),
        Robots::None => Some("noindex, nofollow"),
    };
    let assets = frame.assets.clone();
    let social = head.social.map(|preview| social(preview, frame.hub.clone()));
    let loader = loader(frame, head.islands);
    view! {
        <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
            <title>{title}</title>
            {head.description.map(|text| view! { <meta name="description" content=text /> })}
            {social}
            {robots.map(|robots| view! { <meta name="robots" content=robots /> })}
            {canonical.map(|href| view! { <link rel="canonical" href=href /> })}
            <link rel="ard" type="application/json" href="/.well-known/ard.json" />
            <link rel="ai-catalog" type="application/ai-catalog+json" href="/.well-known/ai-catalog.json" />
            <meta name="color-scheme" content="light dark" />
            <link rel="icon" type="image/svg+xml" href=assets.favicon.clone() />
            <link rel="stylesheet" href=assets.css.clone() />
            <script type="module" nonce=frame.nonce.clone() src=assets.site_js.clone()></script>
            {loader}
        </head>
    }
    .into_any()
}

/// Renders the preview of the page where its link is posted (Open Graph protocol).
fn social(preview: SocialPreview, hub: String) -> AnyView {
    let meta = |property: &'static str, content: String| {
        leptos::html::meta().attr("property", property).attr("content", content)
    };
    view! {
        {meta("og:type", "article".to_owned())}
        {meta("og:site_name", hub)}
        {meta("og:title", preview.title)}
        {meta("og:description", preview.description)}
    }
    .into_any()
}

/// Renders the inline loader, with the URLs of the scripts that it loads.
///
/// The loader fetches the wasm module after the page is shown. It is inline because it retries failed
/// downloads, so it must not be a download itself.
fn loader(frame: &Frame, has_islands: bool) -> AnyView {
    let (assets, nonce) = (frame.assets.clone(), frame.nonce.clone());
    let module = has_islands.then(|| assets.module_js.clone());
    let wasm = has_islands.then(|| assets.module_wasm.clone());
    let account = frame.viewer.as_ref().map(|viewer| viewer.name.clone()).unwrap_or_default();
    view! {
        <script type="module" nonce=nonce data-site=assets.site_js.clone() data-module=module data-wasm=wasm
            data-account=account inner_html=script::INLINE.as_str()></script>
    }
    .into_any()
}

/// Renders the status line that the loader shows while the islands are not running.
fn page_status() -> AnyView {
    view! { <p class="page-status" id="page-status" role="status" hidden><span></span>" "<a href="">"Reload the page"</a></p> }
        .into_any()
}

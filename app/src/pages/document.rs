//! The document around a page.

use leptos::prelude::*;

use super::{Head, Layout, Robots};
use crate::{
    components::{footer::Footer, header::header, notice::NoticeBox},
    model::Frame,
};

/// The parts are erased one by one: a type that named every element would outgrow the compiler.
pub fn document(frame: Frame, head: Head, body: AnyView) -> AnyView {
    let layout = head.layout;
    let class = match layout {
        Layout::Column => "column",
        Layout::Narrow => "narrow",
        Layout::Full => "full",
    };
    let (head, header) = (document_head(&frame, head), header(&frame));
    let notice = frame.notice.map(|notice| view! { <NoticeBox notice /> }.into_any());
    let footer = (layout != Layout::Full).then(|| view! { <Footer hub=frame.hub /> }.into_any());
    view! {
        <html lang="en" data-theme=frame.theme.as_str() data-density=frame.density.as_str()>
            {head}
            <body class=class>
                <a class="skip" href="#main">"Skip to content"</a>
                {header}
                <main id="main">{notice}{body}</main>
                {footer}
            </body>
        </html>
    }
    .into_any()
}

fn document_head(frame: &Frame, head: Head) -> AnyView {
    let title =
        if head.title.is_empty() { frame.hub.clone() } else { format!("{} · {}", head.title, frame.hub) };
    let canonical = head.canonical.map(|path| format!("{}{path}", frame.origin));
    let robots = match head.robots {
        Robots::Index => None,
        Robots::Follow => Some("noindex"),
        Robots::None => Some("noindex, nofollow"),
    };
    let assets = frame.assets.clone();
    let loader = head.islands.then(|| loader(frame));
    view! {
        <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
            <title>{title}</title>
            {head.description.map(|text| view! { <meta name="description" content=text /> })}
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

/// The wasm module is named here and fetched by the loader, after the page is shown.
fn loader(frame: &Frame) -> AnyView {
    let (assets, nonce) = (frame.assets.clone(), frame.nonce.clone());
    view! {
        <script type="module" nonce=nonce src=assets.loader_js.clone() data-module=assets.module_js.clone()
            data-wasm=assets.module_wasm.clone()></script>
    }
    .into_any()
}

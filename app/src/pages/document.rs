//! HTML document around a page: head, header, notice, content and footer.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::{Layout, PageMeta, Robots, SOCIAL_PICTURE_SIZE, SocialPreview};
use crate::{
    components::{
        context,
        footer::footer,
        header::header,
        notice::{Note, NoticeBox},
    },
    locales, script, text,
    view_models::{Frame, Locale, Notice},
};

/// Renders the document around a page, whose content is in the language `content`.
///
/// The parts are type-erased one by one: a type that names every element would exceed the compiler's limits.
pub fn document(frame: &Frame, content: Locale, head: PageMeta, body: impl FnOnce() -> AnyView) -> AnyView {
    let layout = head.layout;
    let class = match layout {
        Layout::Column => "column",
        Layout::Narrow => "narrow",
        Layout::Full => "full",
    };
    let head = document_head(frame, head);
    let main = main(frame, content, body);
    // Components read their texts when they are called, so what follows is in the language of the frame.
    provide_context(frame.locale);
    let single_keys = (!frame.single_keys).then_some("off");
    let footer = (layout != Layout::Full).then(|| footer(frame));
    let texts = script_texts();
    view! {
        <html lang=frame.locale.as_str() dir=frame.locale.is_rtl().then_some("rtl") data-texts=texts data-theme=frame.theme.as_str() data-density=frame.density.as_str() data-single-keys=single_keys>
            {head}
            <body class=class>
                <a class="skip" href="#main">{text!("skip-to-content")}</a>
                {header(frame)}
                {page_status()}
                {main}
                {footer}
            </body>
        </html>
    }
    .into_any()
}

/// Renders the content of the page. If it is not in the language of the frame, it says which one it is in.
fn main(frame: &Frame, content: Locale, body: impl FnOnce() -> AnyView) -> AnyView {
    let notice = frame.notice.clone().map(|notice| view! { <NoticeBox notice /> }.into_any());
    let alert = frame.alert.clone().map(alert);
    let is_other = content != frame.locale;
    let (lang, dir) = (is_other.then(|| content.as_str()), is_other.then(|| content.direction()));
    view! { <main id="main" lang=lang dir=dir>{alert}{notice}{body()}</main> }.into_any()
}

/// Returns the texts of the scripts by their English text, as JSON. English needs none.
fn script_texts() -> Option<String> {
    let english = |key: &str| locales::format(Locale::En, key, &[]);
    let texts =
        locales::keys_of_scripts().map(|key| (english(key), locales::format(context::locale(), key, &[])));
    let texts: BTreeMap<String, String> = texts.collect();
    (context::locale() != Locale::En).then(|| serde_json::to_string(&texts).unwrap_or_default())
}

/// Renders a notice that stays, so screen readers do not announce it on each page.
fn alert(alert: Notice) -> AnyView {
    let link =
        alert.link.map(|(label, href)| view! { " "<a href=href>{locales::translated(label.to_owned())}</a> });
    view! { <Note tone=alert.tone><p>{locales::translated(alert.text)}{link}</p></Note> }.into_any()
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
    let social = head.social.map(|preview| social(preview, frame));
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
fn social(preview: SocialPreview, frame: &Frame) -> AnyView {
    let (width, height) = SOCIAL_PICTURE_SIZE;
    let meta = |property: &'static str, content: String| {
        leptos::html::meta().attr("property", property).attr("content", content)
    };
    view! {
        {meta("og:type", "article".to_owned())}
        {meta("og:site_name", frame.hub.clone())}
        {meta("og:title", preview.title)}
        {meta("og:description", preview.description)}
        {meta("og:image", format!("{}{}", frame.origin, preview.picture))}
        {meta("og:image:width", width.to_string())}
        {meta("og:image:height", height.to_string())}
        {meta("og:image:alt", preview.picture_alt)}
        <meta name="twitter:card" content="summary_large_image" />
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
    view! { <p class="page-status" id="page-status" role="status" hidden><span></span>" "<a href="">{text!("reload-page")}</a></p> }
        .into_any()
}

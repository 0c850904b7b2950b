//! Checks that apply to every page: escaping, CSP, ids, forms and secrets. The samples contain hostile text.

use std::collections::BTreeSet;

use plexus_app::{render, script::INLINE};
use plexus_domain::MessageId;

#[path = "../examples/gallery/samples/mod.rs"]
mod samples;

/// Returns all values of an attribute in the HTML.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    html.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[track_caller]
fn on_every_page(check: impl Fn(&str, &str)) {
    let pages = samples::all();
    assert!(pages.len() > 50);
    for (name, html) in pages {
        check(name, &html);
    }
}

#[test]
fn text_from_outside_stays_text() {
    on_every_page(|name, html| {
        for hostile in ["<script>alert", "<img src=x", "href=\"javascript:", "<b>\""] {
            assert!(!html.contains(hostile), "{name}: {hostile}");
        }
    });
}

#[test]
fn nothing_needs_an_exception_from_the_content_policy() {
    on_every_page(|name, html| {
        assert!(values(html, "style").is_empty(), "{name}: inline style");
        assert!(!html.contains("<style"), "{name}: inline sheet");
        for script in html.split("<script").skip(1) {
            let (tag, code) = script.split_once('>').unwrap();
            let is_known = tag.contains("src=\"") || code.starts_with(INLINE.as_str());
            assert!(tag.contains("nonce=\"c2FtcGxl\"") && is_known, "{name}: {tag}");
        }
        for event in ["onclick", "onload", "onerror", "onsubmit"] {
            assert!(values(html, event).is_empty(), "{name}: {event}");
        }
    });
}

#[test]
fn ids_are_unique_and_what_refers_to_one_finds_it() {
    on_every_page(|name, html| {
        let ids = values(html, "id");
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{name}: {ids:?}");
        let references = ["for", "aria-labelledby", "aria-describedby", "popovertarget"];
        for id in
            references.iter().flat_map(|attribute| values(html, attribute)).flat_map(str::split_whitespace)
        {
            assert!(unique.contains(id), "{name}: nothing has the id {id}");
        }
    });
}

#[test]
fn forms_stay_on_the_hub() {
    on_every_page(|name, html| {
        for action in values(html, "action") {
            assert!(action.starts_with('/') && !action.starts_with("//"), "{name}: {action}");
        }
    });
}

#[test]
fn secrets_are_not_filled_in_again() {
    on_every_page(|name, html| {
        for field in html.split("<input").filter(|field| field.contains("type=\"password\"")) {
            let tag = field.split('>').next().unwrap();
            assert!(!tag.contains(" value="), "{name}: {tag}");
        }
    });
}

#[test]
fn wasm_is_loaded_where_an_island_is_and_nowhere_else() {
    on_every_page(|name, html| {
        assert_eq!(html.contains("<leptos-island"), html.contains("data-module="), "{name}");
    });
}

#[test]
fn a_followed_page_is_cut_where_the_text_goes_on() {
    let (_, html) = samples::all().into_iter().find(|(name, _)| *name == "chat-streaming").unwrap();
    let id: MessageId = values(&html, "id")
        .iter()
        .filter_map(|id| id.strip_prefix("m-"))
        .next_back()
        .unwrap()
        .parse()
        .unwrap();
    let pieces = render::follow(&html, &[id]);
    assert_eq!(pieces.len(), 2);
    assert_eq!((pieces[0].then, pieces[1].then), (Some(id), None));
    assert!(pieces[0].html.ends_with("25 min apart.</p>"));
    assert_eq!(pieces.iter().map(|piece| piece.html.as_str()).collect::<String>(), html);
    assert_eq!(render::follow(&html, &[]).len(), 1);
}

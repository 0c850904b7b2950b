//! Elements in translated texts: `<link>…</link>` in a message becomes a view.

use fluent_bundle::FluentValue;
use leptos::prelude::*;

/// Stands for `<` in the values of variables, so that they contain no tags.
const LESS_THAN: char = '\u{E000}';

type MakeView<'a> = Box<dyn FnOnce(String) -> AnyView + 'a>;

/// Name of a tag, and the view that replaces it.
pub struct Element<'a> {
    name: &'static str,
    view: MakeView<'a>,
}

/// Creates an element. `view` gets the text between the tags.
pub fn element<'a, V: IntoView + 'static>(
    name: &'static str,
    view: impl FnOnce(String) -> V + 'a,
) -> Element<'a> {
    Element { name, view: Box::new(move |inner| view(inner).into_view().into_any()) }
}

pub fn escape<'a>(value: &FluentValue<'a>) -> FluentValue<'a> {
    match value {
        FluentValue::String(text) => text.replace('<', &LESS_THAN.to_string()).into(),
        other => other.clone(),
    }
}

fn unescape(text: &str) -> String {
    text.replace(LESS_THAN, "<")
}

/// Builds the view of a text with tags. Each element is used once; tags without one stay text.
pub fn view(text: &str, mut elements: Vec<Element<'_>>) -> AnyView {
    let mut views: Vec<AnyView> = Vec::new();
    let mut rest = text;
    while let Some((before, name, inner, after)) = next_tag(rest, &elements) {
        views.push(unescape(before).into_any());
        let at = elements.iter().position(|element| element.name == name);
        if let Some(at) = at {
            views.push((elements.swap_remove(at).view)(unescape(inner)));
        }
        rest = after;
    }
    views.push(unescape(rest).into_any());
    views.collect_view().into_any()
}

/// Finds the first tag with an element: text before, name, text inside, text after.
fn next_tag<'t>(
    text: &'t str,
    elements: &[Element<'_>],
) -> Option<(&'t str, &'static str, &'t str, &'t str)> {
    let found = elements.iter().filter_map(|element| {
        let (open, close) = (format!("<{}>", element.name), format!("</{}>", element.name));
        let start = text.find(&open)?;
        let inside = &text[start + open.len()..];
        let end = inside.find(&close)?;
        Some((&text[..start], element.name, &inside[..end], &inside[end + close.len()..]))
    });
    found.min_by_key(|(before, ..)| before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_elements_and_values_stay_text() {
        let value = escape(&FluentValue::from("<b>x</b>"));
        let FluentValue::String(value) = value else { panic!("a text stays a text") };
        let elements = vec![
            element("link", |inner| view! { <a href="/x">{inner}</a> }),
            element("b", |inner| view! { <strong>{inner}</strong> }),
        ];
        let html = view(&format!("Ask <b>{value}</b> or <link>me</link>."), elements).to_html();
        let html = html.replace("<!>", "").replace("<!---->", "");
        assert_eq!(html, "Ask <strong>&lt;b&gt;x&lt;/b&gt;</strong> or <a href=\"/x\">me</a>.");
    }
}

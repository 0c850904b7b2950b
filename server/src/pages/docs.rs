//! Page `/docs/{page}`: the project's documentation, embedded in the binary.

mod reference;

use std::{borrow::Cow, sync::LazyLock, time::Duration};

use axum::{
    extract::Path,
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Html,
    docs::{DocsLink, DocsPage},
};
use plexus_markup::Budget;

use crate::web::page::PageContext;

/// Time limit for rendering one page, generous for slow machines.
const RENDERING: Duration = Duration::from_secs(60);
/// The pages in reading order.
const SOURCES: [(&str, &str); 7] = [
    ("use", include_str!("../../../docs/use.md")),
    ("publish", include_str!("../../../docs/publish.md")),
    ("teams", include_str!("../../../docs/teams.md")),
    ("operate", include_str!("../../../docs/operate.md")),
    ("federation", include_str!("../../../docs/federation.md")),
    ("api", include_str!("../../../docs/api.md")),
    ("security", include_str!("../../../SECURITY.md")),
];

static PAGES: LazyLock<Vec<Rendered>> =
    LazyLock::new(|| SOURCES.iter().map(|(name, source)| Rendered::new(name, source)).collect());

struct Rendered {
    name: &'static str,
    title: String,
    html: String,
}

pub async fn home() -> Response {
    Redirect::temporary("/docs/use").into_response()
}

pub async fn show(visit: PageContext, Path(name): Path<String>) -> Response {
    let Some(page) = PAGES.iter().find(|page| page.name == name) else {
        return visit.refuse_status(StatusCode::NOT_FOUND);
    };
    let link = |other: &Rendered| DocsLink {
        title: other.title.clone(),
        href: format!("/docs/{}", other.name),
        current: other.name == page.name,
    };
    visit.show(DocsPage {
        title: page.title.clone(),
        body: Html::from_markup(page.html.clone()),
        contents: PAGES.iter().map(link).collect(),
    })
}

/// Returns the title and path of each page, for `llms.txt`.
pub fn list() -> impl Iterator<Item = (String, String)> {
    PAGES.iter().map(|page| (page.title.clone(), format!("/docs/{}", page.name)))
}

impl Rendered {
    fn new(name: &'static str, source: &'static str) -> Self {
        let source = match name {
            "api" => Cow::Owned(source.to_owned() + &reference::markdown()),
            _ => Cow::Borrowed(source),
        };
        let title = source.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
        let html = Budget::trusted(RENDERING).render("", &link_pages(&source)).html;
        Self { name, title: title.to_owned(), html: raise_headings(&html) }
    }
}

/// Rewrites links between pages: in the repository they are file names.
fn link_pages(source: &str) -> String {
    SOURCES.iter().fold(source.to_owned(), |text, (name, _)| {
        text.replace(&format!("]({name}.md"), &format!("](/docs/{name}"))
    })
}

/// Raises headings by two levels and gives them ids. The renderer reserves the two highest levels for the
/// surrounding page.
fn raise_headings(html: &str) -> String {
    let mut raised = String::with_capacity(html.len() + html.len() / 16);
    let mut rest = html;
    while let Some((before, level, inner, after)) = next_heading(rest) {
        raised.push_str(before);
        let level = level - 2;
        raised.push_str(&format!("<h{level} id=\"{}\">{inner}</h{level}>", slug(inner)));
        rest = after;
    }
    raised.push_str(rest);
    raised
}

/// Returns the text before the next heading, its level, its content, and the text after it.
fn next_heading(html: &str) -> Option<(&str, u32, &str, &str)> {
    let level_at =
        |at: usize| html[at + 2..].chars().next()?.to_digit(10).filter(|level| (3..=6).contains(level));
    let (at, level) = html.match_indices("<h").find_map(|(at, _)| Some((at, level_at(at)?)))?;
    let inner = html[at..].split_once('>')?.1;
    let (inner, after) = inner.split_once(&format!("</h{level}>"))?;
    Some((&html[..at], level, inner, after))
}

/// Returns the id of a heading as GitHub generates it: lower case, words joined by hyphens.
fn slug(inner: &str) -> String {
    let mut slug = String::new();
    let mut in_tag = false;
    for letter in inner.chars() {
        match letter {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ if in_tag => {}
            ' ' | '-' => slug.push('-'),
            _ if letter.is_alphanumeric() || letter == '_' => slug.extend(letter.to_lowercase()),
            _ => {}
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn headings_take_the_whole_page_and_can_be_linked_to() {
        let raised = raise_headings("<h3>A <code>b</code></h3><p>x</p><hr><h4>Log in, out</h4>");
        let wanted = "<h1 id=\"a-b\">A <code>b</code></h1><p>x</p><hr><h2 id=\"log-in-out\">Log in, out</h2>";
        assert_eq!(raised, wanted);
    }

    #[test]
    fn every_page_has_one_title_and_every_link_between_pages_leads_somewhere() {
        let mut places = HashSet::new();
        for page in PAGES.iter() {
            places.insert(format!("/docs/{}", page.name));
            let ids =
                page.html.split("<h").skip(1).filter_map(|rest| rest.split_once("id=\"")?.1.split_once('"'));
            places.extend(ids.map(|(id, _)| format!("/docs/{}#{id}", page.name)));
            assert_eq!(page.html.matches("<h1").count(), 1, "{}", page.name);
        }
        for page in PAGES.iter() {
            assert!(!page.html.contains(".md\""), "{} links to a file", page.name);
            for link in page.html.split("href=\"/docs").skip(1) {
                let link = format!("/docs{}", link.split_once('"').unwrap().0);
                assert!(places.contains(&link), "{} links to {link}", page.name);
            }
        }
    }
}

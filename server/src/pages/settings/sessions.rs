//! Page `/settings/sessions`: lists and revokes the user's sessions.

use axum::{extract::State, response::Response};
use plexus_app::{
    text,
    view_models::{
        Locale,
        settings::{SessionRow, SessionsPage},
    },
};
use plexus_hub::{Error, Hub, accounts};

use crate::{
    app_state::AppState,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, visit: &PageContext) -> Result<SessionsPage, Error> {
    let rows = accounts::list_sessions(hub, &visit.caller).await?;
    let row = |row: accounts::SessionRow| SessionRow {
        id: row.hash.to_string(),
        agent: browser(visit.frame().locale, &row.agent),
        ip: row.ip,
        created: row.created,
        seen: row.seen,
        current: row.current,
    };
    Ok(SessionsPage { sessions: rows.into_iter().map(row).collect() })
}

pub async fn revoke(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let ended = match fields.get("id") {
        "others" => accounts::revoke_other_sessions(&site.hub, &visit.caller).await.map(|_| "sessions"),
        id => accounts::revoke_session(&site.hub, &visit.caller, id).await.map(|()| "session"),
    };
    match ended {
        Ok(word) => redirect_with_notice("/settings/sessions", word),
        Err(error) => visit.refuse(error),
    }
}

/// Returns a readable name such as "Firefox on Linux" from a `User-Agent` header.
fn browser(locale: Locale, agent: &str) -> String {
    const BROWSERS: [(&str, &str); 5] = [
        ("Firefox/", "Firefox"),
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 5] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ];
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => {
            text!(locale => "session-browser", browser = browser, system = system)
        }
        (Some(browser), None) => browser.to_owned(),
        _ if agent.is_empty() => text!(locale => "session-unknown"),
        _ => plexus_domain::sanitized_text::ellipsize(agent, 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_named() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36";
        assert_eq!(browser(Locale::En, chrome), "Chrome on Linux");
        assert_eq!(browser(Locale::ZhHans, chrome), "Linux 上的 Chrome");
        assert_eq!(browser(Locale::En, "curl/8"), "curl/8");
        assert_eq!(browser(Locale::En, ""), "Unknown program");
    }
}

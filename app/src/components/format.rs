//! Formatting helpers: URLs, numbers, sizes, durations, and labels of enum values.

use leptos::prelude::*;
pub use plexus_domain::number::grouped;
use plexus_domain::{
    Address,
    account::{Registration, Role},
    agent::{AgentAccess, Visibility},
    feedback::FeedbackReason,
    money,
    sanitized_text::ellipsize,
};

use super::context;
use crate::{
    text,
    view_models::{Locale, agent::Scheme, agent_query::percent_encode},
};

/// Returns the label of the protocol of an agent: a kind in the language of the page, or the name of a protocol.
pub fn protocol_label(protocol: &str) -> String {
    match protocol {
        "Model" => text!("protocol-model"),
        "Built in" => text!("protocol-built-in"),
        "Attached" => text!("protocol-attached"),
        "Program" => text!("protocol-program"),
        other => other.to_owned(),
    }
}

/// Returns the path of an agent's page.
pub fn agent_href(address: &Address) -> String {
    format!("/{address}")
}

/// Returns the domain of a hub, or its shortened id.
pub fn short_hub(hub: &str) -> String {
    const LONG: usize = 20;
    // All ids start alike, so more of the end is shown.
    const START: usize = 4;
    const END: usize = 8;
    if hub.contains('.') || hub.len() <= LONG || !hub.is_ascii() {
        return hub.to_owned();
    }
    format!("{}…{}", &hub[..START], &hub[hub.len() - END..])
}

/// Returns how a hub is called: by its verified domain, else by the name that it gives itself, else by its shortened id.
pub fn hub_label(hub: &str, name: Option<&str>) -> String {
    match name.filter(|name| !name.is_empty() && !hub.contains('.')) {
        Some(name) => ellipsize(name, HUB_NAME_CHARS),
        None => short_hub(hub),
    }
}

const HUB_NAME_CHARS: usize = 40;

/// Returns the path of a hub's page, by its id or its domain.
pub fn hub_href(hub: &str) -> String {
    let mut href = String::from("/network/");
    percent_encode(hub, &mut href);
    href
}

/// Returns an address with a shortened hub id.
pub fn address_text(address: &Address) -> String {
    match &address.hub {
        Some(hub) => format!("@{}/{}@{}", address.owner, address.name, short_hub(hub)),
        None => address.to_string(),
    }
}

/// Returns the path that starts a chat with an agent, optionally with a prefilled first message.
pub fn chat_href(address: &Address, text: Option<&str>) -> String {
    let mut href = String::from("/chat?to=");
    percent_encode(&address.to_string(), &mut href);
    if let Some(text) = text {
        href.push_str("&text=");
        percent_encode(text, &mut href);
    }
    href
}

/// Returns the path of a new chat, with an agent if one is chosen.
pub fn new_chat_href(to: Option<&Address>, is_temporary: bool) -> String {
    let mut href = to.map_or_else(|| "/chat".to_owned(), |to| chat_href(to, None));
    if is_temporary {
        href.push_str(if to.is_some() { "&temporary=yes" } else { "?temporary=yes" });
    }
    href
}

/// Returns the page where a visitor without an account chats with an agent, with `text` prefilled.
pub fn visitor_chat_href(address: &Address, text: Option<&str>) -> String {
    let mut href = agent_href(address) + "/chat";
    if let Some(text) = text {
        href.push_str("?text=");
        percent_encode(text, &mut href);
    }
    href
}

/// Escapes a value for a `<textarea>`, whose content Leptos writes unescaped.
///
/// The HTML parser drops one leading line break. The added one protects a line break that the value starts
/// with (WHATWG HTML, 13.2.6.4.7).
pub fn in_textarea(value: &str) -> String {
    format!("\n{}", value.replace('&', "&amp;").replace('<', "&lt;"))
}

/// Formats a count with its noun: "1 agent", "2 agents", "12,000 agents".
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Formats a number of tokens: "1 token", "2,345 tokens".
pub fn count_tokens(number: u64) -> String {
    text!("count-tokens", count = number)
}

/// Writes the decimal point of a number as in the language of the page.
fn decimal(number: &str) -> String {
    if context::locale() == Locale::De { number.replace('.', ",") } else { number.to_owned() }
}

/// Formats a cost that is given in millionths of the hub's currency unit.
pub fn cost(micro: u64) -> String {
    text!("answer-cost", amount = decimal(&money::format_micros(micro)))
}

/// Formats a size in decimal units: "512 bytes", "3.4 KB", "12 MB".
pub fn size(bytes: u64) -> String {
    const UNITS: usize = 4;
    if bytes < 1_000 {
        return text!("count-bytes", count = bytes);
    }
    let (mut whole, mut unit) = (bytes, 0);
    while whole >= 1_000_000 && unit + 1 < UNITS {
        whole /= 1_000;
        unit += 1;
    }
    let (units, tenths) = (whole / 1_000, whole % 1_000 / 100);
    let value = if units < 10 { decimal(&format!("{units}.{tenths}")) } else { units.to_string() };
    match unit {
        0 => text!("size-kb", value = value),
        1 => text!("size-mb", value = value),
        2 => text!("size-gb", value = value),
        _ => text!("size-tb", value = value),
    }
}

/// Formats milliseconds: "850 ms", "3.2 s", "2 min".
pub fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => text!("duration-ms", count = millis),
        1_000..60_000 => {
            let value = format!("{}.{}", millis / 1_000, millis % 1_000 / 100);
            text!("duration-seconds", value = decimal(&value))
        }
        _ => text!("duration-minutes", count = millis / 60_000),
    }
}

pub fn visibility_name(visibility: Visibility) -> String {
    match visibility {
        Visibility::Private => text!("visibility-private"),
        Visibility::Unlisted => text!("visibility-unlisted"),
        Visibility::Public => text!("visibility-public"),
        Visibility::Federated => text!("visibility-federated"),
    }
}

pub fn visibility_meaning(visibility: Visibility) -> String {
    match visibility {
        Visibility::Private => text!("visibility-private-meaning"),
        Visibility::Unlisted => text!("visibility-unlisted-meaning"),
        Visibility::Public => text!("visibility-public-meaning"),
        Visibility::Federated => text!("visibility-federated-meaning"),
    }
}

pub fn access_name(access: AgentAccess) -> String {
    match access {
        AgentAccess::Owner => text!("access-owner"),
        AgentAccess::Listed => text!("access-listed"),
        AgentAccess::Accounts => text!("access-accounts"),
        AgentAccess::Open => text!("access-open"),
    }
}

pub fn role_name(role: Role) -> String {
    match role {
        Role::User => text!("role-user"),
        Role::Moderator => text!("role-moderator"),
        Role::Admin => text!("role-administrator"),
    }
}

pub fn registration_meaning(registration: Registration) -> String {
    match registration {
        Registration::Open => text!("registration-open"),
        Registration::Approval => text!("registration-approval"),
        Registration::Invite => text!("registration-invite"),
        Registration::Closed => text!("registration-closed"),
    }
}

pub fn reason_label(reason: FeedbackReason) -> String {
    match reason {
        FeedbackReason::Correct => text!("reason-correct"),
        FeedbackReason::Clear => text!("reason-clear"),
        FeedbackReason::Incorrect => text!("reason-incorrect"),
        FeedbackReason::Incomplete => text!("reason-incomplete"),
        FeedbackReason::OffTopic => text!("reason-off-topic"),
        FeedbackReason::Harmful => text!("reason-harmful"),
        FeedbackReason::Slow => text!("reason-slow"),
    }
}

pub fn scheme_name(scheme: &Scheme) -> String {
    match scheme {
        Scheme::Bearer => text!("scheme-bearer"),
        Scheme::ApiKey(header) => text!("scheme-api-key", header = header.clone()),
        Scheme::Basic => text!("scheme-basic"),
        Scheme::Client(server) => text!("scheme-client", server = server.clone()),
        Scheme::Connect(server) => text!("scheme-connect", server = server.clone()),
    }
}

/// Renders an error message. The path of a credentials page in it becomes a link.
pub fn with_mending_link(words: &str) -> AnyView {
    let Some((before, path, after)) = mending_place(words) else { return words.to_owned().into_any() };
    let (before, path, after) = (before.to_owned(), path.to_owned(), after.to_owned());
    let href = path.clone();
    view! { {before}<a href=href>{path}</a>{after} }.into_any()
}

/// Finds the path of a credentials page in an error message: (text before, path, text after).
///
/// Accepts only paths of this hub, because agents can write such messages too.
fn mending_place(words: &str) -> Option<(&str, &str, &str)> {
    const PAGE: &str = "/credentials";
    let start = words.find(" /@")? + 1;
    let end = start + words[start..].find(PAGE)? + PAGE.len();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '@' | '-' | '_');
    let path = &words[start..end];
    let is_whole = !words[end..].starts_with(|c: char| fits(c));
    let is_page = path.chars().all(fits) && path.matches('/').count() == 3;
    (is_page && is_whole).then(|| (&words[..start], path, &words[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_for_credentials_is_found_in_words() {
        let words = "It ended. Connect again at /@ada/tide-clerk/credentials.";
        let found = mending_place(words);
        assert_eq!(found, Some(("It ended. Connect again at ", "/@ada/tide-clerk/credentials", ".")));
        for other in [
            "",
            "at /@ada/credentials.",
            "at //evil.example/@a/b/credentials",
            "at /@a/b c/credentials",
            "at /@a/b/credentials/x",
            "see /@a/b?x/credentials",
        ] {
            assert_eq!(mending_place(other), None, "{other}");
        }
    }

    #[test]
    fn what_was_typed_cannot_leave_its_textarea() {
        assert_eq!(in_textarea("</textarea><b>&amp;"), "\n&lt;/textarea>&lt;b>&amp;amp;");
    }

    #[test]
    fn numbers_come_with_units() {
        assert_eq!(count(1, "agent", "agents"), "1 agent");
        assert_eq!(count(1_234_567, "agent", "agents"), "1,234,567 agents");
        assert_eq!(
            [size(1), size(999), size(3_456), size(12_000_000)],
            ["1 byte", "999 bytes", "3.4 KB", "12 MB"]
        );
        assert_eq!([duration(850), duration(3_250), duration(130_000)], ["850 ms", "3.2 s", "2 min"]);
    }

    #[test]
    fn links_to_a_chat_carry_text_that_survives() {
        let address = "@ada/tide".parse().unwrap();
        assert_eq!(chat_href(&address, Some("2 & 3?")), "/chat?to=%40ada%2Ftide&text=2%20%26%203%3F");
    }
}

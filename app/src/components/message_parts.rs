//! Parts of a message: text, data, files, links, tool calls, reasoning, approvals and questions of tools.

use leptos::prelude::*;
use plexus_domain::{
    ApprovalId, message::MessageState, part::ApprovalDecision, sanitized_text::is_invisible,
};
use serde_json::Value;

use super::{
    button::{ActionForm, Button, Kind},
    code_block::CodeBlock,
    context,
    file_part::file_part,
    format::{agent_href, duration},
    icon::Icon,
    identicon::Mark,
    tool_question::tool_question,
};
use crate::{
    rich, text,
    view_models::message::{Article, PartView},
};

/// Renders the part at `index`. The chat island finds it by `data-part`.
pub fn part(index: usize, part: &PartView, article: &Article) -> AnyView {
    let inner = match part.clone() {
        PartView::Text { closed, tail } => return text(index, closed.into_string(), tail, article),
        PartView::Data { name, value } => data(name, &value),
        PartView::File { name, media_type, size: bytes, preview, href } => {
            file_part(name, &media_type, bytes, preview, href)
        }
        PartView::Link { name, url } => link(name, url),
        PartView::Tool { tool, arguments, result, took_ms } => {
            tool_card(tool, &arguments, result, took_ms, article.state == MessageState::Open)
        }
        PartView::Reasoning { html } => {
            let html = html.into_string();
            fold(
                Icon::Reasoning,
                text!("part-reasoning"),
                None,
                view! { <div class="prose" inner_html=html></div> }.into_any(),
            )
        }
        PartView::Approval { id, tool, arguments, decision } => {
            approval(id, tool, &arguments, decision, article)
        }
        PartView::Question { id, tool, question, answer } => {
            tool_question(id, tool, question, answer, article)
        }
        PartView::ContinueWith { seed, name, address, summary, text } => {
            let fields = vec![
                ("parent", article.id.to_string()),
                ("fork", "yes".to_owned()),
                ("text", format!("{address} {text}")),
            ];
            let (action, href) = (format!("/chat/{}", article.chat), agent_href(&address));
            view! {
                <div class="card continue">
                    <Mark seed />
                    <div>
                        <p><a href=href>{name.clone()}</a>" "<span class="address">{address.to_string()}</span></p>
                        <p class="quiet" dir="auto">{summary}</p>
                    </div>
                    <ActionForm action label=text!("ask-agent-named", name = name) icon=Icon::Go fields />
                </div>
            }
            .into_any()
        }
    };
    view! { <div class="part" data-part=index>{inner}</div> }.into_any()
}

/// Renders a text part. `tail` is the block that is still being written, as plain text.
///
/// It is empty when the part is complete.
fn text(index: usize, mut closed: String, tail: String, article: &Article) -> AnyView {
    if article.state == MessageState::Open {
        closed.push_str(&context::follow_mark(article.id));
    }
    view! {
        <div class="part" data-part=index>
            <div class="closed prose" inner_html=closed></div>
            <div class="tail" dir="auto">{(!tail.is_empty()).then_some(tail)}</div>
        </div>
    }
    .into_any()
}

fn data(name: Option<String>, value: &Value) -> AnyView {
    let language = name.unwrap_or_else(|| text!("part-data"));
    view! { <CodeBlock language code=pretty(value) /> }.into_any()
}

fn link(name: Option<String>, url: String) -> AnyView {
    let known = ["http://", "https://", "mailto:"].iter().any(|scheme| url.starts_with(scheme));
    let shown = name.unwrap_or_else(|| url.clone());
    if !known {
        return view! { <p class="card">{Icon::Link.view()} <span>{shown}</span>" "<code>{url}</code></p> }
            .into_any();
    }
    view! {
        <p class="card">{Icon::External.view()} <a href=url.clone() rel="nofollow noopener noreferrer ugc">{shown}</a>" "<code class="quiet">{url}</code></p>
    }
    .into_any()
}

fn tool_card(
    tool: String,
    arguments: &Value,
    result: Option<Value>,
    took_ms: Option<u64>,
    open: bool,
) -> AnyView {
    let failed = result.as_ref().is_some_and(|result| result.get("error").is_some());
    let state = match (&result, took_ms) {
        (None, _) if open => text!("tool-running"),
        (None, _) => text!("tool-unfinished"),
        (Some(_), Some(millis)) if failed => text!("tool-failed-after", time = duration(millis)),
        (Some(_), None) if failed => text!("tool-failed"),
        (Some(_), Some(millis)) => duration(millis),
        (Some(_), None) => text!("tool-done"),
    };
    let inside = match arguments {
        Value::Null => view! { <p class="quiet">{text!("tool-details-hidden")}</p> }.into_any(),
        _ => view! {
            {details(text!("part-arguments"), arguments)}
            {result.map(|result| details(text!("part-result"), &result))}
        }
        .into_any(),
    };
    let class = if failed { "bad" } else { "quiet" };
    fold(Icon::Tool, tool, Some((class, state)), inside)
}

/// Renders a value of a tool call; nothing if the viewer may not see it.
fn details(label: String, value: &Value) -> Option<impl IntoView + use<>> {
    (!value.is_null()).then(|| view! { <CodeBlock language=label code=pretty(value) /> })
}

fn approval(
    id: ApprovalId,
    tool: String,
    arguments: &Value,
    decision: Option<ApprovalDecision>,
    article: &Article,
) -> AnyView {
    let answer = match decision {
        Some(ApprovalDecision::Allowed) => {
            view! { <p class="state good">{Icon::Check.view()} {text!("approval-allowed")}</p> }.into_any()
        }
        Some(ApprovalDecision::Refused) => {
            view! { <p class="state">{Icon::Close.view()} {text!("approval-refused")}</p> }.into_any()
        }
        Some(ApprovalDecision::Unanswered) => unanswered(),
        None if article.state != MessageState::Open => unanswered(),
        // The viewer is not the user who decides.
        None if arguments.is_null() => {
            view! { <p class="state">{text!("approval-of-another")}</p> }.into_any()
        }
        None => {
            let action = format!("/chat/{}/approve", article.chat);
            view! {
                <form class="actions" method="post" action=action>
                    <input type="hidden" name="approval" value=id.to_string() />
                    <Button label=text!("approval-allow") kind=Kind::Primary name="decision" value="yes" />
                    <Button label=text!("approval-refuse") name="decision" value="no" />
                </form>
            }
            .into_any()
        }
    };
    view! {
        <div class="card approval">
            <p>{rich!("approval-request"; tool = |_| view! { <code>{tool}</code> })}</p>
            {details(text!("part-arguments"), arguments)}
            {answer}
        </div>
    }
    .into_any()
}

fn unanswered() -> AnyView {
    view! { <p class="state">{text!("approval-unanswered")}</p> }.into_any()
}

/// Renders a collapsed block (`<details>`).
fn fold(icon: Icon, title: String, state: Option<(&'static str, String)>, inside: AnyView) -> AnyView {
    view! {
        <details class="fold">
            <summary>{icon.view()} <span>{title}</span> {state.map(|(class, state)| view! { <span class=class>{state}</span> })}</summary>
            {inside}
        </details>
    }
    .into_any()
}

/// Returns indented JSON with invisible and bidirectional control characters escaped.
///
/// Users approve tool calls by this text, so it must not hide or reorder anything (Trojan Source).
fn pretty(value: &Value) -> String {
    let json = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    if !json.contains(is_invisible) {
        return json;
    }
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if is_invisible(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::pretty;

    #[test]
    fn what_would_not_be_seen_is_escaped() {
        assert_eq!(pretty(&json!("a\u{202e}b\u{e0041}")), r#""a\u202eb\udb40\udc41""#);
        assert_eq!(pretty(&json!({ "é": ["水"] })), "{\n  \"é\": [\n    \"水\"\n  ]\n}");
    }
}

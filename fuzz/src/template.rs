use plexus_domain::agent::http_endpoint::{
    EndpointRequestSpec, EndpointTemplate, Placeholder, PlaceholderValues,
};
use plexus_runtime::http_endpoint::EndpointResponse;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use url::Url;

use crate::captured_output::{Heard, assert_shown};

/// Values with which a caller or an agent may try to escape from a placeholder (injection).
const HOSTILE: [&str; 6] =
    ["..", "../../admin?x=1#y", "\r\nx-other: 1", "{{task}}{{message}}", "\u{202e}水\0", "@other.example:1/"];

/// Fuzzes request templates of HTTP endpoints and fills them in. The same bytes then serve as the endpoint's
/// reply.
pub fn template(data: &[u8]) {
    let Ok(request) = serde_json::from_slice::<EndpointRequestSpec>(data) else { return };
    let template = match EndpointTemplate::try_from(request) {
        Ok(template) => template,
        Err(refusal) => {
            assert!(refusal.field().is_some(), "no field is named: {refusal}");
            return assert_shown(&refusal.to_string());
        }
    };
    let written = serde_json::to_vec(&template).unwrap();
    assert_eq!(
        serde_json::from_slice::<EndpointTemplate>(&written).expect("what we write we read"),
        template
    );
    assert!(template.uses(Placeholder::Message) || template.uses(Placeholder::Messages));
    let request = template.request();
    for url in [Some(&request.url), request.init_url.as_ref()].into_iter().flatten() {
        assert_url(url, &request.url);
    }
    for said in HOSTILE.into_iter().chain(["x"]) {
        assert_headers(request, &asked(said));
        for body in [&request.body, &request.init_body].into_iter().flatten() {
            assert_body(body, &asked(said).body(body), said);
        }
    }
    assert_answer(data, &request.response_path);
}

fn asked(said: &str) -> PlaceholderValues {
    let text = || said.to_owned();
    let messages = json!([{ "role": "user", "content": said }]);
    PlaceholderValues { message: text(), history: text(), messages, conversation: text(), task: text() }
}

/// Asserts that every filled-in URL has the same origin and the same number of path segments.
fn assert_url(template: &str, own: &str) {
    let Ok(own) = own.parse::<Url>() else { return };
    let plain = asked("x").url(template);
    assert!(!plain.contains("{{"), "{plain}");
    let plain: Url = plain.parse().expect("its host is one");
    assert_eq!(plain.origin(), own.origin());
    for said in HOSTILE {
        let filled: Url = asked(said).url(template).parse().expect("its host is one");
        assert_eq!(shape(&filled), shape(&plain), "{said:?} in {template}");
    }
}

fn shape(url: &Url) -> (String, Option<usize>, bool, bool) {
    let steps = url.path_segments().map(Iterator::count);
    (url.origin().ascii_serialization(), steps, url.query().is_some(), url.fragment().is_some())
}

fn assert_headers(request: &EndpointRequestSpec, asked: &PlaceholderValues) {
    for (name, value) in &request.headers {
        assert!(HeaderName::try_from(name).is_ok(), "{name:?}");
        let value = asked.header(value);
        assert!(HeaderValue::try_from(&value).is_ok() && value.is_ascii(), "{value:?}");
    }
}

/// Asserts that a filled-in body keeps its structure. Only strings with a placeholder may change.
fn assert_body(template: &Value, filled: &Value, said: &str) {
    match (template, filled) {
        (Value::String(text), filled) if text == Placeholder::Messages.token() => {
            assert_eq!(filled, &asked(said).messages);
        }
        (Value::String(text), Value::String(filled)) => {
            assert!(text.contains("{{") || text == filled, "{text:?} became {filled:?}");
            assert!(said.contains("{{") || !filled.contains("{{"), "{text:?} became {filled:?}");
        }
        (Value::Array(items), Value::Array(filled)) => {
            assert_eq!(items.len(), filled.len());
            items.iter().zip(filled).for_each(|(item, filled)| assert_body(item, filled, said));
        }
        (Value::Object(members), Value::Object(filled)) => {
            assert!(members.keys().eq(filled.keys()), "{members:?} became {filled:?}");
            members
                .values()
                .zip(filled.values())
                .for_each(|(value, filled)| assert_body(value, filled, said));
        }
        (value, filled) => assert_eq!(value, filled),
    }
}

fn assert_answer(reply: &[u8], path: &str) {
    let mut heard = Heard::default();
    let mut answer = EndpointResponse::new(&mut heard, path);
    let whole = answer.whole(reply).map(drop);
    let ends = [whole, answer.piece(reply), answer.end().map(drop)];
    ends.into_iter().filter_map(Result::err).for_each(|failure| assert_shown(&failure.message));
}

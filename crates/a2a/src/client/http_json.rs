//! Requests and responses of the HTTP+JSON binding of 1.0 (specification section 11).

use plexus_domain::agent::A2aProtocol;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use url::Url;

use super::{
    AgentRequest, DecodeError, Update,
    decode::{ANSWER_LIMITS, EVENT_LIMITS, check_parts, replace_and_read},
};
use crate::{
    bounded_json::{self, JsonError, JsonLimits},
    wire::{
        Method,
        rpc::{self, ErrorKind},
        v1::{SendMessageResponse, StreamResponse},
    },
};

/// Media type of requests and responses. Servers may also use `application/json`.
pub const MEDIA_TYPE: &str = "application/a2a+json";

/// A request of the HTTP+JSON binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpJsonRequest {
    /// "GET" or "POST".
    pub verb: &'static str,
    pub url: Url,
    /// Empty for GET.
    pub body: Vec<u8>,
}

impl HttpJsonRequest {
    /// Builds the request of a call. `base`: the URL of the interface. A tenant is the first segment of the path.
    ///
    /// # Errors
    /// Only serializer errors, which do not occur with this data.
    pub fn of(base: &Url, call: AgentRequest) -> serde_json::Result<Self> {
        let post = |tenant: Option<String>, path: &[&str], body: Vec<u8>| Self {
            verb: "POST",
            url: locate(base, tenant.as_deref(), path),
            body,
        };
        Ok(match call {
            AgentRequest::SendMessage(mut params) => {
                post(params.tenant.take(), &["message:send"], serde_json::to_vec(&params)?)
            }
            AgentRequest::SendStreamingMessage(mut params) => {
                post(params.tenant.take(), &["message:stream"], serde_json::to_vec(&params)?)
            }
            AgentRequest::CancelTask(params) => {
                let body =
                    params.metadata.map_or_else(|| json!({}), |metadata| json!({ "metadata": metadata }));
                let action = format!("{}:cancel", params.id);
                post(params.tenant, &["tasks", &action], serde_json::to_vec(&body)?)
            }
            AgentRequest::GetTask(params) => {
                let mut url = locate(base, params.tenant.as_deref(), &["tasks", &params.id]);
                if let Some(length) = params.history_length {
                    url.query_pairs_mut().append_pair("historyLength", &length.to_string());
                }
                Self { verb: "GET", url, body: Vec::new() }
            }
            AgentRequest::SubscribeToTask(params) => {
                let action = format!("{}:subscribe", params.id);
                let url = locate(base, params.tenant.as_deref(), &["tasks", &action]);
                Self { verb: "GET", url, body: Vec::new() }
            }
        })
    }
}

/// Returns the URL of an operation below the URL of an interface, whose query is kept.
fn locate(base: &Url, tenant: Option<&str>, path: &[&str]) -> Url {
    let mut url = base.clone();
    // URLs of interfaces are http or https, which have a path.
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(tenant).extend(path);
    }
    url
}

/// Decodes the body of a successful response to `method`.
pub fn http_json_answer(method: Method, body: &[u8]) -> Result<Update, DecodeError> {
    match method {
        Method::GetTask | Method::CancelTask => read(body, ANSWER_LIMITS, Update::Task),
        Method::SendMessage => read(body, ANSWER_LIMITS, SendMessageResponse::into),
        _ => read(body, ANSWER_LIMITS, StreamResponse::into),
    }
}

/// Decodes the data of one server-sent event.
pub fn http_json_event(data: &[u8]) -> Result<Update, DecodeError> {
    // Some servers report an error within a stream.
    if let Some(error) = http_json_error(None, data) {
        return Ok(Update::Error(error));
    }
    read(data, EVENT_LIMITS, StreamResponse::into)
}

fn read<R: DeserializeOwned>(
    bytes: &[u8],
    limits: JsonLimits,
    into: impl FnOnce(R) -> Update,
) -> Result<Update, DecodeError> {
    let result = match bounded_json::parse(bytes, limits) {
        Err(error @ JsonError::Shape { .. }) => {
            replace_and_read(A2aProtocol::V1, bytes, limits).ok_or(error)?
        }
        parsed => parsed?,
    };
    check_parts(into(result))
}

/// The members of `google.rpc.Status` within `error` (AIP-193), or of a problem document (RFC 9457).
#[derive(Deserialize)]
struct ErrorMembers {
    error: Option<Value>,
    title: Option<String>,
    detail: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Decodes the body of an error response as the corresponding JSON-RPC error. `None` if it is no such error.
///
/// `status`: the HTTP status of the response; none within a stream.
pub fn http_json_error(status: Option<u16>, body: &[u8]) -> Option<rpc::Error> {
    let members: ErrorMembers = bounded_json::parse(body, EVENT_LIMITS).ok()?;
    let (message, details) = match members.error {
        Some(Value::Object(mut error)) => {
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            (message, error.remove("details").unwrap_or_default())
        }
        Some(Value::String(message)) => (message, Value::Null),
        _ => (members.detail.or(members.title)?, members.kind.map_or(Value::Null, Value::String)),
    };
    let kind = kind_of(&details).or_else(|| by_status(status?))?;
    Some(rpc::Error { code: kind.code(), message, data: Some(details).filter(|details| !details.is_null()) })
}

/// Returns the kind of error that the details name by `reason`, or that the type of a problem document ends with.
fn kind_of(details: &Value) -> Option<ErrorKind> {
    let named = |word: &str| ErrorKind::ALL.iter().copied().find(|kind| kind.reason() == Some(word));
    if let Some(uri) = details.as_str() {
        let last = uri.rsplit('/').next().unwrap_or_default();
        return named(&last.trim_end_matches("-error").replace('-', "_").to_ascii_uppercase());
    }
    let reasons = details.as_array()?.iter().filter_map(|detail| detail["reason"].as_str());
    reasons.into_iter().find_map(named)
}

/// Returns the kind of an error without a reason. `None` for statuses that have a meaning of their own.
const fn by_status(status: u16) -> Option<ErrorKind> {
    match status {
        400 | 422 => Some(ErrorKind::InvalidParams),
        500 => Some(ErrorKind::Internal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::v1::{
        CancelTaskRequest, GetTaskRequest, Message, Part, Role, SendMessageRequest, SubscribeToTaskRequest,
    };

    fn sent(base: &str, call: AgentRequest) -> (String, String, Value) {
        let request = HttpJsonRequest::of(&base.parse().unwrap(), call).unwrap();
        let body = serde_json::from_slice(&request.body).unwrap_or_default();
        (request.verb.to_owned(), request.url.to_string(), body)
    }

    #[test]
    fn each_method_has_its_path() {
        let message = Message::new("m1", Role::User, vec![Part::text("2 + 2")]);
        let body = json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "2 + 2"}]}});
        let call = AgentRequest::SendMessage(message.clone().into());
        let post = "POST".to_owned();
        let at = |path: &str| format!("https://a.example/{path}");
        assert_eq!(sent("https://a.example/v1/", call), (post.clone(), at("v1/message:send"), body.clone()));
        let tenant = Some("t/1".to_owned());
        let call = AgentRequest::SendStreamingMessage(SendMessageRequest { tenant, ..message.into() });
        assert_eq!(sent("https://a.example", call), (post.clone(), at("t%2F1/message:stream"), body));
        let id = || "a b/c".to_owned();
        let get = GetTaskRequest { id: id(), history_length: Some(3), ..GetTaskRequest::default() };
        let (verb, url, _) = sent("https://a.example/x?k=1", AgentRequest::GetTask(get));
        assert_eq!((verb.as_str(), url), ("GET", at("x/tasks/a%20b%2Fc?k=1&historyLength=3")));
        let cancel = CancelTaskRequest { id: id(), ..CancelTaskRequest::default() };
        let (verb, url, body) = sent("https://a.example", AgentRequest::CancelTask(cancel));
        assert_eq!((verb, url, body), (post, at("tasks/a%20b%2Fc:cancel"), json!({})));
        let subscribe = SubscribeToTaskRequest { id: id(), ..SubscribeToTaskRequest::default() };
        let (verb, url, _) = sent("https://a.example", AgentRequest::SubscribeToTask(subscribe));
        assert_eq!((verb.as_str(), url), ("GET", at("tasks/a%20b%2Fc:subscribe")));
    }

    #[test]
    fn errors_are_known_by_their_reason() {
        let code = |status, body: Value| {
            http_json_error(Some(status), body.to_string().as_bytes()).map(|error| error.code)
        };
        let info = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND"}]);
        let status =
            json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "No.", "details": info}});
        assert_eq!(code(404, status.clone()), Some(-32001));
        let problem = json!({"type": "https://a2a-protocol.org/errors/task-not-cancelable", "title": "No.", "status": 409});
        assert_eq!(code(409, problem), Some(-32002));
        assert_eq!(code(400, json!({"error": {"message": "Bad."}})), Some(-32602));
        assert_eq!(code(401, json!({"error": {"message": "Sign in."}})), None);
        assert_eq!(code(400, json!({"detail": 7})), None);
        let event = http_json_event(status.to_string().as_bytes()).unwrap();
        assert!(matches!(event, Update::Error(error) if error.message == "No."));
    }

    #[test]
    fn responses_have_no_envelope() {
        let task = json!({"id": "t", "status": {"state": "TASK_STATE_WORKING"}});
        let body = json!({"task": task}).to_string();
        let answer = |method, body: &str| http_json_answer(method, body.as_bytes());
        assert!(matches!(answer(Method::SendMessage, &body), Ok(Update::Task(_))));
        assert!(matches!(answer(Method::GetTask, &task.to_string()), Ok(Update::Task(_))));
        assert!(matches!(http_json_event(body.as_bytes()), Ok(Update::Task(_))));
        let bad = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"raw": "%"}]}});
        let Ok(Update::Message(message)) = answer(Method::SendMessage, &bad.to_string()) else { panic!() };
        assert!(message.parts[0].as_text().unwrap().contains("could not be read"));
        for bad in ["", "[]", "{}", "{\"result\":{}}"] {
            assert!(answer(Method::SendMessage, bad).is_err(), "{bad}");
        }
    }
}

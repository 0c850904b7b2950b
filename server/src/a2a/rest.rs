//! HTTP+JSON binding of A2A 1.0 (specification section 11).

use std::collections::HashMap;

use axum::{
    body::Bytes,
    extract::{
        Path, Query, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::{HeaderMap, HeaderValue, Method as Verb, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_a2a::{
    bounded_json,
    wire::{
        rpc::{Error, ErrorKind},
        v1,
    },
};
use plexus_domain::{Error as Refusal, agent::A2aProtocol};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    auth::IncomingA2aRequest,
    authorize, body_error,
    error::{self, MethodError},
    limits,
    methods::Methods,
    nowhere,
    rpc::{is_json, version},
    stream::{TaskEventStream, respond},
};
use crate::{
    app_state::AppState,
    web::error::{public_message, status},
};

const OWN_TYPE: &str = "application/a2a+json";

pub async fn answer(
    State(site): State<AppState>,
    place: Result<Path<(String, String, String)>, PathRejection>,
    Query(query): Query<HashMap<String, String>>,
    verb: Verb,
    headers: HeaderMap,
    IncomingA2aRequest { caller, body }: IncomingA2aRequest,
) -> Response {
    let media_type = media_type(&headers);
    let Ok(Path((owner, name, path))) = place else { return refused(media_type, nowhere()) };
    let request = Request { verb, path, query, headers, body };
    let caller = match caller {
        Ok(caller) => caller,
        Err(error) => return refused(media_type, error),
    };
    let authorized = match authorize(&site, &caller, &owner, &name).await {
        Ok(authorized) => authorized,
        Err(error) => return refused(media_type, error),
    };
    let forwarded = (&request.headers).into();
    let methods = Methods { site, caller, authorized, protocol: A2aProtocol::V1, headers: forwarded };
    match request.run(&methods).await {
        Ok(Reply::Value(value)) => write(StatusCode::OK, media_type, &value),
        Ok(Reply::Stream(events)) => respond(events, |event| serde_json::to_vec(&event).unwrap_or_default()),
        Err(MethodError::Error(error)) => refuse(media_type, &error),
        Err(MethodError::Outside(status, refusal)) => outside(media_type, status, &refusal),
    }
}

/// Returns the media type of the response: the A2A type if the request uses or accepts it, else JSON.
fn media_type(headers: &HeaderMap) -> &'static str {
    let names = |header| {
        let value = headers.get(header).and_then(|value: &HeaderValue| value.to_str().ok());
        value.is_some_and(|value| value.contains(OWN_TYPE))
    };
    if names(header::CONTENT_TYPE) || names(header::ACCEPT) { OWN_TYPE } else { "application/json" }
}

/// Returns the response for an error before any method, from authentication or authorisation.
fn refused(media_type: &'static str, error: plexus_hub::Error) -> Response {
    let (status, refusal) = public_message(error);
    outside(media_type, status, &refusal)
}

fn outside(media_type: &'static str, status: StatusCode, refusal: &Refusal) -> Response {
    let body = json!({ "error": {
        "code": status.as_u16(),
        "status": status_name(status),
        "message": refusal.to_string(),
        "details": [],
    }});
    error::with_time(write(status, media_type, &body), refusal)
}

fn refuse(media_type: &'static str, error: &Error) -> Response {
    let kind = error.kind().unwrap_or(ErrorKind::Internal);
    let status = StatusCode::from_u16(kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({ "error": {
        "code": status.as_u16(),
        "status": grpc_name(kind),
        "message": error.message,
        "details": error.data.clone().unwrap_or_else(|| json!([])),
    }});
    write(status, media_type, &body)
}

/// Returns the canonical gRPC code (google.rpc.Code) of an A2A error (specification section 5.4).
const fn grpc_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TaskNotFound | ErrorKind::MethodNotFound => "NOT_FOUND",
        ErrorKind::Parse | ErrorKind::InvalidRequest | ErrorKind::InvalidParams => "INVALID_ARGUMENT",
        ErrorKind::ContentTypeNotSupported => "INVALID_ARGUMENT",
        ErrorKind::Internal | ErrorKind::InvalidAgentResponse => "INTERNAL",
        _ => "FAILED_PRECONDITION",
    }
}

fn status_name(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "UNAUTHENTICATED",
        StatusCode::FORBIDDEN => "PERMISSION_DENIED",
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::REQUEST_TIMEOUT => "DEADLINE_EXCEEDED",
        StatusCode::CONFLICT => "FAILED_PRECONDITION",
        StatusCode::TOO_MANY_REQUESTS => "RESOURCE_EXHAUSTED",
        StatusCode::PAYLOAD_TOO_LARGE => "INVALID_ARGUMENT",
        StatusCode::SERVICE_UNAVAILABLE => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

fn write(status: StatusCode, media_type: &'static str, body: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(body).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static(media_type))], bytes).into_response()
}

enum Reply {
    Value(Value),
    Stream(TaskEventStream),
}

struct Request {
    verb: Verb,
    /// The path below `rest/`.
    path: String,
    query: HashMap<String, String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
}

impl Request {
    async fn run(&self, methods: &Methods) -> Result<Reply, MethodError> {
        let query = self.query.get("A2A-Version").map(String::as_str).unwrap_or_default();
        let version = version(&self.headers, query);
        if version != "1.0" {
            let words = "HTTP+JSON requires A2A 1.0. Send the header A2A-Version: 1.0.";
            return Err(Error::new(ErrorKind::VersionNotSupported, words).into());
        }
        let segments: Vec<&str> = self.path.trim_matches('/').split('/').collect();
        let verb = self.verb.as_str();
        match (verb, segments.as_slice()) {
            ("POST", ["message:send"]) => value(methods.send(self.read(methods)?).await?),
            ("POST", ["message:stream"]) => Ok(Reply::Stream(methods.stream(self.read(methods)?).await?)),
            ("GET", ["tasks"]) => value(methods.list(self.filter()?).await?),
            ("GET", ["extendedAgentCard"]) => value(methods.extended_card().await?),
            ("GET" | "POST", ["tasks", task]) => self.task(methods, verb, task).await,
            (_, ["tasks", task, "pushNotificationConfigs", rest @ ..]) => {
                self.push(methods, verb, task, rest).await
            }
            _ => Err(unknown().into()),
        }
    }

    async fn task(&self, methods: &Methods, verb: &str, segment: &str) -> Result<Reply, MethodError> {
        let (id, action) = segment.split_once(':').unwrap_or((segment, ""));
        let id = id.to_owned();
        match (verb, action) {
            ("GET", "") => {
                let history_length = self.number("historyLength")?;
                value(methods.get(v1::GetTaskRequest { tenant: None, id, history_length }).await?)
            }
            ("POST", "cancel") => {
                let request = v1::CancelTaskRequest { tenant: None, id, metadata: None };
                value(methods.cancel(request).await?)
            }
            (_, "subscribe") => {
                let request = v1::SubscribeToTaskRequest { tenant: None, id };
                Ok(Reply::Stream(methods.subscribe(request).await?))
            }
            _ => Err(unknown().into()),
        }
    }

    async fn push(
        &self,
        methods: &Methods,
        verb: &str,
        task: &str,
        rest: &[&str],
    ) -> Result<Reply, MethodError> {
        let task_id = task.to_owned();
        match (verb, rest) {
            ("POST", []) => {
                let mut config: v1::TaskPushNotificationConfig = self.read(methods)?;
                config.task_id = Some(task_id);
                value(methods.create_push(config).await?)
            }
            ("GET", []) => {
                let request = v1::ListPushConfigsRequest { task_id, ..Default::default() };
                value(methods.list_push(request).await?)
            }
            ("GET", [id]) => {
                let id = (*id).to_owned();
                value(methods.get_push(v1::GetPushConfigRequest { tenant: None, task_id, id }).await?)
            }
            ("DELETE", [id]) => {
                let id = (*id).to_owned();
                methods.delete_push(v1::DeletePushConfigRequest { tenant: None, task_id, id }).await?;
                value(json!({}))
            }
            _ => Err(unknown().into()),
        }
    }

    fn read<T: DeserializeOwned>(&self, methods: &Methods) -> Result<T, MethodError> {
        if !is_json(&self.headers) {
            let words = "Send JSON, with Content-Type: application/a2a+json or application/json.";
            return Err(Error::new(ErrorKind::ContentTypeNotSupported, words).into());
        }
        let limit = limits(&methods.site);
        let body = self.body.as_ref().map_err(|rejection| {
            let refusal = body_error(rejection, limit);
            MethodError::Outside(status(&refusal), refusal)
        })?;
        bounded_json::parse(body, limit).map_err(|error| error::params(error).into())
    }

    fn filter(&self) -> Result<v1::ListTasksRequest, Error> {
        let text = |name: &str| self.parameter(name).cloned();
        let status = text("status").map(|state| {
            serde_json::from_value(Value::String(state)).map_err(|_| wrong("status", "Unknown state."))
        });
        let flag = |name: &'static str| match text(name).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(wrong(name, "Expected true or false.")),
        };
        Ok(v1::ListTasksRequest {
            tenant: None,
            context_id: text("contextId"),
            status: status.transpose()?,
            page_size: self.number("pageSize")?,
            page_token: text("pageToken"),
            history_length: self.number("historyLength")?,
            status_timestamp_after: text("statusTimestampAfter"),
            include_artifacts: flag("includeArtifacts")?,
        })
    }

    /// Returns a query parameter that is not empty, also if its name is in snake case (ProtoJSON).
    fn parameter(&self, name: &str) -> Option<&String> {
        let snake: String = name.chars().flat_map(in_snake_case).collect();
        let text = self.query.get(name).or_else(|| self.query.get(&snake));
        text.filter(|text| !text.is_empty())
    }

    fn number(&self, name: &'static str) -> Result<Option<u32>, Error> {
        self.parameter(name)
            .map(|text| text.parse().map_err(|_| wrong(name, "Expected a whole number, 0 or more.")))
            .transpose()
    }
}

fn in_snake_case(letter: char) -> impl Iterator<Item = char> {
    letter.is_ascii_uppercase().then_some('_').into_iter().chain([letter.to_ascii_lowercase()])
}

fn wrong(field: &str, words: &str) -> Error {
    Error::invalid_params(words, &[(field, words)])
}

fn unknown() -> Error {
    Error::new(ErrorKind::MethodNotFound, "This path does not support this HTTP method.")
}

fn value(answer: impl Serialize) -> Result<Reply, MethodError> {
    Ok(Reply::Value(json!(answer)))
}

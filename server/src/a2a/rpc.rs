//! JSON-RPC binding of A2A 1.0 and 0.3 at one URL (specification 1.0 section 9).

use axum::{
    extract::{Path, Query, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plexus_a2a::{
    bounded_json::{self, JsonError},
    client::VERSION_HEADER,
    wire::{
        Method,
        rpc::{Error, ErrorKind, Id, Response as Answer, RpcResult},
        v1, v03,
    },
};
use plexus_domain::{Error as Refusal, agent::A2aProtocol};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    auth::IncomingA2aRequest,
    authorize, body_error,
    error::{self, MethodError},
    limits,
    methods::Methods,
    nowhere,
    stream::{TaskEventStream, respond},
};
use crate::{
    app_state::AppState,
    web::{
        error::public_message,
        json_body::{JSON, is_of_type},
    },
};

#[derive(Deserialize)]
pub struct VersionQuery {
    #[serde(rename = "A2A-Version", default)]
    version: String,
}

pub async fn answer(
    State(site): State<AppState>,
    place: Result<Path<(String, String)>, PathRejection>,
    Query(query): Query<VersionQuery>,
    headers: HeaderMap,
    IncomingA2aRequest { caller, body }: IncomingA2aRequest,
) -> Response {
    if !is_json(&headers) {
        let words = "Send JSON, with Content-Type: application/json.";
        return fail(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Id::Null,
            Error::new(ErrorKind::ContentTypeNotSupported, words),
        );
    }
    let Ok(Path((owner, name))) = place else { return refused(nowhere()) };
    let caller = match caller {
        Ok(caller) => caller,
        Err(error) => return refused(error),
    };
    let authorized = match authorize(&site, &caller, &owner, &name).await {
        Ok(authorized) => authorized,
        Err(error) => return refused(error),
    };
    let limit = limits(&site);
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return refused(body_error(&rejection, limit).into()),
    };
    let version = version(&headers, &query.version);
    match read(&body, limit).and_then(|call| call.method(&version).map(|method| (call, method))) {
        Err(failed) => fail(StatusCode::OK, failed.0, failed.1),
        Ok((call, (method, protocol))) => {
            let methods = Methods { site, caller, authorized, protocol, headers: (&headers).into() };
            run(&methods, call, method, protocol).await
        }
    }
}

/// Returns the response for an error before any method, from authentication or authorisation.
fn refused(error: plexus_hub::Error) -> Response {
    let (status, refusal) = public_message(error);
    outside(Id::Null, status, &refusal)
}

fn outside(id: Id, status: StatusCode, refusal: &Refusal) -> Response {
    let kind = if status.is_server_error() { ErrorKind::Internal } else { ErrorKind::InvalidRequest };
    error::with_time(fail(status, id, Error::new(kind, refusal.to_string())), refusal)
}

pub fn is_json(headers: &HeaderMap) -> bool {
    is_of_type(headers, &[JSON, "application/a2a+json"])
}

/// Returns the protocol version of the request, from the header or the query. Neither means 0.3
/// (specification section 3.6).
pub fn version(headers: &HeaderMap, query: &str) -> String {
    let header = headers.get(VERSION_HEADER).and_then(|value| value.to_str().ok()).map(str::trim);
    let named = header.filter(|named| !named.is_empty()).unwrap_or(query.trim());
    match named.split('.').collect::<Vec<_>>().as_slice() {
        [""] => "0.3".to_owned(),
        // Only the major and minor numbers identify a version.
        [major, minor, patch] if patch.parse::<u32>().is_ok() => format!("{major}.{minor}"),
        _ => named.to_owned(),
    }
}

/// A request with a valid JSON-RPC envelope.
struct ParsedCall {
    id: Id,
    method: String,
    params: Value,
}

type Failed = Box<(Id, Error)>;

fn read(body: &[u8], limit: bounded_json::JsonLimits) -> Result<ParsedCall, Failed> {
    let value: Value =
        bounded_json::parse(body, limit).map_err(|error| Box::new((Id::Null, unreadable(&error))))?;
    let invalid = |id: &Id, words: &str| Box::new((id.clone(), Error::new(ErrorKind::InvalidRequest, words)));
    let Value::Object(mut members) = value else {
        let words = if value.is_array() {
            "A2A does not support batches. Send one request."
        } else {
            "A request is an object."
        };
        return Err(invalid(&Id::Null, words));
    };
    let id = match members.remove("id") {
        None => Id::Null,
        Some(id) => serde_json::from_value(id)
            .map_err(|_| invalid(&Id::Null, "The id is a text, a whole number or null."))?,
    };
    if members.get("jsonrpc") != Some(&json!("2.0")) {
        return Err(invalid(&id, "The member jsonrpc is \"2.0\"."));
    }
    let Some(Value::String(method)) = members.remove("method") else {
        return Err(invalid(&id, "The method is missing, or not a text."));
    };
    let params = members.remove("params").unwrap_or_else(|| json!({}));
    if !params.is_object() {
        return Err(Box::new((id, error::params("they are an object"))));
    }
    Ok(ParsedCall { id, method, params })
}

fn unreadable(error: &JsonError) -> Error {
    let kind = match error {
        JsonError::NotJson { .. } => ErrorKind::Parse,
        _ => ErrorKind::InvalidRequest,
    };
    Error::new(kind, format!("The request cannot be read. {error}"))
}

impl ParsedCall {
    fn method(&self, version: &str) -> Result<(Method, A2aProtocol), Failed> {
        let fail = |kind, words: String| Err(Box::new((self.id.clone(), Error::new(kind, words))));
        let spoken = match version {
            "1.0" => A2aProtocol::V1,
            "0.3" => A2aProtocol::V03,
            other => {
                let words = format!(
                    "This hub speaks A2A 1.0 and 0.3, not {}.",
                    plexus_domain::sanitized_text::ellipsize(other, 20)
                );
                return fail(ErrorKind::VersionNotSupported, words);
            }
        };
        match Method::parse(&self.method) {
            Some((method, protocol)) if protocol == spoken => Ok((method, protocol)),
            Some((_, A2aProtocol::V1)) => {
                let words = "This method requires A2A 1.0. Send the header A2A-Version: 1.0.";
                fail(ErrorKind::VersionNotSupported, words.to_owned())
            }
            _ => fail(ErrorKind::MethodNotFound, "Method not found in this version.".to_owned()),
        }
    }
}

/// Result of a method: a value or an event stream.
enum Reply {
    Value(Value),
    Stream(TaskEventStream),
}

async fn run(methods: &Methods, call: ParsedCall, method: Method, protocol: A2aProtocol) -> Response {
    let reply = match protocol {
        A2aProtocol::V1 => current(methods, method, call.params).await,
        A2aProtocol::V03 => former(methods, method, call.params).await,
    };
    match reply {
        Ok(Reply::Value(value)) => write(StatusCode::OK, &Answer::new(call.id, RpcResult::Result(value))),
        Ok(Reply::Stream(events)) => respond(events, move |event| {
            let result = match protocol {
                A2aProtocol::V1 => json!(event),
                A2aProtocol::V03 => json!(v03::Event::from(event)),
            };
            encode(&Answer::new(call.id.clone(), RpcResult::Result(result)))
        }),
        Err(MethodError::Error(error)) => fail(StatusCode::OK, call.id, error),
        Err(MethodError::Outside(status, refusal)) => outside(call.id, status, &refusal),
    }
}

async fn current(methods: &Methods, method: Method, params: Value) -> Result<Reply, MethodError> {
    Ok(match method {
        Method::SendMessage => value(methods.send(take(params)?).await?),
        Method::SendStreamingMessage => Reply::Stream(methods.stream(take(params)?).await?),
        Method::GetTask => value(methods.get(take(params)?).await?),
        Method::ListTasks => value(methods.list(take(params)?).await?),
        Method::CancelTask => value(methods.cancel(take(params)?).await?),
        Method::SubscribeToTask => Reply::Stream(methods.subscribe(take(params)?).await?),
        Method::GetExtendedCard => value(methods.extended_card().await?),
        Method::CreatePushConfig => value(methods.create_push(take(params)?).await?),
        Method::GetPushConfig => value(methods.get_push(take(params)?).await?),
        Method::ListPushConfigs => value(methods.list_push(take(params)?).await?),
        Method::DeletePushConfig => {
            methods.delete_push(take(params)?).await?;
            value(json!({}))
        }
    })
}

async fn former(methods: &Methods, method: Method, params: Value) -> Result<Reply, MethodError> {
    Ok(match method {
        Method::SendMessage => {
            let request: v03::MessageSendParams = take(params)?;
            value(v03::Event::from(methods.send(request.into()).await?))
        }
        Method::SendStreamingMessage => {
            let request: v03::MessageSendParams = take(params)?;
            Reply::Stream(methods.stream(request.into()).await?)
        }
        Method::GetTask => {
            let request: v03::TaskQueryParams = take(params)?;
            value(v03::Task::from(methods.get(request.into()).await?))
        }
        Method::CancelTask => {
            let request: v03::TaskIdParams = take(params)?;
            value(v03::Task::from(methods.cancel(request.into()).await?))
        }
        Method::SubscribeToTask => {
            let request: v03::TaskIdParams = take(params)?;
            Reply::Stream(methods.subscribe(request.into()).await?)
        }
        Method::GetExtendedCard => value(methods.extended_card().await?),
        _ => former_push(methods, method, params).await?,
    })
}

async fn former_push(methods: &Methods, method: Method, params: Value) -> Result<Reply, MethodError> {
    if method == Method::CreatePushConfig {
        let config: v03::TaskPushNotificationConfig = take(params)?;
        return Ok(value(v03::TaskPushNotificationConfig::from(methods.create_push(config.into()).await?)));
    }
    let v03::PushConfigParams { id: task_id, push_notification_config_id: id } = take(params)?;
    if method == Method::DeletePushConfig {
        methods.delete_push(v1::DeletePushConfigRequest { tenant: None, task_id, id: named(id)? }).await?;
        return Ok(value(Value::Null));
    }
    let request = v1::ListPushConfigsRequest { task_id: task_id.clone(), ..Default::default() };
    let mut all =
        methods.list_push(request).await?.configs.into_iter().map(v03::TaskPushNotificationConfig::from);
    match (method, id) {
        (Method::ListPushConfigs, _) => Ok(value(all.collect::<Vec<_>>())),
        (_, Some(id)) => {
            let config = methods.get_push(v1::GetPushConfigRequest { tenant: None, task_id, id }).await?;
            Ok(value(v03::TaskPushNotificationConfig::from(config)))
        }
        (_, None) => all
            .next()
            .map(value)
            .ok_or_else(|| Error::new(ErrorKind::TaskNotFound, "Push configuration not found.").into()),
    }
}

fn named(id: Option<String>) -> Result<String, Error> {
    id.ok_or_else(|| error::params("pushNotificationConfigId is missing"))
}

fn value(answer: impl serde::Serialize) -> Reply {
    Reply::Value(json!(answer))
}

fn take<T: DeserializeOwned>(params: Value) -> Result<T, Error> {
    serde_json::from_value(params).map_err(error::params)
}

fn fail(status: StatusCode, id: Id, error: Error) -> Response {
    write(status, &Answer::<Value>::new(id, RpcResult::Error(error)))
}

fn write(status: StatusCode, answer: &Answer) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], encode(answer)).into_response()
}

fn encode(answer: &Answer) -> Vec<u8> {
    serde_json::to_vec(answer).unwrap_or_default()
}

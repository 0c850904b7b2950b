//! JSON-RPC 2.0 and A2A error codes (specification 1.0 sections 3.3.2, 5.4 and 9.5). Used by both versions.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::lenient;

/// Domain of the reasons in `google.rpc.ErrorInfo`.
const ERROR_DOMAIN: &str = "a2a-protocol.org";

/// The literal "2.0".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    #[default]
    #[serde(rename = "2.0")]
    V2,
}

/// Request id, repeated in the response.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    Number(i64),
    Text(String),
    /// Used in the response to an unparsable request.
    Null,
}

/// A JSON-RPC request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request<P = Value> {
    pub jsonrpc: Version,
    pub id: Id,
    pub method: String,
    pub params: P,
}

/// A response: `{"jsonrpc","id","result"}` or `{"jsonrpc","id","error"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response<R = Value> {
    pub jsonrpc: Version,
    pub id: Id,
    #[serde(flatten)]
    pub outcome: RpcResult<R>,
}

/// Result or error of a response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RpcResult<R = Value> {
    Result(R),
    Error(Error),
}

impl<R> Response<R> {
    pub const fn new(id: Id, outcome: RpcResult<R>) -> Self {
        Self { jsonrpc: Version::V2, id, outcome }
    }
}

/// A response parsed leniently. `jsonrpc` and `id` are ignored: many agents get them wrong, and one HTTP
/// request has exactly one response.
#[derive(Clone, Debug, Deserialize)]
#[serde(bound = "R: Deserialize<'de>")]
pub(crate) struct LenientResponse<R> {
    #[serde(default)]
    pub result: Option<R>,
    #[serde(default)]
    pub error: Option<Error>,
}

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Error {
    pub code: i64,
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Error {
    /// Creates an error with the `ErrorInfo` required by 1.0. JSON-RPC's own errors have none.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let data = kind.reason().map(|reason| {
            json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": ERROR_DOMAIN}])
        });
        Self { code: kind.code(), message: message.into(), data }
    }

    /// Creates an invalid-params error that lists the invalid fields (`google.rpc.BadRequest`).
    pub fn invalid_params(message: impl Into<String>, fields: &[(&str, &str)]) -> Self {
        let violations: Vec<_> = fields
            .iter()
            .map(|(field, description)| json!({"field": field, "description": description}))
            .collect();
        let detail = json!([{
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": violations,
        }]);
        let data = (!fields.is_empty()).then_some(detail);
        Self { code: ErrorKind::InvalidParams.code(), message: message.into(), data }
    }

    /// Returns the kind, or `None` for a code outside the specifications.
    pub fn kind(&self) -> Option<ErrorKind> {
        ErrorKind::ALL.iter().copied().find(|kind| kind.code() == self.code)
    }
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $http:literal, $reason:expr;)*) => {
        /// Kind of error, with its JSON-RPC code, HTTP status and reason.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind { $($(#[$doc])* $name),* }

        impl ErrorKind {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            pub const fn code(self) -> i64 {
                match self { $(Self::$name => $code),* }
            }

            /// Returns the status in the HTTP+JSON binding. JSON-RPC always uses 200.
            pub const fn http_status(self) -> u16 {
                match self { $(Self::$name => $http),* }
            }

            /// Returns the `reason` of its `ErrorInfo`.
            pub const fn reason(self) -> Option<&'static str> {
                match self { $(Self::$name => $reason),* }
            }
        }
    };
}

error_kinds! {
    Parse = -32700, 400, None;
    InvalidRequest = -32600, 400, None;
    MethodNotFound = -32601, 404, None;
    InvalidParams = -32602, 400, None;
    Internal = -32603, 500, None;
    /// Also used for tasks of other callers, to prevent enumeration.
    TaskNotFound = -32001, 404, Some("TASK_NOT_FOUND");
    TaskNotCancelable = -32002, 400, Some("TASK_NOT_CANCELABLE");
    PushNotificationNotSupported = -32003, 400, Some("PUSH_NOTIFICATION_NOT_SUPPORTED");
    UnsupportedOperation = -32004, 400, Some("UNSUPPORTED_OPERATION");
    ContentTypeNotSupported = -32005, 400, Some("CONTENT_TYPE_NOT_SUPPORTED");
    InvalidAgentResponse = -32006, 500, Some("INVALID_AGENT_RESPONSE");
    ExtendedCardNotConfigured = -32007, 400, Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED");
    ExtensionSupportRequired = -32008, 400, Some("EXTENSION_SUPPORT_REQUIRED");
    VersionNotSupported = -32009, 400, Some("VERSION_NOT_SUPPORTED");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_the_info_that_the_specification_asks_for() {
        let error = Error::new(ErrorKind::TaskNotFound, "There is no such task.");
        let response: Response<Value> = Response::new(Id::Text("r1".into()), RpcResult::Error(error.clone()));
        let wire = serde_json::to_value(&response).unwrap();
        assert_eq!(
            wire,
            json!({"jsonrpc": "2.0", "id": "r1", "error": {
                "code": -32001,
                "message": "There is no such task.",
                "data": [{
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "TASK_NOT_FOUND",
                    "domain": "a2a-protocol.org",
                }],
            }})
        );
        assert_eq!(error.kind(), Some(ErrorKind::TaskNotFound));
        assert_eq!(Error::new(ErrorKind::Parse, "").data, None);
        let invalid = Error::invalid_params("Bad.", &[("message.parts", "It is empty.")]);
        assert_eq!(invalid.data.unwrap()[0]["fieldViolations"][0]["field"], "message.parts");
    }

    #[test]
    fn ids_keep_their_type() {
        for text in ["7", "\"7\"", "null"] {
            let id: Id = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&id).unwrap(), text);
        }
        assert!(serde_json::from_str::<Id>("1.5").is_err());
    }
}

//! Requests of the hub to an agent.

use plexus_domain::agent::A2aProtocol;
use serde::Serialize;

use crate::wire::{
    Method,
    rpc::{Id, Request, Version},
    v1::{CancelTaskRequest, GetTaskRequest, SendMessageRequest, SubscribeToTaskRequest},
    v03,
};

/// HTTP header with the protocol version of a request (specification 1.0 section 3.6).
pub const VERSION_HEADER: &str = "A2A-Version";

/// Returns the value of [`VERSION_HEADER`].
pub const fn version(protocol: A2aProtocol) -> &'static str {
    match protocol {
        A2aProtocol::V1 => "1.0",
        A2aProtocol::V03 => "0.3",
    }
}

/// A version-neutral request. [`body`] serializes it in the version that the agent speaks.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentRequest {
    SendMessage(SendMessageRequest),
    /// The response is an event stream.
    SendStreamingMessage(SendMessageRequest),
    GetTask(GetTaskRequest),
    CancelTask(CancelTaskRequest),
    /// The response is an event stream that starts with the task.
    SubscribeToTask(SubscribeToTaskRequest),
}

impl AgentRequest {
    pub const fn method(&self) -> Method {
        match self {
            Self::SendMessage(_) => Method::SendMessage,
            Self::SendStreamingMessage(_) => Method::SendStreamingMessage,
            Self::GetTask(_) => Method::GetTask,
            Self::CancelTask(_) => Method::CancelTask,
            Self::SubscribeToTask(_) => Method::SubscribeToTask,
        }
    }

    /// Returns the URIs of the extensions that the request uses.
    pub fn extensions(&self) -> &[String] {
        match self {
            Self::SendMessage(request) | Self::SendStreamingMessage(request) => &request.message.extensions,
            Self::GetTask(_) | Self::CancelTask(_) | Self::SubscribeToTask(_) => &[],
        }
    }
}

/// Serializes the JSON-RPC request, to be posted as `application/json`.
///
/// # Errors
/// Only serializer errors, which do not occur with this data.
pub fn body(protocol: A2aProtocol, id: i64, call: AgentRequest) -> serde_json::Result<Vec<u8>> {
    let method = call.method().name(protocol).unwrap_or_default();
    match (protocol, call) {
        (A2aProtocol::V1, AgentRequest::SendMessage(params) | AgentRequest::SendStreamingMessage(params)) => {
            write(id, method, params)
        }
        (A2aProtocol::V1, AgentRequest::GetTask(params)) => write(id, method, params),
        (A2aProtocol::V1, AgentRequest::CancelTask(params)) => write(id, method, params),
        (A2aProtocol::V1, AgentRequest::SubscribeToTask(params)) => write(id, method, params),
        (
            A2aProtocol::V03,
            AgentRequest::SendMessage(params) | AgentRequest::SendStreamingMessage(params),
        ) => write(id, method, v03::MessageSendParams::from(params)),
        (A2aProtocol::V03, AgentRequest::GetTask(params)) => {
            write(id, method, v03::TaskQueryParams::from(params))
        }
        (A2aProtocol::V03, AgentRequest::CancelTask(params)) => {
            write(id, method, v03::TaskIdParams::from(params))
        }
        (A2aProtocol::V03, AgentRequest::SubscribeToTask(params)) => {
            write(id, method, v03::TaskIdParams::from(params))
        }
    }
}

fn write(id: i64, method: &str, params: impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Request {
        jsonrpc: Version::V2,
        id: Id::Number(id),
        method: method.to_owned(),
        params,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::v1::{Message, Part, Role};

    fn sent(protocol: A2aProtocol, call: AgentRequest) -> Value {
        serde_json::from_slice(&body(protocol, 7, call).unwrap()).unwrap()
    }

    #[test]
    fn a_message_is_written_in_the_words_of_the_version() {
        let message = Message::new("m1", Role::User, vec![Part::text("2 + 2")]);
        let call = AgentRequest::SendStreamingMessage(message.into());
        assert_eq!(
            sent(A2aProtocol::V1, call.clone()),
            json!({"jsonrpc": "2.0", "id": 7, "method": "SendStreamingMessage", "params": {
                "message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "2 + 2"}]},
            }})
        );
        assert_eq!(
            sent(A2aProtocol::V03, call),
            json!({"jsonrpc": "2.0", "id": 7, "method": "message/stream", "params": {
                "message": {
                    "kind": "message", "messageId": "m1", "role": "user",
                    "parts": [{"kind": "text", "text": "2 + 2"}],
                },
            }})
        );
    }

    #[test]
    fn tasks_are_named_alike_in_both() {
        let cancel = AgentRequest::CancelTask(CancelTaskRequest { id: "t1".into(), ..Default::default() });
        assert_eq!(sent(A2aProtocol::V1, cancel.clone())["method"], "CancelTask");
        let old = sent(A2aProtocol::V03, cancel);
        assert_eq!((&old["method"], &old["params"]), (&json!("tasks/cancel"), &json!({"id": "t1"})));
        let get = AgentRequest::GetTask(GetTaskRequest {
            id: "t1".into(),
            history_length: Some(0),
            ..Default::default()
        });
        assert_eq!(sent(A2aProtocol::V03, get)["params"], json!({"id": "t1", "historyLength": 0}));
        let subscribe =
            AgentRequest::SubscribeToTask(SubscribeToTaskRequest { id: "t1".into(), ..Default::default() });
        assert_eq!(sent(A2aProtocol::V03, subscribe)["method"], "tasks/resubscribe");
    }
}

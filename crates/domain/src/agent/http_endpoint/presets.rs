//! Request templates for widely used software.

use serde_json::json;

use super::{EndpointRequestSpec, ResponseFormat};
use crate::agent::Scheme;

/// Software with a known endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Chat completions, as served by OpenAI and compatible servers.
    OpenAi,
    /// The server of Open Interpreter 0.4 (`AsyncInterpreter().server`). It stores the conversation itself.
    OpenInterpreter,
    /// Agent Protocol v1, served by AutoGPT (`agent-protocol`
    /// 1.0): creates a task, then runs its steps to the last.
    AgentProtocol,
}

impl Preset {
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::OpenInterpreter, Self::AgentProtocol];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenInterpreter => "open-interpreter",
            Self::AgentProtocol => "agent-protocol",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI-shaped endpoint",
            Self::OpenInterpreter => "Open Interpreter",
            Self::AgentProtocol => "AutoGPT (Agent Protocol)",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == text)
    }

    const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::OpenInterpreter => "/openai/chat/completions",
            Self::AgentProtocol => "/ap/v1/agent/tasks",
        }
    }

    /// Returns the request for a server at `base`, such as `http://127.0.0.1:8000`.
    ///
    /// A base with a path of its own is used as the complete endpoint URL.
    pub fn request(self, base: &str) -> EndpointRequestSpec {
        let base = base.trim().trim_end_matches('/');
        let host = base.split_once("://").map_or(base, |(_, rest)| rest);
        let url = if host.contains('/') { base.to_owned() } else { format!("{base}{}", self.path()) };
        match self {
            Self::OpenAi => EndpointRequestSpec { auth: Some(Scheme::Bearer), ..completions(url, "default") },
            Self::OpenInterpreter => EndpointRequestSpec {
                question_suffix: Some("Do you want to run this code?".to_owned()),
                ..completions(url, "default-model")
            },
            Self::AgentProtocol => EndpointRequestSpec {
                init_body: Some(json!({ "input": "{{message}}" })),
                init_id_path: Some("/task_id".to_owned()),
                url: format!("{url}/{{{{task}}}}/steps"),
                init_url: Some(url),
                body: Some(json!({})),
                response_path: "/output".to_owned(),
                done_path: Some("/is_last".to_owned()),
                ..EndpointRequestSpec::default()
            },
        }
    }
}

fn completions(url: String, model: &str) -> EndpointRequestSpec {
    EndpointRequestSpec {
        url,
        body: Some(json!({ "model": model, "messages": "{{messages}}", "stream": true })),
        response_format: ResponseFormat::Events,
        response_path: "/choices/0/delta/content".to_owned(),
        ..EndpointRequestSpec::default()
    }
}

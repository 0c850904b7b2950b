//! A request to an agent, and the async runtime for agents.

use std::{collections::HashMap, sync::OnceLock};

use plexus_domain::Part;
use plexus_runtime::{ApprovalPolicy, ConnectorLimits, ConversationTurn, RunRequest, TurnRole};
use tokio::runtime::{Builder, Runtime};

/// Returns a first message from a caller that cannot grant approvals.
pub fn request(question: &str) -> RunRequest {
    RunRequest {
        run: "0191b2c4-0000-7000-8000-000000000000".parse().unwrap(),
        turns: vec![ConversationTurn {
            speaker: TurnRole::Person { name: "Ada".to_owned() },
            parts: vec![Part::text(question)],
        }],
        files: HashMap::new(),
        called: None,
        remote: None,
        limits: ConnectorLimits::default(),
        approval_policy: ApprovalPolicy::unavailable(),
        options: Default::default(),
    }
}

pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Builder::new_current_thread().enable_time().build().unwrap())
}

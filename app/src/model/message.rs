//! One message of a chat, as an article.

use plexus_domain::{
    Address, ApprovalId, ChatId, MessageId, RunId, Timestamp, message::MessageState, part::Decision,
    run::Usage,
};
use serde_json::Value;

use super::Html;

#[derive(Clone, Debug)]
pub struct Article {
    pub id: MessageId,
    pub chat: ChatId,
    pub parent: Option<MessageId>,
    pub lane: i32,
    pub author: Author,
    pub at: Timestamp,
    pub state: MessageState,
    pub parts: Vec<PartView>,
    /// Why it failed, in words; shown with the state `Failed`.
    pub failure: Option<String>,
    /// The run that wrote it: lets an open message be stopped.
    pub run: Option<RunId>,
    /// Those that could stand in its place, itself included, in the order they were said.
    pub alternatives: Vec<MessageId>,
    pub usage: Option<Usage>,
    /// What its agent is doing, in one line, while it is written.
    pub status: Option<String>,
    /// From the first request to the end of the answer.
    pub took_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    Person {
        name: String,
    },
    Agent {
        seed: String,
        name: String,
        address: Address,
    },
    /// Somebody whose account is gone.
    Gone,
}

impl Author {
    pub fn name(&self) -> &str {
        match self {
            Self::Person { name } | Self::Agent { name, .. } => name,
            Self::Gone => "Somebody who left",
        }
    }
}

/// A part, in its place: its index in the list is the `p` of the wire.
#[derive(Clone, Debug)]
pub enum PartView {
    /// Closed blocks as HTML, and the open tail as text; the tail of a finished message is empty.
    Text {
        closed: Html,
        tail: String,
    },
    Data {
        name: Option<String>,
        value: Value,
    },
    File {
        name: String,
        media_type: String,
        size: u64,
        /// None while the message is still being written: its files are kept with its end.
        href: Option<String>,
    },
    /// Never fetched by the browser.
    Link {
        name: Option<String>,
        url: String,
    },
    Tool {
        tool: String,
        arguments: Value,
        result: Option<Value>,
        took_ms: Option<u64>,
    },
    Reasoning {
        html: Html,
    },
    Approval {
        id: ApprovalId,
        tool: String,
        arguments: Value,
        /// What was said; none while it waits.
        decision: Option<Decision>,
    },
    /// A button that hands the question to another agent.
    ContinueWith {
        seed: String,
        name: String,
        address: Address,
        summary: String,
        /// What is sent to it, without the mention.
        text: String,
    },
}

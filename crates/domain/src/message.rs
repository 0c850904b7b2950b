//! Messages and the message tree of a chat.
//!
//! Messages with the same parent and lane are alternatives of each other. Messages with the same parent and
//! different lanes are answers given side by side.

use std::{cmp::Reverse, collections::HashMap, fmt};

use serde::{Deserialize, Serialize};

use crate::{MessageAttributes, MessageId, Part, PrincipalId, RunId, Timestamp};

/// State of a message.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Still being written.
    Open,
    Done,
    /// Stopped early by a user. The text so far is retained.
    Stopped,
    Failed,
    Deleted,
}

impl MessageState {
    pub const ALL: [Self; 5] = [Self::Open, Self::Done, Self::Stopped, Self::Failed, Self::Deleted];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Deleted => "deleted",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl fmt::Display for MessageState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A stored message. An open message has no parts: its text is still in the stream journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    /// Sequence number within the chat; increasing, never reused.
    pub seq: i64,
    pub parent: Option<MessageId>,
    /// Position among answers given side by side: 0 for people,
    /// else the agent's index among the addressed agents.
    pub lane: i32,
    pub author: PrincipalId,
    /// The run that wrote it, or the run that it is a reply to.
    pub run: Option<RunId>,
    pub state: MessageState,
    pub created: Timestamp,
    pub parts: Vec<Part>,
    /// `None` if the message has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Box<MessageAttributes>>,
}

/// Position of a message in the tree: id, parent, lane and sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    pub id: MessageId,
    pub parent: Option<MessageId>,
    pub lane: i32,
    pub seq: i64,
}

impl From<&Message> for TreeNode {
    fn from(message: &Message) -> Self {
        Self { id: message.id, parent: message.parent, lane: message.lane, seq: message.seq }
    }
}

/// Returns the messages from the root to `leaf`, oldest first. Stops at an unknown parent or a cycle.
pub fn path(nodes: &[TreeNode], leaf: MessageId) -> Vec<MessageId> {
    let mut parents: HashMap<_, _> = nodes.iter().map(|node| (node.id, node.parent)).collect();
    let mut path = Vec::new();
    let mut next = Some(leaf);
    while let Some((id, parent)) = next.and_then(|id| parents.remove_entry(&id)) {
        path.push(id);
        next = parent;
    }
    path.reverse();
    path
}

/// Returns the alternatives of `of` (itself included), in the order they were written.
pub fn alternatives(nodes: &[TreeNode], of: MessageId) -> Vec<MessageId> {
    let Some(this) = nodes.iter().find(|node| node.id == of) else { return Vec::new() };
    let mut same: Vec<_> =
        nodes.iter().filter(|node| node.parent == this.parent && node.lane == this.lane).collect();
    same.sort_by_key(|node| node.seq);
    same.into_iter().map(|node| node.id).collect()
}

/// Returns the messages shown to a reader at `leaf`: the path, with the side-by-side answers at each step.
///
/// In lanes off the path the newest alternative is shown.
pub fn visible(nodes: &[TreeNode], leaf: MessageId) -> Vec<MessageId> {
    let mut answers: HashMap<MessageId, Vec<&TreeNode>> = HashMap::new();
    for node in nodes {
        // Messages without a parent are separate turns, not side-by-side answers.
        if let Some(parent) = node.parent {
            answers.entry(parent).or_default().push(node);
        }
    }
    let by_id: HashMap<_, _> = nodes.iter().map(|node| (node.id, node)).collect();
    let mut shown = Vec::new();
    for id in path(nodes, leaf) {
        let step = by_id[&id];
        let beside = step.parent.and_then(|parent| answers.get(&parent)).into_iter().flatten().copied();
        let mut row: Vec<&TreeNode> = beside.filter(|node| node.lane != step.lane).chain([step]).collect();
        row.sort_by_key(|node| (node.lane, Reverse(node.seq)));
        row.dedup_by_key(|node| node.lane);
        shown.extend(row.into_iter().map(|node| node.id));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u8) -> MessageId {
        MessageId::new(Timestamp::from_millis(i64::from(n)), &[n; 10])
    }

    fn node(n: u8, parent: Option<u8>, lane: i32) -> TreeNode {
        TreeNode { id: id(n), parent: parent.map(id), lane, seq: i64::from(n) }
    }

    #[test]
    fn two_agents_answer_one_message_and_one_of_them_is_retried() {
        let nodes = [
            node(1, None, 0),
            node(2, Some(1), 1),
            node(3, Some(1), 2),
            node(4, Some(1), 2),
            node(5, Some(4), 0),
        ];
        assert_eq!(path(&nodes, id(5)), [1, 4, 5].map(id));
        assert_eq!(alternatives(&nodes, id(3)), [3, 4].map(id));
        assert_eq!(visible(&nodes, id(5)), [1, 2, 4, 5].map(id));
        assert_eq!(visible(&nodes, id(3)), [1, 2, 3].map(id));
    }

    #[test]
    fn a_cycle_or_a_missing_parent_ends_the_walk() {
        let nodes = [node(1, Some(2), 0), node(2, Some(1), 0), node(3, Some(9), 0)];
        assert_eq!(path(&nodes, id(1)).len(), 2);
        assert_eq!(path(&nodes, id(3)), [id(3)]);
    }
}

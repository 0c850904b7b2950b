//! Messages form a tree: same parent and lane are alternatives, same parent and another lane were said side by side.

use std::{cmp::Reverse, collections::HashMap, fmt};

use serde::{Deserialize, Serialize};

use crate::{MessageId, Part, PrincipalId, RunId, Timestamp};

#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Still being written.
    Open,
    Done,
    /// Ended early by a person; what was written stays.
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

/// A message as it is kept. An open message's parts are empty: its text is still in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    /// Its place in the order of the chat; grows, never reused.
    pub seq: i64,
    pub parent: Option<MessageId>,
    /// Who of those who speak side by side: 0 for people, an agent's place among those asked for its answers.
    pub lane: i32,
    pub author: PrincipalId,
    /// The run that wrote it, or that it answers.
    pub run: Option<RunId>,
    pub state: MessageState,
    pub created: Timestamp,
    pub parts: Vec<Part>,
}

/// Where a message hangs: all that the rules of the tree need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub id: MessageId,
    pub parent: Option<MessageId>,
    pub lane: i32,
    pub seq: i64,
}

impl From<&Message> for Node {
    fn from(message: &Message) -> Self {
        Self { id: message.id, parent: message.parent, lane: message.lane, seq: message.seq }
    }
}

/// The messages from the root to `leaf`, oldest first. Unknown parents end the walk, and so does a cycle.
pub fn path(nodes: &[Node], leaf: MessageId) -> Vec<MessageId> {
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

/// The messages that could stand in place of `of` (itself included), in the order they were said.
pub fn alternatives(nodes: &[Node], of: MessageId) -> Vec<MessageId> {
    let Some(this) = nodes.iter().find(|node| node.id == of) else { return Vec::new() };
    let mut same: Vec<_> =
        nodes.iter().filter(|node| node.parent == this.parent && node.lane == this.lane).collect();
    same.sort_by_key(|node| node.seq);
    same.into_iter().map(|node| node.id).collect()
}

/// What a reader at `leaf` sees: the path, with the answers that were said side by side with each step.
///
/// Of alternatives beside the path the newest is shown.
pub fn visible(nodes: &[Node], leaf: MessageId) -> Vec<MessageId> {
    let mut answers: HashMap<MessageId, Vec<&Node>> = HashMap::new();
    for node in nodes {
        // Questions at the root of a chat are turns of their own, not said side by side.
        if let Some(parent) = node.parent {
            answers.entry(parent).or_default().push(node);
        }
    }
    let by_id: HashMap<_, _> = nodes.iter().map(|node| (node.id, node)).collect();
    let mut shown = Vec::new();
    for id in path(nodes, leaf) {
        let step = by_id[&id];
        let beside = step.parent.and_then(|parent| answers.get(&parent)).into_iter().flatten().copied();
        let mut row: Vec<&Node> = beside.filter(|node| node.lane != step.lane).chain([step]).collect();
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

    fn node(n: u8, parent: Option<u8>, lane: i32) -> Node {
        Node { id: id(n), parent: parent.map(id), lane, seq: i64::from(n) }
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

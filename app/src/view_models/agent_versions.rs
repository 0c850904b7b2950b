//! View models of the versions of an agent.

use plexus_domain::{Timestamp, VersionId};

#[derive(Clone, Debug)]
pub struct AgentVersions {
    /// Newest first.
    pub rows: Vec<VersionRow>,
    /// Number of the newest versions that are compared.
    pub compared: usize,
}

/// A version. Posts to `/@owner/name/versions/{version}/restore` if it can be restored.
#[derive(Clone, Debug)]
pub struct VersionRow {
    pub id: VersionId,
    pub version: String,
    pub created: Timestamp,
    pub protocol: String,
    /// SHA-256 of the card, in hexadecimal.
    pub card: String,
    pub yanked: Option<String>,
    pub changes: Changes,
    pub can_restore: bool,
}

/// What a version changed against the one before.
#[derive(Clone, Debug)]
pub enum Changes {
    /// The agent's first version.
    First,
    /// Too old to be compared.
    NotCompared,
    /// Empty if no shown field changed.
    Fields(Vec<FieldDiff>),
}

#[derive(Clone, Debug)]
pub struct FieldDiff {
    pub label: String,
    pub lines: Vec<DiffLine>,
    /// Number of further lines.
    pub omitted: usize,
}

#[derive(Clone, Debug)]
pub struct DiffLine {
    pub kind: DiffLineKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLineKind {
    Unchanged,
    Added,
    Removed,
    /// Place where unchanged lines are left out.
    Gap,
}

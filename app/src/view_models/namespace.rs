//! View model of a namespace page.

use plexus_domain::Timestamp;

use super::{Pager, agents::AgentRow};

#[derive(Clone, Debug)]
pub struct OwnerPage {
    pub name: String,
    pub kind: OwnerKind,
    pub since: Timestamp,
    /// Whether the viewer owns it. If so, the list has private agents and registration is offered.
    pub own: bool,
    pub agents: Vec<AgentRow>,
    pub pager: Pager,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerKind {
    Person,
    Organisation,
    /// The hub itself.
    Hub,
}

//! Roles of the members that the owner of a team named, by their listings.

use plexus_domain::{
    Address,
    team::{
        MemberIdentity,
        formation::{Skill, assign_roles, goal_parts},
        member::{Invitee, Member},
        spec::Goal,
    },
};
use plexus_store::{Conn, agents, listings};

use crate::{Result, listings::read_summary};

/// Returns the members with their roles, and the skills that the goal needs in the order of work. Without members, or
/// if the goal is one piece of work, the members have no roles, and the skills follow from the goal.
pub(super) async fn assign(
    conn: &mut Conn,
    goal: &Goal,
    members: Vec<Address>,
) -> Result<(Vec<Invitee>, Vec<Skill>)> {
    let parts = goal_parts(goal.as_str());
    let invitee = |address, roles| Invitee { identity: MemberIdentity::Agent { address }, roles, key: None };
    if members.is_empty() || parts.len() < 2 {
        return Ok((members.into_iter().map(|address| invitee(address, Vec::new())).collect(), Vec::new()));
    }
    let mut profiles = Vec::with_capacity(members.len());
    for address in &members {
        profiles.push(profile(conn, address).await?);
    }
    let (roles, mut needs) = assign_roles(&parts, &profiles);
    needs.truncate(Member::MAX_ROLES);
    let members = members.into_iter().zip(roles).map(|(address, roles)| invitee(address, roles));
    Ok((members.collect(), needs))
}

/// Returns what the listing of an agent says about it; empty for an unknown agent.
async fn profile(conn: &mut Conn, address: &Address) -> Result<String> {
    let Some(agent) = agents::at(conn, address).await? else { return Ok(String::new()) };
    let summary = listings::find(conn, agent.id).await?.as_ref().map(read_summary).unwrap_or_default();
    let tags = summary.tags.join(" ");
    Ok([summary.title, summary.description, summary.skills, tags].join("\n"))
}

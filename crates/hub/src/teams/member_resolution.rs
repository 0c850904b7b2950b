//! Resolves member names to agents.

use plexus_domain::{Address, Error as Refusal, HubRowId, Name, team::TeamLimits};
use plexus_store::{
    Conn,
    agents::{self, Agent, AgentState},
};

use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
};

/// Maximum number of candidates in an error.
const LISTED: i64 = 20;

/// Result of resolving names.
pub enum MemberMatch {
    All(Vec<Address>),
    /// Several agents have this name, and none is the caller's.
    Ambiguous {
        name: String,
        candidates: Vec<Address>,
    },
}

/// Resolves names to addresses. A bare name is the caller's own agent, otherwise the only agent of that
/// name on this hub that is publicly listed or names the caller.
pub async fn resolve(hub: &Hub, caller: &Caller, names: &[String]) -> Result<MemberMatch> {
    resolve_for(hub, caller.may(Scope::Team)?, names).await
}

/// Same for an authorized user.
pub(super) async fn resolve_for(hub: &Hub, person: &Person, names: &[String]) -> Result<MemberMatch> {
    if names.len() > usize::from(TeamLimits::MAX_MEMBERS) {
        let words = format!("Name at most {} members.", TeamLimits::MAX_MEMBERS);
        return Err(Refusal::invalid("team_member_names", words).into());
    }
    let mut conn = hub.store().read().await?;
    let mut found = Vec::with_capacity(names.len());
    for given in names {
        if let Ok(address) = given.parse::<Address>() {
            found.push(address);
            continue;
        }
        let name: Name = given.parse().map_err(|_| missing(given))?;
        let own = agents::by_address(&mut conn, HubRowId::SELF, &person.name, &name).await?;
        if let Some(own) = own.filter(|agent| agent.state == AgentState::Active) {
            found.push(own.address());
            continue;
        }
        let mut candidates = agents_named(&mut conn, person, &name).await?;
        match candidates.len() {
            0 => return Err(missing(given).into()),
            1 => found.append(&mut candidates),
            _ => return Ok(MemberMatch::Ambiguous { name: given.clone(), candidates }),
        }
    }
    Ok(MemberMatch::All(found))
}

async fn agents_named(conn: &mut Conn, person: &Person, name: &Name) -> Result<Vec<Address>> {
    let found = agents::list_by_name(conn, HubRowId::SELF, name, person.principal, LISTED).await?;
    let is_shown = |agent: &&Agent| agent.state == AgentState::Active;
    Ok(found.iter().filter(is_shown).map(plexus_store::agents::Agent::address).collect())
}

fn missing(name: &str) -> Refusal {
    let name = plexus_domain::sanitized_text::ellipsize(name, 80);
    Refusal::invalid("team_member_names", format!("Agent {name} not found."))
}

//! Finding members, and asking them whether they come.

use std::collections::BTreeMap;

use plexus_domain::{
    page::PageSize,
    team::{
        Author, Event, Identity, Note, Phase, Seat,
        formation::{Candidate, Search, Skill, Track, cover},
    },
};
use plexus_search::Query;

use super::conduct::Conductor;
use crate::{Error, Hub, Result, agents, agents::guide_address, caller::Asker, listings};

/// Agents looked at for each need.
const LOOKED_AT: u16 = 8;
/// How much less each further hit fits than the one before, in thousandths.
const STEP: u16 = 80;

/// Invites those who cover what the goal needs. Nobody to invite ends the round by its deadline.
pub(super) async fn find(conductor: &mut Conductor, places: u16) -> Result<bool> {
    let Phase::Forming { round } = *conductor.team.phase() else { return Ok(true) };
    let charter = conductor.team.charter().clone();
    let needs = charter.needs();
    let mut candidates = candidates(&conductor.hub, &conductor.asker, &needs, charter.goal.as_str()).await?;
    let seated = |candidate: &Candidate| {
        let members = conductor.team.members().iter();
        members.map(|member| member.invitee.identity.key()).any(|key| key == candidate.identity.key())
    };
    candidates.retain(|candidate| !seated(candidate));
    let last_round = round >= charter.limits.rounds;
    let search = Search { needs: &needs, places, last_round, team: conductor.team.id() };
    let members = cover(search, &candidates);
    if members.is_empty() {
        return Ok(true);
    }
    conductor.note(Author::Home, Event::Invited { members }).await.map(|()| true)
}

/// Agents that the person may talk to, with how well the index says they fit.
pub(super) async fn candidates(
    hub: &Hub,
    asker: &Asker,
    needs: &[Skill],
    goal: &str,
) -> Result<Vec<Candidate>> {
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    let size = PageSize::new(LOOKED_AT)?;
    for need in needs {
        let hits = listings::search(hub, Query { size, ..Query::text(need.as_str()) }).await?;
        for (place, row) in (0..).zip(hits.rows) {
            if row.address == guide_address() || !lets_in(hub, asker, &row.address).await? {
                continue;
            }
            let identity = Identity::Agent { address: row.address };
            let fit = 1_000_u16.saturating_sub(STEP.saturating_mul(place));
            let new = Candidate { identity, fits: BTreeMap::new(), track: Track::default(), key: None };
            let candidate = found.entry(new.identity.key()).or_insert(new);
            candidate.fits.entry(need.clone()).or_insert(fit);
        }
    }
    tracing::debug!(goal, needs = needs.len(), candidates = found.len(), "looked for members");
    Ok(found.into_values().collect())
}

async fn lets_in(hub: &Hub, asker: &Asker, address: &plexus_domain::Address) -> Result<bool> {
    let mut conn = hub.store().snapshot().await?;
    match agents::reach(&mut conn, asker, address).await {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// Agents know nothing of teams, so the hub answers for them: whoever would answer a message takes part.
pub(super) async fn reply(conductor: &mut Conductor, seat: Seat) -> Result<()> {
    let Some(member) = conductor.team.member(seat) else { return Ok(()) };
    let Identity::Agent { address } = member.invitee.identity.clone() else { return Ok(()) };
    let mut conn = conductor.hub.store().snapshot().await?;
    let reached = agents::reach(&mut conn, &conductor.asker, &address).await;
    drop(conn);
    let event = match reached {
        Ok(_) => Event::Accepted,
        Err(Error::Refused(refusal)) => match Note::cut(&refusal.to_string()) {
            Some(reason) => Event::Declined { reason },
            None => return Ok(()),
        },
        Err(fault) => return Err(fault),
    };
    conductor.note(Author::Seat(seat), event).await
}

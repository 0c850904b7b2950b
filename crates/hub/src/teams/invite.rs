//! Searches for members and invites them.

use std::{
    collections::{HashMap, hash_map::Entry},
    time::Duration,
};

use plexus_domain::{
    Address, AgentId,
    team::{
        Author, Event, Identity, Note, Phase, Seat,
        formation::{Candidate, Pool, Search, Skill, Track, cover},
        member::Invitee,
    },
};
use plexus_store::runs;

use super::{
    conduct::Conductor,
    decide::{List, Matter, Question, Taken},
};
use crate::{Error, Hub, Result, agents, agents::guide_address, caller::Asker, listings};

/// Runs of this period count in an agent's track record.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// Candidates to invite.
pub(super) struct Found {
    /// Best match first.
    pub candidates: Vec<Candidate>,
    /// Their own summaries, in the same order.
    pub summaries: Vec<String>,
}

impl Found {
    /// Keeps the candidates that match a predicate.
    pub fn retain(&mut self, keep: impl Fn(&Candidate) -> bool) {
        let pairs = self.candidates.drain(..).zip(self.summaries.drain(..));
        (self.candidates, self.summaries) =
            pairs.collect::<Vec<_>>().into_iter().filter(|(candidate, _)| keep(candidate)).unzip();
    }
}

/// Invites agents that cover the goal's needs. Without candidates the round ends at its deadline.
pub(super) async fn find(conductor: &mut Conductor, places: u16) -> Result<bool> {
    let Phase::Forming { round } = *conductor.team.phase() else { return Ok(true) };
    let matter = Matter::Members { round };
    let taken = conductor.decider.takes(&conductor.team, matter);
    if taken == Taken::Thinks {
        return Ok(true);
    }
    let charter = conductor.team.charter().clone();
    let needs = charter.needs();
    let mut found = found(&conductor.hub, &conductor.asker, &needs, None).await?;
    found.retain(|candidate| !is_seated(conductor, &candidate.identity));
    let last_round = round >= charter.limits.rounds;
    let search = Search { needs: &needs, places, last_round, team: conductor.team.id() };
    let by_rules = cover(search, &found.candidates);
    if taken == Taken::Asks && !found.candidates.is_empty() {
        let list = List::new(charter.goal.as_str(), &needs, places, found);
        conductor.ask(matter, Question::members(list, by_rules));
        return Ok(true);
    }
    invite(conductor, by_rules).await.map(|()| true)
}

/// Invites the chosen agents that are not members yet.
pub(super) async fn invite(conductor: &mut Conductor, mut members: Vec<Invitee>) -> Result<()> {
    members.retain(|invitee| !is_seated(conductor, &invitee.identity));
    if members.is_empty() {
        return Ok(());
    }
    conductor.note(Author::Home, Event::Invited { members }).await
}

fn is_seated(conductor: &Conductor, identity: &Identity) -> bool {
    let mut members = conductor.team.members().iter();
    members.any(|member| member.invitee.identity.key() == identity.key())
}

/// Searches for agents that the user may call, with their search scores and summaries. `also` is reported
/// with its score as well, even where others match better.
pub(super) async fn found(hub: &Hub, asker: &Asker, needs: &[Skill], also: Option<AgentId>) -> Result<Found> {
    let mut pool = Pool::default();
    // `None` for agents that the user may not call.
    let mut known: HashMap<AgentId, Option<(Identity, String)>> = HashMap::new();
    for (need, found) in needs.iter().zip(listings::fitting(hub, needs, also).await?) {
        let mut fits = Vec::new();
        for (row, score) in found {
            let known = match known.entry(row.agent) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let answers = row.address != guide_address() && lets_in(hub, asker, &row.address).await?;
                    let identity = Identity::Agent { address: row.address };
                    new.insert(answers.then_some((identity, row.summary)))
                }
            };
            fits.extend(known.as_ref().map(|(identity, _)| (identity.clone(), score)));
        }
        pool.add(need, fits);
    }
    let known: HashMap<AgentId, (Identity, String)> =
        known.into_iter().filter_map(|(agent, known)| Some((agent, known?))).collect();
    for (agent, track) in tracks(hub, &known.keys().copied().collect::<Vec<_>>()).await? {
        if let Some((identity, _)) = known.get(&agent) {
            pool.set_track(identity, track);
        }
    }
    let candidates = pool.into_candidates();
    tracing::debug!(needs = needs.len(), candidates = candidates.len(), "looked for members");
    let said: HashMap<String, String> =
        known.into_values().map(|(identity, summary)| (identity.key(), summary)).collect();
    let summary = |candidate: &Candidate| said.get(&candidate.identity.key()).cloned().unwrap_or_default();
    Ok(Found { summaries: candidates.iter().map(summary).collect(), candidates })
}

/// Returns the track record of these agents: results of all their runs on this hub, for any requester.
async fn tracks(hub: &Hub, agents: &[AgentId]) -> Result<HashMap<AgentId, Track>> {
    let since = hub.env().now() - REMEMBERED;
    let tallies = runs::tally(&mut hub.store().read().await?, agents, since).await?;
    let track = |tally: runs::Tally| Track { completed: tally.completed, ended_otherwise: tally.failed };
    Ok(tallies.into_iter().map(|(agent, tally)| (agent, track(tally))).collect())
}

async fn lets_in(hub: &Hub, asker: &Asker, address: &Address) -> Result<bool> {
    let mut conn = hub.store().snapshot().await?;
    match agents::reach(&mut conn, asker, address).await {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// Answers an invitation for an agent, since agents do not know teams. An agent
/// that would accept a message joins.
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

//! Searches for members and invites them.

use std::{
    collections::{HashMap, hash_map::Entry},
    time::Duration,
};

use plexus_domain::{
    Address, AgentId,
    agent::{Builtin, Connector},
    team::{
        AssignmentNo, MemberIdentity, Phase, Seat, ShortText, TeamActor, TeamEvent,
        formation::{Candidate, CandidatePool, CoverSearch, Skill, TrackRecord, cover},
        member::Invitee,
    },
};
use plexus_store::runs;

use super::{
    builtin_answers::needs_of,
    decision::{CandidateList, DecisionPrompt, DecisionRoute, DecisionTopic},
    orchestrator::TeamOrchestrator,
};
use crate::{
    Error, Hub, Result,
    agents::{self, guide_address, working_builtins},
    caller::Requester,
    directory, listings,
};

/// Runs of this period count in an agent's track record.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// A built-in agent is left out if another one has at least this fraction of its score, as a divisor.
const OUTDONE: f32 = 4.0;

/// Candidates to invite.
pub(super) struct InviteCandidates {
    /// Best match first.
    pub candidates: Vec<Candidate>,
    /// Their own summaries, in the same order.
    pub summaries: Vec<String>,
    /// Those among which the rules choose: built-in agents only for parts that they can do.
    pub by_rules: Vec<Candidate>,
}

impl InviteCandidates {
    /// Keeps the candidates that match a predicate.
    pub fn retain(&mut self, keep: impl Fn(&Candidate) -> bool) {
        self.by_rules.retain(&keep);
        let pairs = self.candidates.drain(..).zip(self.summaries.drain(..));
        (self.candidates, self.summaries) =
            pairs.collect::<Vec<_>>().into_iter().filter(|(candidate, _)| keep(candidate)).unzip();
    }
}

/// Invites agents that cover the goal's needs. Without candidates the round ends at its deadline.
pub(super) async fn invite_candidates(orchestrator: &mut TeamOrchestrator, places: u16) -> Result<bool> {
    let Phase::Forming { round } = *orchestrator.team.phase() else { return Ok(true) };
    let matter = DecisionTopic::Members { round };
    let taken = orchestrator.decision_maker.routes_to_model(&orchestrator.team, matter);
    if taken == DecisionRoute::Thinks {
        return Ok(true);
    }
    let charter = orchestrator.team.charter().clone();
    let needs = charter.required_skills();
    let mut found = search_candidates(orchestrator, &needs, None).await?;
    found.retain(|candidate| !is_seated(orchestrator, &candidate.identity));
    let has_candidates = match taken {
        DecisionRoute::Asks => !found.candidates.is_empty(),
        DecisionRoute::Thinks | DecisionRoute::Leaves => !found.by_rules.is_empty(),
    };
    if !has_candidates
        && orchestrator.team.members().is_empty()
        && listings::is_index_ready(&orchestrator.hub)
    {
        return orchestrator.propose_lenient(TeamActor::Home, TeamEvent::NoCandidates).await.map(|()| true);
    }
    let last_round = round >= charter.limits.rounds;
    let search = CoverSearch { needs: &needs, places, last_round, team: orchestrator.team.id() };
    let by_rules = cover(search, &found.by_rules);
    if taken == DecisionRoute::Asks && !found.candidates.is_empty() {
        let list = CandidateList::new(charter.goal.as_str(), &needs, places, found);
        orchestrator.ask(matter, DecisionPrompt::members(list, by_rules));
        return Ok(true);
    }
    invite(orchestrator, by_rules).await.map(|()| true)
}

/// Invites another agent for an assignment that failed, if the hub found the team. The rules hand it the work.
pub(super) async fn invite_replacement(orchestrator: &mut TeamOrchestrator, no: AssignmentNo) -> Result<()> {
    let needs = orchestrator.team.skills_of_assignment(no);
    let by_hub = orchestrator.team.members().iter().all(|member| !member.is_named && !member.is_person());
    let is_first = orchestrator.team.assignment(no).is_some_and(|work| orchestrator.team.is_first_try(work));
    if !by_hub || !is_first || needs.is_empty() {
        return Ok(());
    }
    let mut found = search_candidates(orchestrator, &needs, None).await?;
    found.retain(|candidate| !is_seated(orchestrator, &candidate.identity));
    let search = CoverSearch { needs: &needs, places: 1, last_round: false, team: orchestrator.team.id() };
    let chosen: Vec<Invitee> = cover(search, &found.by_rules);
    if chosen.iter().any(|invitee| invitee.roles.len() < needs.len()) {
        return Ok(());
    }
    let seat = Seat(u16::try_from(orchestrator.team.members().len()).unwrap_or(u16::MAX));
    invite(orchestrator, chosen).await?;
    answer_invitation(orchestrator, seat).await
}

/// Invites the chosen agents that are not members yet.
pub(super) async fn invite(orchestrator: &mut TeamOrchestrator, mut members: Vec<Invitee>) -> Result<()> {
    members.retain(|invitee| !is_seated(orchestrator, &invitee.identity));
    if members.is_empty() {
        return Ok(());
    }
    orchestrator.propose_lenient(TeamActor::Home, TeamEvent::Invited { members }).await
}

fn is_seated(orchestrator: &TeamOrchestrator, identity: &MemberIdentity) -> bool {
    let mut members = orchestrator.team.members().iter();
    members.any(|member| member.invitee.identity.key() == identity.key())
}

/// Searches for agents that the user may call, with their search scores and summaries. `also` is reported
/// with its score as well, even where others match better.
pub(super) async fn search_candidates(
    orchestrator: &TeamOrchestrator,
    skills: &[Skill],
    also: Option<AgentId>,
) -> Result<InviteCandidates> {
    let (hub, requester) = (&orchestrator.hub, &orchestrator.requester);
    let needs = needs_of(hub, &orchestrator.team, skills).await;
    let (mut pool, mut by_rules) = (CandidatePool::default(), CandidatePool::default());
    // `None` for agents that the user may not call.
    let mut known: HashMap<AgentId, Option<(MemberIdentity, String)>> = HashMap::new();
    let mut summaries: HashMap<String, String> = HashMap::new();
    for (need, found) in
        needs.iter().zip(directory::rank_agents(hub, skills, also, requester.person.as_ref()).await?)
    {
        let mut fits = Vec::new();
        for (row, score) in found {
            let known = match known.entry(row.agent) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let answers =
                        row.address != guide_address() && lets_in(hub, requester, &row.address).await?;
                    let identity = MemberIdentity::Agent { address: row.address };
                    new.insert(answers.then_some((identity, row.summary)))
                }
            };
            let is_builtin = row.kind == Connector::BUILTIN_KIND;
            let fit = |(identity, _): &(MemberIdentity, String)| Fit {
                identity: identity.clone(),
                score,
                is_builtin,
                is_also: also == Some(row.agent),
            };
            fits.extend(known.as_ref().map(fit));
        }
        for (program, address) in &need.builtins {
            let identity = MemberIdentity::Agent { address: address.clone() };
            if !fits.iter().any(|fit| fit.identity == identity) && lets_in(hub, requester, address).await? {
                let description = working_builtins().find(|(other, ..)| other == program);
                summaries
                    .insert(identity.key(), description.map_or_else(String::new, |found| found.2.to_owned()));
                fits.push(Fit { identity, score: 0.0, is_builtin: true, is_also: false });
            }
        }
        by_rules.add(&need.skill, fits_by_rules(&fits, &need.builtins));
        pool.add(&need.skill, without_outdone_builtins(&fits));
    }
    let known: HashMap<AgentId, (MemberIdentity, String)> =
        known.into_iter().filter_map(|(agent, known)| Some((agent, known?))).collect();
    for (agent, track) in tracks(hub, &known.keys().copied().collect::<Vec<_>>()).await? {
        if let Some((identity, _)) = known.get(&agent) {
            pool.set_track(identity, track);
            by_rules.set_track(identity, track);
        }
    }
    let candidates = pool.into_candidates();
    tracing::debug!(needs = needs.len(), candidates = candidates.len(), "team member search finished");
    summaries.extend(known.into_values().map(|(identity, summary)| (identity.key(), summary)));
    let summary =
        |candidate: &Candidate| summaries.get(&candidate.identity.key()).cloned().unwrap_or_default();
    Ok(InviteCandidates {
        summaries: candidates.iter().map(summary).collect(),
        candidates,
        by_rules: by_rules.into_candidates(),
    })
}

/// Score of an agent for a part of a goal. That of a built-in agent that can do it may be zero.
struct Fit {
    identity: MemberIdentity,
    score: f32,
    is_builtin: bool,
    /// Whether it is kept in any case.
    is_also: bool,
}

fn best_score<'a>(fits: impl Iterator<Item = &'a Fit>) -> f32 {
    fits.map(|fit| fit.score).fold(0.0, f32::max)
}

/// Returns the scores by which the rules choose: those of built-in agents only if they can do the part, and no other agent is
/// made for it. What can be worked out needs no agent that merely has a word of it.
fn fits_by_rules(fits: &[Fit], can: &[(Builtin, Address)]) -> Vec<(MemberIdentity, f32)> {
    let program = |fit: &Fit| {
        let is_it = |(_, address): &&(Builtin, Address)| matches!(&fit.identity, MemberIdentity::Agent { address: other } if other == address);
        can.iter().find(is_it).map(|(program, _)| *program)
    };
    let others = best_score(fits.iter().filter(|fit| !fit.is_builtin));
    let stays = |fit: &Fit| match program(fit) {
        _ if fit.is_also || !fit.is_builtin => true,
        Some(Builtin::Calc) => fit.score >= others || fit.score == 0.0,
        Some(_) => others == 0.0 || others * OUTDONE < fit.score,
        None => false,
    };
    let best = best_score(fits.iter()).max(1.0);
    let score = |fit: &Fit| match program(fit) {
        Some(Builtin::Calc) => best,
        Some(_) => fit.score.max(f32::MIN_POSITIVE),
        None => fit.score,
    };
    fits.iter().filter(|fit| stays(fit)).map(|fit| (fit.identity.clone(), score(fit))).collect()
}

/// Leaves out built-in agents if another agent fits a fraction as well: they serve hubs without agents of their own.
fn without_outdone_builtins(fits: &[Fit]) -> Vec<(MemberIdentity, f32)> {
    let others = best_score(fits.iter().filter(|fit| !fit.is_builtin));
    let builtins = best_score(fits.iter().filter(|fit| fit.is_builtin));
    let is_outdone = others > 0.0 && others * OUTDONE >= builtins;
    // A built-in agent that the index does not find is offered by its own parser.
    let score = |fit: &Fit| if fit.is_builtin { fit.score.max(f32::MIN_POSITIVE) } else { fit.score };
    let kept = fits.iter().filter(|fit| !is_outdone || !fit.is_builtin || fit.is_also);
    kept.map(|fit| (fit.identity.clone(), score(fit))).collect()
}

/// Returns the track record of these agents: results of all their runs on this hub, for any requester.
async fn tracks(hub: &Hub, agents: &[AgentId]) -> Result<HashMap<AgentId, TrackRecord>> {
    let since = hub.env().now() - REMEMBERED;
    let tallies = runs::tally(&mut hub.store().read().await?, agents, since).await?;
    let track =
        |tally: runs::RunTally| TrackRecord { completed: tally.completed, ended_otherwise: tally.failed };
    Ok(tallies.into_iter().map(|(agent, tally)| (agent, track(tally))).collect())
}

async fn lets_in(hub: &Hub, requester: &Requester, address: &Address) -> Result<bool> {
    let mut conn = hub.store().snapshot().await?;
    match agents::resolve_callable(&mut conn, requester, address).await {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// Answers an invitation for an agent, since agents do not know teams. An agent
/// that would accept a message joins.
pub(super) async fn answer_invitation(orchestrator: &mut TeamOrchestrator, seat: Seat) -> Result<()> {
    let Some(member) = orchestrator.team.member(seat) else { return Ok(()) };
    let MemberIdentity::Agent { address } = member.invitee.identity.clone() else { return Ok(()) };
    let mut conn = orchestrator.hub.store().snapshot().await?;
    let reached = agents::resolve_callable(&mut conn, &orchestrator.requester, &address).await;
    drop(conn);
    let event = match reached {
        Ok(_) => TeamEvent::Accepted,
        Err(Error::Refused(refusal)) => match ShortText::truncate(&refusal.to_string()) {
            Some(reason) => TeamEvent::Declined { reason },
            None => return Ok(()),
        },
        Err(fault) => return Err(fault),
    };
    orchestrator.propose_lenient(TeamActor::Seat(seat), event).await
}

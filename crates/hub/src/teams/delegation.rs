//! Decides whether a member does its assignment alone or with a subteam. The
//! owner, a model or the rules decide.

use plexus_domain::{
    Address, AgentId, Error as Refusal,
    team::{
        AssignmentNo, AssignmentState, MemberIdentity, TeamActor,
        formation::{self, CoverSearch, Skill},
        member::Invitee,
        spec::Goal,
    },
};

use plexus_store::agents;

use super::{
    decision::{CandidateList, DecisionPrompt, DecisionRoute, DecisionTopic},
    invite::{self, InviteCandidates},
    member_roles,
    orchestrator::TeamOrchestrator,
    subteams,
};
use crate::{Error, Hub, Result};

/// A member works alone if its assignment has fewer needs.
const FEWEST_NEEDS: usize = 2;

/// How an assignment is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExecutionMode {
    Alone,
    ByTeam,
    /// Pending: a model decides.
    Open,
}

/// Decides how a new assignment is executed, and forms a subteam if needed.
pub(super) async fn choose_execution(
    orchestrator: &mut TeamOrchestrator,
    no: AssignmentNo,
) -> Result<ExecutionMode> {
    let Some(work) = orchestrator.team.assignment(no) else { return Ok(ExecutionMode::Alone) };
    let description = work.spec.description.to_string();
    let needs = orchestrator.team.skills_of_assignment(no);
    let is_new = work.state == AssignmentState::Offered && orchestrator.team.limits().max_subteam_depth > 0;
    if !is_new || needs.len() < FEWEST_NEEDS || orchestrator.alone.contains(&no) {
        return Ok(ExecutionMode::Alone);
    }
    let matter = DecisionTopic::Help { work: no };
    let taken = orchestrator.decision_maker.routes_to_model(&orchestrator.team, matter);
    if taken == DecisionRoute::Thinks {
        return Ok(ExecutionMode::Open);
    }
    let Some(helpers) = HelperCandidates::find(orchestrator, no, needs).await? else {
        return Ok(ExecutionMode::Alone);
    };
    let by_rules =
        formation::choose_execution(helpers.search(orchestrator, false), &helpers.itself, helpers.known());
    if taken == DecisionRoute::Asks
        && let Some(question) = helpers.question(&description, by_rules.clone())
    {
        orchestrator.ask(matter, question);
        return Ok(ExecutionMode::Open);
    }
    settle(orchestrator, no, by_rules).await
}

/// Applies the decision of the model or the rules. `None`: the member works alone.
pub(super) async fn decided(
    orchestrator: &mut TeamOrchestrator,
    no: AssignmentNo,
    members: Option<Vec<Invitee>>,
) -> Result<()> {
    let is_new = orchestrator.team.assignment(no).is_some_and(|work| work.state == AssignmentState::Offered);
    if is_new { settle(orchestrator, no, members).await.map(drop) } else { Ok(()) }
}

async fn settle(
    orchestrator: &mut TeamOrchestrator,
    no: AssignmentNo,
    members: Option<Vec<Invitee>>,
) -> Result<ExecutionMode> {
    let by = orchestrator.team.assignment(no).map(|work| TeamActor::Seat(work.to));
    let Some((by, members)) = by.zip(members) else {
        orchestrator.alone.insert(no);
        return Ok(ExecutionMode::Alone);
    };
    match subteams::create_subteam(orchestrator, by, no, members).await {
        Ok(()) => Ok(ExecutionMode::ByTeam),
        Err(Error::Refused(refusal @ Refusal::Conflict { .. })) => {
            tracing::debug!(team = %orchestrator.team.id(), error = %refusal, "subteam not formed");
            orchestrator.alone.insert(no);
            Ok(ExecutionMode::Alone)
        }
        Err(error) => Err(error),
    }
}

/// Forms a subteam for the owner: of the assignment's member and those named, or those that the hub finds.
pub(super) async fn form_subteam_for_owner(
    orchestrator: &mut TeamOrchestrator,
    no: AssignmentNo,
    named: Vec<Address>,
) -> Result<()> {
    let missing = || Refusal::not_found("Assignment not found.");
    let no_helper = || {
        Refusal::conflict(
            "No suitable member was found. Name members, or leave the assignment to its member.",
        )
    };
    let needs = orchestrator.team.skills_of_assignment(no);
    let helpers = HelperCandidates::find(orchestrator, no, needs).await?.ok_or_else(missing)?;
    let itself = helpers.itself.clone();
    let members = if named.is_empty() {
        let search = helpers.search(orchestrator, true);
        formation::form_subteam(search, &itself, helpers.known()).ok_or_else(no_helper)?
    } else {
        let named = named.into_iter().map(|address| MemberIdentity::Agent { address });
        let others = named.filter(|identity| identity.key() != itself.key());
        let all = std::iter::once(itself.clone()).chain(others);
        with_roles(orchestrator, no, all.collect()).await?
    };
    subteams::create_subteam(orchestrator, TeamActor::Owner, no, members).await
}

/// Distributes the parts of an assignment over named members.
async fn with_roles(
    orchestrator: &TeamOrchestrator,
    no: AssignmentNo,
    members: Vec<MemberIdentity>,
) -> Result<Vec<Invitee>> {
    let addresses: Option<Vec<Address>> = members
        .iter()
        .map(|member| match member {
            MemberIdentity::Agent { address } => Some(address.clone()),
            MemberIdentity::Person { .. } => None,
        })
        .collect();
    let work =
        orchestrator.team.assignment(no).and_then(|work| Goal::truncate(work.spec.description.as_str()));
    if let (Some(addresses), Some(work)) = (addresses, work) {
        let mut conn = orchestrator.hub.store().read().await?;
        return Ok(member_roles::assign(&mut conn, &work, addresses).await?.0);
    }
    Ok(members.into_iter().map(|identity| Invitee { identity, roles: Vec::new(), key: None }).collect())
}

/// Returns the id of a member's agent.
async fn agent(hub: &Hub, identity: &MemberIdentity) -> Result<Option<AgentId>> {
    let MemberIdentity::Agent { address } = identity else { return Ok(None) };
    let found = agents::at(&mut hub.store().read().await?, address).await?;
    Ok(found.map(|agent| agent.id))
}

/// Member with an assignment, and its helper candidates.
struct HelperCandidates {
    itself: MemberIdentity,
    needs: Vec<Skill>,
    found: InviteCandidates,
    /// Maximum size of the subteam, including the member.
    places: u16,
}

impl HelperCandidates {
    async fn find(
        orchestrator: &TeamOrchestrator,
        no: AssignmentNo,
        needs: Vec<Skill>,
    ) -> Result<Option<Self>> {
        let team = &orchestrator.team;
        let Some(work) = team.assignment(no) else { return Ok(None) };
        let Some(member) = team.member(work.to) else { return Ok(None) };
        let itself = agent(&orchestrator.hub, &member.invitee.identity).await?;
        let found = invite::search_candidates(orchestrator, &needs, itself).await?;
        Ok(Some(Self {
            itself: member.invitee.identity.clone(),
            needs,
            found,
            places: team.limits().max_members,
        }))
    }

    fn known(&self) -> &[formation::Candidate] {
        &self.found.by_rules
    }

    fn search(&self, orchestrator: &TeamOrchestrator, last_round: bool) -> CoverSearch<'_> {
        CoverSearch { needs: &self.needs, places: self.places, last_round, team: orchestrator.team.id() }
    }

    /// Builds the question for the model; `None` if there are no candidates.
    fn question(self, work: &str, by_rules: Option<Vec<Invitee>>) -> Option<DecisionPrompt> {
        let Self { itself, needs, mut found, places } = self;
        let key = itself.key();
        let own = found.candidates.iter().position(|candidate| candidate.identity.key() == key);
        let summary = own.and_then(|at| found.summaries.get(at)).cloned().unwrap_or_default();
        found.retain(|candidate| candidate.identity.key() != key);
        let places = places.saturating_sub(1);
        if found.candidates.is_empty() || places == 0 {
            return None;
        }
        let list = CandidateList::helping((&itself, &summary), work, &needs, places, found);
        Some(DecisionPrompt::Help { list, needs, itself, by_rules })
    }
}

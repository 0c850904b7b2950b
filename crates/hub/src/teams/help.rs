//! Decides whether a member does its assignment alone or with a subteam. The
//! owner, a model or the rules decide.

use plexus_domain::{
    Address, AgentId, Error as Refusal,
    team::{
        Author, Identity, WorkNo, WorkState,
        formation::{self, Search, Skill},
        member::Invitee,
    },
};

use plexus_store::agents;

use super::{
    conduct::Conductor,
    decide::{List, Matter, Question, Taken},
    invite::{self, Found},
    nest,
};
use crate::{Error, Hub, Result};

/// A member works alone if its assignment has fewer needs.
const FEWEST_NEEDS: usize = 2;

/// How an assignment is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Alone,
    ByTeam,
    /// Pending: a model decides.
    Open,
}

/// Decides how a new assignment is executed, and forms a subteam if needed.
pub(super) async fn consider(conductor: &mut Conductor, no: WorkNo) -> Result<Way> {
    let Some(work) = conductor.team.work_item(no) else { return Ok(Way::Alone) };
    let description = work.spec.description.to_string();
    let needs = conductor.team.needs_of(no);
    let is_new = work.state == WorkState::Offered && conductor.team.limits().depth > 0;
    if !is_new || needs.len() < FEWEST_NEEDS || conductor.alone.contains(&no) {
        return Ok(Way::Alone);
    }
    let matter = Matter::Help { work: no };
    let taken = conductor.decider.takes(&conductor.team, matter);
    if taken == Taken::Thinks {
        return Ok(Way::Open);
    }
    let Some(helpers) = Helpers::find(conductor, no, needs).await? else { return Ok(Way::Alone) };
    let by_rules =
        formation::alone_or_helped(helpers.search(conductor, false), &helpers.itself, helpers.known());
    if taken == Taken::Asks
        && let Some(question) = helpers.question(&description, by_rules.clone())
    {
        conductor.ask(matter, question);
        return Ok(Way::Open);
    }
    settle(conductor, no, by_rules).await
}

/// Applies the decision of the model or the rules. `None`: the member works alone.
pub(super) async fn decided(
    conductor: &mut Conductor,
    no: WorkNo,
    members: Option<Vec<Invitee>>,
) -> Result<()> {
    let is_new = conductor.team.work_item(no).is_some_and(|work| work.state == WorkState::Offered);
    if is_new { settle(conductor, no, members).await.map(drop) } else { Ok(()) }
}

async fn settle(conductor: &mut Conductor, no: WorkNo, members: Option<Vec<Invitee>>) -> Result<Way> {
    let by = conductor.team.work_item(no).map(|work| Author::Seat(work.to));
    let Some((by, members)) = by.zip(members) else {
        conductor.alone.insert(no);
        return Ok(Way::Alone);
    };
    match nest::form(conductor, by, no, members).await {
        Ok(()) => Ok(Way::ByTeam),
        Err(Error::Refused(refusal @ Refusal::Conflict { .. })) => {
            tracing::debug!(team = %conductor.team.id(), %refusal, "a member works alone");
            conductor.alone.insert(no);
            Ok(Way::Alone)
        }
        Err(error) => Err(error),
    }
}

/// Forms a subteam for the owner: of the assignment's member and those named, or those that the hub finds.
pub(super) async fn nest(conductor: &mut Conductor, no: WorkNo, named: Vec<Address>) -> Result<()> {
    let missing = || Refusal::not_found("There is no such piece of work.");
    let nobody = || {
        Refusal::conflict(
            "The hub found nobody who could help with this. Name members, or leave it to whoever has it.",
        )
    };
    let needs = conductor.team.needs_of(no);
    let helpers = Helpers::find(conductor, no, needs).await?.ok_or_else(missing)?;
    let itself = helpers.itself.clone();
    let members = if named.is_empty() {
        let search = helpers.search(conductor, true);
        formation::helped(search, &itself, helpers.known()).ok_or_else(nobody)?
    } else {
        let named = named.into_iter().map(|address| Identity::Agent { address });
        let others = named.filter(|identity| identity.key() != itself.key());
        let all = std::iter::once(itself.clone()).chain(others);
        all.map(|identity| Invitee { identity, roles: Vec::new(), key: None }).collect()
    };
    nest::form(conductor, Author::Owner, no, members).await
}

/// Returns the id of a member's agent.
async fn agent(hub: &Hub, identity: &Identity) -> Result<Option<AgentId>> {
    let Identity::Agent { address } = identity else { return Ok(None) };
    let found = agents::at(&mut hub.store().read().await?, address).await?;
    Ok(found.map(|agent| agent.id))
}

/// Member with an assignment, and its helper candidates.
struct Helpers {
    itself: Identity,
    needs: Vec<Skill>,
    found: Found,
    /// Maximum size of the subteam, including the member.
    places: u16,
}

impl Helpers {
    async fn find(conductor: &Conductor, no: WorkNo, needs: Vec<Skill>) -> Result<Option<Self>> {
        let team = &conductor.team;
        let Some(work) = team.work_item(no) else { return Ok(None) };
        let Some(member) = team.member(work.to) else { return Ok(None) };
        let itself = agent(&conductor.hub, &member.invitee.identity).await?;
        let found = invite::found(&conductor.hub, &conductor.asker, &needs, itself).await?;
        Ok(Some(Self {
            itself: member.invitee.identity.clone(),
            needs,
            found,
            places: team.limits().members,
        }))
    }

    fn known(&self) -> &[formation::Candidate] {
        &self.found.candidates
    }

    fn search(&self, conductor: &Conductor, last_round: bool) -> Search<'_> {
        Search { needs: &self.needs, places: self.places, last_round, team: conductor.team.id() }
    }

    /// Builds the question for the model; `None` if there are no candidates.
    fn question(self, work: &str, by_rules: Option<Vec<Invitee>>) -> Option<Question> {
        let Self { itself, needs, mut found, places } = self;
        let key = itself.key();
        let own = found.candidates.iter().position(|candidate| candidate.identity.key() == key);
        let summary = own.and_then(|at| found.summaries.get(at)).cloned().unwrap_or_default();
        found.retain(|candidate| candidate.identity.key() != key);
        let places = places.saturating_sub(1);
        if found.candidates.is_empty() || places == 0 {
            return None;
        }
        let list = List::helping((&itself, &summary), work, &needs, places, found);
        Some(Question::Help { list, needs, itself, by_rules })
    }
}

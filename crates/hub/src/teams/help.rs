//! Asking a model whether a member works alone.

use plexus_domain::team::{
    WorkNo, WorkState,
    formation::{self, Search},
};

use super::{
    conduct::Conductor,
    decide::{List, Matter, Question, Taken},
    invite,
    nest::FEWEST_NEEDS,
};
use crate::Result;

/// Whether a model thinks about it. False where there is nothing to think about, or where the rules decide.
pub(super) async fn is_thought_about(conductor: &mut Conductor, no: WorkNo) -> Result<bool> {
    let matter = Matter::Helpers(no);
    let taken = conductor.decider.takes(&conductor.team, matter);
    let team = &conductor.team;
    let Some(work) = team.work_item(no) else { return Ok(false) };
    let Some(member) = team.member(work.to) else { return Ok(false) };
    let needs = team.needs_of(no);
    let is_new = work.state == WorkState::Offered && team.limits().depth > 0;
    if !is_new || needs.len() < FEWEST_NEEDS || conductor.alone.contains(&no) {
        return Ok(false);
    }
    if taken != Taken::Asks {
        return Ok(taken == Taken::Thinks);
    }
    let (title, goal) = (work.spec.title.to_string(), work.spec.description.to_string());
    let (itself, places) = (member.invitee.identity.clone(), team.limits().members);
    let mut found = invite::found(&conductor.hub, &conductor.asker, &needs, &title).await?;
    let search = Search { needs: &needs, places, last_round: false, team: conductor.team.id() };
    let by_rules = formation::alone_or_helped(search, &itself, &found.candidates);
    found.retain(|candidate| candidate.identity.key() != itself.key());
    if found.candidates.is_empty() {
        return Ok(false);
    }
    let list = List::new(&goal, &needs, places.saturating_sub(1), found);
    conductor.ask(matter, Question::helpers(list, itself, needs, by_rules));
    Ok(true)
}

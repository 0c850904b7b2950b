//! Applies a decision to the team's log, if it is still needed.

use plexus_domain::{
    run::Usage,
    team::{Author, Event, Phase},
};

use super::{
    conduct::Conductor,
    decide::{Choice, Decision, Matter},
    help, invite, speak,
};
use crate::Result;

/// Records the usage of the decision, then its result.
pub(super) async fn take(conductor: &mut Conductor, decision: Decision) -> Result<()> {
    let Decision { matter, choice, usage } = decision;
    if usage != Usage::default() {
        conductor.note(Author::Home, Event::Decided { usage }).await?;
    }
    match (matter, choice) {
        (Matter::Members { round }, Choice::Members(members)) => match *conductor.team.phase() {
            Phase::Forming { round: now } if now == round => invite::invite(conductor, members).await,
            _ => Ok(()),
        },
        (Matter::Speech { seat, turn }, Choice::Speech(chosen)) => {
            speak::decided(conductor, seat, turn, chosen).await
        }
        (Matter::Help { work }, Choice::Help(members)) => help::decided(conductor, work, members).await,
        (Matter::Members { .. } | Matter::Speech { .. } | Matter::Help { .. }, _) => Ok(()),
    }
}

//! What is made of a choice: entries of the log, as far as the team still waits for it.

use plexus_domain::{
    Error as Refusal,
    run::Usage,
    team::{Author, Event, Phase, WorkNo, WorkState, member::Invitee},
};

use super::{
    conduct::Conductor,
    decide::{Choice, Decision, Matter},
    invite, nest, speak,
};
use crate::{Error, Result};

/// Writes down what the choice took, and then what was chosen.
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
        (Matter::Helpers(no), Choice::Helped(members)) => help(conductor, no, members).await,
        (Matter::Helpers(no), _) => {
            conductor.alone.insert(no);
            Ok(())
        }
        (Matter::Members { .. } | Matter::Speech { .. }, _) => Ok(()),
    }
}

async fn help(conductor: &mut Conductor, no: WorkNo, members: Vec<Invitee>) -> Result<()> {
    let Some(work) = conductor.team.work_item(no).filter(|work| work.state == WorkState::Offered) else {
        return Ok(());
    };
    let by = Author::Seat(work.to);
    match nest::form(conductor, by, no, members).await {
        Err(Error::Refused(refusal @ Refusal::Conflict { .. })) => {
            tracing::debug!(team = %conductor.team.id(), %refusal, "a member works alone");
            conductor.alone.insert(no);
            Ok(())
        }
        done => done,
    }
}

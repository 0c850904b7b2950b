//! Commands of a team's owner to the running team.

use plexus_domain::{
    Address, ChatId, Error as Refusal, MessageId,
    run::Usage,
    team::{
        Author, Event, Identity, Note, Seat, Words, WorkNo,
        member::Invitee,
        work::{End, Report},
    },
};

use super::{elsewhere, look, room::Wish};
use crate::{
    Caller, Hub, Result,
    caller::{Asker, Scope},
    chats,
    limits::Rate,
    quotas,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Cancels the team and all its assignments.
    Cancel {
        reason: String,
    },
    /// Sends a message to all members. The speaker stays the same.
    Remark {
        text: String,
    },
    /// Skips the current speaker.
    Skip,
    GiveFloor {
        to: Seat,
    },
    /// Suspends a member: it neither speaks nor gets new assignments.
    Hold {
        seat: Seat,
    },
    Resume {
        seat: Seat,
    },
    /// Removes a member.
    Dismiss {
        seat: Seat,
    },
    Invite {
        address: Address,
    },
    /// Cancels one assignment.
    Stop {
        work: WorkNo,
    },
    /// Has an assignment done by a subteam of its member and these. If none are
    /// named, the hub searches for helpers.
    Nest {
        work: WorkNo,
        members: Vec<Address>,
    },
    /// Completes one assignment with a result written by the owner.
    TakeOver {
        work: WorkNo,
        text: String,
    },
    /// Answers a member's question about its assignment.
    Answer {
        work: WorkNo,
        text: String,
    },
}

impl Act {
    /// Returns whether the command adds text to the team log, which counts towards the quota.
    const fn says_something(&self) -> bool {
        matches!(self, Self::Remark { .. } | Self::TakeOver { .. } | Self::Answer { .. } | Self::Nest { .. })
    }
}

/// Executes a command. Returns after the orchestrator has applied or rejected it.
pub async fn act(hub: &Hub, caller: &Caller, team: ChatId, act: Act) -> Result<()> {
    let person = caller.may(Scope::Team)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let mut conn = hub.store().read().await?;
    chats::membership_or(&mut conn, person, team, look::gone).await?;
    if act.says_something() {
        quotas::check_bytes(hub, &mut conn, &Asker::from(person), &[]).await?;
    }
    drop(conn);
    let wish = wish(hub, team, act).await?;
    elsewhere::ask(hub, team, wish).await
}

async fn wish(hub: &Hub, team: ChatId, act: Act) -> Result<Wish> {
    let event = match act {
        Act::Nest { work, members } => return Ok(Wish::Nest { work, members }),
        Act::Cancel { reason } => Event::Cancelled { reason: note(&reason, "It was cancelled.")? },
        Act::Remark { text } => Event::Remarked { message: hub.env().id(MessageId::new), text: words(text)? },
        Act::Skip => Event::Skipped { turn: look::turn(hub, team).await? },
        Act::GiveFloor { to } => Event::FloorGiven { to },
        Act::Hold { seat } => Event::Held { seat },
        Act::Resume { seat } => Event::Resumed { seat },
        Act::Dismiss { seat } => Event::Left { seat, reason: note("", "The owner sent it away.")? },
        Act::Invite { address } => {
            let identity = Identity::Agent { address };
            Event::Invited { members: vec![Invitee { identity, roles: Vec::new(), key: None }] }
        }
        Act::Stop { work } => Event::Stopped { work },
        Act::TakeOver { work, text } => {
            let report =
                Report { end: End::Completed, text: Some(words(text)?), usage: Usage::default(), hops: 0 };
            Event::Reported { work, report }
        }
        Act::Answer { work, text } => Event::Answered { work, answer: words(text)? },
    };
    Ok(Wish::Event(Author::Owner, event))
}

fn words(text: String) -> Result<Words, Refusal> {
    Words::try_from(text).map_err(|_| Refusal::invalid("text", "Write 1 to 16,000 characters."))
}

fn note(given: &str, or: &str) -> Result<Note, Refusal> {
    let text = if given.trim().is_empty() { or } else { given };
    Note::try_from(text.to_owned()).map_err(|_| Refusal::invalid("reason", "Write at most 500 characters."))
}

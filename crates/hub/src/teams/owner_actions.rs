//! Commands of a team's owner to the running team.

use plexus_domain::{
    Address, ChatId, Error as Refusal, MessageId,
    run::Usage,
    team::{
        AssignmentNo, LongText, MemberIdentity, Seat, ShortText, TeamActor, TeamEvent,
        assignment::{AssignmentOutcome, AssignmentReport},
        member::Invitee,
    },
};

use super::{mailbox::TeamCommand, remote_commands, view};
use crate::{
    Caller, Hub, Result,
    caller::{Requester, Scope},
    chats,
    limits::Rate,
    quotas,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerAction {
    /// Cancels the team and all its assignments.
    CancelTeam {
        reason: String,
    },
    /// Sends a message to all members. The speaker stays the same.
    Message {
        text: String,
    },
    /// Skips the turn of the current speaker.
    SkipTurn,
    SetSpeaker {
        seat: Seat,
    },
    /// Pauses a member: it neither speaks nor gets new assignments.
    PauseMember {
        seat: Seat,
    },
    ResumeMember {
        seat: Seat,
    },
    RemoveMember {
        seat: Seat,
    },
    InviteMember {
        address: Address,
    },
    CancelAssignment {
        assignment: AssignmentNo,
    },
    /// Has an assignment done by a subteam of its member and these. If none are
    /// named, the hub searches for helpers.
    FormSubteam {
        assignment: AssignmentNo,
        members: Vec<Address>,
    },
    /// Completes one assignment with a result written by the owner.
    CompleteAssignment {
        assignment: AssignmentNo,
        text: String,
    },
    /// Answers a member's question about its assignment.
    Answer {
        assignment: AssignmentNo,
        text: String,
    },
}

impl OwnerAction {
    /// Returns whether the command adds text to the team log, which counts towards the quota.
    const fn says_something(&self) -> bool {
        matches!(
            self,
            Self::Message { .. }
                | Self::CompleteAssignment { .. }
                | Self::Answer { .. }
                | Self::FormSubteam { .. }
        )
    }
}

/// Executes a command. Returns after the orchestrator has applied or rejected it.
pub async fn act(hub: &Hub, caller: &Caller, team: ChatId, act: OwnerAction) -> Result<()> {
    let person = caller.may(Scope::Team)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    let mut conn = hub.store().read().await?;
    chats::membership_or(&mut conn, person, team, view::gone).await?;
    if act.says_something() {
        quotas::check_bytes(hub, &mut conn, &Requester::from(person), &[]).await?;
    }
    drop(conn);
    let command = command(hub, team, act).await?;
    remote_commands::send_command(hub, team, command).await
}

async fn command(hub: &Hub, team: ChatId, act: OwnerAction) -> Result<TeamCommand> {
    let event = match act {
        OwnerAction::FormSubteam { assignment, members } => {
            return Ok(TeamCommand::FormSubteam { assignment, members });
        }
        OwnerAction::CancelTeam { reason } => {
            TeamEvent::Cancelled { reason: note(&reason, "It was cancelled.")? }
        }
        OwnerAction::Message { text } => {
            TeamEvent::MessageSent { message: hub.env().id(MessageId::new), text: words(text)? }
        }
        OwnerAction::SkipTurn => TeamEvent::TurnSkipped { turn: view::turn(hub, team).await? },
        OwnerAction::SetSpeaker { seat } => TeamEvent::SpeakerSet { seat },
        OwnerAction::PauseMember { seat } => TeamEvent::Paused { seat },
        OwnerAction::ResumeMember { seat } => TeamEvent::Resumed { seat },
        OwnerAction::RemoveMember { seat } => {
            TeamEvent::Left { seat, reason: note("", "The owner removed the member.")? }
        }
        OwnerAction::InviteMember { address } => {
            let identity = MemberIdentity::Agent { address };
            TeamEvent::Invited { members: vec![Invitee { identity, roles: Vec::new(), key: None }] }
        }
        OwnerAction::CancelAssignment { assignment } => TeamEvent::AssignmentCancelled { assignment },
        OwnerAction::CompleteAssignment { assignment, text } => {
            let report = AssignmentReport {
                end: AssignmentOutcome::Completed,
                text: Some(words(text)?),
                usage: Usage::default(),
                subteam_assignments: 0,
            };
            TeamEvent::Reported { assignment, report }
        }
        OwnerAction::Answer { assignment, text } => TeamEvent::Answered { assignment, answer: words(text)? },
    };
    Ok(TeamCommand::Event(TeamActor::Owner, event))
}

fn words(text: String) -> Result<LongText, Refusal> {
    LongText::try_from(text).map_err(|_| Refusal::invalid("text", "Write 1 to 16,000 characters."))
}

fn note(given: &str, or: &str) -> Result<ShortText, Refusal> {
    let text = if given.trim().is_empty() { or } else { given };
    ShortText::try_from(text.to_owned())
        .map_err(|_| Refusal::invalid("reason", "Write at most 500 characters."))
}

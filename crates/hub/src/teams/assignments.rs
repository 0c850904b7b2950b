//! Runs for assignments, started by the hub on behalf of the user who launched the team.

use std::collections::HashMap;

use plexus_domain::{
    Address, CallOptions, Error as Refusal, MessageId, Part, RunId, RunState,
    agent::Connector,
    part::plain_text,
    run::Usage,
    team::{
        Assignment, AssignmentNo, AssignmentPrompt, AssignmentState, LongText, MemberIdentity, Team,
        TeamActor, TeamEvent,
        assignment::{AssignmentOutcome, AssignmentReport},
    },
};
use plexus_store::{Conn, agent_versions, messages, runs as rows, runs::Origin};

use super::{active_runs::RunPurpose, input_files, invite, orchestrator::TeamOrchestrator};
use crate::{
    Error, Hub, Result, accounts, agents, calls,
    chats::post_message::{PostMessage, lock, post_message},
};

/// Result of a run.
pub(super) enum RunResult {
    Done { answer: Vec<Part>, usage: Usage },
    Asks { answer: Vec<Part>, usage: Usage },
    Failed { why: String, usage: Usage },
    Rejected { why: String, usage: Usage },
    Stopped { usage: Usage },
}

impl RunResult {
    pub const fn usage(&self) -> Usage {
        match self {
            Self::Done { usage, .. }
            | Self::Asks { usage, .. }
            | Self::Failed { usage, .. }
            | Self::Rejected { usage, .. }
            | Self::Stopped { usage } => *usage,
        }
    }

    /// Returns the answer; empty if there is none.
    pub fn answer(&self) -> &[Part] {
        match self {
            Self::Done { answer, .. } | Self::Asks { answer, .. } => answer,
            Self::Failed { .. } | Self::Rejected { .. } | Self::Stopped { .. } => &[],
        }
    }
}

/// Result of starting a run.
pub(super) enum StartOutcome {
    Run(RunId),
    /// Retry later: store error, or no free run slots for the account.
    Later,
    /// The agent does not accept requests of this user, with the reason.
    Never(String),
}

/// Starts the run for an assignment. Returns false to retry later.
pub(super) async fn begin(orchestrator: &mut TeamOrchestrator, no: AssignmentNo) -> Result<bool> {
    let work = orchestrator.team.assignment(no).cloned();
    let Some((work, prompt)) = work.zip(orchestrator.team.assignment_prompt(no)) else { return Ok(true) };
    let Some(member) = orchestrator.team.member(work.to) else { return Ok(true) };
    let MemberIdentity::Agent { address } = member.invitee.identity.clone() else { return Ok(true) };
    let by = TeamActor::Seat(work.to);
    let brought =
        input_files::collect_input_files(&orchestrator.hub, &orchestrator.team, &work.spec.inputs).await?;
    let context = prompt
        .context
        .map(|context| Part { name: Some(AssignmentPrompt::CONTEXT_NAME.to_owned()), ..Part::text(context) });
    let parts = std::iter::once(Part::text(prompt.words)).chain(context).chain(brought).collect();
    let message = TeamMessage {
        title: work.spec.title.to_string(),
        parts,
        follows: answer_to(orchestrator, no, &work),
    };
    match send_message(orchestrator, &address, message).await? {
        StartOutcome::Run(run) => {
            orchestrator.doing.insert(run, RunPurpose::Work(no));
            if work.state == AssignmentState::Offered {
                orchestrator.propose_lenient(by, TeamEvent::Started { assignment: no }).await?;
            }
            Ok(true)
        }
        StartOutcome::Later => Ok(false),
        StartOutcome::Never(why) => {
            let report = AssignmentReport {
                end: AssignmentOutcome::Failed,
                text: LongText::truncate(&why),
                usage: Usage::default(),
                subteam_assignments: 0,
            };
            orchestrator
                .propose_lenient(by, TeamEvent::Reported { assignment: no, report })
                .await
                .map(|()| true)
        }
    }
}

/// Message to a member.
pub(super) struct TeamMessage {
    /// Title for readers of the chat.
    pub title: String,
    pub parts: Vec<Part>,
    pub follows: Option<ContinuedRun>,
}

/// Earlier run that a message continues.
pub(super) struct ContinuedRun {
    pub run: RunId,
    /// Short message for a run that still waits for this answer, since it knows the rest.
    pub answer: Option<String>,
}

/// Returns the answer to a member's last question, if the run that asked it is known.
fn answer_to(orchestrator: &TeamOrchestrator, no: AssignmentNo, work: &Assignment) -> Option<ContinuedRun> {
    let AssignmentState::Answered(words) = &work.state else { return None };
    orchestrator.asked.get(&no).map(|&run| ContinuedRun { run, answer: Some(words.to_string()) })
}

/// Finds the runs with unanswered questions after a takeover from another instance. Agent and title
/// identify the assignment. A question that was answered in the log is skipped: its run may have
/// resumed and asked again since.
pub(super) async fn find_open_questions(
    conn: &mut Conn,
    team: &Team,
) -> Result<HashMap<AssignmentNo, RunId>> {
    let asks = |work: &Assignment| matches!(work.state, AssignmentState::Asking(_));
    let asking: Vec<(AssignmentNo, &Assignment)> =
        team.open_assignments().filter(|(_, work)| asks(work)).collect();
    let mut asked = HashMap::new();
    if asking.is_empty() {
        return Ok(asked);
    }
    let runs = rows::list_by_chat(conn, team.id()).await?.into_iter().rev();
    for run in runs.filter(|run| run.state == RunState::InputRequired) {
        let Some(about) = AssignmentRef::read(conn, &run).await? else { continue };
        let is_its =
            |(no, work): &&(AssignmentNo, &Assignment)| about.is(team, work) && !asked.contains_key(no);
        if let Some((no, _)) = asking.iter().find(is_its) {
            asked.insert(*no, run.id);
        }
    }
    Ok(asked)
}

/// Identifies the assignment of a run, since the log does not contain run ids.
pub(super) struct AssignmentRef {
    agent: Address,
    /// Title of the message that started it.
    title: String,
}

impl AssignmentRef {
    pub async fn read(conn: &mut Conn, run: &rows::Run) -> Result<Option<Self>> {
        let Some(agent) = plexus_store::agents::find(conn, run.agent).await? else { return Ok(None) };
        let title = question(conn, run.id).await?.into_iter().next().and_then(|part| part.name);
        Ok(title.map(|title| Self { agent: agent.address(), title }))
    }

    pub fn is(&self, team: &Team, work: &Assignment) -> bool {
        let member = team.member(work.to).map(|member| &member.invitee.identity);
        let is_theirs = member == Some(&MemberIdentity::Agent { address: self.agent.clone() });
        is_theirs && work.spec.title.as_str() == self.title
    }
}

/// Sends a message to an agent as a separate thread of the team chat. The agent sees only that message and
/// its own answer in the continued run.
pub(super) async fn send_message(
    orchestrator: &TeamOrchestrator,
    address: &Address,
    message: TeamMessage,
) -> Result<StartOutcome> {
    match try_ask(orchestrator, address, message).await {
        Ok(run) => Ok(StartOutcome::Run(run)),
        Err(Error::Refused(Refusal::RateLimited { .. } | Refusal::Unavailable { .. })) => {
            Ok(StartOutcome::Later)
        }
        Err(Error::Refused(refusal)) => Ok(StartOutcome::Never(refusal.to_string())),
        Err(fault) => Err(fault),
    }
}

async fn try_ask(orchestrator: &TeamOrchestrator, address: &Address, message: TeamMessage) -> Result<RunId> {
    let hub = &orchestrator.hub;
    let mut tx = hub.store().write().await?;
    // Re-check: the account may have been suspended or lost permissions since the launch.
    let gone = || Refusal::forbidden("The owner of this team can no longer use this hub.");
    let requester =
        &accounts::requester(&mut tx, orchestrator.requester.principal).await?.ok_or_else(gone)?;
    let reached = agents::resolve_callable(&mut tx, requester, address).await?;
    let chat = lock(&mut tx, orchestrator.team.id()).await?;
    let tree = messages::list_by_chat(&mut tx, chat.id).await?;
    let TeamMessage { title, parts, follows } = message;
    let mut parts = calls::acceptable_to(&mut tx, &reached, parts).await?;
    let followed = follows.as_ref().map(|follows| follows.run);
    let continues = match followed {
        Some(run) => rows::find(&mut tx, run).await?.filter(|run| run.state.is_waiting()),
        None => None,
    };
    if let (Some(_), Some(answer)) = (&continues, follows.and_then(|follows| follows.answer)) {
        parts = vec![Part::text(answer)];
    }
    let parent = tree.iter().rev().find(|header| followed.is_some() && header.run == followed);
    if let Some(first) = parts.first_mut() {
        first.name = Some(title);
    }
    let post = PostMessage {
        chat: &chat,
        tree: &tree,
        parent: parent.map(|header| header.id),
        id: hub.env().id(MessageId::new),
        parts: &parts,
        attributes: None,
        origin: Origin::Team,
        continues,
        until: Some(orchestrator.team.hard_deadline()),
        options: CallOptions::default(),
        is_withheld: false,
    };
    let said = post_message(hub, &mut tx, requester, post, std::slice::from_ref(&reached)).await?;
    let run = said.runs().first().copied();
    said.commit_and_start(hub, requester, tx).await?;
    run.ok_or_else(|| Error::Fault(anyhow::anyhow!("a message to an agent began no run")))
}

/// Returns the result of a run; `None` while it is active.
pub(super) async fn run_result(hub: &Hub, run: RunId) -> Result<Option<RunResult>> {
    let mut conn = hub.store().read().await?;
    let Some(found) = rows::find(&mut conn, run).await? else {
        return Ok(Some(RunResult::Failed {
            why: "The run was not found.".to_owned(),
            usage: Usage::default(),
        }));
    };
    let answer = answer(&mut conn, run).await?;
    let usage = usage(&mut conn, &found, &answer).await?;
    let why = || found.error.clone().unwrap_or_else(|| "It gave no reason.".to_owned());
    Ok(Some(match found.state {
        RunState::Completed => RunResult::Done { answer, usage },
        RunState::InputRequired => RunResult::Asks { answer, usage },
        RunState::AuthRequired => {
            RunResult::Failed { why: "It requires credentials that the hub does not have.".to_owned(), usage }
        }
        RunState::Failed => RunResult::Failed { why: why(), usage },
        RunState::Rejected => RunResult::Rejected { why: why(), usage },
        RunState::Stopped => RunResult::Stopped { usage },
        RunState::Queued | RunState::Working => return Ok(None),
    }))
}

/// Returns the usage of a run. If its agent reports no tokens, they are estimated from the question and the answer, so
/// that the token limit of a team bounds such agents too. Built-in agents use none.
async fn usage(conn: &mut Conn, run: &rows::Run, answer: &[Part]) -> Result<Usage> {
    let reported = run.usage();
    let version = agent_versions::find(conn, run.version).await?;
    let is_builtin = version.is_some_and(|version| matches!(version.connector, Connector::Builtin { .. }));
    if reported.tokens() > 0 || is_builtin {
        return Ok(reported);
    }
    let asked = question(conn, run.id).await?;
    let estimate = Usage::estimate(plain_text(&asked).len(), plain_text(answer).len());
    Ok(Usage { cost_micro: reported.cost_micro, ..estimate })
}

/// Returns the message that started a run; empty if it is gone.
async fn question(conn: &mut Conn, run: RunId) -> Result<Vec<Part>> {
    let answers = messages::list_by_run(conn, run).await?;
    let question: Vec<MessageId> = answers.first().and_then(|header| header.parent).into_iter().collect();
    let message = messages::load(conn, &question).await?.pop();
    Ok(message.map(|message| message.parts).unwrap_or_default())
}

/// Returns the last answer of a run.
pub(super) async fn answer(conn: &mut Conn, run: RunId) -> Result<Vec<Part>> {
    let last = messages::list_by_run(conn, run).await?.last().map(|header| header.id);
    let message = messages::load(conn, last.as_slice()).await?.pop();
    Ok(message.map(|message| message.parts).unwrap_or_default())
}

/// Records the result of an assignment in the log.
pub(super) async fn report_assignment(
    orchestrator: &mut TeamOrchestrator,
    no: AssignmentNo,
    run: RunId,
    came: RunResult,
) -> Result<()> {
    let Some(work) = orchestrator.team.assignment(no) else { return Ok(()) };
    let by = TeamActor::Seat(work.to);
    let usage = came.usage();
    if matches!(came, RunResult::Failed { .. } | RunResult::Rejected { .. }) {
        invite::invite_replacement(orchestrator, no).await?;
    }
    let (end, text) = match came {
        RunResult::Asks { answer, .. } => {
            orchestrator.asked.insert(no, run);
            let question = LongText::truncate(&plain_text(&answer))
                .or_else(|| LongText::truncate("It asked an empty question."));
            let Some(question) = question else { return Ok(()) };
            return orchestrator.propose_lenient(by, TeamEvent::Asked { assignment: no, question }).await;
        }
        RunResult::Done { answer, .. } => {
            (AssignmentOutcome::Completed, LongText::truncate(&plain_text(&answer)))
        }
        RunResult::Failed { why, .. } => (AssignmentOutcome::Failed, LongText::truncate(&why)),
        RunResult::Rejected { why, .. } => (AssignmentOutcome::Rejected, LongText::truncate(&why)),
        RunResult::Stopped { .. } => (AssignmentOutcome::Cancelled, LongText::truncate("It was stopped.")),
    };
    orchestrator
        .propose_lenient(
            by,
            TeamEvent::Reported {
                assignment: no,
                report: AssignmentReport { end, text, usage, subteam_assignments: 0 },
            },
        )
        .await
}

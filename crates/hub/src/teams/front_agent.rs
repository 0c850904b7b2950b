//! The hub's own A2A agent, which forms teams for clients: a message with a goal launches a team, its
//! progress is streamed, and its conclusion is the answer.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use plexus_domain::{
    ChatId, Error as Refusal, MessageId, Part, PartBody, RunId,
    agent::{Builtin, Connector as Kind},
    part::plain_text,
    run::{Failure, FailureClass},
    team::{CONCLUDING_GRACE, ShortText, TeamActor, TeamEvent, TeamLimits},
};
use plexus_runtime::{Connector, Output, RemoteConversation, RunEnd, RunRequest, builtin::Guide};
use plexus_store::{
    messages,
    runs::{self, Origin},
};
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    LaunchRequest, MemberMatch, ProgressReporter, launch, mailbox::TeamCommand, member_resolution, report,
    subscribe::TeamWatch,
};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Requester, Scope},
    directory,
    runs::RunJob,
};

/// Start of a text message that requests a team.
const PHRASE: &str = "form a team";
/// Poll interval for a team without notifications.
const POLL_INTERVAL: Duration = Duration::from_secs(15);
/// Retry interval after a store error.
const PAUSE: Duration = Duration::from_secs(2);
/// Time by which a team ends before the deadline of the run that waits for it.
const MARGIN: Duration = Duration::from_secs(10);

/// Data part of a message that requests a team.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct TeamRequestData {
    goal: String,
    /// Addresses, or names as resolved by [`super::resolve`].
    #[serde(default)]
    members: Vec<String>,
}

impl TeamRequestData {
    /// Parses a team request; `None` if the message requests something else.
    fn of(parts: &[Part]) -> Result<Option<Self>, Refusal> {
        let data = parts.iter().find_map(|part| match &part.content {
            PartBody::Data { data } if data.get("goal").is_some() => Some(data),
            _ => None,
        });
        if let Some(data) = data {
            return Self::deserialize(data).map(Some).map_err(|error| {
                let words = "A team is asked for with {\"goal\": text, \"members\": [addresses]}";
                Refusal::invalid("message.parts", format!("{words}: {error}."))
            });
        }
        let text = plain_text(parts);
        let goal = in_words(&text);
        Ok(goal.map(|goal| Self { goal: goal.to_owned(), members: Vec::new() }))
    }
}

/// Extracts the goal from text such as "Form a team to find the tide times".
fn in_words(text: &str) -> Option<&str> {
    let text = text.trim();
    let (phrase, rest) = text.split_at_checked(PHRASE.len())?;
    if !phrase.eq_ignore_ascii_case(PHRASE) || rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let goal = rest.trim_start_matches([':', ',']).trim_start();
    Some(goal.strip_prefix("to ").unwrap_or(goal))
}

/// Fails if the message requests a team and the caller may not launch one. Other messages need no permission.
pub(crate) fn ensure_may_launch(
    caller: &Caller,
    kind: &Kind,
    origin: Origin,
    parts: &[Part],
) -> Result<(), Refusal> {
    let is_asked = matches!(kind, Kind::Builtin { program: Builtin::Guide }) && origin == Origin::A2a;
    if is_asked && TeamRequestData::of(parts)?.is_some() {
        caller.may(Scope::Team)?;
    }
    Ok(())
}

/// The hub's own agent: searches for agents, and forms teams for clients with that permission.
struct FrontAgent {
    hub: Hub,
    guide: Guide,
    requester: Requester,
    run: RunId,
    question: MessageId,
}

impl FrontAgent {
    /// Returns the team request of the run's message. Only messages received over A2A can request a team,
    /// since only those were authorized by [`ensure_may_launch`]. This reads the same stored message as that check.
    async fn wanted(&self) -> Result<Option<(TeamRequestData, &Person)>> {
        let Some(person) = self.requester.person.as_ref() else { return Ok(None) };
        let mut conn = self.hub.store().snapshot().await?;
        let run = runs::find(&mut conn, self.run).await?;
        if run.is_none_or(|run| run.origin != Origin::A2a) {
            return Ok(None);
        }
        let asked = messages::load(&mut conn, &[self.question]).await?;
        let parts = asked.first().map(|message| message.parts.as_slice()).unwrap_or_default();
        Ok(TeamRequestData::of(parts)?.map(|wanted| (wanted, person)))
    }

    /// Launches the team. The run's dependency on it is stored in the same transaction.
    async fn launch(&self, wanted: TeamRequestData, person: &Person, whole: Duration) -> Result<ChatId> {
        let members = match member_resolution::resolve_for(&self.hub, person, &wanted.members).await? {
            MemberMatch::All(members) => members,
            MemberMatch::Ambiguous { name, candidates } => {
                let candidates: Vec<String> = candidates.iter().map(ToString::to_string).collect();
                let words = format!("Several agents are called {name}: {}.", candidates.join(", "));
                return Err(Refusal::invalid("members", words).into());
            }
        };
        let or = TeamLimits::default();
        let whole = whole.saturating_sub(CONCLUDING_GRACE + MARGIN).as_millis();
        let time_ms = or.time_ms.min(u64::try_from(whole).unwrap_or(u64::MAX));
        let launch =
            LaunchRequest { members, limits: TeamLimits { time_ms, ..or }, ..LaunchRequest::of(wanted.goal) };
        launch::launch_for(&self.hub, person, launch, Some(self.run)).await
    }

    /// Streams the progress until the team has ended. Store errors are retried.
    async fn follow(&self, team: ChatId, output: &mut dyn Output) -> Result<RunEnd, Failure> {
        output.remote(RemoteConversation { task: Some(team.to_string()), context: None });
        let url = format!("{}teams/{team}", self.hub.config().public_url);
        output.part(PartBody::Data { data: json!({ "team": team, "url": url }) }.into())?;
        let mut watch = TeamWatch::begin(&self.hub, team).await.map_err(said)?;
        let mut steps = ProgressReporter::default();
        loop {
            let view = match watch.next(POLL_INTERVAL).await {
                Ok(Some(view)) => view,
                Ok(None) => continue,
                Err(Error::Refused(refusal)) => return Err(said(refusal.into())),
                Err(error) => {
                    tracing::warn!(%team, %error, "team view could not be read; will retry");
                    sleep(PAUSE).await;
                    continue;
                }
            };
            for step in steps.since(&view) {
                output.artifact_text("progress", Some("Progress"), &format!("{step}\n"))?;
            }
            match (&view.answer, &view.failure) {
                (Some(answer), _) => {
                    output.text(answer)?;
                    for part in self.files(team).await.map_err(said)? {
                        output.part(part)?;
                    }
                    return Ok(RunEnd::Completed);
                }
                (None, Some(why)) => return Err(Failure::new(FailureClass::Refused, why.clone())),
                (None, None) => {}
            }
        }
    }

    /// Returns the files and links of the team.
    async fn files(&self, team: ChatId) -> Result<Vec<Part>> {
        let found = report::artifacts(&mut self.hub.store().read().await?, team).await?;
        Ok(found.into_iter().map(|artifact| Part { artifact: None, ..artifact.part }).collect())
    }

    /// Cancels a team whose run has ended. When the hub shuts down, the team is left running: team and
    /// task resume after the restart.
    async fn stop(&self, team: ChatId, why: &str) {
        if self.hub.is_shutting_down() {
            return;
        }
        let Some(reason) = ShortText::truncate(why) else { return };
        let cancelled = self
            .hub
            .teams()
            .send(team, TeamCommand::Event(TeamActor::Owner, TeamEvent::Cancelled { reason }));
        if let Err(error) = cancelled.await {
            tracing::debug!(%team, %error, "team cancellation ignored: the team has already ended");
        }
    }
}

#[async_trait]
impl Connector for FrontAgent {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let Some((wanted, person)) = self.wanted().await.map_err(said)? else {
            return self.guide.run(request, output, stop).await;
        };
        let team = match formed(&request) {
            Some(team) => team,
            None => self.launch(wanted, person, request.limits.whole).await.map_err(said)?,
        };
        // Release the run slot while waiting: the team's runs need the slots of the same account (deadlock).
        self.hub.run_registry().yield_slot(self.run);
        let end = stop.run_until_cancelled(self.follow(team, output)).await;
        match &end {
            Some(Ok(_)) => {}
            Some(Err(_)) => self.stop(team, "The parent task failed.").await,
            None => self.stop(team, "The caller cancelled the task.").await,
        }
        end.unwrap_or(Ok(RunEnd::Stopped))
    }
}

/// Returns the team that was formed before a restart of the hub.
fn formed(request: &RunRequest) -> Option<ChatId> {
    request.remote.as_ref()?.task.as_ref()?.parse().ok()
}

fn said(error: Error) -> Failure {
    match error {
        Error::Refused(refusal) => Failure::new(FailureClass::Refused, refusal.to_string()),
        Error::Fault(fault) => {
            tracing::error!(error = format!("{fault:#}"), "following the team failed");
            Failure::new(FailureClass::Internal, "Internal error. Try again.")
        }
    }
}

/// Creates the hub's own agent for one run.
pub(crate) fn front_agent(hub: &Hub, job: &RunJob) -> Arc<dyn Connector> {
    let guide = Guide::new(directory::finder(hub));
    let (requester, run, question) = (job.requester.clone(), job.run, job.question);
    Arc::new(FrontAgent { hub: hub.clone(), guide, requester, run, question })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(content: PartBody) -> Result<Option<TeamRequestData>, Refusal> {
        TeamRequestData::of(&[content.into()])
    }

    fn text(text: &str) -> Option<TeamRequestData> {
        wanted(PartBody::Text { text: text.to_owned() }).unwrap()
    }

    #[test]
    fn a_goal_is_told_from_a_question() {
        for asked in [
            "Form a team to find the tides.",
            " form a team: find the tides.",
            "FORM A TEAM, find the tides.",
        ] {
            assert_eq!(text(asked).unwrap().goal, "find the tides.", "{asked}");
        }
        for other in [
            "@plexus/guide Form a team to find the tides.",
            "Who forms a team?",
            "form a teapot",
            "form a teamster",
            "",
            "ééééééééééé",
        ] {
            assert_eq!(text(other), None, "{other}");
        }
        let data = |data| wanted(PartBody::Data { data });
        let named = data(json!({ "goal": "x", "members": ["calc"], "more": 1 })).unwrap().unwrap();
        assert_eq!((named.goal.as_str(), named.members), ("x", vec!["calc".to_owned()]));
        assert_eq!(data(json!({ "question": "x" })).unwrap(), None);
        assert!(data(json!({ "goal": 7 })).is_err());
        assert!(data(json!({ "goal": "x", "members": "calc" })).is_err());
    }
}

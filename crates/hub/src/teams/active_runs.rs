//! Active runs of the orchestrator: collects their results and cancels obsolete ones.

use plexus_domain::{
    ChatId, RunId,
    run::Usage,
    team::{Assignment, AssignmentNo, PendingAction, Seat, UtteranceKind, decision::DecisionAttempt},
};

use super::{assignments, orchestrator::TeamOrchestrator, turns};
use crate::{Hub, Result, runs};

/// Purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunPurpose {
    Work(AssignmentNo),
    Speech(SpeechRequest),
}

/// Request to a member for its utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpeechRequest {
    pub seat: Seat,
    pub turn: u32,
    pub form: ReplyFormat,
    /// Usage of a previous attempt with an invalid answer.
    pub before: Usage,
}

/// Format of the member's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyFormat {
    /// Text, for an utterance of this kind.
    Words(UtteranceKind),
    Action(DecisionAttempt),
}

impl TeamOrchestrator {
    pub async fn collect_results(&mut self) -> Result<()> {
        for run in self.doing.keys().copied().collect::<Vec<_>>() {
            self.collect_result(run).await?;
        }
        Ok(())
    }

    /// Processes the result of a run if it has ended.
    pub async fn collect_result(&mut self, run: RunId) -> Result<()> {
        let Some(doing) = self.doing.get(&run).copied() else { return Ok(()) };
        let Some(result) = assignments::run_result(&self.hub, run).await? else { return Ok(()) };
        match doing {
            RunPurpose::Work(work) => assignments::report_assignment(self, work, run, result).await?,
            RunPurpose::Speech(speech) => turns::on_utterance(self, run, speech, result).await?,
        }
        // Remove it only after the result is committed. The entry may have been replaced by a continued run.
        if self.doing.get(&run) == Some(&doing) {
            self.doing.remove(&run);
        }
        Ok(())
    }

    /// Cancels the member's own run on an assignment that a subteam took over.
    pub async fn stop_own_run(&mut self, no: AssignmentNo) {
        let own = self.doing.iter().filter(|(_, doing)| **doing == RunPurpose::Work(no)).map(|(run, _)| *run);
        for run in own.collect::<Vec<_>>() {
            self.doing.remove(&run);
            stop(&self.hub, run).await;
        }
        if let Some(run) = self.asked.remove(&no) {
            stop(&self.hub, run).await;
        }
    }

    /// Cancels all runs, including those that wait for an answer, credentials or the next turn.
    pub async fn stop_all(&mut self) {
        self.asked.clear();
        for run in std::mem::take(&mut self.doing).into_keys() {
            stop(&self.hub, run).await;
        }
        match waiting(&self.hub, self.team.id()).await {
            Ok(waiting) => {
                for run in waiting {
                    stop(&self.hub, run).await;
                }
            }
            Err(error) => {
                tracing::warn!(team = %self.team.id(), %error, "could not cancel the runs of an ended team");
            }
        }
    }

    /// Cancels runs whose assignment or turn has ended.
    pub async fn stop_obsolete_runs(&mut self) {
        let wants = self.team.pending_actions();
        let is_open = |no: AssignmentNo| self.team.assignment(no).is_some_and(Assignment::is_open);
        let wanted = |doing: &RunPurpose| match *doing {
            RunPurpose::Work(no) => is_open(no),
            RunPurpose::Speech(SpeechRequest { seat, turn, .. }) => {
                wants.contains(&PendingAction::Speech { seat, turn })
            }
        };
        let doing = self.doing.iter().filter(|(_, doing)| !wanted(doing)).map(|(run, _)| *run);
        let asked = self.asked.iter().filter(|(no, _)| !is_open(**no)).map(|(_, run)| *run);
        for run in doing.chain(asked).collect::<Vec<_>>() {
            self.doing.remove(&run);
            self.asked.retain(|_, asked| *asked != run);
            stop(&self.hub, run).await;
        }
    }
}

async fn waiting(hub: &Hub, team: ChatId) -> Result<Vec<RunId>> {
    let runs = plexus_store::runs::list_by_chat(&mut hub.store().read().await?, team).await?;
    Ok(runs.into_iter().filter(|run| run.state.is_waiting()).map(|run| run.id).collect())
}

async fn stop(hub: &Hub, run: RunId) {
    if let Err(error) = end(hub, run).await {
        tracing::warn!(run.id = %run, %error, "could not cancel a run that its team no longer needs");
    }
}

async fn end(hub: &Hub, run: RunId) -> Result<()> {
    let found = plexus_store::runs::find(&mut hub.store().read().await?, run).await?;
    match found {
        Some(run) => runs::cancel(hub, &run, None).await,
        None => Ok(()),
    }
}

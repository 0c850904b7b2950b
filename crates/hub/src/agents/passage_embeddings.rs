//! Embeddings of passages of knowledge files, if the operator chose a model for them (`embeddings_model`).

use std::time::Duration;

use parking_lot::Mutex;
use plexus_domain::{AgentId, Error as Refusal, run::FailureClass};
use plexus_runtime::{
    ModelUsage,
    llm::{Embeddings, EmbeddingsClient},
};
pub use plexus_store::passage_vectors::VectorCoverage;
use plexus_store::{
    Conn, LockKey,
    passage_vectors::{self, PassageVector, UnembeddedPassage},
};
use tokio::{
    select,
    sync::Notify,
    time::{Instant, sleep},
};

use crate::{
    Hub, Result,
    model_providers::{ModelCall, select as select_model},
    model_usage,
};

/// Passages of a request to the model.
const BATCH: u32 = 16;
const BATCH_TIMEOUT: Duration = Duration::from_mins(1);
/// Timeout of the embedding of a question. The answer waits for it.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(3);
/// Time without embeddings of questions after one that failed, so that answers do not wait for a dead server.
const QUESTION_PAUSE: Duration = Duration::from_secs(30);
/// Characters of a question that are embedded.
const MAX_QUESTION: usize = 2_000;
/// Interval of the search for passages without a vector, which other instances may have stored.
const POLL_INTERVAL: Duration = Duration::from_mins(1);
const FIRST_BACKOFF: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_mins(10);
/// Passages that the model may refuse before the worker assumes that it refuses all.
const MAX_REFUSED: usize = 8;

/// State that questions and the worker share.
#[derive(Default)]
pub(super) struct EmbeddingState {
    added: Notify,
    paused_until: Mutex<Option<Instant>>,
}

impl EmbeddingState {
    /// Wakes the worker after passages were added.
    pub fn wake(&self) {
        self.added.notify_one();
    }
}

/// Returns how many passages of an agent have vectors; `None` without an embeddings model.
pub(super) async fn coverage(hub: &Hub, conn: &mut Conn, agent: AgentId) -> Result<Option<VectorCoverage>> {
    let Some(model) = &hub.config().models.for_embeddings else { return Ok(None) };
    Ok(Some(passage_vectors::count(conn, agent, model).await?))
}

/// Returns the vector of a question; `None` if the model does not answer, so that words alone are searched.
pub(super) async fn embed_question(hub: &Hub, question: &str) -> Option<Vec<f32>> {
    let model = hub.config().models.for_embeddings.as_deref()?;
    let state = hub.knowledge().embeddings();
    if state.paused_until.lock().is_some_and(|until| Instant::now() < until) {
        return None;
    }
    let end = question.char_indices().nth(MAX_QUESTION).map_or(question.len(), |(end, _)| end);
    match embed(hub, model, &[&question[..end]], QUESTION_TIMEOUT).await {
        Ok(mut vectors) => {
            *state.paused_until.lock() = None;
            vectors.pop()
        }
        Err(error) => {
            *state.paused_until.lock() = Some(Instant::now() + QUESTION_PAUSE);
            tracing::warn!(model, %error, "passage search: embedding of the question failed; words alone are searched");
            None
        }
    }
}

/// Embeds all passages without a vector of the model, again and again. After a failure it waits, longer each time.
pub(crate) async fn run_embedding_worker(hub: Hub, model: String) {
    let stop = hub.stop().clone();
    let mut backoff = FIRST_BACKOFF;
    // A stopping hub does not wait for a model that hangs.
    while let Some(embedded) = stop.run_until_cancelled(embed_all(&hub, &model)).await {
        let wait = match embedded {
            Ok(()) => {
                backoff = FIRST_BACKOFF;
                POLL_INTERVAL
            }
            Err(error) => {
                tracing::warn!(model, %error, retry_after = ?backoff, "passage embeddings: failed");
                let wait = backoff;
                backoff = (backoff * 2).min(MAX_BACKOFF);
                wait
            }
        };
        select! {
            () = stop.cancelled() => return,
            () = hub.knowledge().embeddings().added.notified() => {}
            () = sleep(wait) => {}
        }
    }
}

/// Fails if the model does not answer, or refused a passage. The passages after it are embedded.
async fn embed_all(hub: &Hub, model: &str) -> Result<()> {
    let Some(_lock) = hub.store().try_acquire_lock(LockKey::Embeddings).await? else { return Ok(()) };
    let mut after = None;
    let (mut embedded, mut refused) = (0, 0);
    while !hub.stop().is_cancelled() {
        let found =
            passage_vectors::list_unembedded(&mut hub.store().read().await?, model, after, BATCH).await?;
        let Some(last) = found.last() else { break };
        after = Some((last.file, last.position));
        let failed = embed_batch(hub, model, &found).await?;
        embedded += found.len() - failed;
        refused += failed;
        if refused > MAX_REFUSED {
            break;
        }
    }
    if embedded > 0 {
        tracing::info!(model, passages = embedded, "passage embeddings: stored");
    }
    match refused {
        0 => Ok(()),
        _ => Err(Refusal::unavailable(format!("The model refused {refused} passages.")).into()),
    }
}

/// Returns the number of passages that the model refused.
async fn embed_batch(hub: &Hub, model: &str, passages: &[UnembeddedPassage]) -> Result<usize> {
    match embed_passages(hub, model, passages).await {
        Ok(()) => Ok(0),
        Err(EmbeddingError::Refused(error)) => {
            tracing::debug!(model, error, "passage embeddings: batch refused; each passage is tried");
            let mut refused = 0;
            for passage in passages {
                match embed_passages(hub, model, std::slice::from_ref(passage)).await {
                    Ok(()) => {}
                    Err(EmbeddingError::Refused(error)) => {
                        let file = passage.file.to_string();
                        tracing::warn!(
                            model,
                            file,
                            position = passage.position,
                            error,
                            "passage embeddings: refused"
                        );
                        refused += 1;
                        if refused > MAX_REFUSED {
                            break;
                        }
                    }
                    Err(EmbeddingError::Failed(error)) => return Err(error),
                }
            }
            Ok(refused)
        }
        Err(EmbeddingError::Failed(error)) => Err(error),
    }
}

/// Why texts were not embedded.
#[derive(Debug, thiserror::Error)]
enum EmbeddingError {
    /// The model answered, but not with vectors of these texts. It may embed others.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(crate::Error),
}

impl From<crate::Error> for EmbeddingError {
    fn from(error: crate::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<plexus_store::Error> for EmbeddingError {
    fn from(error: plexus_store::Error) -> Self {
        Self::Failed(error.into())
    }
}

async fn embed_passages(
    hub: &Hub,
    model: &str,
    passages: &[UnembeddedPassage],
) -> Result<(), EmbeddingError> {
    let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    let vectors = embed(hub, model, &texts, BATCH_TIMEOUT).await?;
    let mut tx = hub.store().write_background().await?;
    for (passage, vector) in passages.iter().zip(vectors) {
        let vector = PassageVector { file: passage.file, position: passage.position, vector };
        passage_vectors::put(&mut tx, model, &vector).await?;
    }
    Ok(tx.commit().await?)
}

/// Returns the vectors of the texts, and records the use of the model.
async fn embed(
    hub: &Hub,
    model: &str,
    texts: &[&str],
    limit: Duration,
) -> Result<Vec<Vec<f32>>, EmbeddingError> {
    let client = client(hub, model).await?;
    let Embeddings { vectors, usage } =
        client.embed(texts, limit).await.map_err(|failure| match failure.class {
            FailureClass::Refused | FailureClass::Garbage | FailureClass::TooLarge => {
                EmbeddingError::Refused(failure.message)
            }
            _ => EmbeddingError::Failed(Refusal::unavailable(failure.message).into()),
        })?;
    record(hub, usage).await?;
    Ok(vectors)
}

async fn record(hub: &Hub, usage: ModelUsage) -> Result<()> {
    if usage.usage.tokens_in == 0 {
        return Ok(());
    }
    let mut tx = hub.store().write().await?;
    model_usage::record(&mut tx, None, None, &[usage], hub.env().now()).await?;
    Ok(tx.commit().await?)
}

/// Returns the client of the model. Its stand-ins are not used if they are other models: vectors of different models
/// cannot be compared.
async fn client(hub: &Hub, model: &str) -> Result<EmbeddingsClient> {
    let is_same = |name: &str| {
        model.strip_suffix(name).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('/'))
    };
    let selected = select_model(hub, model, &ModelCall::default()).await?;
    let found = selected.into_iter().find(|selected| is_same(&selected.endpoint.name));
    let missing = || Refusal::unavailable(format!("The embeddings model {model} cannot be used now."));
    let found = found.ok_or_else(missing)?;
    let refused = |failure: plexus_domain::run::Failure| Refusal::unavailable(failure.message);
    let outbound = hub.outbound().provider(&found.provider).map_err(refused)?;
    Ok(EmbeddingsClient::new(outbound, found.endpoint).map_err(refused)?)
}

//! Knowledge files of model agents: added by their owners, searched for each message.

use std::{collections::HashMap, num::NonZeroUsize, sync::Arc};

use async_trait::async_trait;
use lru::LruCache;
use parking_lot::Mutex;
use plexus_domain::{
    Address, AgentId, Error as Refusal, KnowledgeFileId,
    agent::Connector,
    knowledge::{Passage, split_passages},
    run::{Failure, FailureClass},
    sanitized_text::one_line,
};
use plexus_runtime::llm::{PassageSearch, RetrievedPassage};
use plexus_search::{PassageIndex, VectorIndex, fuse_ranks};
pub use plexus_store::knowledge::KnowledgeFile;
use plexus_store::{
    Conn, Tx,
    agents::Agent,
    knowledge::{self, FilePassage},
    passage_vectors::{self, PassageVector},
};
use tokio::task::spawn_blocking;

use super::{
    document_text,
    manage::{agent_owned_by, change, current},
    passage_embeddings::{self, EmbeddingState},
};
pub use super::{document_text::EXTRACT_TEXT_COMMAND, passage_embeddings::VectorCoverage};
use crate::{Caller, Hub, Result, blobs, caller::Scope, limits::Rate, quotas::in_units};

pub use plexus_document_text::MAX_PDF_BYTES;

/// Maximum size of a text file, or of the text of a PDF file, in bytes.
pub const MAX_FILE_BYTES: usize = 2 << 20;
/// Limits of the files of one agent.
pub(super) const MAX_AGENT_BYTES: u64 = 8 << 20;
pub(super) const MAX_FILES: usize = 50;
const MAX_NAME_CHARS: usize = 120;
const TEXT_EXTENSIONS: [&str; 7] = ["csv", "json", "log", "markdown", "md", "tsv", "txt"];
const PDF_EXTENSION: &str = "pdf";
/// Number of passages that a model gets with a message.
const PASSAGES: usize = 6;
/// Number of passages of each ranking that are joined.
const CANDIDATES: usize = 50;
/// Number of agents whose index is kept in memory, each of at most a few times [`MAX_AGENT_BYTES`].
const CACHED_AGENTS: NonZeroUsize = NonZeroUsize::new(16).unwrap();
const FIELD: &str = "file";

/// Files of a model agent by name.
pub struct FileList {
    pub files: Vec<KnowledgeFile>,
    /// How many of their passages have vectors. `None` without an embeddings model.
    pub vectors: Option<VectorCoverage>,
}

/// Lists the files of a model agent of the caller.
pub async fn list(hub: &Hub, caller: &Caller, address: &Address) -> Result<FileList> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    require_model(&mut conn, &agent).await?;
    let files = knowledge::list(&mut conn, agent.id).await?;
    Ok(FileList { files, vectors: passage_embeddings::coverage(hub, &mut conn, agent.id).await? })
}

/// Adds a text file or a PDF file to a model agent of the caller, or replaces the file with the same name.
pub async fn add(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    name: &str,
    bytes: &[u8],
) -> Result<KnowledgeFile> {
    let new = read_upload(hub, caller, address, name, bytes).await?;
    let (mut tx, agent) = change(hub, caller, address).await?;
    require_model(&mut tx, &agent).await?;
    let mut others = knowledge::list(&mut tx, agent.id).await?;
    others.retain(|file| file.name != new.name);
    check_limits(&others.iter().map(|file| file.bytes).collect::<Vec<_>>(), &new)?;
    let file = insert(hub, &mut tx, agent.id, &new).await?;
    tx.commit().await?;
    hub.knowledge().embeddings().wake();
    Ok(file)
}

/// Reads a file that the caller adds to an agent. A PDF file is read only for the owner of a model agent, since that
/// costs CPU time.
async fn read_upload(
    hub: &Hub,
    caller: &Caller,
    address: &Address,
    name: &str,
    bytes: &[u8],
) -> Result<NewKnowledgeFile> {
    let person = caller.may(Scope::Agents)?;
    let name = checked_name(name)?;
    if !is_pdf(&name) {
        return Ok(NewKnowledgeFile::read(&name, bytes)?);
    }
    check_size(&name, bytes.len(), MAX_PDF_BYTES)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = agent_owned_by(&mut conn, person, address).await?;
    require_model(&mut conn, &agent).await?;
    drop(conn);
    hub.limits().take(Rate::PdfFiles, &caller.key())?;
    let text = document_text::extract_text(hub, caller, &name, bytes).await?;
    Ok(NewKnowledgeFile::read(&name, text.as_bytes())?)
}

/// File that is not stored yet.
pub(super) struct NewKnowledgeFile {
    pub name: String,
    /// Size of the text.
    pub bytes: u64,
    pub passages: Vec<Passage>,
}

impl NewKnowledgeFile {
    /// Reads a text file, or the text of a PDF file.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Refusal> {
        let name = checked_name(name)?;
        let text = checked_text(&name, bytes)?;
        let passages = split_passages(&name, text);
        if passages.is_empty() {
            return Err(Refusal::invalid(FIELD, format!("{name} has no text.")));
        }
        Ok(Self { name, bytes: bytes.len() as u64, passages })
    }
}

/// Checks that `new` fits beside the files of these sizes.
pub(super) fn check_limits(others: &[u64], new: &NewKnowledgeFile) -> Result<(), Refusal> {
    if others.len() >= MAX_FILES {
        let words = format!("An agent has at most {MAX_FILES} files. Remove one first.");
        return Err(Refusal::invalid(FIELD, words));
    }
    let total = others.iter().sum::<u64>() + new.bytes;
    if total > MAX_AGENT_BYTES {
        let words = format!(
            "With {} the files of this agent would have {}; at most {} fit. Remove one first.",
            new.name,
            in_units(total),
            in_units(MAX_AGENT_BYTES)
        );
        return Err(Refusal::invalid(FIELD, words));
    }
    Ok(())
}

pub(super) async fn insert(
    hub: &Hub,
    tx: &mut Tx,
    agent: AgentId,
    new: &NewKnowledgeFile,
) -> Result<KnowledgeFile> {
    let file = KnowledgeFile {
        id: hub.env().id(KnowledgeFileId::new),
        agent,
        name: new.name.clone(),
        bytes: new.bytes,
        added_at: hub.env().now(),
    };
    knowledge::put(tx, &file, &new.passages).await?;
    Ok(file)
}

/// Removes a file by its name.
pub async fn remove(hub: &Hub, caller: &Caller, address: &Address, name: &str) -> Result<()> {
    let (mut tx, agent) = change(hub, caller, address).await?;
    if !knowledge::delete(&mut tx, agent.id, name).await? {
        return Err(Refusal::not_found(format!("{address} has no file {}.", one_line(name))).into());
    }
    Ok(tx.commit().await?)
}

async fn require_model(conn: &mut Conn, agent: &Agent) -> Result<()> {
    let (version, _) = current(conn, agent).await?;
    match version.connector {
        Connector::Llm { .. } => Ok(()),
        _ => {
            Err(Refusal::conflict("Only agents with instructions and a model of this hub answer from files.")
                .into())
        }
    }
}

/// Returns the name without its folders.
fn checked_name(name: &str) -> Result<String, Refusal> {
    let invalid = |words: String| Refusal::invalid(FIELD, words);
    let name = blobs::file_name(name).trim();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        return Err(invalid(format!("Name the file with 1 to {MAX_NAME_CHARS} characters.")));
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let is_text = |extension: &str| TEXT_EXTENSIONS.contains(&extension);
    if !is_pdf(name) && !extension.is_some_and(|extension| is_text(&extension)) {
        let known = TEXT_EXTENSIONS.map(|extension| format!(".{extension}")).join(", ");
        return Err(invalid(format!(
            "{name} is neither a text file nor a PDF file. Save it as PDF, or as text with one of {known}."
        )));
    }
    Ok(name.to_owned())
}

fn is_pdf(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case(PDF_EXTENSION))
}

fn check_size(name: &str, bytes: usize, limit: usize) -> Result<(), Refusal> {
    if bytes <= limit {
        return Ok(());
    }
    let (size, most) = (in_units(bytes as u64), in_units(limit as u64));
    Err(Refusal::too_large(format!("{name} has {size}; a file may have {most}. Split it."), limit as u64))
}

fn checked_text<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, Refusal> {
    check_size(name, bytes.len(), MAX_FILE_BYTES)?;
    let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok();
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c');
    text.filter(|text| !text.contains(is_control)).ok_or_else(|| {
        let words = format!(
            "{name} is not text in UTF-8. Encrypted and binary files cannot be read; save it as text."
        );
        Refusal::invalid(FIELD, words)
    })
}

/// Files of an agent with their index.
struct AgentKnowledge {
    files: Vec<KnowledgeFileId>,
    passages: Vec<FilePassage>,
    index: PassageIndex,
    /// Number of vectors that were stored when the index was built.
    stored_vectors: u64,
    vectors: VectorIndex,
}

impl AgentKnowledge {
    fn build(
        files: Vec<KnowledgeFileId>,
        passages: Vec<FilePassage>,
        stored: &[PassageVector],
    ) -> plexus_search::Result<Self> {
        let index = PassageIndex::build(passages.iter().map(|passage| passage.text.as_str()))?;
        let indices: HashMap<_, _> = passages
            .iter()
            .enumerate()
            .map(|(index, passage)| ((passage.file_id, passage.position), index))
            .collect();
        let known = stored.iter().filter_map(|vector| {
            indices.get(&(vector.file, vector.position)).map(|index| (*index, vector.vector.as_slice()))
        });
        let vectors = VectorIndex::build(known);
        Ok(Self { files, passages, index, stored_vectors: stored.len() as u64, vectors })
    }

    /// Returns the indices of the passages that fit a question, best first: by their words, and by the vector of the
    /// question if there is one.
    fn search(&self, question: &str, vector: Option<&[f32]>) -> plexus_search::Result<Vec<usize>> {
        let Some(vector) = vector else { return self.index.search(question, PASSAGES) };
        let by_words = self.index.search(question, CANDIDATES)?;
        Ok(fuse_ranks(&[by_words, self.vectors.nearest(vector, CANDIDATES)], PASSAGES))
    }
}

/// Indexes of the agents that answered last. An entry is rebuilt when the files of its agent or their vectors have
/// changed.
pub(crate) struct KnowledgeCache {
    agents: Mutex<LruCache<AgentId, Arc<AgentKnowledge>>>,
    embeddings: EmbeddingState,
}

impl Default for KnowledgeCache {
    fn default() -> Self {
        Self { agents: Mutex::new(LruCache::new(CACHED_AGENTS)), embeddings: EmbeddingState::default() }
    }
}

impl KnowledgeCache {
    pub(super) fn embeddings(&self) -> &EmbeddingState {
        &self.embeddings
    }
}

/// Returns the search over the files of an agent; `None` if it has none.
pub(crate) async fn search_of(hub: &Hub, agent: AgentId) -> Result<Option<Arc<dyn PassageSearch>>> {
    let mut conn = hub.store().snapshot().await?;
    let files: Vec<_> = knowledge::list(&mut conn, agent).await?.into_iter().map(|file| file.id).collect();
    if files.is_empty() {
        return Ok(None);
    }
    let coverage = passage_embeddings::coverage(hub, &mut conn, agent).await?;
    let stored = coverage.map_or(0, |coverage| coverage.vectors);
    let is_current = |cached: &&Arc<AgentKnowledge>| cached.files == files && cached.stored_vectors == stored;
    let cached = hub.knowledge().agents.lock().get(&agent).filter(is_current).cloned();
    let knowledge = match cached {
        Some(cached) => cached,
        None => {
            let passages = knowledge::passages(&mut conn, agent).await?;
            let vectors = match &hub.config().models.for_embeddings {
                Some(model) if stored > 0 => passage_vectors::list(&mut conn, agent, model).await?,
                _ => Vec::new(),
            };
            drop(conn);
            let built = spawn_blocking(move || AgentKnowledge::build(files, passages, &vectors));
            let built = Arc::new(built.await.map_err(anyhow::Error::new)?.map_err(anyhow::Error::new)?);
            hub.knowledge().agents.lock().put(agent, Arc::clone(&built));
            built
        }
    };
    Ok(Some(Arc::new(AgentSearch { hub: hub.clone(), knowledge })))
}

struct AgentSearch {
    hub: Hub,
    knowledge: Arc<AgentKnowledge>,
}

#[async_trait]
impl PassageSearch for AgentSearch {
    async fn search(&self, question: &str) -> Result<Vec<RetrievedPassage>, Failure> {
        let vector = match self.knowledge.vectors.is_empty() {
            true => None,
            false => passage_embeddings::embed_question(&self.hub, question).await,
        };
        let knowledge = Arc::clone(&self.knowledge);
        let question = question.to_owned();
        let found = spawn_blocking(move || {
            let positions = knowledge.search(&question, vector.as_deref())?;
            let passages = positions.into_iter().filter_map(|position| knowledge.passages.get(position));
            Ok::<Vec<RetrievedPassage>, plexus_search::Error>(passages.map(retrieved).collect())
        });
        let fault = |error: &dyn std::fmt::Display| {
            tracing::error!(%error, "search of agent files failed");
            Failure::new(FailureClass::Internal, "The search of the agent's files failed. Try again.")
        };
        found.await.map_err(|error| fault(&error))?.map_err(|error| fault(&error))
    }
}

fn retrieved(passage: &FilePassage) -> RetrievedPassage {
    RetrievedPassage { file: passage.file.clone(), place: passage.place.clone(), text: passage.text.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_and_pdf_files_are_taken() {
        assert_eq!(checked_name("C:\\notes\\Guide.MD").unwrap(), "Guide.MD");
        assert_eq!(checked_name("guide.PDF").unwrap(), "guide.PDF");
        for wrong in ["guide.docx", "guide", "", "a/", "x\n.md", ".md/"] {
            assert!(checked_name(wrong).is_err(), "{wrong}");
        }
        assert_eq!(checked_text("a.md", b"\xef\xbb\xbfone\r\n\ttwo").unwrap(), "one\r\n\ttwo");
        for wrong in [&b"%PDF-1.7\x00"[..], b"\xff\xfea\x00", b"PK\x03\x04"] {
            assert!(checked_text("a.txt", wrong).is_err());
        }
        assert!(matches!(
            checked_text("a.txt", &vec![b'a'; MAX_FILE_BYTES + 1]),
            Err(Refusal::TooLarge { .. })
        ));
    }
}

//! The index on disk: opening, incremental writes and rebuilds.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};
use tantivy::{
    IndexReader, IndexWriter, ReloadPolicy,
    indexer::{LogMergePolicy, NoMergePolicy},
};

use crate::{
    error::{Error, Result},
    facet_columns::ValueCache,
    index_dir,
    listing::{Hit, IndexChange, Listing, ScoredAgent},
    query::{Hits, Query},
    related_terms::related_terms,
    schema::{self, SchemaFields},
    search,
    skill_ranking::{self, SkillQuery},
    tantivy_tokenizer,
};

/// Memory of the writer: the engine's minimum for one thread.
const WRITER_BYTES: usize = 15_000_000;
/// Number of equally sized segments that triggers a merge. Few segments make queries fast.
const MERGE_AT: usize = 4;

/// Search index of listings. Thread-safe; all calls block on disk or CPU.
pub struct Index {
    /// `None` for an in-memory index.
    folder: Option<PathBuf>,
    live: RwLock<Arc<ActiveIndex>>,
    /// Serializes writers.
    writing: Mutex<()>,
}

/// The index that currently serves queries.
struct ActiveIndex {
    engine: tantivy::Index,
    reader: IndexReader,
    fields: SchemaFields,
    values: ValueCache,
    last_change: AtomicU64,
    place: Option<PathBuf>,
}

impl Index {
    /// Opens the index in `folder`. Starts with an empty one
    /// ([`Index::last_change`] is 0) if there is no usable index.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(Error::folder(&folder))?;
        let live = match ActiveIndex::current(&folder) {
            Ok(Some(live)) => live,
            Ok(None) => ActiveIndex::start(&folder)?,
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "search index damaged; rebuilding");
                ActiveIndex::start(&folder)?
            }
        };
        index_dir::remove_stale(&folder, live.place.as_deref());
        Ok(Self::of(Some(folder), live))
    }

    /// Creates an empty in-memory index.
    pub fn in_memory() -> Result<Self> {
        Ok(Self::of(None, ActiveIndex::create(None)?))
    }

    fn of(folder: Option<PathBuf>, live: ActiveIndex) -> Self {
        Self { folder, live: RwLock::new(Arc::new(live)), writing: Mutex::new(()) }
    }

    /// Returns the change number of the last write that is durable and visible.
    pub fn last_change(&self) -> u64 {
        self.live().last_change.load(Ordering::Acquire)
    }

    /// Returns the number of listings.
    pub fn len(&self) -> u64 {
        self.live().reader.searcher().num_docs()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn search(&self, query: &Query) -> Result<Hits> {
        let live = self.live();
        search::search(&live.reader.searcher(), &live.fields, &live.values, query)
    }

    /// Returns all matches in the requested order, ignoring pagination; at most as many as pages reach.
    pub fn match_all(&self, query: &Query) -> Result<Vec<ScoredAgent>> {
        let live = self.live();
        search::matching(&live.reader.searcher(), &live.fields, query)
    }

    /// Returns the agents for each part of a goal, best first, with scores (no unit).
    pub fn rank_agents(&self, needs: &SkillQuery<'_>) -> Result<Vec<Vec<(Hit, f32)>>> {
        let live = self.live();
        skill_ranking::rank_agents(&live.reader.searcher(), &live.fields, needs)
    }

    /// Returns the related terms of each word with weights up to 1. The word itself comes first.
    pub fn related_terms(&self, text: &str) -> Result<Vec<Vec<(String, f32)>>> {
        let live = self.live();
        let searcher = live.reader.searcher();
        skill_ranking::distinct_terms(text)
            .iter()
            .map(|word| related_terms(&searcher, &live.fields, word))
            .collect()
    }

    /// Applies changes in order and sets the change number to `last_change`. Visible to searches on return.
    ///
    /// Atomic: after an error or a crash the index is unchanged.
    pub fn apply(&self, changes: &[IndexChange], last_change: u64) -> Result<()> {
        let _writing = self.writing.lock();
        let live = self.live();
        let mut writer = live.writer()?;
        for change in changes {
            live.write(&mut writer, change)?;
        }
        live.commit(writer, last_change)
    }

    /// Builds a new index beside the current one and switches to it when complete.
    ///
    /// Each agent must occur once. Read `last_change` from the database before the listings, so that
    /// concurrent changes are applied again.
    pub fn rebuild<E>(
        &self,
        listings: impl IntoIterator<Item = Result<Listing, E>>,
        last_change: u64,
    ) -> Result<()>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let _writing = self.writing.lock();
        let place = self.folder.as_deref().map(index_dir::next_place).transpose()?;
        let live = ActiveIndex::create(place)?;
        let writer = live.writer()?;
        // All segments are merged at the end, so earlier merges would be wasted.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        for listing in listings {
            let listing = listing.map_err(|error| Error::Source(error.into()))?;
            writer.add_document(live.fields.document(&listing)?)?;
        }
        live.commit(writer, last_change)?;
        live.merge_all()?;
        if let (Some(folder), Some(place)) = (&self.folder, &live.place) {
            index_dir::set_current(folder, place)?;
        }
        let place = live.place.clone();
        *self.live.write() = Arc::new(live);
        if let Some(folder) = &self.folder {
            index_dir::remove_stale(folder, place.as_deref());
        }
        Ok(())
    }

    /// Rewrites the segments that still hold removed or replaced listings, so that their text leaves the disk. Returns how
    /// many listings that were. Searches go on meanwhile.
    pub fn purge_removed(&self) -> Result<u64> {
        let _writing = self.writing.lock();
        self.live().purge_removed()
    }

    fn live(&self) -> Arc<ActiveIndex> {
        self.live.read().clone()
    }
}

/// Returns the matches of a query among `listings`, ranked as in an index of only these.
pub fn match_listings(listings: Vec<Listing>, query: &Query) -> Result<Vec<ScoredAgent>> {
    let index = Index::in_memory()?;
    let put = |listing| IndexChange::Put(Box::new(listing));
    index.apply(&listings.into_iter().map(put).collect::<Vec<_>>(), 0)?;
    index.match_all(query)
}

impl ActiveIndex {
    /// Opens the current index of the directory. `None` if there is none of this schema version.
    fn current(folder: &Path) -> Result<Option<Self>> {
        let Some(place) = index_dir::current(folder)? else { return Ok(None) };
        let engine = tantivy::Index::open_in_dir(&place)?;
        if engine.schema() != schema::schema().0 {
            return Ok(None);
        }
        if let Some(file) = engine.validate_checksum()?.into_iter().next() {
            return Err(Error::folder(place.join(file))(ErrorKind::InvalidData.into()));
        }
        Self::of(engine, Some(place)).map(Some)
    }

    /// Creates an empty index and makes it the current one.
    fn start(folder: &Path) -> Result<Self> {
        let place = index_dir::next_place(folder)?;
        let live = Self::create(Some(place.clone()))?;
        index_dir::set_current(folder, &place)?;
        Ok(live)
    }

    fn create(place: Option<PathBuf>) -> Result<Self> {
        let (schema, _) = schema::schema();
        let engine = match &place {
            Some(path) => {
                fs::create_dir_all(path).map_err(Error::folder(path))?;
                tantivy::Index::create_in_dir(path, schema)?
            }
            None => tantivy::Index::create_in_ram(schema),
        };
        Self::of(engine, place)
    }

    fn of(engine: tantivy::Index, place: Option<PathBuf>) -> Result<Self> {
        engine.tokenizers().register(tantivy_tokenizer::NAME, tantivy_tokenizer::PreTokenized);
        let reader = engine.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let payload = engine.load_metas()?.payload;
        let last_change = payload.and_then(|text| text.parse().ok()).unwrap_or(0);
        let (_, fields) = schema::schema();
        Ok(Self {
            engine,
            reader,
            fields,
            values: ValueCache::default(),
            last_change: AtomicU64::new(last_change),
            place,
        })
    }

    /// Creates a writer for one write, so that an idle hub does not hold its memory and threads.
    fn writer(&self) -> Result<IndexWriter> {
        let writer = self.engine.writer_with_num_threads(1, WRITER_BYTES)?;
        let mut policy = LogMergePolicy::default();
        policy.set_min_num_segments(MERGE_AT);
        writer.set_merge_policy(Box::new(policy));
        Ok(writer)
    }

    fn write(&self, writer: &mut IndexWriter, change: &IndexChange) -> Result<()> {
        match change {
            IndexChange::Put(listing) => {
                writer.delete_term(self.fields.agent_term(listing.agent));
                writer.add_document(self.fields.document(listing)?)?;
            }
            IndexChange::Remove(agent) => {
                writer.delete_term(self.fields.agent_term(*agent));
            }
        }
        Ok(())
    }

    fn commit(&self, mut writer: IndexWriter, last_change: u64) -> Result<()> {
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&last_change.to_string());
        commit.commit()?;
        self.reader.reload()?;
        self.last_change.store(last_change, Ordering::Release);
        let segments = self.engine.searchable_segment_ids()?;
        writer.wait_merging_threads()?;
        let merged = self.engine.searchable_segment_ids()?;
        if merged != segments {
            self.reader.reload()?;
        }
        self.values.keep(&merged);
        Ok(())
    }

    fn purge_removed(&self) -> Result<u64> {
        let searcher = self.reader.searcher();
        let with_removed =
            || searcher.segment_readers().iter().filter(|segment| segment.num_deleted_docs() > 0);
        let segments: Vec<_> = with_removed().map(|segment| segment.segment_id()).collect();
        let removed = with_removed().map(|segment| u64::from(segment.num_deleted_docs())).sum();
        drop(searcher);
        if segments.is_empty() {
            return Ok(0);
        }
        let mut writer = self.writer()?;
        writer.merge(&segments).wait()?;
        // The reader lets go of the earlier files, so that they are deleted.
        self.reader.reload()?;
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        self.reader.reload()?;
        self.values.keep(&self.engine.searchable_segment_ids()?);
        Ok(removed)
    }

    fn merge_all(&self) -> Result<()> {
        let segments = self.engine.searchable_segment_ids()?;
        if segments.len() > 1 {
            let mut writer = self.writer()?;
            writer.merge(&segments).wait()?;
            writer.wait_merging_threads()?;
            self.reader.reload()?;
        }
        Ok(())
    }
}

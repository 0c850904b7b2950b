//! Embeddings of the passages of knowledge files. A passage has at most one vector.

use plexus_domain::{AgentId, KnowledgeFileId};
use sqlx::{query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::record,
};

record! {
    /// Passage without a vector of a model.
    pub struct UnembeddedPassage {
        pub agent: AgentId,
        pub file: KnowledgeFileId,
        pub position: u64,
        pub text: String,
    }
}

record! {
    /// Vector of a passage as it is stored.
    pub struct VectorRow {
        pub file: KnowledgeFileId,
        pub position: u64,
        pub vector: Vec<u8>,
    }
}

/// Vector of a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageVector {
    pub file: KnowledgeFileId,
    pub position: u64,
    pub vector: Vec<f32>,
}

/// Number of passages of an agent's files, and of those that have a vector of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCoverage {
    pub passages: u64,
    pub vectors: u64,
}

/// Lists passages after `after` that have no vector of `model`, in the order of files and positions.
pub async fn list_unembedded(
    conn: &mut Conn,
    model: &str,
    after: Option<(KnowledgeFileId, u64)>,
    limit: u32,
) -> Result<Vec<UnembeddedPassage>> {
    let text = "select knowledge_files.agent, knowledge_passages.file, knowledge_passages.position, \
                knowledge_passages.text from knowledge_passages \
                join knowledge_files on knowledge_files.id = knowledge_passages.file \
                left join passage_vectors on passage_vectors.file = knowledge_passages.file \
                and passage_vectors.position = knowledge_passages.position and passage_vectors.model = $1 \
                where passage_vectors.file is null and (knowledge_passages.file > $2 or \
                (knowledge_passages.file = $2 and knowledge_passages.position > $3)) \
                order by knowledge_passages.file, knowledge_passages.position limit $4";
    // Ids of files are never nil.
    let (file, position) = after.map_or((Uuid::nil(), 0), |(file, position)| (file.uuid(), position));
    on!(conn, c => query_as(text)
        .bind(model)
        .bind(file)
        .bind(i64::try_from(position).unwrap_or(i64::MAX))
        .bind(i64::from(limit))
        .fetch_all(c))
}

/// Stores the vector of a passage. Replaces that of another model. Does nothing if the file was deleted meanwhile.
pub async fn put(tx: &mut Tx, model: &str, vector: &PassageVector) -> Result<()> {
    let text = "insert into passage_vectors (agent, file, position, model, dimensions, vector) \
                select agent, id, $2, $3, $4, $5 from knowledge_files where id = $1 \
                on conflict (file, position) do update set model = excluded.model, \
                dimensions = excluded.dimensions, vector = excluded.vector";
    let bytes: Vec<u8> = vector.vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    execute!(
        tx,
        query(text)
            .bind(vector.file.uuid())
            .bind(i64::try_from(vector.position).unwrap_or(i64::MAX))
            .bind(model)
            .bind(i64::try_from(vector.vector.len()).unwrap_or(i64::MAX))
            .bind(bytes)
    )?;
    Ok(())
}

/// Lists the vectors of a model for the passages of an agent.
pub async fn list(conn: &mut Conn, agent: AgentId, model: &str) -> Result<Vec<PassageVector>> {
    let text = "select file, position, vector from passage_vectors where agent = $1 and model = $2";
    let rows: Vec<VectorRow> = on!(conn, c => query_as(text).bind(agent.uuid()).bind(model).fetch_all(c))?;
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let vector = |row: VectorRow| PassageVector {
        file: row.file,
        position: row.position,
        vector: row.vector.chunks_exact(4).map(number).collect(),
    };
    Ok(rows.into_iter().map(vector).collect())
}

/// Counts the passages of an agent, and those with a vector of `model`.
pub async fn count(conn: &mut Conn, agent: AgentId, model: &str) -> Result<VectorCoverage> {
    let text = "select count(*) from knowledge_passages join knowledge_files \
                on knowledge_files.id = knowledge_passages.file where agent = $1";
    let passages: i64 = on!(conn, c => query_scalar(text).bind(agent.uuid()).fetch_one(c))?;
    let text = "select count(*) from passage_vectors where agent = $1 and model = $2";
    let vectors: i64 = on!(conn, c => query_scalar(text).bind(agent.uuid()).bind(model).fetch_one(c))?;
    let number = |count: i64| u64::try_from(count).unwrap_or(0);
    Ok(VectorCoverage { passages: number(passages), vectors: number(vectors) })
}

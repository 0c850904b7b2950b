//! Files that model agents answer from, as passages.

use plexus_domain::{AgentId, KnowledgeFileId, Timestamp, knowledge::Passage};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{clean, record},
};

record! {
    /// File of an agent.
    pub struct KnowledgeFile {
        pub id: KnowledgeFileId,
        pub agent: AgentId,
        /// Unique among the files of the agent.
        pub name: String,
        pub bytes: u64,
        pub added_at: Timestamp,
    }
}

record! {
    /// Passage with the name of its file.
    pub struct FilePassage {
        pub file: String,
        pub file_id: KnowledgeFileId,
        /// Number in its file, from 0.
        pub position: u64,
        pub place: String,
        pub text: String,
    }
}

/// Inserts a file with its passages. Replaces the file of the agent with the same name.
pub async fn put(tx: &mut Tx, file: &KnowledgeFile, passages: &[Passage]) -> Result<()> {
    delete(tx, file.agent, &file.name).await?;
    let text = "insert into knowledge_files (id, agent, name, bytes, added_at) values ($1, $2, $3, $4, $5)";
    execute!(
        tx,
        query(text)
            .bind(file.id.uuid())
            .bind(file.agent.uuid())
            .bind(clean(&file.name))
            .bind(i64::try_from(file.bytes).unwrap_or(i64::MAX))
            .bind(file.added_at.millis())
    )?;
    let text = "insert into knowledge_passages (file, position, place, text) values ($1, $2, $3, $4)";
    for (position, passage) in (0_i64..).zip(passages) {
        execute!(
            tx,
            query(text)
                .bind(file.id.uuid())
                .bind(position)
                .bind(clean(&passage.place))
                .bind(clean(&passage.text))
        )?;
    }
    Ok(())
}

/// Lists the files of an agent by name.
pub async fn list(conn: &mut Conn, agent: AgentId) -> Result<Vec<KnowledgeFile>> {
    let text = "select id, agent, name, bytes, added_at from knowledge_files where agent = $1 order by name";
    on!(conn, c => query_as(text).bind(agent.uuid()).fetch_all(c))
}

/// Lists the passages of all files of an agent, in the order of the names and positions.
pub async fn passages(conn: &mut Conn, agent: AgentId) -> Result<Vec<FilePassage>> {
    let text = "select knowledge_files.name as file, knowledge_files.id as file_id, position, place, text from knowledge_passages \
                join knowledge_files on knowledge_files.id = knowledge_passages.file \
                where agent = $1 order by knowledge_files.name, position";
    on!(conn, c => query_as(text).bind(agent.uuid()).fetch_all(c))
}

/// Deletes a file of an agent by its name, with its vectors. Returns whether it existed.
pub async fn delete(tx: &mut Tx, agent: AgentId, name: &str) -> Result<bool> {
    let text = "delete from passage_vectors where agent = $1 and file in \
                (select id from knowledge_files where agent = $1 and name = $2)";
    execute!(tx, query(text).bind(agent.uuid()).bind(clean(name)))?;
    let text = "delete from knowledge_files where agent = $1 and name = $2";
    Ok(execute!(tx, query(text).bind(agent.uuid()).bind(clean(name)))? > 0)
}

pub async fn delete_by_agent(tx: &mut Tx, agent: AgentId) -> Result<()> {
    execute!(tx, query("delete from passage_vectors where agent = $1").bind(agent.uuid()))?;
    execute!(tx, query("delete from knowledge_files where agent = $1").bind(agent.uuid()))?;
    Ok(())
}

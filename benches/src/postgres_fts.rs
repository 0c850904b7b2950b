//! Postgres full text search as a baseline over the same listings: a weighted `tsvector` of `simple` words
//! with a GIN index, queries that require all words, ranked by `ts_rank`.

use std::time::Instant;

use sqlx::{Connection as _, PgConnection, query, query_scalar, raw_sql};

use crate::{
    listings::{self, Sample},
    load::Measured,
};

const CHUNK: usize = 1_000;
const WARM: usize = 60;
const TOP: &str = "select id, name, body, tags from listings, plainto_tsquery('simple', $1) asked \
                   where words @@ asked order by ts_rank(words, asked) desc limit 10";

/// A table on the server that `PLEXUS_TEST_POSTGRES` names.
pub struct Postgres {
    connection: PgConnection,
    /// Build time and size, as text.
    pub made: String,
}

impl Postgres {
    /// Builds the table and index. Returns `None` without a server.
    pub async fn build(count: usize) -> anyhow::Result<Option<Self>> {
        let Ok(url) = std::env::var("PLEXUS_TEST_POSTGRES") else { return Ok(None) };
        let mut connection = PgConnection::connect(&url).await?;
        // One query on one core, like a query of the hub.
        raw_sql("set jit = off; set max_parallel_workers_per_gather = 0; drop table if exists listings")
            .execute(&mut connection)
            .await?;
        raw_sql(
            "create table listings (id int primary key, name text, body text, tags text, words tsvector)",
        )
        .execute(&mut connection)
        .await?;
        let begun = Instant::now();
        for first in (0..count).step_by(CHUNK) {
            insert(&mut connection, first, CHUNK.min(count - first)).await?;
        }
        raw_sql("create index listings_words on listings using gin (words)").execute(&mut connection).await?;
        let seconds = begun.elapsed().as_secs_f64();
        raw_sql("vacuum analyze listings").execute(&mut connection).await?;
        let made = sizes(&mut connection, seconds).await?;
        Ok(Some(Self { connection, made }))
    }

    /// Runs each query once, on one connection.
    pub async fn search(&mut self, queries: &[String]) -> anyhow::Result<Measured> {
        for words in &queries[..WARM] {
            query(TOP).bind(words.as_str()).fetch_all(&mut self.connection).await?;
        }
        let begun = Instant::now();
        let mut took = Vec::new();
        for words in queries {
            let begun = Instant::now();
            query(TOP).bind(words.as_str()).fetch_all(&mut self.connection).await?;
            took.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let seconds = begun.elapsed().as_secs_f64();
        took.sort_by(f64::total_cmp);
        Ok(Measured { seconds, took, bytes: 0 })
    }

    pub async fn end(mut self) -> anyhow::Result<()> {
        raw_sql("drop table listings").execute(&mut self.connection).await?;
        Ok(self.connection.close().await?)
    }
}

async fn insert(connection: &mut PgConnection, first: usize, count: usize) -> anyhow::Result<()> {
    let samples: Vec<Sample> = (first..first + count).map(listings::sample).collect();
    let ids: Vec<i32> = (first..first + count).map(i32::try_from).collect::<Result<_, _>>()?;
    let text = "insert into listings select id, name, body, tags, setweight(to_tsvector('simple', name), 'A') || \
                setweight(to_tsvector('simple', tags), 'B') || setweight(to_tsvector('simple', body), 'C') \
                from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as new(id, name, body, tags)";
    query(text)
        .bind(ids)
        .bind(samples.iter().map(|sample| sample.name.clone()).collect::<Vec<_>>())
        .bind(samples.iter().map(|sample| sample.text.clone()).collect::<Vec<_>>())
        .bind(samples.iter().map(|sample| sample.tags.join(" ")).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

async fn sizes(connection: &mut PgConnection, seconds: f64) -> anyhow::Result<String> {
    let size = "select pg_total_relation_size('listings')";
    let whole: i64 = query_scalar(size).fetch_one(&mut *connection).await?;
    let gin = "select pg_relation_size('listings_words')";
    let gin: i64 = query_scalar(gin).fetch_one(&mut *connection).await?;
    Ok(format!(
        "Postgres built it in {seconds:.1} s: {:.1} MB with the rows, of it the GIN index {:.1} MB",
        whole as f64 / 1e6,
        gin as f64 / 1e6
    ))
}

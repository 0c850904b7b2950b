//! Fixture: searches everything that a hub has stored: each column of each table, as the database's own catalogue lists
//! them, and each file of the data folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection, query_as, query_scalar};

use crate::database::Sql;

/// Columns with a type that can hold text or ids, by table, and the query that returns their bytes.
async fn columns(sql: &Sql) -> Vec<(String, String, String)> {
    match sql {
        Sql::Sqlite { url } => {
            let text = "select m.name, p.name from sqlite_schema m join pragma_table_info(m.name) p \
                        where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like '_sqlx%' \
                        and m.name <> 'message_index' and lower(p.type) <> 'integer'";
            let mut connection = SqliteConnection::connect(url).await.expect("opens");
            let found: Vec<(String, String)> =
                query_as(text).fetch_all(&mut connection).await.expect("a catalogue");
            let query = |(table, column): (String, String)| {
                let text = format!(
                    "select cast(\"{column}\" as blob) from \"{table}\" where \"{column}\" is not null"
                );
                (table, column, text)
            };
            found.into_iter().map(query).collect()
        }
        Sql::Postgres { url } => {
            let text = "select table_name::text, column_name::text, data_type::text from information_schema.columns \
                        where table_schema = current_schema() and table_name not like '\\_sqlx%' \
                        and data_type not in ('bigint', 'integer', 'boolean')";
            let mut connection = PgConnection::connect(url).await.expect("answers");
            let found: Vec<(String, String, String)> =
                query_as(text).fetch_all(&mut connection).await.expect("a catalogue");
            let query = |(table, column, kind): (String, String, String)| {
                let value = match kind.as_str() {
                    "bytea" => format!("\"{column}\""),
                    "uuid" => format!("uuid_send(\"{column}\")"),
                    _ => format!("convert_to(\"{column}\"::text, 'UTF8')"),
                };
                let text = format!("select {value} from \"{table}\" where \"{column}\" is not null");
                (table, column, text)
            };
            found.into_iter().map(query).collect()
        }
    }
}

/// Returns all tables.
pub async fn tables(sql: &Sql) -> BTreeSet<String> {
    columns(sql).await.into_iter().map(|(table, ..)| table).collect()
}

/// Returns which needles occur in which columns, named `table.column`.
pub async fn find(sql: &Sql, needles: &[(&str, Vec<u8>)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (table, column, text) in columns(sql).await {
        let text = AssertSqlSafe(text);
        let values: Vec<Vec<u8>> = match sql {
            Sql::Sqlite { url } => {
                let mut connection = SqliteConnection::connect(url).await.expect("opens");
                query_scalar(text).fetch_all(&mut connection).await.expect("values")
            }
            Sql::Postgres { url } => {
                let mut connection = PgConnection::connect(url).await.expect("answers");
                query_scalar(text).fetch_all(&mut connection).await.expect("values")
            }
        };
        for (name, needle) in needles {
            if values.iter().any(|value| contains(value, needle)) {
                found.entry(format!("{table}.{column}")).or_default().insert((*name).to_owned());
            }
        }
    }
    found
}

/// Returns the files below a folder that contain one of the needles, each with the name of the needle.
pub fn find_in_files(folder: &Path, needles: &[(&str, Vec<u8>)]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(find_in_files(&path, needles));
        } else if let Ok(bytes) = fs::read(&path) {
            let hits = needles.iter().filter(|(_, needle)| contains(&bytes, needle));
            found.extend(hits.map(|(name, _)| format!("{name} in {}", path.display())));
        }
    }
    found
}

pub fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}

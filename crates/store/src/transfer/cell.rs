//! Column values in a form independent of the database.

use plexus_domain::Digest;
use sha2::{Digest as _, Sha256};
use sqlx::{Postgres, Row as _, postgres::PgRow, query_builder::Separated};
use uuid::Uuid;

use super::tables::{Column, Kind};
use crate::sqlite_driver::{Row, SyncSqlite};

/// A value as both databases can represent it: ids are bytes, booleans are 1 and 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, T::into)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<u8>> for Cell {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl From<Uuid> for Cell {
    fn from(value: Uuid) -> Self {
        Self::Bytes(value.into_bytes().to_vec())
    }
}

pub(super) fn from_sqlite(row: &Row, columns: &[Column]) -> sqlx::Result<Vec<Cell>> {
    let cell = |(at, column): (usize, &Column)| {
        Ok(match column.kind {
            Kind::Int | Kind::Bool => row.try_get::<Option<i64>, _>(at)?.into(),
            Kind::Text => row.try_get::<Option<String>, _>(at)?.into(),
            Kind::Bytes | Kind::Uuid => row.try_get::<Option<Vec<u8>>, _>(at)?.into(),
        })
    };
    columns.iter().enumerate().map(cell).collect()
}

pub(super) fn from_postgres(row: &PgRow, columns: &[Column]) -> sqlx::Result<Vec<Cell>> {
    let cell = |(at, column): (usize, &Column)| {
        Ok(match column.kind {
            Kind::Int => row.try_get::<Option<i64>, _>(at)?.into(),
            Kind::Bool => row.try_get::<Option<bool>, _>(at)?.into(),
            Kind::Text => row.try_get::<Option<String>, _>(at)?.into(),
            Kind::Bytes => row.try_get::<Option<Vec<u8>>, _>(at)?.into(),
            Kind::Uuid => row.try_get::<Option<Uuid>, _>(at)?.into(),
        })
    };
    columns.iter().enumerate().map(cell).collect()
}

impl Cell {
    pub fn size(&self) -> usize {
        match self {
            Self::Null => 1,
            Self::Int(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    pub fn bind_sqlite(&self, values: &mut Separated<'_, SyncSqlite, &'static str>) {
        match self {
            Self::Null => values.push_bind(None::<i64>),
            Self::Int(value) => values.push_bind(*value),
            Self::Text(value) => values.push_bind(value.clone()),
            Self::Bytes(value) => values.push_bind(value.clone()),
        };
    }

    /// Binds the value with the type of its column, which Postgres requires also for null.
    /// A value of another type becomes null: the column rejects it, or the comparison after the transfer
    /// detects it.
    pub fn bind_postgres(&self, values: &mut Separated<'_, Postgres, &'static str>, kind: Kind) {
        match kind {
            Kind::Int => values.push_bind(self.int()),
            Kind::Bool => values.push_bind(self.int().map(|value| value != 0)),
            Kind::Text => values.push_bind(match self {
                Self::Text(text) => Some(text.clone()),
                _ => None,
            }),
            Kind::Bytes => values.push_bind(self.bytes().map(<[u8]>::to_vec)),
            Kind::Uuid => values.push_bind(self.bytes().and_then(|bytes| Uuid::from_slice(bytes).ok())),
        };
    }

    const fn int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Returns the digest of a row. Type and length of each value are hashed too, so that different rows differ.
pub(super) fn digest(row: &[Cell]) -> Digest {
    let mut hash = Sha256::new();
    for cell in row {
        let (kind, bytes): (u8, &[u8]) = match cell {
            Cell::Null => (0, &[]),
            Cell::Int(value) => (1, &value.to_be_bytes()),
            Cell::Text(text) => (2, text.as_bytes()),
            Cell::Bytes(bytes) => (3, bytes),
        };
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    Digest::from_bytes(hash.finalize().into())
}

//! Lists of ids in a statement: `in (…)` is written alike for both databases, unlike arrays.

use sqlx::{Database, Encode, QueryBuilder, Type};
use uuid::Uuid;

/// The most ids in one statement; callers with more go in chunks.
pub(crate) const CHUNK: usize = 256;

/// Appends `(…)` with these ids.
///
/// The last id is repeated up to a power of two, so that few texts need to be prepared.
pub(crate) fn push_list<DB>(query: &mut QueryBuilder<DB>, ids: &[Uuid])
where
    DB: Database,
    Uuid: for<'q> Encode<'q, DB> + Type<DB>,
{
    let padding = ids.last().into_iter().cycle().take(ids.len().next_power_of_two() - ids.len());
    query.push("(");
    let mut list = query.separated(", ");
    for id in ids.iter().chain(padding) {
        list.push_bind(*id);
    }
    query.push(")");
}

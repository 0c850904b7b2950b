//! Id lists in SQL: `in (…)` has the same syntax in both databases, unlike arrays.

use sqlx::{Database, Encode, QueryBuilder, Type};
use uuid::Uuid;

/// Maximum ids per statement. Callers split longer lists.
pub(crate) const CHUNK: usize = 256;

/// Appends `(…)` with these ids.
///
/// The last id is repeated up to a power of two, so that fewer distinct statements are prepared.
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

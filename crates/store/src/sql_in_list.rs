//! Id lists in SQL: `in (…)` has the same syntax in both databases, unlike arrays.

use sqlx::{Database, Encode, QueryBuilder, Type};

/// Maximum ids per statement. Callers split longer lists.
pub(crate) const CHUNK: usize = 256;

/// Appends `(…)` with these ids.
///
/// The last id is repeated up to a power of two, so that fewer distinct statements are prepared.
pub(crate) fn push_list<DB, T>(query: &mut QueryBuilder<DB>, ids: &[T])
where
    DB: Database,
    T: Clone + for<'q> Encode<'q, DB> + Type<DB> + 'static,
{
    let padding = ids.last().into_iter().cycle().take(ids.len().next_power_of_two() - ids.len());
    query.push("(");
    let mut list = query.separated(", ");
    for id in ids.iter().chain(padding) {
        list.push_bind(id.clone());
    }
    query.push(")");
}

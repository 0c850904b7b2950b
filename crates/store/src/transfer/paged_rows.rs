//! Paged reading of SQLite tables: the driver loads all rows of a query into memory at once.

use futures::{
    StreamExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};
use sqlx::QueryBuilder;

use super::{
    cell::{self, Cell},
    names,
    tables::{Column, Order, Table},
};
use crate::{Error, sqlite_driver::Connection};

/// Rows per page. One row may be as large as a message.
const PAGE: usize = 100;

pub(super) fn rows<'a>(
    c: &'a mut Connection,
    table: &'static Table,
    columns: &'a [Column],
) -> BoxStream<'a, Result<Vec<Cell>, Error>> {
    let Some(key) = key(table, columns) else {
        let all = async move { page(c, table, columns, None, &[]).await };
        return stream::once(all).map_ok(|rows| stream::iter(rows).map(Ok)).try_flatten().boxed();
    };
    // Keyset pagination: the state is the key of the last row. It is empty for the first page, and `None`
    // after the last.
    let pages = stream::try_unfold((c, key, Some(Vec::new())), move |(c, key, after)| async move {
        let Some(after) = after else { return Ok::<_, Error>(None) };
        let rows = page(c, table, columns, Some(&key), &after).await?;
        let last = rows.last().filter(|_| rows.len() == PAGE);
        let next = last.map(|row| key.iter().map(|at| row[*at].clone()).collect());
        Ok(Some((stream::iter(rows).map(Ok), (c, key, next))))
    });
    pages.try_flatten().boxed()
}

/// Returns the indexes of the columns that identify a row.
fn key(table: &Table, columns: &[Column]) -> Option<Vec<usize>> {
    let place = |name: &&str| columns.iter().position(|column| column.name == **name);
    match table.order {
        Order::By(names) => names.iter().map(place).collect(),
        Order::Down(_) => None,
        Order::Any => {
            let mut key: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].key > 0).collect();
            key.sort_by_key(|at| columns[*at].key);
            Some(key).filter(|key| !key.is_empty())
        }
    }
}

async fn page(
    c: &mut Connection,
    table: &Table,
    columns: &[Column],
    key: Option<&[usize]>,
    after: &[Cell],
) -> Result<Vec<Vec<Cell>>, Error> {
    let mut query = QueryBuilder::new(format!("select {} from {}", names(columns), table.name));
    if let Some(key) = key {
        let key: Vec<&str> = key.iter().map(|at| columns[*at].name.as_str()).collect();
        let key = key.join(", ");
        if !after.is_empty() {
            query.push(format!(" where ({key}) > ("));
            let mut values = query.separated(", ");
            after.iter().for_each(|cell| cell.bind_sqlite(&mut values));
            query.push(")");
        }
        query.push(format!(" order by {key} limit {PAGE}"));
    } else if let Order::Down(column) = table.order {
        query.push(format!(" order by {column} desc"));
    }
    let rows = query.build().fetch_all(c).await?;
    Ok(rows.iter().map(|row| cell::from_sqlite(row, columns)).collect::<Result<_, _>>()?)
}

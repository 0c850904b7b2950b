//! Pages of long lists.

use plexus_domain::page::PageSize;
use plexus_store::admin::RowRange;

/// A page of a long list.
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Number of rows on all pages.
    pub total: u64,
}

/// Returns the offset and length of page `page`, counted from 1. A page number past the end selects the last
/// page.
pub(crate) fn slice(page: u32, total: u64) -> RowRange {
    let rows = PageSize::DEFAULT.rows();
    let last = total.div_ceil(u64::from(rows)).max(1);
    let page = u64::from(page).clamp(1, last);
    RowRange { skip: (page - 1) * u64::from(rows), take: rows }
}

//! Pagination.

use crate::{Error, Result};

/// Number of rows per page: 1 to [`PageSize::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u16);

impl PageSize {
    pub const MAX: u16 = 100;
    pub const DEFAULT: Self = Self(20);

    pub fn new(rows: u16) -> Result<Self> {
        if (1..=Self::MAX).contains(&rows) {
            Ok(Self(rows))
        } else {
            Err(Error::invalid("page_size", "A page has 1 to 100 rows."))
        }
    }

    pub const fn rows(self) -> u16 {
        self.0
    }
}

//! Pagination state of a list.

/// Current page of a list, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pager {
    page: u32,
    pages: u32,
    total: u64,
}

impl Pager {
    /// Clamps `page` to the valid range, so that a stale link still shows a page.
    pub fn new(page: u32, page_size: u16, total: u64) -> Self {
        let pages = total.div_ceil(u64::from(page_size.max(1))).clamp(1, u64::from(u32::MAX));
        let pages = u32::try_from(pages).unwrap_or(u32::MAX);
        Self { page: page.clamp(1, pages), pages, total }
    }

    pub const fn page(self) -> u32 {
        self.page
    }

    pub const fn pages(self) -> u32 {
        self.pages
    }

    /// Returns the number of rows on all pages.
    pub const fn total(self) -> u64 {
        self.total
    }

    pub fn previous(self) -> Option<u32> {
        (self.page > 1).then(|| self.page - 1)
    }

    pub fn next(self) -> Option<u32> {
        (self.page < self.pages).then(|| self.page + 1)
    }

    /// Returns the page numbers to link: first, last and those around this one; `None` is a gap.
    pub fn numbers(self) -> Vec<Option<u32>> {
        let near = self.page.saturating_sub(1)..=self.page.saturating_add(1);
        let mut wanted: Vec<u32> = [1, self.pages].into_iter().chain(near).collect();
        wanted.retain(|number| (1..=self.pages).contains(number));
        wanted.sort_unstable();
        wanted.dedup();
        let mut numbers = Vec::new();
        for number in wanted {
            match numbers.last() {
                Some(Some(last)) if last + 2 == number => numbers.push(Some(number - 1)),
                Some(Some(last)) if last + 1 < number => numbers.push(None),
                _ => {}
            }
            numbers.push(Some(number));
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_always_in_range() {
        assert_eq!(Pager::new(9, 20, 41).page(), 3);
        assert_eq!(Pager::new(0, 20, 41).page(), 1);
        assert_eq!(Pager::new(1, 20, 0), Pager::new(5, 20, 0));
        assert_eq!(Pager::new(1, 0, 3).pages(), 3);
        assert_eq!((Pager::new(3, 20, 41).next(), Pager::new(1, 20, 41).previous()), (None, None));
    }

    #[test]
    fn numbers_show_the_ends_and_the_neighbours_and_gaps_hide_two_or_more() {
        let shown = |page, pages: u64| {
            let text = |number: Option<u32>| number.map_or("…".to_owned(), |number| number.to_string());
            Pager::new(page, 1, pages).numbers().into_iter().map(text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(1, 1), "1");
        assert_eq!(shown(1, 9), "1 2 … 9");
        assert_eq!(shown(4, 9), "1 2 3 4 5 … 9");
        assert_eq!(shown(5, 9), "1 … 4 5 6 … 9");
        assert_eq!(shown(9, 9), "1 … 8 9");
    }
}

//! Pagination of ARD lists, with opaque page tokens.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::error::ArdError;

const LARGEST: u64 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub first: usize,
    pub size: usize,
}

impl Page {
    pub fn new(size: u64, token: Option<&str>) -> Result<Self, ArdError> {
        let size = usize::try_from(size).ok().filter(|size| (1..=LARGEST as usize).contains(size));
        let size = size.ok_or_else(|| ArdError::invalid("A page has 1 to 100 entries."))?;
        let unknown = || ArdError::invalid("Invalid page token.");
        let first = token.map_or(Some(0), read).ok_or_else(unknown)?;
        Ok(Self { first, size })
    }

    pub fn of<T>(self, all: &[T]) -> &[T] {
        let first = self.first.min(all.len());
        &all[first..first.saturating_add(self.size).min(all.len())]
    }

    /// Returns the token of the next page, if there is one.
    pub fn next(self, total: usize) -> Option<String> {
        let next = self.first.saturating_add(self.size);
        (next < total).then(|| URL_SAFE_NO_PAD.encode(format!("after {next}")))
    }
}

fn read(token: &str) -> Option<usize> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    text.strip_prefix("after ")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let all: Vec<usize> = (0..7).collect();
        let (mut seen, mut token) = (Vec::new(), None);
        loop {
            let page = Page::new(3, token.as_deref()).unwrap();
            seen.extend_from_slice(page.of(&all));
            token = page.next(all.len());
            if token.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);
        for (size, token) in [(0, None), (101, None), (1, Some("x")), (1, Some("YWZ0ZXIgeA"))] {
            assert!(Page::new(size, token).is_err());
        }
    }
}

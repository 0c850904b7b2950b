//! Line differences of two texts, bounded in time and size.

use std::time::Duration;

use plexus_domain::sanitized_text::ellipsize;
use similar::{Algorithm, ChangeTag, TextDiff};

/// Maximum number of shown lines.
const MAX_LINES: usize = 200;
/// Maximum length of a shown line in characters.
const MAX_LINE_CHARS: usize = 4_000;
/// Maximum length of all shown lines in characters.
const MAX_CHARS: usize = 24_000;
/// Number of unchanged lines around a change.
const CONTEXT: usize = 2;
/// After this time, the rest of the texts counts as replaced.
const DIFF_TIMEOUT: Duration = Duration::from_millis(50);

/// Differences of two texts by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineDiff {
    pub lines: Vec<DiffLine>,
    /// Number of further lines that are not in `lines`.
    pub omitted: usize,
}

/// Line of a [`LineDiff`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: DiffLineKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLineKind {
    Unchanged,
    Added,
    Removed,
    /// Place where unchanged lines are left out; its text is empty.
    Gap,
}

impl LineDiff {
    /// Compares two texts. Returns `None` if they are equal.
    pub(super) fn between(before: &str, after: &str) -> Option<Self> {
        if before == after {
            return None;
        }
        let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let mut config = TextDiff::configure();
        let diff = config.algorithm(Algorithm::Myers).timeout(DIFF_TIMEOUT).diff_slices(&before, &after);
        let mut shown = BoundedLines::default();
        for (number, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
            if number > 0 {
                shown.push(DiffLineKind::Gap, "");
            }
            for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
                let kind = match change.tag() {
                    ChangeTag::Equal => DiffLineKind::Unchanged,
                    ChangeTag::Insert => DiffLineKind::Added,
                    ChangeTag::Delete => DiffLineKind::Removed,
                };
                shown.push(kind, change.value());
            }
        }
        // Texts that differ only in line ends have no changed line.
        (!shown.diff.lines.is_empty()).then_some(shown.diff)
    }
}

/// Lines until a bound is reached, and the number of those after it.
#[derive(Default)]
struct BoundedLines {
    diff: LineDiff,
    chars: usize,
}

impl BoundedLines {
    fn push(&mut self, kind: DiffLineKind, line: &str) {
        let text = ellipsize(line, MAX_LINE_CHARS);
        let chars = self.chars + text.chars().count();
        if self.diff.omitted > 0 || self.diff.lines.len() >= MAX_LINES || chars > MAX_CHARS {
            self.diff.omitted += usize::from(kind != DiffLineKind::Gap);
            return;
        }
        self.chars = chars;
        self.diff.lines.push(DiffLine { kind, text });
    }
}

#[cfg(test)]
mod tests {
    use DiffLineKind::{Added, Gap, Removed, Unchanged};

    use super::*;

    fn shown(before: &str, after: &str) -> Vec<(DiffLineKind, String)> {
        let diff = LineDiff::between(before, after).expect("a difference");
        assert_eq!(diff.omitted, 0);
        diff.lines.into_iter().map(|line| (line.kind, line.text)).collect()
    }

    #[test]
    fn changed_lines_are_shown_between_unchanged_ones() {
        let line = |kind, text: &str| (kind, text.to_owned());
        assert_eq!(
            shown("a\nb\nc", "a\nB\nc"),
            [line(Unchanged, "a"), line(Removed, "b"), line(Added, "B"), line(Unchanged, "c")]
        );
        assert_eq!(shown("", "new"), [line(Added, "new")]);
        assert_eq!(shown("old", ""), [line(Removed, "old")]);
        assert_eq!(LineDiff::between("same\n", "same"), None);
    }

    #[test]
    fn distant_changes_are_separated() {
        let before: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let mut after = before.clone();
        after[2] = "two".to_owned();
        after[30] = "thirty".to_owned();
        let kinds: Vec<_> =
            shown(&before.join("\n"), &after.join("\n")).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == Gap).count(), 1);
        assert_eq!(kinds.len(), 2 * 6 + 1);
    }

    #[test]
    fn a_long_difference_is_bounded() {
        let before = "a\n".repeat(16_000);
        let after: String = (0..16_000).map(|number| format!("{number}\n")).collect();
        let diff = LineDiff::between(&before, &after).expect("a difference");
        assert_eq!(diff.lines.len() + diff.omitted, 32_000);
        assert_eq!(diff.lines.len(), MAX_LINES);
        let line = LineDiff::between("", &"x".repeat(MAX_CHARS * 2)).expect("a difference");
        assert_eq!(line.lines[0].text.chars().count(), MAX_LINE_CHARS);
    }
}

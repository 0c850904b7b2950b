//! Tables of delimited values in a text.

use std::ops::Range;

use super::{BlockKind, EmbeddedBlock};

/// Minimum number of lines of a table of delimited values: a header and two rows.
const MIN_TABLE_LINES: usize = 3;
/// Delimiters. The first one that the header has is that of the table.
const DELIMITERS: [char; 4] = ['\t', ';', '|', ','];
/// Maximum number of letters of the unit or currency of a number.
const MAX_UNIT_LETTERS: usize = 3;
/// Maximum number of lines of a record with quoted line feeds.
const MAX_RECORD_LINES: usize = 8;
/// Beginning of the line by which spreadsheets name the delimiter.
const NAMES_DELIMITER: &str = "sep=";
/// Cells that stand for a missing number.
const MISSING: [&str; 9] = ["-", "–", "—", "n/a", "na", "null", "nan", "#n/a", "?"];

/// Returns the table that begins in the first of these lines, and its number of lines.
///
/// Each row has as many delimiters as the header. Rows of values between commas have a number, so that prose is no
/// table.
pub(super) fn table(text: &str, lines: &[Range<usize>]) -> Option<(EmbeddedBlock, usize)> {
    let (start, count) = find(text, lines)?;
    let range = start..lines[count - 1].end;
    Some((EmbeddedBlock { kind: BlockKind::Table, content: range.clone(), range }, count))
}

fn find(text: &str, lines: &[Range<usize>]) -> Option<(usize, usize)> {
    let first = lines.first()?.clone();
    let header = text[first.clone()].trim().trim_matches('"');
    if header.get(..NAMES_DELIMITER.len()).is_some_and(|named| named.eq_ignore_ascii_case(NAMES_DELIMITER)) {
        let (_, count) = find(text, &lines[1..])?;
        return Some((first.start, count + 1));
    }
    let is_row = |line: &&Range<usize>| text[(*line).clone()].trim_start().starts_with('|');
    let rows = lines.iter().take_while(is_row).count();
    if rows >= MIN_TABLE_LINES {
        return Some((first.start, rows));
    }
    // The header may stand in the line of the request: "Chart this: month,boats".
    let line = &text[first.clone()];
    let after_colon =
        [": ", "："].into_iter().filter_map(|colon| Some(line.rfind(colon)? + colon.len())).max();
    let after_colon = after_colon.map(|at| first.start + at);
    let starts = [Some(first.start), after_colon].into_iter().flatten();
    starts.rev().find_map(|start| {
        let delimiter =
            DELIMITERS.into_iter().find(|delimiter| columns(&text[start..first.end], *delimiter) > 1)?;
        let lines = rows_of(text, start, lines, delimiter);
        (lines >= MIN_TABLE_LINES).then_some((start, lines))
    })
}

/// Returns the number of lines of a table whose header begins at `start` in the first line.
fn rows_of(text: &str, start: usize, lines: &[Range<usize>], delimiter: char) -> usize {
    let header_lines = record_lines(text, lines);
    let header = &text[start..lines[header_lines - 1].end];
    let columns = columns(header, delimiter);
    let (mut count, mut rows, mut at) = (0, 0, header_lines);
    while at < lines.len() {
        let length = record_lines(text, &lines[at..]);
        let record = &text[lines[at].start..lines[at + length - 1].end];
        let cells = cells(record, delimiter);
        if cells.len() != columns {
            break;
        }
        at += length;
        // A row without a number belongs to the table if one with a number follows, or if the text ends.
        let is_data = cells.iter().any(|cell| is_number(cell) || is_missing(cell));
        let is_last = || lines[at..].iter().all(|line| text[line.clone()].trim().is_empty());
        if is_data || (rows > 0 && cells.iter().any(|cell| cell.trim().is_empty()) && is_last()) {
            rows += 1;
            count = at;
        } else if rows == 0 {
            break;
        }
    }
    if rows + 1 >= MIN_TABLE_LINES { count } else { 0 }
}

/// Returns the number of lines of the record that begins in the first line: quoted cells may have line feeds.
fn record_lines(text: &str, lines: &[Range<usize>]) -> usize {
    let mut quotes = 0;
    for (number, line) in lines.iter().take(MAX_RECORD_LINES).enumerate() {
        quotes += text[line.clone()].matches('"').count();
        if quotes % 2 == 0 {
            return number + 1;
        }
    }
    1
}

fn columns(record: &str, delimiter: char) -> usize {
    cells(record, delimiter).len()
}

/// Divides a record at the delimiters that do not stand in quotation marks.
fn cells(record: &str, delimiter: char) -> Vec<&str> {
    let (mut cells, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in record.char_indices() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == delimiter && !is_quoted {
            cells.push(&record[start..at]);
            start = at + c.len_utf8();
        }
    }
    cells.push(&record[start..]);
    cells
}

fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell.trim().trim_matches('"').to_lowercase().as_str())
}

/// Returns whether a cell is a number, with its unit or currency.
fn is_number(cell: &str) -> bool {
    let cell = cell.trim().trim_matches('"');
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    letters <= MAX_UNIT_LETTERS && cell.contains(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::super::{BlockKind, embedded_blocks};

    fn tables(text: &str) -> Vec<&str> {
        let blocks = embedded_blocks(text).into_iter().filter(|block| block.kind == BlockKind::Table);
        blocks.map(|block| &text[block.content]).collect()
    }

    #[test]
    fn tables_are_found_whole() {
        for table in [
            "a,b\n1,2\n3,4",
            "name;price\nA;€ 1.234,50\nB;2,75 €",
            "name\tprice\nA\t($987.65)\nB\tn/a",
            "month,boats\nMay,12\nJune,\nJuly,30",
            "\"city, state\",people\n\"Bonn, NRW\",3\n\"Kiel, SH\",4",
            "name,note\n\"A\nB\",1\nC,2",
            "sep=;\nname;price\nA;1\nB;2",
            "x|y\n1|2\n3|4",
            "| a | b |\n|---|---|\n| x | 2 |",
        ] {
            assert_eq!(tables(&format!("Chart this\n{table}")), [table]);
            assert_eq!(
                tables(&format!("Chart this\n{table}\nThen write a memo about it")),
                [table],
                "{table}"
            );
        }
    }

    #[test]
    fn a_last_row_may_lack_its_number() {
        let table = "month,boats\nMay,12\nJune,7\nJuly,";
        assert_eq!(tables(table), [table]);
    }

    #[test]
    fn prose_is_no_table() {
        for text in [
            "Fetch it, plot it\nreport it, 5 pages\nsend it, 6 times",
            "Dear Ada,\nit rains,\nBye,\nGrace",
            "a,b\n1,2",
        ] {
            assert!(tables(text).is_empty(), "{text}");
        }
    }
}

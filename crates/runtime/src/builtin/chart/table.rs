//! Reads a table: delimited values, a list of labelled figures, or the first Markdown table of a text.

use std::collections::BTreeSet;

use csv::{ReaderBuilder, StringRecord, Trim};
use plexus_domain::embedded_block::labelled_figures;

use super::decimal::DecimalMark;

/// Maximum numbers of rows and of columns.
pub(super) const MAX_ROWS: usize = 5_000;
const MAX_COLUMNS: usize = 20;
/// Number of records by which the delimiter is found.
const SAMPLE: usize = 200;
/// Delimiters. Of those that divide all rows alike, the first one is taken: commas also stand in numbers and words.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Beginning of the line by which spreadsheets name the delimiter.
const NAMES_DELIMITER: &str = "sep=";

/// A table whose rows are as long as its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// `None` for a table that is not delimited.
    delimiter: Option<u8>,
    /// What the reader must know about how the table was read.
    pub notes: Vec<String>,
}

impl Table {
    /// Parses a text. `Ok(None)` if there is no table in it. An error is a sentence for the user.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let text = text.trim_start_matches('\u{feff}');
        if let Some(rows) = markdown_rows(text) {
            return Self::of_records(rows, None);
        }
        let (named, text) = named_delimiter(text);
        if let Some(delimiter) = named.or_else(|| find_delimiter(text)) {
            let table = Self::of_records(delimited_rows(text, delimiter)?, Some(delimiter))?;
            // Delimiters only at the edges of lines divide nothing.
            if table.as_ref().is_some_and(|table| table.header.len() > 1) {
                return Ok(table);
            }
        }
        Self::of_records(figure_rows(text), None)
    }

    fn of_records(records: Vec<Vec<String>>, delimiter: Option<u8>) -> Result<Option<Self>, String> {
        let mut records = records;
        // Spreadsheets write delimiters for empty rows too.
        records.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let mut rows = records.into_iter();
        let Some(mut header) = rows.next() else { return Ok(None) };
        let mut rows: Vec<Vec<String>> = rows.collect();
        if rows.is_empty() {
            return Ok(None);
        }
        drop_empty_columns(&mut header, &mut rows);
        let mut table = Self { header, rows, delimiter, notes: Vec::new() };
        table.fill_short_rows();
        table.check()?;
        for (index, name) in table.header.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = format!("column {}", index + 1);
        }
        Ok(Some(table))
    }

    /// Adds the delimiters that spreadsheets leave out at the end of rows whose last cells are empty.
    fn fill_short_rows(&mut self) {
        let columns = self.header.len();
        let is_short = |row: &&mut Vec<String>| row.len() > 1 && row.len() < columns;
        let short =
            self.rows.iter_mut().filter(is_short).map(|row| row.resize(columns, String::new())).count();
        if short > 0 {
            let rows = if short == 1 {
                "1 row ends early; its".to_owned()
            } else {
                format!("{short} rows end early; their")
            };
            self.notes.push(format!("{rows} last values are missing."));
        }
    }

    fn check(&self) -> Result<(), String> {
        let columns = self.header.len();
        if self.rows.len() > MAX_ROWS || columns > MAX_COLUMNS {
            return Err(format!("The table is larger than {MAX_ROWS} rows and {MAX_COLUMNS} columns."));
        }
        let uneven = self.rows.iter().enumerate().find(|(_, row)| row.len() != columns);
        match uneven {
            Some((index, row)) => {
                let (row, values) = (index + 2, row.len());
                Err(format!("Row {row} has {values} values, the header has {columns}."))
            }
            None => Ok(()),
        }
    }

    /// Returns the decimal mark for columns that can be read with both: that of the other columns, or the usual one beside
    /// the delimiter.
    pub fn usual_mark(&self, decided: &BTreeSet<DecimalMark>) -> DecimalMark {
        match (decided.first(), self.delimiter) {
            (Some(mark), _) if decided.len() == 1 => *mark,
            (_, Some(b';')) => DecimalMark::Comma,
            _ => DecimalMark::Point,
        }
    }
}

/// Removes columns without a name and without values at both edges, which leading and trailing delimiters make.
fn drop_empty_columns(header: &mut Vec<String>, rows: &mut [Vec<String>]) {
    let leading = |row: &Vec<String>| row.iter().take_while(|cell| cell.is_empty()).count();
    let shared = rows.iter().map(leading).fold(leading(header), usize::min);
    header.drain(..shared);
    rows.iter_mut().for_each(|row| drop(row.drain(..shared)));
    let is_empty = |row: &Vec<String>, at: usize| row.get(at).is_none_or(String::is_empty);
    while header.len() > 1 && header.last().is_some_and(String::is_empty) {
        let last = header.len() - 1;
        if !rows.iter().all(|row| is_empty(row, last)) {
            break;
        }
        header.pop();
    }
    for row in rows {
        while row.len() > header.len() && row.last().is_some_and(String::is_empty) {
            row.pop();
        }
    }
}

/// Returns the delimiter that the first line names, and the text after it.
fn named_delimiter(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.trim_start().split_once('\n').unwrap_or_default();
    let first = first.trim_end_matches('\r').trim_matches('"');
    let named = first.split_at_checked(NAMES_DELIMITER.len());
    let named =
        named.filter(|(name, _)| name.eq_ignore_ascii_case(NAMES_DELIMITER)).map(|(_, delimiter)| delimiter);
    match named.map(str::as_bytes) {
        Some([delimiter]) => (Some(*delimiter), rest),
        Some(b"\\t") => (Some(b'\t'), rest),
        // Delimiters after it are those of empty cells.
        Some([delimiter, others @ ..]) if others.iter().all(|other| !other.is_ascii_alphanumeric()) => {
            (Some(*delimiter), rest)
        }
        _ => (None, text),
    }
}

/// Returns the delimiter by which most rows have as many values as the header; `None` if there is none. Delimiters in
/// quotation marks do not count.
fn find_delimiter(text: &str) -> Option<u8> {
    let share = |delimiter: u8| {
        let mut lengths = records(text, delimiter, SAMPLE)
            .filter_map(Result::ok)
            .filter(|row| !is_blank(row))
            .map(|row| row.len());
        let header = lengths.next().filter(|header| *header > 1)?;
        let (mut alike, mut all) = (0, 0);
        for length in lengths {
            all += 1;
            alike += usize::from(length == header);
        }
        (all > 0).then(|| (alike * 1_000 / all, delimiter))
    };
    let mut best: Option<(usize, u8)> = None;
    for (share, delimiter) in DELIMITERS.into_iter().filter_map(share) {
        if best.is_none_or(|(most, _)| share > most) {
            best = Some((share, delimiter));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

fn is_blank(row: &StringRecord) -> bool {
    row.iter().all(str::is_empty)
}

/// Reads delimited values (RFC 4180). Line ends may be those of any system.
fn records(
    text: &str,
    delimiter: u8,
    most: usize,
) -> impl Iterator<Item = Result<StringRecord, csv::Error>> + '_ {
    let reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    reader.into_records().take(most)
}

/// Reads delimited values. Stops after one row too many, which the caller reports.
fn delimited_rows(text: &str, delimiter: u8) -> Result<Vec<Vec<String>>, String> {
    // Spaces may stand around quotation marks.
    let cell = |cell: &str| {
        let quoted = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
        quoted.map_or_else(|| cell.to_owned(), |cell| cell.replace("\"\"", "\""))
    };
    let cells = |record: StringRecord| record.iter().map(cell).collect();
    let records = records(text, delimiter, MAX_ROWS + 2).map(|record| record.map(cells));
    records
        .collect::<Result<_, _>>()
        .map_err(|error: csv::Error| format!("The table could not be read: {error}."))
}

/// Returns the rows of a list of labelled figures, with a header.
fn figure_rows(text: &str) -> Vec<Vec<String>> {
    let header = ["item", "value"].map(str::to_owned).to_vec();
    let figures = labelled_figures(text).into_iter().take(MAX_ROWS + 1);
    let row = |label: &str, number: &str| vec![label.trim().to_owned(), number.trim().to_owned()];
    let rows: Vec<Vec<String>> =
        figures.map(|figure| row(&text[figure.label], &text[figure.number])).collect();
    if rows.is_empty() { Vec::new() } else { std::iter::once(header).chain(rows).collect() }
}

/// Returns the rows of the first Markdown table, without the line below its header.
fn markdown_rows(text: &str) -> Option<Vec<Vec<String>>> {
    let is_row = |line: &&str| line.trim_start().starts_with('|');
    let lines = text.lines().skip_while(|line| !is_row(line)).take_while(is_row);
    let mut rows: Vec<Vec<String>> = lines.take(MAX_ROWS + 3).map(cells).collect();
    let is_rule = |cell: &String| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'));
    if !rows.get(1)?.iter().all(is_rule) {
        return None;
    }
    rows.remove(1);
    Some(rows)
}

/// Returns the cells of a row of a Markdown table (GFM 0.29, section 4.10), without escapes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let line = line.trim();
    let mut chars = line.strip_prefix('|').unwrap_or(line).chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = chars.next_if(|next| c == '\\' && next.is_ascii_punctuation());
        match (c, escaped) {
            ('|', None) => cells.push(String::new()),
            (c, escaped) => cells.last_mut().into_iter().for_each(|cell| cell.push(escaped.unwrap_or(c))),
        }
    }
    if line.ends_with('|') {
        cells.pop();
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<Vec<String>> {
        let table = Table::parse(text).unwrap().expect("a table");
        std::iter::once(table.header).chain(table.rows).collect()
    }

    #[test]
    fn reads_delimited_values_and_markdown() {
        let expected = [["name", "size"], ["a, b", "1"], ["c|d", "2"]];
        for text in [
            "name,size\n\"a, b\",1\nc|d,2\n",
            "name;size\na, b;1\nc|d;2",
            "name\tsize\r\na, b\t1\r\nc|d\t2\r\n",
            "name\tsize\ra, b\t1\rc|d\t2\r",
            "sep=;\r\nname;size\r\na, b;1\r\nc|d;2",
            "\"sep=;\"\nname;size;\na, b;1;\nc|d;2;\n;;\n",
            "\u{feff}\"name\" , \"size\"\n\"a, b\", \"1\"\n\"c|d\" ,2",
            "Here:\n\n| name | size |\n|---|---:|\n| a, b | 1 |\n| c\\|d | 2 |\n\nMore, text",
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
        for framed in
            ["| name | size |\n| a | 1 |", "|name|size\n|a|1", "name|size|\na|1|", ";name;size;\n;a;1;"]
        {
            assert_eq!(parsed(framed), [["name", "size"], ["a", "1"]], "{framed}");
        }
        assert_eq!(parsed(" | size\na | 1"), [["column 1", "size"], ["a", "1"]]);
        for none in ["", "prose without a table", "a,b", "| a |\n| b |", "|a\n|b", "a;\nb;"] {
            assert_eq!(Table::parse(none), Ok(None), "{none}");
        }
    }

    #[test]
    fn uneven_and_large_tables_are_refused() {
        assert_eq!(Table::parse("a,b\n1").unwrap_err(), "Row 2 has 1 values, the header has 2.");
        assert_eq!(Table::parse("a,b\n1,2,3").unwrap_err(), "Row 2 has 3 values, the header has 2.");
        assert!(Table::parse(&format!("a,b\n{}", "1,2\n".repeat(5_001))).unwrap_err().contains("5000 rows"));
        assert!(
            Table::parse(&format!("{}b\n{}1", "a,".repeat(20), "1,".repeat(20)))
                .unwrap_err()
                .contains("20 columns")
        );
        assert!(Table::parse(&format!("a,b\n{}", "1,2\n".repeat(5_000))).is_ok());
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        plexus_testing::cost::assert_linear("table", |text| Table::parse(text).is_ok());
    }
}

//! Reads a table: delimited values, or the first Markdown table of a text.

use csv::{ReaderBuilder, StringRecord, Trim};

/// Maximum numbers of rows and of columns.
pub(super) const MAX_ROWS: usize = 5_000;
const MAX_COLUMNS: usize = 20;

/// A table whose rows are as long as its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// True if its values are separated by semicolons, which is usual where decimals have a comma.
    pub has_semicolons: bool,
}

impl Table {
    /// Parses a text. `Ok(None)` if there is no table in it. An error is a sentence for the user.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let (records, has_semicolons) = match markdown_rows(text) {
            Some(rows) => (rows, false),
            None => {
                let Some(delimiter) = delimiter(text) else { return Ok(None) };
                (delimited_rows(text, delimiter)?, delimiter == b';')
            }
        };
        let mut rows = records.into_iter();
        let Some(header) = rows.next() else { return Ok(None) };
        let rows: Vec<Vec<String>> = rows.collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let table = Self { header, rows, has_semicolons };
        table.check()?;
        Ok(Some(table))
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
}

/// Returns the delimiter that stands most often in the first line; `None` if there is none.
fn delimiter(text: &str) -> Option<u8> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // The last of equal ones is chosen.
    b",;\t".iter().copied().filter(|delimiter| count(delimiter) > 0).max_by_key(count)
}

/// Reads delimited values (RFC 4180). Stops after one row too many, which the caller reports.
fn delimited_rows(text: &str, delimiter: u8) -> Result<Vec<Vec<String>>, String> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let cells = |record: StringRecord| record.iter().map(str::to_owned).collect();
    let records = reader.records().take(MAX_ROWS + 2).map(|record| record.map(cells));
    records
        .collect::<Result<_, _>>()
        .map_err(|error: csv::Error| format!("The table could not be read: {error}."))
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
            "Here:\n\n| name | size |\n|---|---:|\n| a, b | 1 |\n| c\\|d | 2 |\n\nMore, text",
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
        for none in ["", "prose without a table", "a,b", "| a |\n| b |"] {
            assert_eq!(Table::parse(none), Ok(None), "{none}");
        }
    }

    #[test]
    fn uneven_and_large_tables_are_refused() {
        assert_eq!(Table::parse("a,b\n1").unwrap_err(), "Row 2 has 1 values, the header has 2.");
        assert!(Table::parse(&format!("a,b\n{}", "1,2\n".repeat(5_001))).unwrap_err().contains("5000 rows"));
        assert!(
            Table::parse(&format!("{}b\n{}1", "a,".repeat(20), "1,".repeat(20)))
                .unwrap_err()
                .contains("20 columns")
        );
        assert!(Table::parse(&format!("a,b\n{}", "1,2\n".repeat(5_000))).is_ok());
    }
}

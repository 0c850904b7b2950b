//! Columns of a table: which one has the labels, how the numbers of a column are written, and their sums.

use std::collections::BTreeSet;

use super::{
    decimal::{Decimal, DecimalMark},
    table::Table,
    written_number::{Cell, WrittenNumber},
};

/// A column of a table.
pub(super) struct Column<'a> {
    pub index: usize,
    pub name: &'a str,
    /// True if it names the rows. Such a column may hold numbers that have no sum, such as years.
    pub is_label: bool,
    pub content: Content,
    /// What the reader must know about how it was read.
    pub note: Option<String>,
}

/// What the cells of a column are.
pub(super) enum Content {
    Numbers(Numbers),
    /// Words, or no values.
    Text,
    /// Mostly numbers, but not as a whole, with the reason as the end of a sentence.
    Unclear(String),
}

/// The numbers of a column.
pub(super) struct Numbers {
    /// `None` for a missing value.
    pub values: Vec<Option<Decimal>>,
    pub sum: Decimal,
    pub mean: Decimal,
    pub lowest: Decimal,
    pub highest: Decimal,
}

impl Column<'_> {
    pub const fn numbers(&self) -> Option<&Numbers> {
        match &self.content {
            Content::Numbers(numbers) => Some(numbers),
            Content::Text | Content::Unclear(_) => None,
        }
    }
}

/// Returns the columns of a table. The first one of words has the labels, or the first of several.
pub(super) fn columns(table: &Table) -> Vec<Column<'_>> {
    let cells: Vec<Cells<'_>> = (0..table.header.len()).map(|index| Cells::of(table, index)).collect();
    let marks: Vec<Marks> = cells.iter().map(Cells::marks).collect();
    let decided: BTreeSet<DecimalMark> = marks.iter().filter_map(Marks::only).collect();
    let usual = table.usual_mark(&decided);
    let column = |((index, cells), marks): ((usize, Cells<'_>), Marks)| {
        let (content, note) = cells.content(marks, usual);
        Column { index, name: &table.header[index], is_label: false, content, note }
    };
    let mut columns: Vec<Column<'_>> = cells.into_iter().enumerate().zip(marks).map(column).collect();
    let label = columns.iter().position(|column| matches!(column.content, Content::Text));
    if let Some(label) = label.or_else(|| (columns.len() > 1).then_some(0)) {
        columns[label].is_label = true;
    }
    columns
}

/// Cells of a column.
struct Cells<'a> {
    /// The number of the row in the table, its text and what it is.
    cells: Vec<(usize, &'a str, Cell)>,
}

/// The decimal marks with which all numbers of a column can be read.
#[derive(Clone, Copy)]
struct Marks {
    point: bool,
    comma: bool,
    /// Whether both give the same numbers.
    are_equal: bool,
}

impl Marks {
    const fn only(&self) -> Option<DecimalMark> {
        match (self.point, self.comma) {
            (true, false) => Some(DecimalMark::Point),
            (false, true) => Some(DecimalMark::Comma),
            _ => None,
        }
    }
}

impl<'a> Cells<'a> {
    fn of(table: &'a Table, index: usize) -> Self {
        let cell = |(row, cells): (usize, &'a Vec<String>)| {
            let text = cells[index].as_str();
            (row + 2, text, Cell::read(text))
        };
        Self { cells: table.rows.iter().enumerate().map(cell).collect() }
    }

    fn numbers(&self) -> impl Iterator<Item = (usize, &'a str, &WrittenNumber)> {
        self.cells.iter().filter_map(|(row, text, cell)| match cell {
            Cell::Number(number) => Some((*row, *text, number)),
            Cell::Missing | Cell::Text => None,
        })
    }

    fn marks(&self) -> Marks {
        let all = |mark| self.numbers().all(|(_, _, number)| number.value(mark).is_some());
        let are_equal = |number: &WrittenNumber| {
            let values = (number.value(DecimalMark::Point), number.value(DecimalMark::Comma));
            values.0.map(Decimal::without_zeros) == values.1.map(Decimal::without_zeros)
        };
        let has_numbers = self.numbers().next().is_some();
        Marks {
            point: has_numbers && all(DecimalMark::Point),
            comma: has_numbers && all(DecimalMark::Comma),
            are_equal: self.numbers().all(|(_, _, number)| are_equal(number)),
        }
    }

    /// Returns what the cells are, with a note on how they were read. `usual` is the mark of the other columns.
    fn content(self, marks: Marks, usual: DecimalMark) -> (Content, Option<String>) {
        let count = self.numbers().count();
        let other = self.cells.iter().find(|(_, _, cell)| *cell == Cell::Text);
        let others = self.cells.iter().filter(|(_, _, cell)| *cell == Cell::Text).count();
        if count == 0 || others > count {
            return (Content::Text, None);
        }
        if let Some((row, text, _)) = other {
            return (Content::Unclear(format!("“{}” in row {row} is no number", shown(text))), None);
        }
        if let Some(reason) = self.mixed_units() {
            return (Content::Unclear(reason), None);
        }
        let (mark, is_ambiguous) = match marks.only() {
            Some(mark) => (mark, false),
            None if marks.point && marks.are_equal => (DecimalMark::Point, false),
            None if marks.point => (self.own_mark().unwrap_or(usual), true),
            None => return (Content::Unclear(self.unreadable()), None),
        };
        let notes = [is_ambiguous.then(|| self.reading(mark)).flatten(), self.placeholders()];
        let note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let values = self.cells.iter().map(|(_, _, cell)| match cell {
            Cell::Number(number) => number.value(mark),
            Cell::Missing | Cell::Text => None,
        });
        match Numbers::of(values.collect()) {
            Some(numbers) => (Content::Numbers(numbers), (!note.is_empty()).then_some(note)),
            None => (Content::Text, None),
        }
    }

    /// Returns the mark that the column itself suggests: beside ungrouped thousands, a mark is one of decimals.
    fn own_mark(&self) -> Option<DecimalMark> {
        if !self.numbers().any(|(_, _, number)| number.is_ungrouped()) {
            return None;
        }
        let has = |mark: char| self.numbers().any(|(_, text, _)| text.contains(mark));
        match (has('.'), has(',')) {
            (true, false) => Some(DecimalMark::Point),
            (false, true) => Some(DecimalMark::Comma),
            _ => None,
        }
    }

    fn mixed_units(&self) -> Option<String> {
        let units: BTreeSet<&str> = self.numbers().map(|(_, _, number)| number.unit.as_str()).collect();
        let named: Vec<&str> = units.iter().copied().filter(|unit| !unit.is_empty()).collect();
        if named.len() > 1 {
            return Some(format!("its values have different units: {}", named.join(", ")));
        }
        let has_percent = named.iter().any(|unit| unit.contains('%'));
        (has_percent && units.len() > 1).then(|| "only some of its values are percentages".to_owned())
    }

    /// Returns why the numbers cannot be read with one decimal mark.
    fn unreadable(&self) -> String {
        let reads = |number: &WrittenNumber, mark| number.value(mark).is_some();
        let neither = self
            .numbers()
            .find(|(_, _, number)| !reads(number, DecimalMark::Point) && !reads(number, DecimalMark::Comma));
        if let Some((row, text, _)) = neither {
            return format!("“{}” in row {row} is written in a way that I do not know", shown(text));
        }
        let only =
            |mark, other| self.numbers().find(|(_, _, number)| reads(number, mark) && !reads(number, other));
        let point = only(DecimalMark::Point, DecimalMark::Comma).map_or("", |(_, text, _)| text);
        let comma = only(DecimalMark::Comma, DecimalMark::Point).map_or("", |(_, text, _)| text);
        format!("“{}” has a decimal point and “{}” a decimal comma", shown(point), shown(comma))
    }

    /// Returns how an ambiguous number was read.
    fn reading(&self, mark: DecimalMark) -> Option<String> {
        let differs =
            |number: &WrittenNumber| number.value(DecimalMark::Point) != number.value(DecimalMark::Comma);
        let (_, text, number) = self.numbers().find(|(_, _, number)| differs(number))?;
        Some(format!("I read “{}” as {}", shown(text), number.value(mark)?))
    }

    /// Returns which words stand for missing values.
    fn placeholders(&self) -> Option<String> {
        let missing =
            self.cells.iter().filter(|(_, text, cell)| *cell == Cell::Missing && !text.trim().is_empty());
        let texts: Vec<&str> = missing.map(|(_, text, _)| *text).collect();
        let first = texts.first()?;
        let values =
            if texts.len() == 1 { "1 value is".to_owned() } else { format!("{} values are", texts.len()) };
        Some(format!("{values} missing (“{}”)", shown(first)))
    }
}

/// Returns the beginning of a cell, for a sentence.
fn shown(text: &str) -> String {
    use plexus_domain::sanitized_text::{ellipsize, one_line};
    ellipsize(&one_line(text), 40)
}

impl Numbers {
    /// Returns `None` without any value.
    fn of(values: Vec<Option<Decimal>>) -> Option<Self> {
        let present = || values.iter().flatten();
        let by_size = |a: &&Decimal, b: &&Decimal| a.to_f64().total_cmp(&b.to_f64());
        let (lowest, highest) = (*present().min_by(by_size)?, *present().max_by(by_size)?);
        let sum = Decimal::sum(present());
        let mean = sum.divided_by(present().count());
        Some(Self { sum, mean, lowest, highest, values })
    }
}

//! Columns of a table: which one has the labels, and the sums of those with numbers.

use super::{
    decimal::{Decimal, DecimalMark},
    table::Table,
};

/// A column of a table.
pub(super) struct Column<'a> {
    pub index: usize,
    pub name: &'a str,
    /// True if it names the rows. Such a column may hold numbers that have no sum, such as years.
    pub is_label: bool,
    /// `None` if a cell is no number, or all are empty.
    pub numbers: Option<Numbers>,
}

/// The numbers of a column.
pub(super) struct Numbers {
    /// `None` for an empty cell.
    pub values: Vec<Option<Decimal>>,
    pub sum: Decimal,
    pub mean: Decimal,
    pub lowest: Decimal,
    pub highest: Decimal,
}

/// Returns the columns of a table. The first one without numbers has the labels, or the first of several.
pub(super) fn columns<'a>(table: &'a Table) -> Vec<Column<'a>> {
    let mark = decimal_mark(table);
    let column = |(index, name): (usize, &'a str)| Column {
        index,
        name,
        is_label: false,
        numbers: Numbers::of(table.rows.iter().map(|row| row[index].as_str()), mark),
    };
    let mut columns: Vec<Column<'_>> =
        table.header.iter().map(String::as_str).enumerate().map(column).collect();
    let label = columns.iter().position(|column| column.numbers.is_none());
    if let Some(label) = label.or_else(|| (columns.len() > 1).then_some(0)) {
        columns[label].is_label = true;
    }
    columns
}

fn decimal_mark(table: &Table) -> DecimalMark {
    let mut cells = table.rows.iter().flatten();
    match table.has_semicolons && cells.any(|cell| cell.contains(',')) {
        true => DecimalMark::Comma,
        false => DecimalMark::Point,
    }
}

impl Numbers {
    fn of<'a>(cells: impl Iterator<Item = &'a str>, mark: DecimalMark) -> Option<Self> {
        let value = |cell: &str| match cell.is_empty() {
            true => Some(None),
            false => Decimal::parse(cell, mark).map(Some),
        };
        let values: Vec<Option<Decimal>> = cells.map(value).collect::<Option<_>>()?;
        let present = || values.iter().flatten();
        let by_size = |a: &&Decimal, b: &&Decimal| a.to_f64().total_cmp(&b.to_f64());
        let (lowest, highest) = (*present().min_by(by_size)?, *present().max_by(by_size)?);
        let sum = Decimal::sum(present());
        let mean = sum.divided_by(present().count());
        Some(Self { sum, mean, lowest, highest, values })
    }
}

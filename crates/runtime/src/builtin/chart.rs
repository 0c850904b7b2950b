//! Built-in agent `@plexus/chart`: reads a table, and answers with its sums and means and a chart.

mod column;
mod decimal;
mod svg;
mod table;

use std::fmt::Write as _;

use async_trait::async_trait;
use bytes::Bytes;
use plexus_domain::{
    run::{Failure, FailureClass},
    sanitized_text::{ellipsize, one_line},
};
use tokio::task;
use tokio_util::sync::CancellationToken;

use self::{
    column::{Column, Numbers, columns},
    decimal::Decimal,
    svg::{Chart, ChartKind, Series},
    table::Table,
};
use super::{
    input_text::{InputText, blocks},
    markdown::escape,
};
use crate::{Connector, Output, OutputFile, RunEnd, RunRequest};

const HELP: &str = "I make a chart of a table, with the sum and mean of each column. Send comma-separated values with a \
header, a Markdown table, or a CSV file, for example:\n\n```csv\nmonth,boats\nMay,12\nJune,18\n```\n";

/// Maximum number of rows in the answer.
const MAX_SHOWN_ROWS: usize = 20;
const MAX_CELL_CHARS: usize = 60;
/// Maximum number of rows and of columns of numbers in a chart.
const MAX_POINTS: usize = 200;
const MAX_SERIES: usize = 6;
/// From so many rows on, a chart has lines instead of bars.
const MIN_LINE_POINTS: usize = 25;

/// Connector of the agent for tables and charts.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartMaker;

#[async_trait]
impl Connector for ChartMaker {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        _stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let is_assignment = request.is_assignment();
        let made = task::spawn_blocking(move || answer(&request)).await;
        let failed =
            |_| Failure::new(FailureClass::Internal, "The chart could not be drawn. Try a smaller table.");
        match made.map_err(failed)? {
            Ok(ChartAnswer { text, svg }) => {
                output.text(&text)?;
                output.file(OutputFile {
                    artifact: Some("chart".to_owned()),
                    name: Some("chart.svg".to_owned()),
                    media_type: Some("image/svg+xml".to_owned()),
                    metadata: None,
                    bytes: Bytes::from(svg),
                    continues: false,
                })?;
            }
            // A team must learn that the work was not done.
            Err(reason) if is_assignment => return Ok(RunEnd::Rejected { reason }),
            Err(reason) => output.text(&format!("{reason}\n\n{HELP}"))?,
        }
        Ok(RunEnd::Completed)
    }
}

/// Answer to a request with a table: Markdown, and the chart.
struct ChartAnswer {
    text: String,
    svg: String,
}

/// Returns the answer, or why there is none.
fn answer(request: &RunRequest) -> Result<ChartAnswer, String> {
    let table = find_table(request)?;
    let columns = columns(&table);
    let (labels, numbers): (Vec<&Column<'_>>, Vec<&Column<'_>>) =
        columns.iter().partition(|column| column.is_label);
    let numbers: Vec<&Column<'_>> = numbers.into_iter().filter(|column| column.numbers.is_some()).collect();
    if numbers.is_empty() {
        return Err("The table has no column of numbers.".to_owned());
    }
    let kind = chart_kind(&request.command(), table.rows.len());
    let chart = chart(&table, labels.first().copied(), &numbers, kind);
    Ok(ChartAnswer { text: render(&table, &numbers), svg: chart.render() })
}

/// Returns the first table of a request, or why there is none.
fn find_table(request: &RunRequest) -> Result<Table, String> {
    let mut problem = None;
    for text in InputText::of(request)? {
        let tables = match &text {
            // A result is prose with tables in it.
            InputText::Result(text) => blocks(text).collect(),
            text => vec![text.as_str().to_owned()],
        };
        for table in tables {
            match Table::parse(&table) {
                Ok(Some(table)) => return Ok(table),
                Ok(None) => {}
                // Commas in prose are no table.
                Err(_) if matches!(text, InputText::Message(_)) => {}
                Err(reason) => problem = problem.or(Some(reason)),
            }
        }
    }
    Err(problem.unwrap_or_else(|| "I found no table.".to_owned()))
}

/// Returns the kind of chart that a request names, or the one that suits the number of rows.
fn chart_kind(request: &str, rows: usize) -> ChartKind {
    let request = request.to_lowercase();
    let has =
        |words: &[&str]| request.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    match () {
        () if has(&["bar", "bars"]) => ChartKind::Bars,
        () if has(&["curve", "line", "lines", "trend"]) || rows >= MIN_LINE_POINTS => ChartKind::Lines,
        () => ChartKind::Bars,
    }
}

fn chart(table: &Table, labels: Option<&Column<'_>>, numbers: &[&Column<'_>], kind: ChartKind) -> Chart {
    let label = |(index, row): (usize, &Vec<String>)| match labels {
        Some(column) => row.get(column.index).cloned().unwrap_or_default(),
        None => (index + 1).to_string(),
    };
    let series = numbers.iter().take(MAX_SERIES).filter_map(|column| {
        let values = column.numbers.as_ref()?.values.iter().take(MAX_POINTS);
        let values = values.map(|value| value.map(Decimal::to_f64)).collect();
        Some(Series { name: column.name.to_owned(), values })
    });
    Chart {
        kind,
        labels_name: labels.map_or("row", |column| column.name).to_owned(),
        labels: table.rows.iter().enumerate().take(MAX_POINTS).map(label).collect(),
        series: series.collect(),
    }
}

fn render(table: &Table, numbers: &[&Column<'_>]) -> String {
    let (rows, columns) = (table.rows.len(), table.header.len());
    let mut text = format!("{}, {}.\n\n", count(rows, "row"), count(columns, "column"));
    let is_number = |index: usize| numbers.iter().any(|column| column.index == index);
    let align: Vec<&str> = (0..columns).map(|index| if is_number(index) { "---:" } else { "---" }).collect();
    let header: Vec<String> = table.header.iter().map(|name| cell(name)).collect();
    let _ = writeln!(text, "| {} |\n|{}|", header.join(" | "), align.join("|"));
    for row in table.rows.iter().take(MAX_SHOWN_ROWS) {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    if rows > MAX_SHOWN_ROWS {
        let _ = writeln!(text, "\nThe first {MAX_SHOWN_ROWS} rows are shown. The sums are of all rows.");
    }
    text.push_str("\n| column | sum | mean | lowest | highest |\n|---|---:|---:|---:|---:|\n");
    for column in numbers {
        if let Some(numbers) = &column.numbers {
            let Numbers { sum, mean, lowest, highest, .. } = numbers;
            let _ = writeln!(text, "| {} | {sum} | {mean} | {lowest} | {highest} |", cell(column.name));
        }
    }
    text.push_str("\nThe chart is in chart.svg.");
    if rows > MAX_POINTS || numbers.len() > MAX_SERIES {
        let _ = write!(text, " It shows at most {MAX_POINTS} rows and {MAX_SERIES} columns.");
    }
    text.push('\n');
    text
}

fn cell(text: &str) -> String {
    escape(&ellipsize(&one_line(text), MAX_CELL_CHARS))
}

fn count(number: usize, unit: &str) -> String {
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Recorder, ask, run};

    async fn answer_to(question: &str) -> Recorder {
        let (end, heard) = run(&ChartMaker, ask(question)).await.unwrap();
        assert_eq!(end, RunEnd::Completed);
        heard
    }

    #[tokio::test]
    async fn a_table_is_summed_up_and_drawn() {
        let answer = answer_to("Chart this:\nmonth,boats,tons\nMay,12,1.5\nJune,18,2.25\nJuly,30,").await;
        assert_eq!(
            answer.text,
            "3 rows, 3 columns.\n\n| month | boats | tons |\n|---|---:|---:|\n| May | 12 | 1.5 |\n| June | 18 | 2.25 |\n\
             | July | 30 |  |\n\n| column | sum | mean | lowest | highest |\n|---|---:|---:|---:|---:|\n\
             | boats | 60 | 20 | 12 | 30 |\n| tons | 3.75 | 1.875 | 1.5 | 2.25 |\n\nThe chart is in chart.svg.\n"
        );
        let [file] = answer.files.as_slice() else { panic!("{:?}", answer.files) };
        let svg = str::from_utf8(&file.bytes).unwrap();
        assert!(
            svg.contains("boats and tons by month") && svg.matches("<rect class=\"bar\"").count() == 5,
            "{svg}"
        );
    }

    #[tokio::test]
    async fn the_request_chooses_the_kind_of_chart() {
        let lines =
            answer_to("Line chart of\n| year | revenue |\n|---|---|\n| 2014 | 86.8 |\n| 2015 | 93.6 |").await;
        assert!(str::from_utf8(&lines.files[0].bytes).unwrap().contains("<polyline"));
        assert!(
            lines.text.contains("| revenue | 180.4 | 90.2 |") && !lines.text.contains("| year | 4029"),
            "{}",
            lines.text
        );
    }

    #[tokio::test]
    async fn without_numbers_it_says_what_is_missing() {
        for (question, reason) in [
            ("Draw, please", "I found no table."),
            ("Chart\n```\na,b\nx,y\n```", "no column of numbers"),
            ("Chart\n```\na,b\n1,2,3\n```", "Row 2 has 3 values, the header has 2."),
        ] {
            let answer = answer_to(question).await;
            assert!(answer.text.contains(reason) && answer.text.ends_with(HELP), "{}", answer.text);
            assert!(answer.files.is_empty());
        }
    }
}

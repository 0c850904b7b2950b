//! Built-in agent `@plexus/chart`: reads a table, and answers with its sums and means and a chart.

mod column;
mod decimal;
mod svg;
mod table;
mod written_number;

use std::fmt::Write as _;

use async_trait::async_trait;
use bytes::Bytes;
use plexus_domain::{
    embedded_block::{BlockKind, blocks_and_terms, embedded_blocks},
    run::{Failure, FailureClass},
    sanitized_text::{ellipsize, one_line},
    team::formation::{WorkKind, work_kind},
};
use tokio::task;
use tokio_util::sync::CancellationToken;

use self::{
    column::{Column, Content, Numbers, columns},
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
/// Words of requests for a table with its sums.
const TABLE_WORDS: &[&str] = &[
    "average", "averages", "column", "columns", "csv", "mean", "means", "sum", "sums", "table", "tabulate",
    "total", "totals", "spalte", "spalten", "summe", "summen", "tabelle", "tableau", "tabla", "表格", "جدول",
];

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
    let FoundTable { table, source } = find_table(request)?;
    let columns = columns(&table);
    let label = columns.iter().find(|column| column.is_label);
    let numbers: Vec<&Column<'_>> =
        columns.iter().filter(|column| !column.is_label && column.numbers().is_some()).collect();
    let notes = [source.into_iter().collect(), table.notes.clone(), notes(&columns)].concat();
    if numbers.is_empty() {
        return Err([vec!["The table has no column of numbers.".to_owned()], notes].concat().join(" "));
    }
    let kind = chart_kind(&request.command(), table.rows.len());
    let chart = chart(&table, label, &numbers, kind);
    Ok(ChartAnswer { text: render(&table, &numbers, &notes), svg: chart.render() })
}

/// Returns whether a request asks for what this agent does: a chart, or a table with its sums if there is data for it.
pub(super) fn can_answer(request: &str, goal: &str) -> bool {
    let (mut outside, mut from) = (String::with_capacity(request.len()), 0);
    for block in blocks_and_terms(request) {
        outside.push_str(&request[from..block.range.start]);
        outside.push(' ');
        from = block.range.end;
    }
    outside.push_str(&request[from..]);
    let words = || outside.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let is_about_table = words().any(|word| TABLE_WORDS.contains(&word.as_str()));
    let is_data = |kind| matches!(kind, BlockKind::Table | BlockKind::Figures | BlockKind::Fenced);
    words().any(|word| work_kind(&word) == Some(WorkKind::Chart))
        || (is_about_table && embedded_blocks(goal).iter().any(|block| is_data(block.kind)))
}

/// Returns sentences on the columns that are not summed, and on those that could be read in two ways.
fn notes(columns: &[Column<'_>]) -> Vec<String> {
    let sentence = |column: &Column<'_>| {
        let name = cell(column.name);
        match (&column.content, &column.note) {
            (Content::Unclear(reason), _) => Some(format!("*{name}* is not summed: {}.", escape(reason))),
            (Content::Text, _) if !column.is_label => {
                Some(format!("*{name}* is not summed: it has no numbers."))
            }
            (Content::Numbers(_), Some(note)) if !column.is_label => {
                Some(format!("*{name}*: {}.", escape(note)))
            }
            (Content::Text | Content::Numbers(_), _) => None,
        }
    };
    columns.iter().filter_map(sentence).collect()
}

/// A table, and a sentence on the file in which it stands.
struct FoundTable {
    table: Table,
    source: Option<String>,
}

/// Returns the first table of a request, or why there is none.
fn find_table(request: &RunRequest) -> Result<FoundTable, String> {
    let mut problem = None;
    for text in InputText::of(request)? {
        if let InputText::Unreadable(reason) = &text {
            problem = problem.or_else(|| Some(reason.clone()));
            continue;
        }
        let tables = match &text {
            // A result is prose with tables in it.
            InputText::Result(text) => blocks(text).collect(),
            text => vec![text.as_str().to_owned()],
        };
        let is_message = matches!(text, InputText::Message(_));
        for table in tables {
            match Table::parse(&table) {
                // Commas in prose are no table.
                Ok(Some(table))
                    if is_message && columns(&table).iter().all(|column| column.numbers().is_none()) => {}
                Ok(Some(table)) => return Ok(FoundTable { table, source: text.source().map(escape) }),
                Ok(None) => {}
                Err(_) if is_message => {}
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
        let values = column.numbers()?.values.iter().take(MAX_POINTS);
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

fn render(table: &Table, numbers: &[&Column<'_>], notes: &[String]) -> String {
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
        if let Some(numbers) = column.numbers() {
            let Numbers { sum, mean, lowest, highest, .. } = numbers;
            let _ = writeln!(text, "| {} | {sum} | {mean} | {lowest} | {highest} |", cell(column.name));
        }
    }
    for note in notes {
        let _ = writeln!(text, "\n{note}");
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
    use plexus_domain::{Digest, PartBody};

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

    /// Returns the row of the sums of a column, or the whole answer if there is none.
    async fn sums_of(table: &str, column: &str) -> String {
        let answer = answer_to(&format!("Chart this:\n```\n{table}\n```")).await.text;
        let (_, sums) = answer.split_once("| column | sum").unwrap_or(("", answer.as_str()));
        let row = sums.lines().find(|line| line.starts_with(&format!("| {column} |")));
        row.map_or_else(|| answer.clone(), str::to_owned)
    }

    #[tokio::test]
    async fn tables_are_read_in_every_form() {
        for (table, column, sum) in [
            ("item,amount\na,($987.65)\nb,$1.65", "amount", "-986"),
            ("item,\"city, state\",n\na,\"Bonn, NRW\",1\nb,\"Kiel, SH\",2", "n", "3"),
            ("name;a;b\nx;1.5;1,5\ny;2.5;2,5", "a", "4"),
            ("name;a;b\nx;1.5;1,5\ny;2.5;2,5", "b", "4"),
            ("name\tpreis\nx\t1,25\ny\t1,500", "preis", "2.75"),
            ("name;preis\nx;1.234,50 €\ny;2,50 €", "preis", "1237"),
            ("name;preis\nx;1\u{a0}234,50\ny;1\u{202f}000,50", "preis", "2235"),
            ("name,lakh\nx,\"12,34,567\"\ny,3", "lakh", "1234570"),
            ("name,chf\nx,1'234.5\ny,CHF 0.5", "chf", "1235"),
            ("name|n\nx|1\ny|2", "n", "3"),
            ("sep=;\nname;n\nx;1\ny;2", "n", "3"),
            ("name,n,\nx,1,\ny,2,\n,,\n", "n", "3"),
            ("name,n\nx,5-\ny,2", "n", "-3"),
            ("name,n\nx,10 %\ny,2.5%", "n", "12.5"),
            ("name,n\nx,\ny,-\nz,n/a\nw,7\nv,#N/A", "n", "7"),
            ("name,n\n\"x\nx\",1\ny,2", "n", "3"),
            ("שם,מספר\nא,1\nב,2", "מספר", "3"),
            ("name,🚤 boats\nx,1\ny,2", "🚤 boats", "3"),
            ("name,weight\nx,3.5 kg\ny,2 kg", "weight", "5.5"),
            ("name,n\nx,1.5E+3\ny,2", "n", "1502"),
            ("name,p\nx,\"0,500\"\ny,\"1,500\"", "p", "2"),
        ] {
            for table in [table.to_owned(), table.replace('\n', "\r\n")] {
                let row = sums_of(&table, column).await;
                assert!(row.starts_with(&format!("| {column} | {sum} |")), "{table:?}: {row}");
            }
        }
    }

    #[tokio::test]
    async fn a_column_that_is_not_read_or_ambiguous_is_named() {
        for (table, said) in [
            ("a,b,c\nx,1,5\ny,2,late\nz,3,6", "*c* is not summed: “late” in row 3 is no number."),
            (
                "a,b,c\nx,1,1.5\ny,2,\"1,5\"",
                "*c* is not summed: “1.5” has a decimal point and “1,5” a decimal comma.",
            ),
            ("a,b,c\nx,1,5 kg\ny,2,3 m", "*c* is not summed: its values have different units: kg, m."),
            ("a,b,c\nx,1,5%\ny,2,0.5", "*c* is not summed: only some of its values are percentages."),
            ("a,b,c\nx,1,note\ny,2,other", "*c* is not summed: it has no numbers."),
            (
                "a,b,c\nx,1,1.2.3\ny,2,4",
                "*c* is not summed: “1.2.3” in row 2 is written in a way that I do not know.",
            ),
            ("a,b\nx,\"1,500\"\ny,2", "*b*: I read “1,500” as 1500."),
            ("a;b\nx;1,500\ny;2", "*b*: I read “1,500” as 1.500."),
            ("a,b\nx,n/a\ny,2\nz,3", "*b*: 1 value is missing (“n/a”)."),
            ("a,b,c\nx,1,2\ny,3\nz,4,5", "1 row ends early; its last values are missing."),
        ] {
            let answer = answer_to(&format!("Chart this:\n```\n{table}\n```")).await.text;
            assert!(answer.contains(said), "{table}: {answer}");
        }
    }

    #[tokio::test]
    async fn files_of_spreadsheets_are_drawn() {
        let text = "Monat;Größe\nMai;1,5\nJuni;2,25\n";
        let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, said, sum) in [
            (text.as_bytes().to_vec(), "", "| Größe | 3.75 |"),
            ([b"\xff\xfe".as_slice(), &utf_16].concat(), "", "| Größe | 3.75 |"),
            (
                encoding_rs::WINDOWS_1252.encode(text).0.into_owned(),
                "I read it as windows-1252",
                "| Größe | 3.75 |",
            ),
        ] {
            let answer = answer_to_file(bytes).await;
            assert!(answer.text.contains(sum) && answer.text.contains(said), "{sum}: {}", answer.text);
            assert_eq!(answer.files.len(), 1);
        }
        let answer = answer_to_file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec()).await;
        assert!(answer.text.contains("Excel workbook of 97–2003 (.xls)"), "{}", answer.text);
    }

    async fn answer_to_file(bytes: Vec<u8>) -> Recorder {
        let mut request = ask("Chart this file");
        let (blob, size) = (Digest::of(&bytes), bytes.len() as u64);
        request.files.insert(blob, Bytes::from(bytes));
        let file = PartBody::File { blob, size, image: None };
        request.turns.last_mut().unwrap().parts.push(file.into());
        let (end, heard) = run(&ChartMaker, request).await.unwrap();
        assert_eq!(end, RunEnd::Completed);
        heard
    }

    #[tokio::test]
    async fn figures_in_a_sentence_are_drawn() {
        for question in ["Draw a chart of Jan 420, Feb 380 and Mar 510", "chart: Jan 420, Feb 380, Mar 510"] {
            let answer = answer_to(question).await;
            assert!(answer.text.contains("| value | 1310 |"), "{question}: {}", answer.text);
            let svg = String::from_utf8(answer.files[0].bytes.to_vec()).unwrap();
            assert!(svg.contains(">Jan</text>") && svg.contains(">Mar</text>"), "{svg}");
        }
    }

    #[test]
    fn charts_and_sums_of_data_are_its_work() {
        let table = "month,boats\nMay,3\nJune,5";
        for request in ["plot it", "Zeichne ein Diagramm", "请画图表", "a graph"] {
            assert!(can_answer(request, ""), "{request}");
        }
        assert!(!can_answer("count the words in “draw a chart”", ""));
        assert!(can_answer("make a table", table) && !can_answer("make a table", "of the tides"));
        assert!(
            !can_answer("Sum of 3, 4 and 5", "Sum of 3, 4 and 5") && !can_answer("write a report", table)
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

//! Page `/blobs/{sha}/preview`: the beginning of a text file, or of a CSV file as a table. Shown as text, never run.

use axum::{
    extract::{Path, State},
    response::Response,
};
use futures::TryStreamExt as _;
use plexus_app::view_models::file_preview::{FileContent, FilePreviewPage};
use plexus_domain::{
    Error as Refusal,
    media_type::{essence, is_text},
    sanitized_text::ellipsize,
};
use plexus_hub::{
    Error,
    blobs::{self, Download},
    caller::Caller,
};

use crate::{app_state::AppState, web::page::PageContext};

/// Maximum bytes of a file that are shown.
const MAX_BYTES: usize = 256 << 10;
const MAX_ROWS: usize = 500;
const MAX_COLUMNS: usize = 50;
const MAX_CELL_CHARS: usize = 500;

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(sha256): Path<String>) -> Response {
    let page = page(&site, &visit.caller, &sha256).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, sha256: &str) -> Result<FilePreviewPage, Error> {
    let file = blobs::download(&site.hub, caller, sha256).await?;
    let media_type = file.media_type.clone().unwrap_or_default();
    if !is_text(&media_type) {
        return Err(Refusal::not_found("This file has no preview. Download it instead.").into());
    }
    let (name, size) = (file.name.clone().unwrap_or_default(), file.size);
    let (text, is_cut) = beginning(file).await?;
    let (content, has_more) = match delimiter(&essence(&media_type), &text) {
        Some(delimiter) => table(&text, delimiter),
        None => (FileContent::Text(text), false),
    };
    let is_cut = is_cut || has_more;
    Ok(FilePreviewPage { name, media_type, size, href: format!("/blobs/{sha256}"), content, is_cut })
}

/// Reads at most [`MAX_BYTES`], up to the last complete line. Returns whether the file has more.
async fn beginning(mut file: Download) -> Result<(String, bool), Error> {
    let mut bytes = Vec::new();
    while bytes.len() < MAX_BYTES
        && let Some(chunk) = file.bytes.try_next().await.map_err(|error| Error::Fault(error.into()))?
    {
        bytes.extend_from_slice(&chunk[..chunk.len().min(MAX_BYTES - bytes.len())]);
    }
    let is_cut = file.size > bytes.len() as u64;
    if is_cut && let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
        bytes.truncate(end);
    }
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_cut))
}

/// Returns the delimiter of a table. Many programs write semicolons where the comma is the decimal sign.
fn delimiter(essence: &str, text: &str) -> Option<u8> {
    let first = text.lines().next().unwrap_or_default();
    let count = |delimiter: char| first.matches(delimiter).count();
    match essence {
        "text/csv" if count(';') > count(',') => Some(b';'),
        "text/csv" => Some(b','),
        "text/tab-separated-values" => Some(b'\t'),
        _ => None,
    }
}

/// Returns the first rows and columns, and whether there are more.
fn table(text: &str, delimiter: u8) -> (FileContent, bool) {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut has_more = false;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        // Only a broken reader or invalid UTF-8 fail, and a text has neither.
        let Ok(record) = record else { break };
        if rows.len() > MAX_ROWS {
            has_more = true;
            break;
        }
        has_more |= record.len() > MAX_COLUMNS;
        rows.push(record.iter().take(MAX_COLUMNS).map(|cell| ellipsize(cell, MAX_CELL_CHARS)).collect());
    }
    let mut rows = rows.into_iter();
    let head = rows.next().unwrap_or_default();
    (FileContent::Table { head, rows: rows.collect() }, has_more)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(text: &str) -> (Vec<String>, Vec<Vec<String>>, bool) {
        match table(text, delimiter("text/csv", text).unwrap()) {
            (FileContent::Table { head, rows }, has_more) => (head, rows, has_more),
            (FileContent::Text(_), _) => panic!("a table"),
        }
    }

    #[test]
    fn tables_have_quotes_and_rows_of_any_length_within_bounds() {
        let (head, rows, has_more) = rows_of("\u{feff}a;b\n\"1;2\";\"x\"\"y\"\n3\n");
        assert_eq!(head, ["a", "b"]);
        assert_eq!(rows, [vec!["1;2".to_owned(), "x\"y".to_owned()], vec!["3".to_owned()]]);
        assert!(!has_more);
        let (_, rows, has_more) = rows_of(&"a,b\n".repeat(2_000));
        assert!(rows.len() == MAX_ROWS && has_more);
        let (head, _, has_more) = rows_of(&"a,".repeat(200));
        assert!(head.len() == MAX_COLUMNS && has_more);
    }
}

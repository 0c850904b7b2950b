//! Passages of the files that a model agent answers from.

/// Length of a passage in characters at which it ends with the current paragraph, and at which a paragraph is split.
const FULL: usize = 900;
const MAX: usize = 1_600;
/// Maximum length of a place in characters.
const MAX_PLACE: usize = 120;

/// Character between the pages of a text with pages (form feed).
pub const PAGE_BREAK: char = '\x0c';
/// Prefix of the place of a passage of a file with pages. Its number follows, from 1.
const PAGE: &str = "page ";
/// Highest page number for which [`join_passages`] writes page breaks.
const MAX_PAGE: usize = 10_000;

/// Part of a file that is found and cited as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Where it is in its file: the headings above it, its page, or its lines.
    pub place: String,
    pub text: String,
}

/// Splits a file into passages, in order. A Markdown file is split at its headings, a CSV file into groups of rows, each
/// with the header row, and every other file at its paragraphs. The text of a PDF file has a [`PAGE_BREAK`] between its
/// pages, and no passage is on two of them. Linear time; nothing but blank lines is lost.
pub fn split_passages(file_name: &str, text: &str) -> Vec<Passage> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    match extension(file_name).as_str() {
        "pdf" => split_pages(&text),
        "csv" | "tsv" => split_table(&text),
        "md" | "markdown" => PassageSplitter::new(true).split(&text),
        _ => PassageSplitter::new(false).split(&text),
    }
}

/// Place and text of a passage.
pub type PlaceAndText<'a> = (&'a str, &'a str);

/// Joins the passages of a file, in order, to a text with the same words, which [`split_passages`] splits again. Blank
/// lines and the ends of long lines may differ from the file that was split.
pub fn join_passages<'a>(file_name: &str, passages: impl IntoIterator<Item = PlaceAndText<'a>>) -> String {
    let extension = extension(file_name);
    let (is_table, is_markdown) =
        (matches!(extension.as_str(), "csv" | "tsv"), matches!(extension.as_str(), "md" | "markdown"));
    let mut joined = String::new();
    let mut page = 1;
    for (place, passage) in passages {
        let breaks = if extension == "pdf" { page_number(place).saturating_sub(page) } else { 0 };
        page += breaks;
        // Each passage of a table repeats the header row.
        let rows = passage.split_once('\n').map_or("", |(_, rows)| rows);
        let text = if is_table && !joined.is_empty() { rows } else { passage };
        let starts_section = is_markdown && heading(text.lines().next().unwrap_or_default()).is_some();
        if breaks > 0 {
            joined.extend(std::iter::repeat_n(PAGE_BREAK, breaks));
        } else if !joined.is_empty() {
            joined.push_str(if is_table || starts_section { "\n" } else { "\n\n" });
        }
        joined.push_str(text);
    }
    joined.push('\n');
    joined
}

/// Returns the extension in lower case, or an empty text.
fn extension(file_name: &str) -> String {
    file_name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase()
}

fn split_pages(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    for (index, page) in text.split(PAGE_BREAK).enumerate() {
        let place = format!("{PAGE}{}", index + 1);
        let found = PassageSplitter::new(false).split(page);
        passages.extend(found.into_iter().map(|passage| Passage { place: place.clone(), ..passage }));
    }
    passages
}

/// Returns 0 if the place is no page.
fn page_number(place: &str) -> usize {
    let number = place.strip_prefix(PAGE).and_then(|number| number.parse().ok());
    number.unwrap_or(0).min(MAX_PAGE)
}

fn split_table(text: &str) -> Vec<Passage> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((first, header)) = lines.next() else { return Vec::new() };
    let header = cut(header, MAX / 2);
    let mut passages = Vec::new();
    let mut rows = OpenPassage::default();
    let close = |rows: &mut OpenPassage, passages: &mut Vec<Passage>| {
        if let Some((place, text)) = rows.take() {
            passages.push(Passage { place, text: format!("{header}\n{text}") });
        }
    };
    for (number, line) in lines {
        for piece in pieces(line, MAX - MAX / 2) {
            rows.push(number + 1, piece);
            if rows.length + header.len() >= FULL {
                close(&mut rows, &mut passages);
            }
        }
    }
    close(&mut rows, &mut passages);
    if passages.is_empty() {
        passages.push(Passage { place: format!("line {}", first + 1), text: header.to_owned() });
    }
    passages
}

/// Splits text at headings, paragraphs and, for long paragraphs, lines and words.
struct PassageSplitter {
    is_markdown: bool,
    /// Level and text of the headings above the current line.
    headings: Vec<(usize, String)>,
    in_code: bool,
    open: OpenPassage,
    passages: Vec<Passage>,
}

impl PassageSplitter {
    fn new(is_markdown: bool) -> Self {
        Self {
            is_markdown,
            headings: Vec::new(),
            in_code: false,
            open: OpenPassage::default(),
            passages: Vec::new(),
        }
    }

    fn split(mut self, text: &str) -> Vec<Passage> {
        for (number, line) in text.lines().enumerate() {
            self.in_code ^= line.trim_start().starts_with("```");
            if let Some((level, heading)) = heading(line).filter(|_| self.is_markdown && !self.in_code) {
                self.close();
                self.headings.retain(|(above, _)| *above < level);
                self.headings.push((level, heading.to_owned()));
            }
            if line.trim().is_empty() {
                if self.open.length >= FULL && !self.in_code {
                    self.close();
                } else if self.open.length > 0 {
                    self.open.push(number + 1, "");
                }
                continue;
            }
            for piece in pieces(line, MAX) {
                if self.open.length + piece.len() > MAX {
                    self.close();
                }
                self.open.push(number + 1, piece);
            }
        }
        self.close();
        self.passages
    }

    fn close(&mut self) {
        let Some((lines, text)) = self.open.take() else { return };
        let headings: Vec<&str> = self.headings.iter().map(|(_, heading)| heading.as_str()).collect();
        let place =
            if headings.is_empty() { lines } else { cut(&headings.join(" › "), MAX_PLACE).to_owned() };
        self.passages.push(Passage { place, text });
    }
}

/// Returns the level and the text of an ATX heading of Markdown.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    (1..=6).contains(&level).then_some((level, text)).filter(|(_, text)| !text.is_empty())
}

/// Lines of the passage that is being read.
#[derive(Default)]
struct OpenPassage {
    first: usize,
    last: usize,
    lines: Vec<String>,
    length: usize,
}

impl OpenPassage {
    fn push(&mut self, number: usize, line: &str) {
        if self.lines.is_empty() {
            self.first = number;
        }
        self.last = number;
        self.length += line.len() + 1;
        self.lines.push(line.to_owned());
    }

    /// Returns the lines as a place, and the text. `None` if there is no text.
    fn take(&mut self) -> Option<(String, String)> {
        let open = std::mem::take(self);
        let text = open.lines.join("\n").trim().to_owned();
        let place = match open.first == open.last {
            true => format!("line {}", open.first),
            false => format!("lines {}–{}", open.first, open.last),
        };
        (!text.is_empty()).then_some((place, text))
    }
}

/// Splits a line into pieces of at most `max` bytes, at spaces if possible.
fn pieces(line: &str, max: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while rest.len() > max {
        let end = rest.floor_char_boundary(max);
        let end = rest[..end].rfind(' ').filter(|space| *space > max / 2).unwrap_or(end);
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces.push(rest);
    pieces
}

fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markdown_is_split_at_headings() {
        let text = "# Harbour\n\nOpen all day.\n\n## Fees\n\nTen a night.\n```\n# no heading\n```\n## Tides\nTwice a day.";
        let found = split_passages("guide.md", text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|passage| (passage.place.as_str(), passage.text.as_str())).collect();
        assert_eq!(
            found,
            [
                ("Harbour", "# Harbour\n\nOpen all day."),
                ("Harbour › Fees", "## Fees\n\nTen a night.\n```\n# no heading\n```"),
                ("Harbour › Tides", "## Tides\nTwice a day."),
            ]
        );
    }

    #[test]
    fn rows_keep_the_header() {
        let rows: Vec<String> = (0..200).map(|row| format!("boat {row},{row}")).collect();
        let found = split_passages("boats.csv", &format!("name,length\n{}\n", rows.join("\n")));
        assert!(found.len() > 1 && found.iter().all(|passage| passage.text.starts_with("name,length\nboat")));
        assert!(found[0].place.starts_with("lines 2–"), "{}", found[0].place);
        assert_eq!(split_passages("a.csv", "name,length").len(), 1);
        assert!(split_passages("a.csv", "").is_empty());
    }

    #[test]
    fn plain_text_is_split_at_paragraphs() {
        let paragraph = "word ".repeat(150);
        let found = split_passages("notes.txt", &format!("{paragraph}\n\n{paragraph}\n\n# no heading\n"));
        assert_eq!(
            found.iter().map(|passage| passage.place.as_str()).collect::<Vec<_>>(),
            ["lines 1–3", "line 5"]
        );
    }

    #[test]
    fn a_joined_table_has_one_header() {
        let rows: Vec<String> = (0..200).map(|row| format!("boat {row},{row}")).collect();
        let file = format!("name,length\n{}\n", rows.join("\n"));
        let passages = split_passages("boats.csv", &file);
        assert_eq!(joined("boats.csv", &passages), file);
    }

    #[test]
    fn passages_of_a_pdf_file_are_on_one_page() {
        let long = "word ".repeat(400);
        let text = format!("Open all day.\x0c\x0c# Ten a night.\x0c{long}\n\nend\n");
        let passages = split_passages("Guide.PDF", &text);
        let places: Vec<&str> = passages.iter().map(|passage| passage.place.as_str()).collect();
        assert_eq!(places, ["page 1", "page 3", "page 4", "page 4"]);
        assert_eq!(passages[1].text, "# Ten a night.");
        let joined = joined("Guide.PDF", &passages);
        assert!(joined.starts_with("Open all day.\x0c\x0c# Ten a night.\x0cword"), "{joined}");
        assert_eq!(split_passages("Guide.PDF", &joined), passages);
        let far = [("page 1", "a"), ("page 99999999999", "b"), ("elsewhere", "c")];
        assert_eq!(join_passages("a.pdf", far).len(), MAX_PAGE + 5);
    }

    fn joined(name: &str, passages: &[Passage]) -> String {
        join_passages(name, passages.iter().map(|passage| (passage.place.as_str(), passage.text.as_str())))
    }

    proptest! {
        #[test]
        fn joined_passages_have_the_same_words(text in "[a-z#\\n,é ]{0,4000}", name in "a\\.(md|txt|pdf)") {
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            let passages = split_passages(&name, &text);
            let joined = joined(&name, &passages);
            prop_assert_eq!(letters(&joined), letters(&text));
        }

        #[test]
        fn nothing_is_lost(text in "[a-z#\\n,é ]{0,4000}", name in "a\\.(md|txt|pdf)") {
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            let joined: String = split_passages(&name, &text).into_iter().map(|passage| passage.text).collect();
            prop_assert_eq!(letters(&joined), letters(&text));
        }

        #[test]
        fn passages_are_short(text in "([a-z,]{1,3000}[\\n ]){0,8}", name in "a\\.(md|txt|csv)") {
            for passage in split_passages(&name, &text) {
                prop_assert!(passage.text.len() <= 2 * MAX, "{}", passage.text.len());
            }
        }
    }
}

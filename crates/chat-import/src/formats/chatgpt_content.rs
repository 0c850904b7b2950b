//! Content of messages of ChatGPT: texts, pictures and other files, recordings, citations.

use std::collections::HashSet;

use crate::{
    citations::{CitedSource, CitedSources, SourcesByPosition},
    content::{ImportedPart, code_block, join, quoted},
    fields::{Fields, items_of, text_of},
    read_context::{FileReference, ReadContext},
};

/// Members with the text of content that has no parts.
const TEXTS: [&str; 4] = ["text", "result", "content", "summary"];

/// Texts and files of a message.
struct ContentParts {
    text: Option<String>,
    files: Vec<ImportedPart>,
    /// Files that only the metadata name.
    attached: Vec<ImportedPart>,
}

pub struct MessageContent<'a> {
    fields: Fields<'a>,
    kind: String,
    /// Parts: strings and objects, unparsed.
    parts: Vec<&'a str>,
}

impl<'a> MessageContent<'a> {
    pub fn of(message: &Fields<'a>) -> Self {
        let json = message.get("content").unwrap_or("null");
        let fields = Fields::of(json);
        // Content is an object; a text or a list is read as its parts.
        let parts = match json.bytes().next() {
            Some(b'"') => vec![json],
            Some(b'[') => items_of(json),
            _ => match fields.get("parts") {
                Some(text) if text.starts_with('"') => vec![text],
                parts => parts.map(items_of).unwrap_or_default(),
            },
        };
        let kind = fields.text("content_type").unwrap_or_default();
        Self { fields, kind, parts }
    }

    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns all texts.
    pub fn plain_text(&self) -> String {
        let parts = self.parts.iter().filter_map(|part| text_of(part));
        let other = TEXTS.iter().find_map(|name| self.fields.text(name));
        join(parts.chain(other.filter(|_| self.parts.is_empty())))
    }

    /// Returns the text of reasoning.
    pub fn thoughts(&self) -> Option<String> {
        let thoughts = self.fields.objects("thoughts").map(|thought| {
            let summary = thought.text("summary").map(|summary| format!("**{summary}**"));
            join(summary.into_iter().chain(thought.text("content")))
        });
        let text = join(thoughts);
        (!text.is_empty()).then_some(text)
    }

    pub fn user_parts(&self, metadata: &Fields<'_>, context: &mut ReadContext) -> Vec<ImportedPart> {
        let reply = metadata.text("targeted_reply");
        let reply =
            reply.map(|text| text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n"));
        let ContentParts { text, files, attached } = self.parts(metadata, context);
        let texts = reply.into_iter().chain(text).map(ImportedPart::text);
        let parts = files.into_iter().chain(texts).chain(attached).collect();
        context.finish(parts)
    }

    pub fn answer_parts(
        &self,
        metadata: &Fields<'_>,
        sources: &CitedSources<'_>,
        context: &mut ReadContext,
    ) -> Vec<ImportedPart> {
        let ContentParts { text, files, attached } = self.parts(metadata, context);
        let text = text.map(|text| match self.kind.as_str() {
            "code" => {
                let language = self.fields.text("language").filter(|language| language != "unknown");
                code_block(None, &language.unwrap_or_default(), &text)
            }
            _ => sources.resolve(&text),
        });
        let text = text.filter(|text| !text.trim().is_empty()).map(ImportedPart::text);
        let parts = files.into_iter().chain(text).chain(attached).collect();
        context.finish(parts)
    }

    /// Returns the text of a tool's output, and its files.
    pub fn output(
        &self,
        sources: &CitedSources<'_>,
        context: &mut ReadContext,
    ) -> (String, Vec<ImportedPart>) {
        let ContentParts { text, files, attached } = self.parts(&Fields::default(), context);
        let title = ["title", "url"].iter().find_map(|name| self.fields.text(name));
        let title = title.filter(|_| self.kind == "tether_quote");
        let text = join(title.into_iter().chain(text.map(|text| sources.resolve(&text))));
        let files = context.finish(files.into_iter().chain(attached).collect());
        (text, files)
    }

    /// Returns the texts, joined, and the files: those of the parts, then those that only the metadata name.
    fn parts(&self, metadata: &Fields<'_>, context: &mut ReadContext) -> ContentParts {
        let attachments: Vec<Attachment> =
            metadata.objects("attachments").map(|fields| Attachment::of(&fields)).collect();
        let mut used = HashSet::new();
        let mut files = Vec::new();
        let mut texts = Vec::new();
        for json in &self.parts {
            if let Some(text) = text_of(json) {
                texts.push(text);
                continue;
            }
            match asset(json) {
                Some(Asset::Text(text)) => texts.push(text),
                Some(Asset::File { pointer, is_image }) => {
                    let is_same =
                        |known: &&Attachment| known.id.as_ref().is_some_and(|id| pointer.contains(id));
                    let known = attachments.iter().find(is_same);
                    used.extend(known.and_then(|known| known.id.clone()));
                    files.extend(context.file(FileReference {
                        ids: vec![&pointer],
                        name: known.and_then(|known| known.name.clone()),
                        media_type: known.and_then(|known| known.media_type.clone()),
                        is_image,
                    }));
                }
                None => {}
            }
        }
        if self.parts.is_empty() {
            texts.extend(TEXTS.iter().find_map(|name| self.fields.text(name)));
        }
        let text = Some(join(texts)).filter(|text| !text.is_empty());
        let is_unused = |known: &Attachment| known.id.as_ref().is_none_or(|id| !used.contains(id));
        let unused = attachments.into_iter().filter(is_unused);
        let attached = unused.filter_map(|attachment| attachment.part(context)).collect();
        ContentParts { text, files, attached }
    }

    /// Returns the sources that an answer cites.
    pub fn sources<'p>(&self, metadata: &Fields<'_>, positions: &'p SourcesByPosition) -> CitedSources<'p> {
        let mut sources = CitedSources::new(positions);
        for reference in metadata.objects("content_references") {
            add_reference(&reference, &mut sources);
        }
        let text = self.plain_text();
        let indices: Vec<usize> = match metadata.list("citations").is_empty() {
            true => Vec::new(),
            false => text.char_indices().map(|(at, _)| at).chain([text.len()]).collect(),
        };
        for citation in metadata.objects("citations") {
            let range = (citation.number("start_ix"), citation.number("end_ix"));
            let (Some(start), Some(end)) = range else { continue };
            let (Some(start), Some(end)) = (indices.get(start), indices.get(end)) else { continue };
            if let (Some(mark), Some(source)) =
                (text.get(*start..*end), CitedSource::of(&citation.object("metadata")))
            {
                // A range of words is no mark.
                if mark.contains(['†', '\u{e200}']) {
                    sources.add_mark(mark, vec![source], None);
                }
            }
        }
        sources
    }
}

fn add_reference(reference: &Fields<'_>, sources: &mut CitedSources<'_>) {
    let Some(mark) = reference.text("matched_text") else { return };
    let mut cited: Vec<CitedSource> = ["items", "sources", "fallback_items"]
        .iter()
        .flat_map(|name| reference.objects(name))
        .filter_map(|item| CitedSource::of(&item))
        .collect();
    if cited.is_empty() {
        cited.extend(CitedSource::of(reference));
    }
    let alternative = reference.text("alt");
    if cited.iter().all(|source| source.url.is_empty()) && alternative.is_none() {
        let urls = reference.list("safe_urls").into_iter().filter_map(text_of);
        let urls: Vec<_> = urls.map(|url| CitedSource { title: String::new(), url }).collect();
        if !urls.is_empty() {
            cited = urls;
        }
    }
    sources.add_mark(&mark, cited, alternative);
}

/// Adds the results of searches by their position, such as `turn0search1`.
pub fn add_positions(metadata: &Fields<'_>, sources: &mut SourcesByPosition) {
    let groups = metadata.objects("search_result_groups").flat_map(|group| group.objects("entries"));
    let cited = metadata.objects("content_references").flat_map(|reference| reference.objects("items"));
    for entry in groups.chain(cited) {
        let Some(source) = CitedSource::of(&entry) else { continue };
        let positions = [entry.object("ref_id")].into_iter().chain(entry.objects("refs"));
        for position in positions {
            let (turn, kind, index) =
                (position.number("turn_index"), position.text("ref_type"), position.number("ref_index"));
            if let (Some(turn), Some(kind), Some(index)) = (turn, kind, index) {
                sources.entry(format!("turn{turn}{kind}{index}")).or_insert_with(|| source.clone());
            }
        }
    }
}

enum Asset {
    Text(String),
    File { pointer: String, is_image: bool },
}

/// Returns what an object among the parts is: a picture, a recording or its transcript.
fn asset(json: &str) -> Option<Asset> {
    let fields = Fields::of(json);
    let kind = fields.text("content_type").unwrap_or_default();
    if let Some(text) = fields.text("text") {
        return Some(Asset::Text(text));
    }
    let audio = fields.object("audio_asset_pointer");
    let pointer = fields.text("asset_pointer").or_else(|| audio.text("asset_pointer"));
    let is_known = pointer.is_some() || !kind.is_empty();
    let is_image = kind.starts_with("image");
    is_known.then(|| Asset::File { pointer: pointer.unwrap_or_default(), is_image })
}

/// A file that the metadata of a message name.
struct Attachment {
    id: Option<String>,
    name: Option<String>,
    media_type: Option<String>,
    text: Option<String>,
}

impl Attachment {
    fn of(fields: &Fields<'_>) -> Self {
        Self {
            id: fields.text("id").or_else(|| fields.text("file_id")),
            name: fields.text("name").or_else(|| fields.text("file_name")),
            media_type: fields.text("mime_type").or_else(|| fields.text("mimeType")),
            text: ["extracted_content", "content", "text"].iter().find_map(|name| fields.text(name)),
        }
    }

    fn part(self, context: &mut ReadContext) -> Option<ImportedPart> {
        let Self { id, name, media_type, text } = self;
        if let Some(text) = text {
            return Some(quoted(name, text));
        }
        context.file(FileReference {
            ids: id.iter().map(String::as_str).collect(),
            name,
            media_type,
            is_image: false,
        })
    }
}

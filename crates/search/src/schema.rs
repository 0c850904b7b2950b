//! Tantivy schema and conversion of a listing to a document.

use std::collections::{BTreeSet, HashMap};

use plexus_domain::{AgentId, tokenize};
use tantivy::{
    TantivyDocument, Term,
    schema::{
        FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
    },
};

use crate::{
    error::Result,
    listing::{Hit, Listing},
    tantivy_tokenizer::{self, SAME_POSITION},
};

/// Schema version. Increment on every change of this file
/// or of `plexus_domain::tokenize`; indexes of other versions are rebuilt.
pub const VERSION: u32 = 7;

/// Field weights, implemented by repeating words in one field.
///
/// This ranks like BM25F but needs only one term per query word, which the engine prunes best.
const NAME: usize = 8;
const TAG: usize = 5;
const SUMMARY: usize = 3;
const BODY: usize = 1;
/// Maximum number of counted repetitions of a word in the body (keyword stuffing).
const MAX_BODY_REPEATS: usize = 2;
/// Maximum number of indexed words per listing; the rest is not searchable.
const MAX_TOKENS: usize = 4_096;
const MAX_TAGS: usize = 64;

/// Names of the fast fields, by which results are sorted and counted.
pub mod fast {
    pub const TAG: &str = "tag";
    pub const PROTOCOL: &str = "protocol";
    pub const KIND: &str = "kind";
    pub const OWNER: &str = "owner";
    pub const HUB: &str = "hub";
    pub const SAID: &str = "said";
    pub const PUBLISHER: &str = "publisher";
    pub const NAME: &str = "name";
    pub const ONLINE_AT: &str = "online_at";
    pub const CREATED: &str = "created";
    pub const UPDATED: &str = "updated";
    pub const USES: &str = "uses";
}

/// Field handles of the schema.
#[derive(Clone, Copy, Debug)]
pub struct SchemaFields {
    pub agent: Field,
    pub row: Field,
    /// Each word repeated by its weight. Without positions, which would be most of the index.
    pub text: Field,
    /// Each word once, with positions.
    pub phrase: Field,
    /// Each distinct word once per document, as a column.
    said: Field,
    /// Publisher of the listing: its owner, or the remote hub.
    publisher: Field,
    /// Whole names and addresses, normalized.
    pub exact: Field,
    pub tag: Field,
    pub protocol: Field,
    pub kind: Field,
    pub owner: Field,
    /// Hub part of the address of a remote agent, as it is.
    pub hub: Field,
    pub verified: Field,
    pub here: Field,
    pub restricted: Field,
    pub online_at: Field,
    name: Field,
    created: Field,
    updated: Field,
    uses: Field,
}

pub fn schema() -> (Schema, SchemaFields) {
    let mut builder = Schema::builder();
    let words = |option| {
        let indexing =
            TextFieldIndexing::default().set_tokenizer(tantivy_tokenizer::NAME).set_index_option(option);
        TextOptions::default().set_indexing_options(indexing)
    };
    let label = STRING.set_fast("raw");
    let fields = SchemaFields {
        agent: builder.add_bytes_field("agent", INDEXED),
        row: builder.add_bytes_field("row", STORED),
        text: builder.add_text_field("text", words(IndexRecordOption::WithFreqs)),
        phrase: builder.add_text_field("phrase", words(IndexRecordOption::WithFreqsAndPositions)),
        said: builder.add_text_field(fast::SAID, TextOptions::default().set_fast("raw")),
        publisher: builder.add_text_field(fast::PUBLISHER, TextOptions::default().set_fast("raw")),
        exact: builder.add_text_field("exact", STRING),
        tag: builder.add_text_field(fast::TAG, label.clone()),
        protocol: builder.add_text_field(fast::PROTOCOL, label.clone()),
        kind: builder.add_text_field(fast::KIND, label.clone()),
        owner: builder.add_text_field(fast::OWNER, label.clone()),
        hub: builder.add_text_field(fast::HUB, label),
        verified: builder.add_bool_field("verified", INDEXED),
        here: builder.add_bool_field("here", INDEXED),
        restricted: builder.add_bool_field("restricted", INDEXED),
        online_at: builder.add_i64_field(fast::ONLINE_AT, FAST),
        name: builder.add_text_field(fast::NAME, TextOptions::default().set_fast("raw")),
        created: builder.add_i64_field(fast::CREATED, FAST),
        updated: builder.add_i64_field(fast::UPDATED, FAST),
        uses: builder.add_u64_field(fast::USES, FAST),
    };
    (builder.build(), fields)
}

impl SchemaFields {
    /// Returns the term that identifies an agent's document.
    pub fn agent_term(&self, agent: AgentId) -> Term {
        Term::from_field_bytes(self.agent, agent.uuid().as_bytes())
    }

    pub fn document(&self, listing: &Listing) -> Result<TantivyDocument> {
        let mut document = TantivyDocument::default();
        document.add_bytes(self.agent, listing.agent.uuid().as_bytes());
        document.add_bytes(self.row, &serde_json::to_vec(&Hit::from(listing))?);
        let words = words(listing);
        document.add_text(self.text, words.weighted);
        let said: BTreeSet<&str> =
            words.placed.split([' ', SAME_POSITION]).filter(|word| !word.is_empty()).collect();
        said.into_iter().for_each(|word| document.add_text(self.said, word));
        document.add_text(self.publisher, publisher(listing));
        document.add_text(self.phrase, words.placed);
        for whole in exact_names(listing) {
            document.add_text(self.exact, whole);
        }
        for tag in listing.tags.iter().take(MAX_TAGS) {
            document.add_text(self.tag, normalized_label(tag));
        }
        document.add_text(self.protocol, normalized_label(&listing.protocol));
        document.add_text(self.kind, normalized_label(&listing.kind));
        document.add_text(self.owner, normalized_label(&listing.owner));
        if let Some(hub) = listing.hub() {
            document.add_text(self.hub, hub);
        }
        document.add_bool(self.verified, listing.verified);
        document.add_bool(self.here, listing.here);
        document.add_bool(self.restricted, listing.restricted);
        if let Some(at) = listing.online_at {
            document.add_i64(self.online_at, at.millis());
        }
        document.add_text(self.name, tokenize::fold(&listing.name));
        document.add_i64(self.created, listing.created.millis());
        document.add_i64(self.updated, listing.updated.millis());
        // Among agents with as many uses, those that have answered come first.
        let has_answered = u64::from(listing.online_at.is_some());
        document.add_u64(self.uses, listing.uses.saturating_mul(2).saturating_add(has_answered));
        Ok(document)
    }
}

/// Returns the publisher: the owner, or the hub of a remote
/// agent, because a hub can create any number of owners.
fn publisher(listing: &Listing) -> String {
    normalized_label(listing.hub().unwrap_or(&listing.owner))
}

/// Returns the normalized form of a tag, owner, protocol or kind for comparing and counting.
pub fn normalized_label(raw: &str) -> String {
    tokenize::fold(raw.trim().trim_start_matches('@'))
}

/// Returns the normalized form of a whole name: its words.
pub fn normalized_name(raw: &str) -> String {
    let tokens = tokenize::query_tokens(raw);
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn exact_names(listing: &Listing) -> Vec<String> {
    let own = listing.address.trim_start_matches('@').split('@').next().unwrap_or_default();
    let short = own.split('/').nth(1).unwrap_or_default();
    let mut names = vec![
        normalized_name(&listing.name),
        normalized_name(&listing.address),
        normalized_name(own),
        normalized_name(short),
    ];
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names
}

fn words(listing: &Listing) -> ListingTokens {
    let mut words = ListingTokens::default();
    words.add(&listing.name, NAME);
    words.add(&listing.address, NAME / 2);
    for tag in listing.tags.iter().take(MAX_TAGS) {
        words.add(tag, TAG);
    }
    words.add(&listing.summary, SUMMARY);
    words.add(&listing.description, BODY);
    words.add(&listing.skills, BODY);
    words
}

/// The words of a listing, separated as [`tantivy_tokenizer`] expects them.
#[derive(Default)]
struct ListingTokens {
    /// Each word once, at its position.
    placed: String,
    /// Each word repeated by its weight.
    weighted: String,
    count: usize,
    seen_in_body: HashMap<String, usize>,
}

impl ListingTokens {
    fn add(&mut self, raw: &str, weight: usize) {
        let mut position = None;
        for token in tokenize::index_tokens(raw) {
            match position {
                Some(last) if last == token.position => self.placed.push(SAME_POSITION),
                Some(_) => self.placed.push(' '),
                None => {}
            }
            position = Some(token.position);
            if self.count < MAX_TOKENS && (weight > BODY || !self.is_stuffed(&token.text)) {
                self.count += 1;
                self.placed.push_str(&token.text);
                (0..weight).for_each(|_| self.weighted.extend([&token.text, " "]));
            }
        }
        // A gap of positions, so that phrases do not match across fields.
        self.placed.push_str("   ");
    }

    fn is_stuffed(&mut self, word: &str) -> bool {
        let seen = self.seen_in_body.entry(word.to_owned()).or_default();
        *seen += 1;
        *seen > MAX_BODY_REPEATS
    }
}

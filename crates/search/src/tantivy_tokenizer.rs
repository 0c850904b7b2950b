//! Tantivy tokenizer for text that `schema.rs` has already tokenized and weighted.

use std::str::Split;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Name under which it is registered.
pub const NAME: &str = "spaced";
/// Separates terms of the same position.
pub const SAME_POSITION: char = '\u{1f}';

/// Splits at spaces. Each space ends a position; an empty position is a gap that phrases do not match across.
#[derive(Clone)]
pub struct PreTokenized;

pub struct SpacedStream<'t> {
    pieces: Split<'t, char>,
    /// The rest of the current position.
    terms: Split<'t, char>,
    /// The next position.
    position: usize,
    token: Token,
}

impl Tokenizer for PreTokenized {
    type TokenStream<'t> = SpacedStream<'t>;

    fn token_stream<'t>(&'t mut self, text: &'t str) -> SpacedStream<'t> {
        SpacedStream {
            pieces: text.split(' '),
            terms: "".split(SAME_POSITION),
            position: 0,
            token: Token::default(),
        }
    }
}

impl TokenStream for SpacedStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if let Some(term) = self.terms.find(|term| !term.is_empty()) {
                self.token.text.clear();
                self.token.text.push_str(term);
                return true;
            }
            let Some(piece) = self.pieces.next() else { return false };
            self.terms = piece.split(SAME_POSITION);
            self.token.position = self.position;
            self.position += 1;
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

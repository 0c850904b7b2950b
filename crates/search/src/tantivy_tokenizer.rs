//! Tantivy tokenizer for text that `schema.rs` has already tokenized and weighted.

use std::str::Split;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Name under which it is registered.
pub const NAME: &str = "spaced";

/// Splits at spaces. Each space ends a position; an empty position is a gap that phrases do not match across.
#[derive(Clone)]
pub struct PreTokenized;

pub struct SpacedStream<'t> {
    pieces: Split<'t, char>,
    position: usize,
    token: Token,
}

impl Tokenizer for PreTokenized {
    type TokenStream<'t> = SpacedStream<'t>;

    fn token_stream<'t>(&'t mut self, text: &'t str) -> SpacedStream<'t> {
        SpacedStream { pieces: text.split(' '), position: 0, token: Token::default() }
    }
}

impl TokenStream for SpacedStream<'_> {
    fn advance(&mut self) -> bool {
        for piece in self.pieces.by_ref() {
            self.token.position = self.position;
            self.position += 1;
            if !piece.is_empty() {
                self.token.text.clear();
                self.token.text.push_str(piece);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

//! Hands the words of a document to the engine: they are cut and weighed before, see `schema.rs`.

use std::str::Split;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name under which the schema knows it.
pub const NAME: &str = "spaced";

/// Each space ends a position; a position without a word is a gap that no phrase reaches over.
#[derive(Clone)]
pub struct Spaced;

pub struct SpacedStream<'t> {
    pieces: Split<'t, char>,
    position: usize,
    token: Token,
}

impl Tokenizer for Spaced {
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

//! Finds images that a model writes into its Markdown as `data:` URLs, as models that draw do.

/// Beginning of the URL of such an image.
const SCHEME: &str = "data:image/";
/// Maximum bytes of the description of an image. A longer text is no description.
const MAX_ALT: usize = 300;

/// Piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ShownPiece {
    Text(String),
    /// URL of an image.
    Image(String),
}

/// Separates the images from the text of a turn, which arrives in pieces of any length.
#[derive(Debug)]
pub(super) enum DataImages {
    /// Holds text that may begin an image.
    Text(String),
    /// Within the URL of an image.
    Url(String),
}

impl Default for DataImages {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// What a text that begins with `![` is.
enum Beginning {
    Image { url: usize },
    Other,
    Undecided,
}

impl DataImages {
    /// Divides the next piece. What may belong to an image is returned with a later piece.
    pub fn push(&mut self, piece: &str) -> Vec<ShownPiece> {
        let (mut pieces, mut rest) = (Vec::new(), piece.to_owned());
        loop {
            rest = match self {
                Self::Url(url) => {
                    let Some(end) = rest.find(')') else {
                        url.push_str(&rest);
                        return pieces;
                    };
                    url.push_str(&rest[..end]);
                    // A title may follow the URL.
                    let url = url.split_whitespace().next().unwrap_or_default().to_owned();
                    pieces.push(ShownPiece::Image(url));
                    *self = Self::default();
                    rest.split_off(end + 1)
                }
                Self::Text(held) => {
                    let mut text = std::mem::take(held) + &rest;
                    let Some(image) = begin_of_image(&text) else {
                        let end = text.len() - usize::from(text.ends_with('!'));
                        *held = text.split_off(end);
                        push_text(&mut pieces, text);
                        return pieces;
                    };
                    let mut image = (text.split_off(image.0), image.1);
                    push_text(&mut pieces, text);
                    match image.1 {
                        Some(url) => {
                            *self = Self::Url(String::new());
                            image.0.split_off(url)
                        }
                        None => {
                            *held = image.0;
                            return pieces;
                        }
                    }
                }
            };
        }
    }

    /// Returns the number of bytes of an image that is not complete.
    pub const fn pending(&self) -> usize {
        match self {
            Self::Text(held) | Self::Url(held) => held.len(),
        }
    }

    /// Returns the text that was held back. An image that is not complete is left out.
    pub fn finish(&mut self) -> String {
        match std::mem::take(self) {
            Self::Text(held) => held,
            Self::Url(_) => String::new(),
        }
    }
}

fn push_text(pieces: &mut Vec<ShownPiece>, text: String) {
    if !text.is_empty() {
        pieces.push(ShownPiece::Text(text));
    }
}

/// Returns where the first image begins, and where in it its URL; `None` for an image that is not certain yet.
fn begin_of_image(text: &str) -> Option<(usize, Option<usize>)> {
    text.match_indices("![").find_map(|(at, _)| match beginning(&text[at..]) {
        Beginning::Image { url } => Some((at, Some(url))),
        Beginning::Undecided => Some((at, None)),
        Beginning::Other => None,
    })
}

fn beginning(text: &str) -> Beginning {
    let alt = &text[..text.floor_char_boundary(MAX_ALT)];
    let Some(end) = alt.find("](") else {
        let is_possible = alt.len() == text.len() && !alt.contains('\n');
        return if is_possible { Beginning::Undecided } else { Beginning::Other };
    };
    if alt[..end].contains('\n') {
        return Beginning::Other;
    }
    let (url, scheme) = (end + 2, SCHEME.as_bytes());
    let target = &text.as_bytes()[url..];
    let length = target.len().min(scheme.len());
    match target[..length].eq_ignore_ascii_case(&scheme[..length]) {
        true if length == scheme.len() => Beginning::Image { url },
        true => Beginning::Undecided,
        false => Beginning::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text, and the images in it.
    fn divided(pieces: &[&str]) -> (String, Vec<String>) {
        let (mut images, mut text, mut urls) = (DataImages::default(), String::new(), Vec::new());
        for piece in pieces.iter().flat_map(|piece| images.push(piece)) {
            match piece {
                ShownPiece::Text(piece) => text.push_str(&piece),
                ShownPiece::Image(url) => urls.push(url),
            }
        }
        text.push_str(&images.finish());
        (text, urls)
    }

    #[test]
    fn images_are_found_however_the_text_is_cut() {
        let turn = "Wow! ![a](https://x.example/a.png) ![ö [x] y](DATA:image/png;base64,iVBO \"T\")![](data:image/gif;base64,R0)!\n![no\n](data:image/png,x) ![";
        let text = "Wow! ![a](https://x.example/a.png) !\n![no\n](data:image/png,x) ![".to_owned();
        let urls = ["DATA:image/png;base64,iVBO", "data:image/gif;base64,R0"].map(str::to_owned).to_vec();
        let characters: Vec<char> = turn.chars().collect();
        for length in 1..=characters.len() {
            let pieces: Vec<String> = characters.chunks(length).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(divided(&pieces), (text.clone(), urls.clone()), "{length}");
        }
        assert_eq!(divided(&["a ![b](data:image/png;base64,iVB"]), ("a ".to_owned(), Vec::new()), "cut");
    }
}

//! Estimates of the tokens of a request, used until the server reports its own count.

use plexus_domain::ImageSize;

/// Bytes of text counted as one token.
const BYTES_PER_TOKEN: usize = 4;
/// Square into which an image is scaled first, and length of its shorter side after that, in pixels.
const MAX_SIDE: f64 = 2_048.0;
const SHORT_SIDE: f64 = 768.0;
/// Side of a tile in pixels, its tokens, and the tokens of each image besides its tiles.
const TILE: f64 = 512.0;
const TILE_TOKENS: u64 = 170;
const BASE_TOKENS: u64 = 85;
/// Tokens of an image of unknown size: of the largest that the rule has.
const MAX_TOKENS: u64 = BASE_TOKENS + 8 * TILE_TOKENS;

/// Returns the tokens of an image by the rule that OpenAI documents for images in high detail: the image is scaled into a
/// square of 2,048 pixels, then to 768 pixels on its shorter side, and counted in tiles of 512 pixels. The rules of other
/// providers give less or about the same.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an image has 1 to 8 tiles")]
pub(super) fn image_tokens(size: Option<ImageSize>) -> u64 {
    let Some(ImageSize { width, height }) = size else { return MAX_TOKENS };
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let into_square = (MAX_SIDE / width.max(height)).min(1.0);
    let to_short_side = (SHORT_SIDE / (width.min(height) * into_square)).min(1.0);
    let tiles = |side: f64| (side * into_square * to_short_side / TILE).ceil().max(1.0) as u64;
    BASE_TOKENS + TILE_TOKENS * tiles(width) * tiles(height)
}

/// Returns the tokens of a text.
pub(super) const fn text_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_counted_in_tiles() {
        let tokens = |width, height| image_tokens(Some(ImageSize { width, height }));
        // The first three are the examples of the documentation.
        for ((width, height), expected) in [
            ((1_024, 1_024), 765),
            ((2_048, 4_096), 1_105),
            ((512, 512), 255),
            ((800, 600), 765),
            ((4_032, 3_024), 765),
            ((1, 1), 255),
            ((20_000, 1), 765),
            ((u32::MAX, u32::MAX), 765),
        ] {
            assert_eq!(tokens(width, height), expected, "{width} x {height}");
        }
        assert_eq!(image_tokens(None), 1_445);
    }
}

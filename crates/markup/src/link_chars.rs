//! Which characters end a bare link, and which are punctuation of the sentence around it.

/// Returns true for characters that no bare link contains: spaces, controls, ASCII delimiters, and the stops, quotation
/// marks and brackets of scripts that are written next to a link without a space.
pub fn ends_link(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '<' | '>' | '"' | '`' | '|' | '^')
        || is_quotation_mark(c)
        || is_stop(c)
        || is_wide_bracket(c)
        || is_invisible(c)
}

const fn is_quotation_mark(c: char) -> bool {
    matches!(c,
        '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{275b}'..='\u{275e}'
        | '\u{301d}'..='\u{301f}' | '\u{ff02}' | '\u{ff07}')
}

/// Commas, full stops, question marks and other sentence marks outside of ASCII.
const fn is_stop(c: char) -> bool {
    matches!(c,
        // Spanish, Armenian, Arabic and Urdu, Indic dandas, Tibetan, Myanmar, Ethiopic, Khmer, Mongolian.
        '\u{a1}' | '\u{bf}' | '\u{55c}'..='\u{55e}' | '\u{589}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{6d4}'
        | '\u{964}' | '\u{965}' | '\u{f0d}'..='\u{f11}' | '\u{104a}' | '\u{104b}' | '\u{1361}'..='\u{1368}'
        | '\u{17d4}'..='\u{17d6}' | '\u{1802}' | '\u{1803}' | '\u{203c}' | '\u{2047}'..='\u{2049}'
        // Chinese, Japanese and Korean: ideographic, vertical, small, full-width and half-width forms.
        | '\u{3001}'..='\u{3003}' | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe48}' | '\u{fe50}'..='\u{fe5e}'
        | '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff61}' | '\u{ff64}')
}

const fn is_wide_bracket(c: char) -> bool {
    matches!(c,
        '\u{2329}' | '\u{232a}' | '\u{27e6}'..='\u{27ef}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301b}'
        | '\u{ff08}' | '\u{ff09}' | '\u{ff1c}' | '\u{ff1e}' | '\u{ff3b}' | '\u{ff3d}' | '\u{ff5b}'..='\u{ff5d}'
        | '\u{ff5f}' | '\u{ff60}' | '\u{ff62}' | '\u{ff63}')
}

/// Marks without a width. Joiners are not among them: they are part of words and of emoji.
const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}')
}

/// Returns true for characters that may stand within a link, but belong to the sentence at its end: punctuation, dashes,
/// ellipses, and symbols such as emoji and arrows.
pub const fn is_trailing(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | '\'' | '*' | '_' | '~')
        || matches!(c, '\u{b7}' | '\u{2010}'..='\u{2015}' | '\u{2020}'..='\u{2027}' | '\u{2032}'..='\u{2037}')
        || matches!(c, '\u{301c}' | '\u{3030}' | '\u{30fb}' | '\u{ff5e}' | '\u{ff65}' | '\u{22ef}')
        || is_symbol(c)
}

/// Emoji with their modifiers, arrows, mathematical and technical symbols.
const fn is_symbol(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{200c}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{2bff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}')
}

/// Returns true for letters of scripts without spaces between words, which follow a host name directly.
pub const fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

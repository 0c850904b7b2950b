//! Decimal amounts of money as text and as integer millionths of a unit.

/// Parses a decimal amount into millionths: `0.05` is 50,000.
///
/// Returns `None` for an invalid amount, for more than six decimal places and on overflow.
pub fn parse_micros(text: &str) -> Option<u64> {
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 6 {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(part)
}

/// Formats millionths as a decimal amount without trailing zeros.
pub fn format_micros(micro: u64) -> String {
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_they_are_shown() {
        for (text, amount) in [("0", 0), ("0.05", 50_000), ("12.000001", 12_000_001), ("3", 3_000_000)] {
            assert_eq!(parse_micros(text), Some(amount), "{text}");
            assert_eq!(format_micros(amount), text);
        }
        for wrong in ["", ".5", "-1", "1,5", "1.0000001", "x", "99999999999999999999"] {
            assert_eq!(parse_micros(wrong), None, "{wrong}");
        }
    }
}

//! Opaque page tokens of task lists.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_domain::{RunId, Timestamp};
use plexus_hub::calls::TaskCursor;

pub fn token((at, run): TaskCursor) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}.{run}", at.millis()))
}

pub fn cursor(token: &str) -> Option<TaskCursor> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let (at, run) = text.split_once('.')?;
    Some((Timestamp::from_millis(at.parse().ok()?), run.parse::<RunId>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_back_to_its_place() {
        let at = Timestamp::from_millis(1_700_000_000_123);
        let place = (at, RunId::new(at, &[7; 10]));
        assert_eq!(cursor(&token(place)), Some(place));
        for wrong in ["", "x", "!!!", "MTIz", "LjEy"] {
            assert_eq!(cursor(wrong), None);
        }
    }
}

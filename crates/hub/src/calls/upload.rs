//! Files that callers send along.

use plexus_domain::{Content, Error as Refusal, Part};
use plexus_store::{Conn, cards};

use super::{Call, Door};
use crate::{Hub, Result, agents::Card, blobs::Written};

/// What a refusal of a media type is about.
pub const MEDIA_TYPE: &str = "message.parts.mediaType";
const UNKNOWN: &str = "application/octet-stream";

/// Puts the files of a call where files are, once it is clear that the agent takes them. A call without files waits
/// for nobody. Bytes of a call that is refused later are swept within the hour.
pub(super) async fn keep<'a>(hub: &'a Hub, door: &Door, call: &'a Call) -> Result<Option<Written<'a>>> {
    if call.parts.iter().any(|part| media_type(part).is_some()) {
        check(&mut hub.store().read().await?, door, call).await?;
    }
    if call.files.is_empty() { Ok(None) } else { Ok(Some(hub.blobs().write(&call.files).await?)) }
}

/// Refuses what the agent says it does not take (specification of A2A 1.0 section 3.1.1).
async fn check(conn: &mut Conn, door: &Door, call: &Call) -> Result<()> {
    let given: Vec<&str> = call.parts.iter().filter_map(media_type).collect();
    if given.is_empty() {
        return Ok(());
    }
    let body = cards::find(conn, &door.reached.version.card).await?;
    let Some(card) = body.and_then(|body| Card::read(&body).card) else { return Ok(()) };
    let taken =
        |given: &str| card.input_modes.is_empty() || card.input_modes.iter().any(|mode| takes(mode, given));
    let Some(wrong) = given.into_iter().find(|given| !taken(given)) else { return Ok(()) };
    let words = format!(
        "{} does not take {}, only {}.",
        door.address(),
        plexus_domain::text::shorten(wrong, 60),
        card.input_modes.join(", ")
    );
    Err(Refusal::invalid(MEDIA_TYPE, words).into())
}

/// The media type that a part says it is of; a file always has one.
fn media_type(part: &Part) -> Option<&str> {
    let is_file = matches!(part.content, Content::File { .. });
    part.media_type.as_deref().or_else(|| is_file.then_some(UNKNOWN))
}

/// Whether a mode of a card covers a media type. Whoever reads plain text reads every text.
fn takes(mode: &str, given: &str) -> bool {
    let essence = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (mode, given) = (essence(mode), essence(given));
    let kind = match mode.as_str() {
        "*" | "*/*" => return true,
        "text" | "text/plain" => "text",
        mode => mode.strip_suffix("/*").unwrap_or_default(),
    };
    mode == given || given.split_once('/').is_some_and(|(given, _)| given == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_covers_what_it_names() {
        for (mode, given) in [
            ("text/plain", "text/plain; charset=utf-8"),
            ("text", "text/markdown"),
            ("text/plain", "text/csv"),
            ("image/*", "IMAGE/png"),
            ("*/*", "application/x-anything"),
            ("application/json", "application/json"),
        ] {
            assert!(takes(mode, given), "{mode} {given}");
        }
        for (mode, given) in [
            ("text/plain", "application/json"),
            ("image/png", "image/jpeg"),
            ("image/*", "imagery/png"),
            ("", "a"),
        ] {
            assert!(!takes(mode, given), "{mode} {given}");
        }
    }
}

//! Caller deadline in the metadata of a message: the longest time the caller waits for an answer.
//!
//! Hubs exchange it so that a run can be cancelled once its calling hub has given up. Other agents ignore it.

use std::time::Duration;

use serde_json::json;

use crate::wire::v1::Message;

/// Metadata key. The value is in milliseconds.
const KEY: &str = "plexus_waits_ms";

/// Writes the caller's maximum waiting time to the message.
pub fn set_deadline(message: &mut Message, waits: Duration) {
    let millis = u64::try_from(waits.as_millis()).unwrap_or(u64::MAX);
    message.metadata.get_or_insert_default().insert(KEY.to_owned(), json!(millis));
}

/// Returns the caller's maximum waiting time, or `None` if the message has none.
pub fn deadline(message: &Message) -> Option<Duration> {
    let millis = message.metadata.as_ref()?.get(KEY)?.as_u64()?;
    Some(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::v1::Role;

    #[test]
    fn what_is_said_is_read() {
        let mut message = Message::new("1", Role::User, Vec::new());
        assert_eq!(deadline(&message), None);
        set_deadline(&mut message, Duration::from_secs(90));
        assert_eq!(deadline(&message), Some(Duration::from_secs(90)));
        message.metadata.get_or_insert_default().insert(KEY.to_owned(), json!("soon"));
        assert_eq!(deadline(&message), None);
    }
}

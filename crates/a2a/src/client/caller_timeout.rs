//! Timeout of the caller in the metadata of a message: the longest time the caller waits for an answer.
//!
//! Hubs exchange it so that a run can be cancelled once its calling hub has given up. Other agents ignore it.

use std::time::Duration;

use serde_json::json;

use crate::wire::v1::Message;

/// Metadata key. The value is in milliseconds.
const KEY: &str = "plexus_timeout_ms";

/// Writes the caller's maximum waiting time to the message.
pub fn set_caller_timeout(message: &mut Message, timeout: Duration) {
    let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    message.metadata.get_or_insert_default().insert(KEY.to_owned(), json!(millis));
}

/// Takes the caller's maximum waiting time out of a message, or returns `None` if it has none.
pub fn take_caller_timeout(message: &mut Message) -> Option<Duration> {
    let millis = message.metadata.as_mut()?.remove(KEY)?.as_u64()?;
    Some(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::v1::Role;

    #[test]
    fn what_is_said_is_read() {
        let mut message = Message::new("1", Role::User, Vec::new());
        assert_eq!(take_caller_timeout(&mut message), None);
        set_caller_timeout(&mut message, Duration::from_secs(90));
        assert_eq!(take_caller_timeout(&mut message), Some(Duration::from_secs(90)));
        assert_eq!(message.metadata, Some(serde_json::Map::new()));
        message.metadata.get_or_insert_default().insert(KEY.to_owned(), json!("soon"));
        assert_eq!(take_caller_timeout(&mut message), None);
    }
}

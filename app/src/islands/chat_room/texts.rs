//! Texts of the island in the language of the page. The server formats them, so that the wasm module needs no catalogue.

use serde::{Deserialize, Serialize};

/// Texts of the island. `{0}` and `{1}` in them stand for values that `fill` inserts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomTexts {
    pub latest: String,
    pub older: String,
    pub stop: String,
    /// Start of the title of a chat that waits for its reader.
    pub waiting_title: String,
    /// `{0}` is the agent.
    pub answering: String,
    /// `{0}` is the agent.
    pub still_answering_word: String,
    /// `{0}` is the agent, `{1}` the number of words.
    pub still_answering: String,
    pub stopped_word: String,
    pub stopped: String,
    pub failed: String,
    pub finished_word: String,
    pub finished: String,
    /// `{0}` is the tool.
    pub approval: String,
    pub here_one: String,
    /// `{0}` has the names.
    pub here: String,
    pub separator: String,
    /// `{0}` is the person.
    pub typing_one: String,
    /// `{0}` and `{1}` are the people.
    pub typing_two: String,
    /// `{0}` is their number, 3 to 10: Arabic has one plural form for them and another for 11 to 99 (CLDR).
    pub typing_few: String,
    /// `{0}` is their number, from 11 on.
    pub typing_many: String,
    pub uploading: String,
    pub queue_next: String,
    pub queue_reply: String,
    pub queue_failed: String,
    pub send_now: String,
    pub edit_queued: String,
    pub sending: String,
    /// `{0}` is the agent.
    pub message_to: String,
    pub code: String,
    pub offline: String,
    pub lost: String,
    pub back: String,
    pub signed_out: String,
    pub sign_in: String,
    pub gone: String,
    pub removed: String,
    pub unreachable: String,
    /// `{0}` is the status of the response.
    pub rejected: String,
    /// Sentence of the hub that says when to try again.
    pub wait: String,
    /// `{0}` is the message of the hub.
    pub kept: String,
    /// `{0}` is the message of the hub, `{1}` the number of seconds.
    pub try_in: String,
    pub state_unread: String,
    pub state_room: String,
    pub state_pinned: String,
    pub state_answering: String,
    pub state_waiting: String,
}

#[cfg(feature = "ssr")]
impl RoomTexts {
    /// Returns the texts in the language of the page.
    pub fn of_page() -> Self {
        use crate::text;

        Self {
            latest: text!("room-latest"),
            older: text!("messages-older"),
            stop: text!("answer-stop"),
            waiting_title: text!("room-waiting-title"),
            answering: text!("room-answering", name = "{0}"),
            still_answering_word: text!("room-still-answering-word", name = "{0}"),
            still_answering: text!("room-still-answering", name = "{0}", count = "{1}"),
            stopped_word: text!("room-stopped-word", name = "{0}"),
            stopped: text!("room-stopped", name = "{0}", count = "{1}"),
            failed: text!("room-failed", name = "{0}"),
            finished_word: text!("room-finished-word", name = "{0}"),
            finished: text!("room-finished", name = "{0}", count = "{1}"),
            approval: text!("room-approval", tool = "{0}"),
            here_one: text!("room-here-one", name = "{0}"),
            here: text!("room-here", names = "{0}"),
            separator: text!("list-separator"),
            typing_one: text!("room-typing-one", name = "{0}"),
            typing_two: text!("room-typing-two", first = "{0}", second = "{1}"),
            typing_few: text!("room-typing-many", count = 3, shown = "{0}"),
            typing_many: text!("room-typing-many", count = 11, shown = "{0}"),
            uploading: text!("room-uploading"),
            queue_next: text!("room-queue-next"),
            queue_reply: text!("room-queue-reply"),
            queue_failed: text!("room-queue-failed"),
            send_now: text!("room-send-now"),
            edit_queued: text!("room-edit-queued"),
            sending: text!("room-sending"),
            message_to: text!("message-to", name = "{0}"),
            code: text!("room-code"),
            offline: text!("room-offline"),
            lost: text!("room-lost"),
            back: text!("room-back"),
            signed_out: text!("room-signed-out"),
            sign_in: text!("sign-in"),
            gone: text!("room-gone"),
            removed: text!("room-removed"),
            unreachable: text!("room-unreachable"),
            rejected: text!("room-rejected", status = "{0}"),
            wait: text!("error-wait", time = "{0}"),
            kept: text!("room-kept", message = "{0}"),
            try_in: text!("room-try-in", message = "{0}", seconds = "{1}"),
            state_unread: text!("chat-state-unread"),
            state_room: text!("chat-state-room"),
            state_pinned: text!("chat-state-pinned"),
            state_answering: text!("chat-state-answering"),
            state_waiting: text!("chat-state-waiting"),
        }
    }
}

/// Inserts values into a text. Values are not read again, so a name such as “{1}” stays as it is.
#[cfg(any(feature = "hydrate", test))]
pub fn fill(text: &str, values: &[&str]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let value = after
            .split_once('}')
            .and_then(|(index, after)| Some((values.get(index.parse::<usize>().ok()?)?, after)));
        match value {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(feature = "hydrate")]
static TEXTS: std::sync::OnceLock<RoomTexts> = std::sync::OnceLock::new();

/// Stores the texts of the page, which has one island.
#[cfg(feature = "hydrate")]
pub fn set(texts: RoomTexts) {
    let _ = TEXTS.set(texts);
}

/// Returns the texts of the page.
#[cfg(feature = "hydrate")]
pub fn texts() -> &'static RoomTexts {
    TEXTS.get_or_init(RoomTexts::default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_inserted_once() {
        assert_eq!(fill("{0} has {1} words.", &["Calc", "7"]), "Calc has 7 words.");
        assert_eq!(fill("{0}, {1}", &["{1}", "b"]), "{1}, b");
        assert_eq!(fill("{ {x} {2} {0", &["a"]), "{ {x} {2} {0");
        assert_eq!(fill("{0}", &[]), "{0}");
    }
}

//! Cursor of an event stream over several chats, read from the query and from `Last-Event-ID`.

use plexus_domain::ChatId;
use url::form_urlencoded;

use super::id;
use crate::web::error::ApiResult;

/// Chats with the number of the last event received of each.
#[derive(Debug, PartialEq, Eq)]
pub struct StreamCursor(Vec<(ChatId, i64)>);

impl StreamCursor {
    /// Parses `chat=ID&after=SEQ` for one chat, or `chat=ID:SEQ&chat=ID:SEQ…` for several. `last`, the
    /// `Last-Event-ID` of the previous stream, takes precedence.
    pub fn read(query: &str, last: Option<&str>) -> ApiResult<Self> {
        let (mut chats, mut after) = (Vec::new(), 0);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "chat" => chats.push(value.into_owned()),
                "after" => after = number(&value)?,
                _ => {}
            }
        }
        let mut positions = Self(Vec::with_capacity(chats.len()));
        for chat in &chats {
            let (chat, seq) = match chat.split_once(':') {
                Some((chat, seq)) => (id(chat)?, number(seq)?),
                None => (id(chat)?, after),
            };
            positions.add(chat, seq);
        }
        positions.go_on_from(last.unwrap_or_default());
        Ok(positions)
    }

    pub fn as_slice(&self) -> &[(ChatId, i64)] {
        &self.0
    }

    /// Records that event `seq` of `chat` was sent.
    pub fn advance(&mut self, chat: ChatId, seq: i64) {
        if let Some(known) = self.0.iter_mut().find(|known| known.0 == chat) {
            known.1 = seq;
        }
    }

    /// Returns the `id:` of an event: a number for one chat, else `ID:SEQ,ID:SEQ…`. It covers all chats,
    /// because clients store only the last id.
    pub fn last_event_id(&self) -> String {
        if let [(_, seq)] = *self.0 {
            return seq.to_string();
        }
        self.0.iter().map(|(chat, seq)| format!("{chat}:{seq}")).collect::<Vec<_>>().join(",")
    }

    /// Adds a chat. If it is named twice, the earlier number counts.
    fn add(&mut self, chat: ChatId, seq: i64) {
        match self.0.iter_mut().find(|known| known.0 == chat) {
            Some(known) => known.1 = known.1.min(seq),
            None => self.0.push((chat, seq)),
        }
    }

    /// Resumes from a `Last-Event-ID`. Invalid parts are ignored: the client then receives some events again.
    fn go_on_from(&mut self, last: &str) {
        if let ([known], Ok(seq)) = (&mut *self.0, last.parse()) {
            known.1 = seq;
        }
        for (chat, seq) in last.split(',').filter_map(|one| one.split_once(':')) {
            if let (Ok(chat), Ok(seq)) = (chat.parse(), seq.parse()) {
                self.advance(chat, seq);
            }
        }
    }
}

fn number(text: &str) -> ApiResult<i64> {
    let words = "The cursor must be an event number.";
    text.parse().map_err(|_| plexus_domain::Error::invalid("after", words).into())
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    fn chat(n: u8) -> ChatId {
        ChatId::new(Timestamp::from_millis(1), &[n; 10])
    }

    fn read(query: &str, last: &str) -> Vec<(ChatId, i64)> {
        StreamCursor::read(query, Some(last)).map_err(|_| "refused").unwrap().0
    }

    #[test]
    fn one_chat_has_a_number() {
        let query = format!("chat={}&after=7", chat(1));
        assert_eq!(read(&query, ""), [(chat(1), 7)]);
        assert_eq!(read(&query, "12"), [(chat(1), 12)]);
        assert_eq!(read(&format!("chat={}", chat(1)), ""), [(chat(1), 0)]);
        assert_eq!(StreamCursor::read(&query, None).map_err(|_| "refused").unwrap().last_event_id(), "7");
    }

    #[test]
    fn several_chats_have_one_each() {
        let query = format!("chat={}:3&chat={}%3A4&chat={}:2", chat(1), chat(2), chat(1));
        assert_eq!(read(&query, ""), [(chat(1), 2), (chat(2), 4)]);
        let mut positions = StreamCursor(read(&query, ""));
        positions.advance(chat(2), 9);
        let last = positions.last_event_id();
        assert_eq!(last, format!("{}:2,{}:9", chat(1), chat(2)));
        assert_eq!(read(&query, &last), [(chat(1), 2), (chat(2), 9)]);
        assert_eq!(read(&query, "5"), [(chat(1), 2), (chat(2), 4)], "a number names no chat");
    }

    #[test]
    fn nonsense_is_refused() {
        for broken in
            ["chat=x", "chat=x:1", &format!("chat={}:y", chat(1)), &format!("chat={}&after=", chat(1))]
        {
            assert!(StreamCursor::read(broken, None).is_err(), "{broken}");
        }
    }
}

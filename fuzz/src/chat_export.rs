use plexus_chat_import::{ImportedAuthor, MAX_LABEL_CHARS, MAX_TEXT_BYTES, decode};

/// Fuzzes exports of chats of other services, as JSON and as ZIP archives.
pub fn chats(data: &[u8]) {
    let Ok(export) = decode(data) else { return };
    for chat in export.conversations {
        assert!(!chat.source_id.is_empty() && chat.current < chat.messages.len());
        for (at, message) in chat.messages.iter().enumerate() {
            assert!(message.parent.is_none_or(|parent| parent < at));
            assert!(!message.text.trim().is_empty() && message.text.len() <= MAX_TEXT_BYTES);
            if let ImportedAuthor::Assistant { label, lane } = &message.author {
                assert!(*lane > 0 && label.chars().count() <= MAX_LABEL_CHARS);
            }
        }
    }
}

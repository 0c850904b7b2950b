use plexus_chat_import::{
    FileContent, ImportedAuthor, ImportedPart, MAX_LABEL_CHARS, MAX_TEXT_BYTES, decode, read_archived,
};
use plexus_domain::message::MessageState;

/// Maximum bytes of a file of an archive that is read.
const MAX_ARCHIVED_BYTES: usize = 1 << 16;

/// Fuzzes exports of chats of other services, as JSON and as ZIP archives.
pub fn chats(data: &[u8]) {
    let Ok(export) = decode(data) else { return };
    for chat in export.conversations {
        assert!(!chat.source_id.is_empty() && chat.current < chat.messages.len());
        for (at, message) in chat.messages.iter().enumerate() {
            assert!(message.parent.is_none_or(|parent| parent < at));
            assert!(message.state != MessageState::Open && !message.source_id.is_empty());
            for part in &message.parts {
                check_part(data, part);
            }
            if let ImportedAuthor::Assistant { label, lane } = &message.author {
                assert!(*lane > 0 && label.chars().count() <= MAX_LABEL_CHARS);
            }
        }
    }
}

fn check_part(data: &[u8], part: &ImportedPart) {
    assert!(part.as_text().is_none_or(|text| !text.trim().is_empty() && text.len() <= MAX_TEXT_BYTES));
    let ImportedPart::File(file) = part else { return };
    if let FileContent::Archived(archived) = &file.content
        && let Ok(bytes) = read_archived(data, *archived, MAX_ARCHIVED_BYTES)
    {
        assert!(bytes.len() <= MAX_ARCHIVED_BYTES);
    }
}

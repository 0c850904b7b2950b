-- Milliseconds after its latest message at which a temporary chat is deleted. Null: the chat is not temporary.
alter table chats add column delete_after_ms integer check (delete_after_ms > 0);

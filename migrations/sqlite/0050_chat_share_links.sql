-- Links with which anybody may read one branch of a chat, up to a message. The id is the secret part of the URL: its owner can see
-- the link again, so it is no hash.
create table chat_share_links (
    id text not null primary key,
    chat blob not null references chats (id) on delete cascade,
    title text not null,
    last_message blob not null references messages (id) on delete cascade,
    -- Sequence number of the chat when the link was made. Later messages are not part of it.
    last_seq integer not null,
    created_at integer not null,
    expires_at integer
) strict, without rowid;

create index chat_share_links_by_chat on chat_share_links (chat);
-- Deleting a message looks for its links.
create index chat_share_links_by_message on chat_share_links (last_message);

-- The distinct terms of each message in a chat of the chat list, for the search over chats. `owner` is the creator of the chat:
-- it is a term as well, so that a search reads only the messages of one owner. Messages without text have no row.
create table message_terms (
    message uuid not null primary key references messages (id) on delete cascade,
    owner uuid not null,
    terms text not null
);

-- The full-text index: only terms, without positions. Searches repeat this expression.
create index message_terms_by_term on message_terms
    using gin (array_to_tsvector(string_to_array(replace(owner::text, '-', '') || ' ' || terms, ' ')));

-- Messages of before, which the hub indexes in the background.
create table unindexed_messages (
    message uuid not null primary key references messages (id) on delete cascade
);

insert into unindexed_messages (message)
    select messages.id from messages join chats on chats.id = messages.chat
    where chats.kind in ('direct', 'room') and messages.state in ('done', 'stopped', 'failed');

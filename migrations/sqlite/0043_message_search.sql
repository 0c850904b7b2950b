-- The distinct terms of each message in a chat of the chat list, for the search over chats. `owner` is the creator of the chat:
-- it is a term as well, so that a search reads only the messages of one owner. Messages without text have no row.
create table message_terms (
    message blob not null primary key references messages (id) on delete cascade,
    owner blob not null,
    terms text not null
) strict;

-- Row numbers of the full-text index.
create table message_index_rows (
    id integer primary key,
    message blob not null unique
) strict;

-- The full-text index: only terms, without content and positions. `secure-delete` removes deleted terms at once.
create virtual table message_index using fts5 (terms, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
insert into message_index (message_index, rank) values ('secure-delete', 1);

create trigger message_terms_inserted after insert on message_terms begin
    insert into message_index_rows (message) values (new.message);
    insert into message_index (rowid, terms)
        select id, hex(new.owner) || ' ' || new.terms from message_index_rows where message = new.message;
end;

create trigger message_terms_deleted after delete on message_terms begin
    insert into message_index (message_index, rowid, terms)
        select 'delete', id, hex(old.owner) || ' ' || old.terms from message_index_rows where message = old.message;
    delete from message_index_rows where message = old.message;
end;

-- Messages of before, which the hub indexes in the background.
create table unindexed_messages (
    message blob not null primary key references messages (id) on delete cascade
) strict, without rowid;

insert into unindexed_messages (message)
    select messages.id from messages join chats on chats.id = messages.chat
    where chats.kind in ('direct', 'room') and messages.state in ('done', 'stopped', 'failed');

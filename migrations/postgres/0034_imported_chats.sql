-- Authors of imported messages: anonymous principals with the label of a service and its model.
alter table principals add column label text;
drop index principals_anonymous;
create unique index principals_anonymous on principals ((coalesce(label, ''))) where kind = 'anonymous';

-- The conversations of other services that were imported, so that none is imported twice.
create table imported_chats (
    owner uuid not null references principals (id) on delete cascade,
    -- Format of the export.
    source text not null,
    -- Id of the conversation at the service.
    source_id text not null,
    chat uuid not null references chats (id) on delete cascade,
    primary key (owner, source, source_id)
);

-- Deleting a chat looks for its row, so that it can be imported again.
create index imported_chats_by_chat on imported_chats (chat);

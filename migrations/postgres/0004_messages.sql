-- What is said in chats, by whom it is read, and how readers follow it.

-- The id is made by whoever writes the message. `seq` is taken from the chat, grows, and is never reused.
create table messages (
    id uuid not null primary key,
    chat uuid not null references chats (id) on delete cascade,
    seq bigint not null,
    parent uuid references messages (id),
    lane bigint not null,
    author uuid not null references principals (id),
    run uuid references runs (id),
    state text not null check (state in ('open', 'done', 'stopped', 'failed', 'deleted')),
    created bigint not null,
    unique (chat, seq)
);

-- Deleting a message looks for its children.
create index messages_by_parent on messages (parent);

-- The requests and answers of a run.
create index messages_by_run on messages (run);

-- Few messages are open at any time: a reader who comes back asks for a chat's.
create index messages_open on messages (chat) where state = 'open';

create table blobs (
    sha256 bytea not null primary key,
    size bigint not null,
    media_type text not null,
    place text not null
);

-- What keeps a blob from being swept, besides the parts that show it.
create table blob_uses (
    blob bytea not null references blobs (sha256),
    owner_kind text not null,
    owner uuid not null,
    primary key (blob, owner_kind, owner)
);

-- `body` is the content as JSON, so that it may hold any character; `kind` and `blob` are copies to search by.
create table parts (
    message uuid not null references messages (id) on delete cascade,
    idx bigint not null,
    kind text not null check (kind in ('text', 'data', 'file', 'link', 'tool', 'reasoning', 'approval')),
    artifact text,
    body text not null,
    blob bytea references blobs (sha256),
    media_type text,
    name text,
    meta text not null,
    primary key (message, idx)
);

-- Whether a blob is still shown anywhere.
create index parts_by_blob on parts (blob) where blob is not null;

-- Access is membership. `leaf` is the message that the member looks at.
create table members (
    id uuid not null primary key,
    chat uuid not null references chats (id) on delete cascade,
    principal uuid not null references principals (id),
    role text not null check (role in ('owner', 'member', 'guest')),
    joined bigint not null,
    left_at bigint,
    leaf uuid references messages (id) on delete set null,
    read_seq bigint not null,
    folder text,
    pinned boolean not null,
    unique (chat, principal)
);

-- The chats of a principal.
create index members_by_principal on members (principal);

-- Deleting a message looks for those who look at it.
create index members_by_leaf on members (leaf);

-- Structural events only. `message` and `run` are no references: an event tells what was.
create table events (
    chat uuid not null references chats (id) on delete cascade,
    seq bigint not null,
    kind text not null,
    message uuid,
    run uuid,
    payload text not null,
    at bigint not null,
    primary key (chat, seq)
);

-- The text of open messages, in the order it arrived. The body is UTF-8 in bytes, because a text column of
-- Postgres refuses U+0000. No other index and no reference: every row is written while somebody waits.
create table text_log (
    process uuid not null,
    n bigint not null,
    message uuid not null,
    part bigint not null,
    start bigint not null,
    body bytea not null,
    primary key (process, n)
);

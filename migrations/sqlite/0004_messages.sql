-- What is said in chats, by whom it is read, and how readers follow it.

-- The id is made by whoever writes the message. `seq` is taken from the chat, grows, and is never reused.
create table messages (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    seq integer not null,
    parent blob references messages (id),
    lane integer not null,
    author blob not null references principals (id),
    run blob references runs (id),
    state text not null check (state in ('open', 'done', 'stopped', 'failed', 'deleted')),
    created integer not null,
    unique (chat, seq)
) strict;

-- Deleting a message looks for its children.
create index messages_by_parent on messages (parent);

-- The requests and answers of a run.
create index messages_by_run on messages (run);

-- Few messages are open at any time: a reader who comes back asks for a chat's.
create index messages_open on messages (chat) where state = 'open';

create table blobs (
    sha256 blob not null primary key,
    size integer not null,
    media_type text not null,
    place text not null
) strict;

-- What keeps a blob from being swept, besides the parts that show it.
create table blob_uses (
    blob blob not null references blobs (sha256),
    owner_kind text not null,
    owner blob not null,
    primary key (blob, owner_kind, owner)
) strict, without rowid;

-- `body` is the content as JSON, so that it may hold any character; `kind` and `blob` are copies to search by.
create table parts (
    message blob not null references messages (id) on delete cascade,
    idx integer not null,
    kind text not null check (kind in ('text', 'data', 'file', 'link', 'tool', 'reasoning', 'approval')),
    artifact text,
    body text not null,
    blob blob references blobs (sha256),
    media_type text,
    name text,
    meta text not null,
    primary key (message, idx)
) strict;

-- Whether a blob is still shown anywhere.
create index parts_by_blob on parts (blob) where blob is not null;

-- Access is membership. `leaf` is the message that the member looks at.
create table members (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    principal blob not null references principals (id),
    role text not null check (role in ('owner', 'member', 'guest')),
    joined integer not null,
    left_at integer,
    leaf blob references messages (id) on delete set null,
    read_seq integer not null,
    folder text,
    pinned integer not null check (pinned in (0, 1)),
    unique (chat, principal)
) strict;

-- The chats of a principal.
create index members_by_principal on members (principal);

-- Deleting a message looks for those who look at it.
create index members_by_leaf on members (leaf);

-- Structural events only. `message` and `run` are no references: an event tells what was.
create table events (
    chat blob not null references chats (id) on delete cascade,
    seq integer not null,
    kind text not null,
    message blob,
    run blob,
    payload text not null,
    at integer not null,
    primary key (chat, seq)
) strict, without rowid;

-- The text of open messages, in the order it arrived. The body is UTF-8 in bytes, because a text column of
-- Postgres refuses U+0000. No other index and no reference: every row is written while somebody waits.
create table text_log (
    process blob not null,
    n integer not null,
    message blob not null,
    part integer not null,
    start integer not null,
    body blob not null,
    primary key (process, n)
) strict, without rowid;

-- Files that accounts stored for a message and have not sent yet. Sending deletes the row; the blob stays with the message.
create table uploads (
    id blob not null primary key,
    owner blob not null references principals (id) on delete cascade,
    blob blob not null references blobs (sha256),
    name text not null,
    media_type text not null,
    width integer,
    height integer,
    created_at integer not null
) strict, without rowid;

-- The uploads that count to one owner.
create index uploads_by_owner on uploads (owner);

-- Whether a blob is still referenced.
create index uploads_by_blob on uploads (blob);

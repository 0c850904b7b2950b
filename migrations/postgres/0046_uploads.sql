-- Files that accounts stored for a message and have not sent yet. Sending deletes the row; the blob stays with the message.
create table uploads (
    id uuid not null primary key,
    owner uuid not null references principals (id) on delete cascade,
    blob bytea not null references blobs (sha256),
    name text not null,
    media_type text not null,
    width bigint,
    height bigint,
    created_at bigint not null
);

-- The uploads that count to one owner.
create index uploads_by_owner on uploads (owner);

-- Whether a blob is still referenced.
create index uploads_by_blob on uploads (blob);

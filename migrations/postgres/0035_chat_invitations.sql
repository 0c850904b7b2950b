-- Invitations to a chat. One is for an account, or for the holders of a link, of which only the hash is stored.
create table chat_invitations (
    id uuid not null primary key,
    chat uuid not null references chats (id) on delete cascade,
    -- 'guest' is a reader.
    role text not null check (role in ('member', 'guest')),
    invited_by uuid not null references principals (id),
    invitee uuid references principals (id),
    hash bytea unique,
    created_at bigint not null,
    expires_at bigint not null,
    unique (chat, invitee),
    check ((invitee is null) <> (hash is null))
);

-- The invitations of an account.
create index chat_invitations_by_invitee on chat_invitations (invitee) where invitee is not null;

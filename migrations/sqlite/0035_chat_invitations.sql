-- Invitations to a chat. One is for an account, or for the holders of a link, of which only the hash is stored.
create table chat_invitations (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    -- 'guest' is a reader.
    role text not null check (role in ('member', 'guest')),
    invited_by blob not null references principals (id),
    invitee blob references principals (id),
    hash blob unique,
    created_at integer not null,
    expires_at integer not null,
    unique (chat, invitee),
    check ((invitee is null) <> (hash is null))
) strict, without rowid;

-- The invitations of an account.
create index chat_invitations_by_invitee on chat_invitations (invitee) where invitee is not null;

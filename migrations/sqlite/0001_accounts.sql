-- People, what they own, and how they prove who they are.
-- Ids are UUIDs, times are milliseconds since 1970, JSON is text. Names are compared folded and shown as written.

-- Numbers that only grow, taken inside the transaction that uses them: a sequence would leave readers of "what
-- changed since n" with rows that commit late.
create table counters (
    name text not null primary key,
    n integer not null
) strict, without rowid;

-- A name is never given out twice, so rows are retired and not deleted.
create table namespaces (
    id blob not null primary key,
    name_folded text not null unique,
    name text not null,
    kind text not null check (kind in ('person', 'org', 'system')),
    created integer not null,
    retired integer
) strict;

-- Deleting an account empties its row: authors of messages in rooms still need something to point at.
create table accounts (
    id blob not null primary key,
    namespace blob not null unique references namespaces (id),
    email_folded text unique,
    role text not null check (role in ('user', 'moderator', 'admin')),
    state text not null check (state in ('active', 'pending', 'suspended', 'deleted')),
    prefs text not null,
    created integer not null
) strict;

create table namespace_members (
    namespace blob not null references namespaces (id) on delete cascade,
    account blob not null references accounts (id) on delete cascade,
    role text not null check (role in ('owner', 'member')),
    primary key (namespace, account)
) strict, without rowid;

-- Which namespaces an account may act for.
create index namespace_members_by_account on namespace_members (account);

-- Second factors are rows, too.
create table credentials (
    id blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    kind text not null check (kind in ('password', 'passkey', 'totp', 'recovery')),
    data text not null,
    created integer not null,
    used integer
) strict;

-- Sign-in reads an account's credentials by kind.
create index credentials_by_account on credentials (account, kind);

-- Only the digest of the cookie is kept.
create table sessions (
    hash blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    created integer not null,
    seen integer not null,
    sudo_until integer,
    agent text not null,
    ip text not null
) strict;

-- Sessions are listed and revoked by account.
create index sessions_by_account on sessions (account);

create table tokens (
    id blob not null primary key,
    hash blob not null unique,
    account blob not null references accounts (id) on delete cascade,
    name text not null,
    scopes text not null,
    audience text not null,
    created integer not null,
    expires integer not null,
    used integer
) strict;

-- Tokens are listed by account.
create index tokens_by_account on tokens (account);

-- `invited_by` is empty for the link that makes the first administrator.
create table invites (
    hash blob not null primary key,
    invited_by blob references accounts (id) on delete cascade,
    role text not null check (role in ('user', 'moderator', 'admin')),
    expires integer not null,
    used integer
) strict;

-- Invitations are listed by who made them.
create index invites_by_account on invites (invited_by);

-- What somebody used of a limit in the time window that began at `since`.
create table limits_used (
    key text not null,
    since integer not null,
    n integer not null,
    primary key (key, since)
) strict, without rowid;

-- Windows that are over are swept by age.
create index limits_used_by_age on limits_used (since);

-- `actor` and `target` are words, not references: the record outlives what it speaks of.
create table audit (
    id blob not null primary key,
    at integer not null,
    actor text not null,
    action text not null,
    target text not null,
    change text not null,
    request text not null
) strict;

-- The log is read newest first, and for one target.
create index audit_by_time on audit (at);
create index audit_by_target on audit (target, at);

-- Hubs, agents, their keys, cards, versions and listings; and whoever acts.

create table hubs (
    id blob not null primary key,
    domain text unique,
    state text not null check (state in ('self', 'probation', 'carried', 'gone')),
    standing text not null check (standing in ('normal', 'trusted', 'limited', 'blocked')),
    record blob,
    head_seq integer not null,
    seen integer not null
) strict;

-- Row 0 is this hub.
insert into hubs (id, state, standing, head_seq, seen) values (zeroblob(16), 'self', 'normal', 0, 0);

create table secrets (
    id blob not null primary key,
    namespace blob not null references namespaces (id),
    kind text not null,
    sealed blob not null,
    key_version integer not null
) strict;

-- Secrets are sealed anew, and dropped, by namespace.
create index secrets_by_namespace on secrets (namespace);

-- One row whether the agent lives here or elsewhere. `namespace` is empty for those elsewhere.
create table agents (
    id blob not null primary key,
    hub blob not null references hubs (id),
    owner text not null,
    owner_folded text not null,
    name text not null,
    name_folded text not null,
    listing_id text unique,
    namespace blob references namespaces (id),
    visibility text not null check (visibility in ('private', 'unlisted', 'public', 'federated')),
    access text not null check (access in ('owner', 'listed', 'accounts', 'open')),
    state text not null check (state in ('active', 'paused', 'deleted')),
    created integer not null,
    unique (hub, owner_folded, name_folded)
) strict;

-- An owner's page and an owner's deletion go by namespace.
create index agents_by_namespace on agents (namespace);

-- A key without a secret is held by its owner, not by the hub.
create table keys (
    id blob not null primary key,
    kind text not null check (kind in ('hub', 'agent', 'recovery')),
    agent blob references agents (id),
    hub blob references hubs (id),
    public blob not null unique,
    secret blob references secrets (id),
    created integer not null,
    retired integer
) strict;

-- The keys of an agent, of a hub.
create index keys_by_agent on keys (agent);
create index keys_by_hub on keys (hub);

-- Whoever acts. `account`, `agent` and `hub` with `pseudonym` each name at most one principal.
create table principals (
    id blob not null primary key,
    kind text not null check (kind in ('account', 'agent', 'remote', 'anonymous')),
    account blob unique references accounts (id),
    agent blob unique references agents (id),
    hub blob references hubs (id),
    pseudonym text,
    unique (hub, pseudonym),
    check ((kind = 'account') = (account is not null)),
    check ((kind = 'agent') = (agent is not null)),
    check ((kind = 'remote') = (hub is not null)),
    check ((kind = 'remote') = (pseudonym is not null))
) strict;

-- Nobody in particular is one principal.
create unique index principals_anonymous on principals (kind) where kind = 'anonymous';

-- `target` is an agent or a model, so it references neither.
create table grants (
    target blob not null,
    principal blob not null references principals (id) on delete cascade,
    created integer not null,
    primary key (target, principal)
) strict, without rowid;

-- What somebody was granted.
create index grants_by_principal on grants (principal);

-- The bytes of a card as they were received.
create table cards (
    sha256 blob not null primary key,
    body blob not null
) strict;

create table versions (
    id blob not null primary key,
    agent blob not null references agents (id),
    semver text not null,
    card blob not null references cards (sha256),
    connector text not null,
    secret blob references secrets (id),
    created integer not null,
    yanked_reason text,
    unique (agent, semver)
) strict;

-- What a person gave an agent so that it works for them.
create table agent_secrets (
    agent blob not null references agents (id) on delete cascade,
    account blob not null references accounts (id) on delete cascade,
    secret blob not null references secrets (id),
    primary key (agent, account)
) strict, without rowid;

-- Deleting an account drops what it gave.
create index agent_secrets_by_account on agent_secrets (account);

create table models (
    id blob not null primary key,
    namespace blob not null references namespaces (id),
    name text not null,
    name_folded text not null,
    connector text not null,
    secret blob references secrets (id),
    limits text not null,
    created integer not null,
    unique (namespace, name_folded)
) strict;

-- `change` is taken from a counter in the writing transaction: whoever has seen n has seen everything up to n.
create table listings (
    agent blob not null primary key references agents (id),
    seq integer not null,
    card blob not null references cards (sha256),
    summary text not null,
    envelope blob,
    issued integer not null,
    expires integer,
    leased_until integer,
    state text not null check (state in ('live', 'paused', 'deleted')),
    change integer not null unique
) strict;

-- Listings that expire next are signed anew, or dropped.
create index listings_by_expiry on listings (expires);

create table proofs (
    id blob not null primary key,
    agent blob not null references agents (id) on delete cascade,
    origin text not null,
    method text not null check (method in ('well_known', 'dns', 'card', 'voucher')),
    ok_at integer,
    failed_at integer,
    unique (agent, origin)
) strict;

create table drafts (
    id blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    step text not null,
    data text not null,
    expires integer not null
) strict;

-- A person's own drafts; drafts that are over.
create index drafts_by_account on drafts (account);
create index drafts_by_expiry on drafts (expires);

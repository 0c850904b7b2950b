-- Hubs, agents, their keys, cards, versions and listings; and whoever acts.

create table hubs (
    id uuid not null primary key,
    domain text unique,
    state text not null check (state in ('self', 'probation', 'carried', 'gone')),
    standing text not null check (standing in ('normal', 'trusted', 'limited', 'blocked')),
    record bytea,
    head_seq bigint not null,
    seen bigint not null
);

-- Row 0 is this hub.
insert into hubs (id, state, standing, head_seq, seen) values ('00000000-0000-0000-0000-000000000000', 'self', 'normal', 0, 0);

create table secrets (
    id uuid not null primary key,
    namespace uuid not null references namespaces (id),
    kind text not null,
    sealed bytea not null,
    key_version bigint not null
);

-- Secrets are sealed anew, and dropped, by namespace.
create index secrets_by_namespace on secrets (namespace);

-- One row whether the agent lives here or elsewhere. `namespace` is empty for those elsewhere.
create table agents (
    id uuid not null primary key,
    hub uuid not null references hubs (id),
    owner text not null,
    owner_folded text not null,
    name text not null,
    name_folded text not null,
    listing_id text unique,
    namespace uuid references namespaces (id),
    visibility text not null check (visibility in ('private', 'unlisted', 'public', 'federated')),
    access text not null check (access in ('owner', 'listed', 'accounts', 'open')),
    state text not null check (state in ('active', 'paused', 'deleted')),
    created bigint not null,
    unique (hub, owner_folded, name_folded)
);

-- An owner's page and an owner's deletion go by namespace.
create index agents_by_namespace on agents (namespace);

-- A key without a secret is held by its owner, not by the hub.
create table keys (
    id uuid not null primary key,
    kind text not null check (kind in ('hub', 'agent', 'recovery')),
    agent uuid references agents (id),
    hub uuid references hubs (id),
    public bytea not null unique,
    secret uuid references secrets (id),
    created bigint not null,
    retired bigint
);

-- The keys of an agent, of a hub.
create index keys_by_agent on keys (agent);
create index keys_by_hub on keys (hub);

-- Whoever acts. `account`, `agent` and `hub` with `pseudonym` each name at most one principal.
create table principals (
    id uuid not null primary key,
    kind text not null check (kind in ('account', 'agent', 'remote', 'anonymous')),
    account uuid unique references accounts (id),
    agent uuid unique references agents (id),
    hub uuid references hubs (id),
    pseudonym text,
    unique (hub, pseudonym),
    check ((kind = 'account') = (account is not null)),
    check ((kind = 'agent') = (agent is not null)),
    check ((kind = 'remote') = (hub is not null)),
    check ((kind = 'remote') = (pseudonym is not null))
);

-- Nobody in particular is one principal.
create unique index principals_anonymous on principals (kind) where kind = 'anonymous';

-- `target` is an agent or a model, so it references neither.
create table grants (
    target uuid not null,
    principal uuid not null references principals (id) on delete cascade,
    created bigint not null,
    primary key (target, principal)
);

-- What somebody was granted.
create index grants_by_principal on grants (principal);

-- The bytes of a card as they were received.
create table cards (
    sha256 bytea not null primary key,
    body bytea not null
);

create table versions (
    id uuid not null primary key,
    agent uuid not null references agents (id),
    semver text not null,
    card bytea not null references cards (sha256),
    connector text not null,
    secret uuid references secrets (id),
    created bigint not null,
    yanked_reason text,
    unique (agent, semver)
);

-- What a person gave an agent so that it works for them.
create table agent_secrets (
    agent uuid not null references agents (id) on delete cascade,
    account uuid not null references accounts (id) on delete cascade,
    secret uuid not null references secrets (id),
    primary key (agent, account)
);

-- Deleting an account drops what it gave.
create index agent_secrets_by_account on agent_secrets (account);

create table models (
    id uuid not null primary key,
    namespace uuid not null references namespaces (id),
    name text not null,
    name_folded text not null,
    connector text not null,
    secret uuid references secrets (id),
    limits text not null,
    created bigint not null,
    unique (namespace, name_folded)
);

-- `change` is taken from a counter in the writing transaction: whoever has seen n has seen everything up to n.
create table listings (
    agent uuid not null primary key references agents (id),
    seq bigint not null,
    card bytea not null references cards (sha256),
    summary text not null,
    envelope bytea,
    issued bigint not null,
    expires bigint,
    leased_until bigint,
    state text not null check (state in ('live', 'paused', 'deleted')),
    change bigint not null unique
);

-- Listings that expire next are signed anew, or dropped.
create index listings_by_expiry on listings (expires);

create table proofs (
    id uuid not null primary key,
    agent uuid not null references agents (id) on delete cascade,
    origin text not null,
    method text not null check (method in ('well_known', 'dns', 'card', 'voucher')),
    ok_at bigint,
    failed_at bigint,
    unique (agent, origin)
);

create table drafts (
    id uuid not null primary key,
    account uuid not null references accounts (id) on delete cascade,
    step text not null,
    data text not null,
    expires bigint not null
);

-- A person's own drafts; drafts that are over.
create index drafts_by_account on drafts (account);
create index drafts_by_expiry on drafts (expires);

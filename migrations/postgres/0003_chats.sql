-- Chats, teams, and the runs that work in them.

create table chats (
    id uuid not null primary key,
    kind text not null check (kind in ('direct', 'room', 'team', 'api')),
    title text not null,
    creator uuid not null references principals (id),
    last_seq bigint not null,
    settings text not null,
    created bigint not null,
    active bigint not null,
    keep_until bigint,
    archived bigint
);

-- Chats that are kept for a while are swept when it is over.
create index chats_by_expiry on chats (keep_until) where keep_until is not null;

-- The name a caller gives a conversation with one agent.
create table contexts (
    caller uuid not null references principals (id),
    agent uuid not null references agents (id),
    name text not null,
    chat uuid not null references chats (id) on delete cascade,
    primary key (caller, agent, name)
);

-- A chat's deletion drops its names.
create index contexts_by_chat on contexts (chat);

create table teams (
    chat uuid not null primary key references chats (id) on delete cascade,
    goal text not null,
    pattern text not null,
    home_hub uuid not null references hubs (id),
    parent uuid references teams (chat) on delete set null deferrable,
    depth_left bigint not null,
    limits text not null,
    state text not null check (state in ('forming', 'working', 'closed', 'failed', 'cancelled', 'lost')),
    deadline bigint not null
);

-- A team's sub-teams; teams whose time is over.
create index teams_by_parent on teams (parent);
create index teams_by_deadline on teams (deadline);

create table team_log (
    team uuid not null references teams (chat) on delete cascade,
    seq bigint not null,
    author_key bytea not null,
    prev_hash bytea not null,
    body bytea not null,
    signature bytea not null,
    primary key (team, seq)
);

-- `run` is the run that works on it now. It is no reference, because runs already point here.
create table assignments (
    id uuid not null primary key,
    team uuid not null references teams (chat) on delete cascade,
    member uuid not null references principals (id),
    mode text not null check (mode in ('sync', 'async')),
    spec text not null,
    state text not null check (state in ('submitted', 'working', 'completed', 'failed', 'cancelled', 'rejected')),
    deadline bigint not null,
    run uuid
);

-- A team's work.
create index assignments_by_team on assignments (team);

create table processes (
    id uuid not null primary key,
    started bigint not null,
    beat bigint not null,
    address text,
    swarm boolean not null
);

create table runs (
    id uuid not null primary key,
    chat uuid not null references chats (id) on delete cascade,
    agent uuid not null references agents (id),
    version uuid not null references versions (id),
    caller uuid not null references principals (id),
    origin text not null check (origin in ('page', 'api', 'a2a', 'mcp', 'openai', 'rpc', 'team', 'hub')),
    state text not null check (state in ('queued', 'working', 'input_required', 'auth_required', 'completed',
        'failed', 'stopped', 'rejected')),
    state_at bigint not null,
    parent uuid references runs (id) on delete set null deferrable,
    assignment uuid references assignments (id) on delete set null,
    process uuid references processes (id) on delete set null,
    remote_task text,
    remote_context text,
    queued bigint not null,
    started bigint,
    ended bigint,
    tokens_in bigint not null,
    tokens_out bigint not null,
    cost_micro bigint not null,
    error_class text,
    error text
);

-- A chat's runs in order; an agent's latest runs; what a caller started.
create index runs_by_chat on runs (chat, queued);
create index runs_by_agent on runs (agent, queued);
create index runs_by_caller on runs (caller, queued);

-- Deleting what a run points at looks for it here.
create index runs_by_parent on runs (parent);
create index runs_by_assignment on runs (assignment);

-- Few runs go on at any time: a process finds its own, and those that a dead one left.
create index runs_by_process on runs (process)
    where state in ('queued', 'working', 'input_required', 'auth_required');

create table approvals (
    id uuid not null primary key,
    run uuid not null references runs (id) on delete cascade,
    tool text not null,
    args_sha256 bytea not null,
    decision text check (decision in ('yes', 'no')),
    decided_by uuid references principals (id),
    expires bigint not null
);

-- The questions of a run.
create index approvals_by_run on approvals (run);

create table push (
    id uuid not null primary key,
    run uuid not null references runs (id) on delete cascade,
    url text not null,
    secret uuid references secrets (id)
);

-- Whom to tell when a run changes.
create index push_by_run on push (run);

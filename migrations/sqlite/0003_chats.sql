-- Chats, teams, and the runs that work in them.

create table chats (
    id blob not null primary key,
    kind text not null check (kind in ('direct', 'room', 'team', 'api')),
    title text not null,
    creator blob not null references principals (id),
    last_seq integer not null,
    settings text not null,
    created integer not null,
    active integer not null,
    keep_until integer,
    archived integer
) strict;

-- Chats that are kept for a while are swept when it is over.
create index chats_by_expiry on chats (keep_until) where keep_until is not null;

-- The name a caller gives a conversation with one agent.
create table contexts (
    caller blob not null references principals (id),
    agent blob not null references agents (id),
    name text not null,
    chat blob not null references chats (id) on delete cascade,
    primary key (caller, agent, name)
) strict, without rowid;

-- A chat's deletion drops its names.
create index contexts_by_chat on contexts (chat);

create table teams (
    chat blob not null primary key references chats (id) on delete cascade,
    goal text not null,
    pattern text not null,
    home_hub blob not null references hubs (id),
    parent blob references teams (chat) on delete set null,
    depth_left integer not null,
    limits text not null,
    state text not null check (state in ('forming', 'working', 'closed', 'failed', 'cancelled', 'lost')),
    deadline integer not null
) strict;

-- A team's sub-teams; teams whose time is over.
create index teams_by_parent on teams (parent);
create index teams_by_deadline on teams (deadline);

create table team_log (
    team blob not null references teams (chat) on delete cascade,
    seq integer not null,
    author_key blob not null,
    prev_hash blob not null,
    body blob not null,
    signature blob not null,
    primary key (team, seq)
) strict;

-- `run` is the run that works on it now. It is no reference, because runs already point here.
create table assignments (
    id blob not null primary key,
    team blob not null references teams (chat) on delete cascade,
    member blob not null references principals (id),
    mode text not null check (mode in ('sync', 'async')),
    spec text not null,
    state text not null check (state in ('submitted', 'working', 'completed', 'failed', 'cancelled', 'rejected')),
    deadline integer not null,
    run blob
) strict;

-- A team's work.
create index assignments_by_team on assignments (team);

create table processes (
    id blob not null primary key,
    started integer not null,
    beat integer not null,
    address text,
    swarm integer not null check (swarm in (0, 1))
) strict;

create table runs (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    agent blob not null references agents (id),
    version blob not null references versions (id),
    caller blob not null references principals (id),
    origin text not null check (origin in ('page', 'api', 'a2a', 'mcp', 'openai', 'rpc', 'team', 'hub')),
    state text not null check (state in ('queued', 'working', 'input_required', 'auth_required', 'completed',
        'failed', 'stopped', 'rejected')),
    state_at integer not null,
    parent blob references runs (id) on delete set null,
    assignment blob references assignments (id) on delete set null,
    process blob references processes (id) on delete set null,
    remote_task text,
    remote_context text,
    queued integer not null,
    started integer,
    ended integer,
    tokens_in integer not null,
    tokens_out integer not null,
    cost_micro integer not null,
    error_class text,
    error text
) strict;

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
    id blob not null primary key,
    run blob not null references runs (id) on delete cascade,
    tool text not null,
    args_sha256 blob not null,
    decision text check (decision in ('yes', 'no')),
    decided_by blob references principals (id),
    expires integer not null
) strict;

-- The questions of a run.
create index approvals_by_run on approvals (run);

create table push (
    id blob not null primary key,
    run blob not null references runs (id) on delete cascade,
    url text not null,
    secret blob references secrets (id)
) strict;

-- Whom to tell when a run changes.
create index push_by_run on push (run);

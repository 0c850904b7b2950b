-- Which process conducts a team. One that is forgotten conducts none.
create table team_conductors (
    team uuid not null primary key references teams (chat) on delete cascade,
    process uuid not null references processes (id) on delete cascade
);

-- Runs that were stopped on another process than the one that works on them.
create table stops (
    run uuid not null primary key references runs (id) on delete cascade
);

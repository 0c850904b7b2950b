-- Which process conducts a team. One that is forgotten conducts none.
create table team_conductors (
    team blob not null primary key references teams (chat) on delete cascade,
    process blob not null references processes (id) on delete cascade
) strict;

-- Runs that were stopped on another process than the one that works on them.
create table stops (
    run blob not null primary key references runs (id) on delete cascade
) strict;

-- The link with which anybody may read a team: one at a time, kept as a hash.
create table team_shares (
    team blob not null primary key references teams (chat) on delete cascade,
    hash blob not null unique,
    created integer not null
) strict;

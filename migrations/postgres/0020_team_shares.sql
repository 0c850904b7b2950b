-- The link with which anybody may read a team: one at a time, kept as a hash.
create table team_shares (
    team uuid not null primary key references teams (chat) on delete cascade,
    hash bytea not null unique,
    created bigint not null
);

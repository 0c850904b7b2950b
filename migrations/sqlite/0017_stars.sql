-- The agents that people want at hand.
create table stars (
    account blob not null references accounts (id) on delete cascade,
    agent blob not null references agents (id) on delete cascade,
    at integer not null,
    primary key (account, agent)
) strict, without rowid;

-- How many stars an agent has, and dropping them with it.
create index stars_by_agent on stars (agent);

-- The agents that people want at hand.
create table stars (
    account uuid not null references accounts (id) on delete cascade,
    agent uuid not null references agents (id) on delete cascade,
    at bigint not null,
    primary key (account, agent)
);

-- How many stars an agent has, and dropping them with it.
create index stars_by_agent on stars (agent);

-- Agents that administrators chose for the home page.
create table featured_agents (
    agent blob not null primary key references agents (id) on delete cascade,
    featured_at integer not null
) strict, without rowid;

-- Agents that administrators chose for the home page.
create table featured_agents (
    agent uuid not null primary key references agents (id) on delete cascade,
    featured_at bigint not null
);

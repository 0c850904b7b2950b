-- How much an agent may answer in a chat in one day (UTC), as the owner of the chat sets it.
create table chat_agent_limits (
    chat uuid not null references chats (id) on delete cascade,
    agent uuid not null references agents (id) on delete cascade,
    unit text not null check (unit in ('answers', 'tokens')),
    amount bigint not null check (amount > 0),
    primary key (chat, agent)
);

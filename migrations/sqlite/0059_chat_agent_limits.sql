-- How much an agent may answer in a chat in one day (UTC), as the owner of the chat sets it.
create table chat_agent_limits (
    chat blob not null references chats (id) on delete cascade,
    agent blob not null references agents (id) on delete cascade,
    unit text not null check (unit in ('answers', 'tokens')),
    amount integer not null check (amount > 0),
    primary key (chat, agent)
) strict, without rowid;

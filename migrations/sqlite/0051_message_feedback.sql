-- What a member of a chat thinks of an agent's message. Its reason and comment are for the agent's owner only if `shown_to_owner`.
create table message_feedback (
    message blob not null references messages (id) on delete cascade,
    author blob not null references principals (id),
    agent blob not null references agents (id),
    rating text not null check (rating in ('up', 'down')),
    reason text,
    comment text,
    shown_to_owner integer not null,
    created_at integer not null,
    primary key (message, author)
) strict, without rowid;

-- The counts of an agent by week.
create index message_feedback_by_agent on message_feedback (agent, created_at);

-- What a member of a chat thinks of an agent's message. Its reason and comment are for the agent's owner only if `shown_to_owner`.
create table message_feedback (
    message uuid not null references messages (id) on delete cascade,
    author uuid not null references principals (id),
    agent uuid not null references agents (id),
    rating text not null check (rating in ('up', 'down')),
    reason text,
    comment text,
    shown_to_owner boolean not null,
    created_at bigint not null,
    primary key (message, author)
);

-- The counts of an agent by week.
create index message_feedback_by_agent on message_feedback (agent, created_at);

-- What a caller that keeps its conversations itself had told when it asked something. Several questions may end the
-- same history. The row of a question is written before it, and goes with it.
create table histories (
    caller uuid not null references principals (id),
    agent uuid not null references agents (id),
    digest bytea not null,
    question uuid not null references messages (id) on delete cascade deferrable initially deferred,
    primary key (caller, agent, digest, question)
);

-- Deleting a message looks for it here.
create index histories_by_question on histories (question);

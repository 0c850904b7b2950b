-- What a caller that keeps its conversations itself had told when it asked something. Several questions may end the
-- same history. The row of a question is written before it, and goes with it.
create table histories (
    caller blob not null references principals (id),
    agent blob not null references agents (id),
    digest blob not null,
    question blob not null references messages (id) on delete cascade deferrable initially deferred,
    primary key (caller, agent, digest, question)
) strict, without rowid;

-- Deleting a message looks for it here.
create index histories_by_question on histories (question);

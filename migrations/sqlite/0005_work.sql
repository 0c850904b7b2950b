-- Work to be done later: rows written in the transaction that decides on it.

-- A job with a key is queued once.
create table jobs (
    id blob not null primary key,
    name text not null,
    key text unique,
    payload text not null,
    due integer not null,
    locked_until integer,
    tries integer not null,
    error text,
    failed integer not null check (failed in (0, 1))
) strict;

-- The next job that is due; those given up are for an administrator to look at.
create index jobs_by_due on jobs (due) where not failed;

create table outbox (
    id blob not null primary key,
    target text not null,
    kind text not null,
    payload blob not null,
    due integer not null,
    tries integer not null
) strict;

-- The next letter that is due.
create index outbox_by_due on outbox (due);

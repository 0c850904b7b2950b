-- Work to be done later: rows written in the transaction that decides on it.

-- A job with a key is queued once.
create table jobs (
    id uuid not null primary key,
    name text not null,
    key text unique,
    payload text not null,
    due bigint not null,
    locked_until bigint,
    tries bigint not null,
    error text,
    failed boolean not null
);

-- The next job that is due; those given up are for an administrator to look at.
create index jobs_by_due on jobs (due) where not failed;

create table outbox (
    id uuid not null primary key,
    target text not null,
    kind text not null,
    payload bytea not null,
    due bigint not null,
    tries bigint not null
);

-- The next letter that is due.
create index outbox_by_due on outbox (due);

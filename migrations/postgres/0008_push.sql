-- Whom the caller of a run wants told: nothing was kept here before. Addresses of webhooks are often secrets themselves,
-- so all that a caller gave is sealed.
drop table push;

create table push (
    id uuid not null primary key,
    run uuid not null references runs (id) on delete cascade,
    name text not null,
    sealed bytea not null,
    unique (run, name)
);

-- One receiver is told in order: a letter waits for those written before it.
create index outbox_by_target on outbox (target, id);

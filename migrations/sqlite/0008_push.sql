-- Whom the caller of a run wants told: nothing was kept here before. Addresses of webhooks are often secrets themselves,
-- so all that a caller gave is sealed.
drop table push;

create table push (
    id blob not null primary key,
    run blob not null references runs (id) on delete cascade,
    name text not null,
    sealed blob not null,
    unique (run, name)
) strict;

-- One receiver is told in order: a letter waits for those written before it.
create index outbox_by_target on outbox (target, id);

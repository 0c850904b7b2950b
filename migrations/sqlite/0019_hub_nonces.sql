-- Requests that other hubs signed: each is good once, also when it is sent to another process of this hub.
create table hub_nonces (
    hub blob not null references hubs (id) on delete cascade,
    nonce blob not null,
    expires integer not null,
    primary key (hub, nonce)
) strict, without rowid;

create index hub_nonces_by_expiry on hub_nonces (expires);

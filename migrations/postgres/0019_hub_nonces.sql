-- Requests that other hubs signed: each is good once, also when it is sent to another process of this hub.
create table hub_nonces (
    hub uuid not null references hubs (id) on delete cascade,
    nonce bytea not null,
    expires bigint not null,
    primary key (hub, nonce)
);

create index hub_nonces_by_expiry on hub_nonces (expires);

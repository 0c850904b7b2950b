-- What other hubs say, as far as this one carries it; whom it has to do with, and what its network remembers.

-- `peer` names a hub by its key; `head` is what it last signed about its set of listings, as received.
alter table hubs add column peer text;
alter table hubs add column head bytea;
alter table hubs add column met bigint;
create unique index hubs_by_peer on hubs (peer);

-- What names the signed form of a listing: peers ask for it by that.
alter table listings add column hash bytea;
create index listings_by_hash on listings (hash);

-- A card that nothing shows any more is dropped.
create index listings_by_card on listings (card);
create index versions_by_card on versions (card);

-- `subject` is a kind and a name, as in `hub:12D3KooW…` or `domain:example.org`.
create table hub_rules (
    subject text not null primary key,
    action text not null check (action in ('allow', 'block')),
    reason text not null,
    author text not null,
    created bigint not null,
    expires bigint
);

-- Where hubs were last.
create table hub_addresses (
    peer text not null primary key,
    addresses text not null,
    seen bigint not null
);

create index hub_addresses_by_seen on hub_addresses (seen);

-- What providers announced to the part of the DHT that this hub holds.
create table hub_announcements (
    key bytea not null,
    provider text not null,
    addresses text not null,
    expires bigint not null,
    primary key (key, provider)
);

create index hub_announcements_by_expiry on hub_announcements (expires);

-- What other hubs did against the rules, as far as it shows, and lists of rules that this hub goes by.

-- `about` is the hub whose listings it was about the last time, by its key.
create table hub_faults (
    hub blob not null references hubs (id) on delete cascade,
    fault text not null check (fault in ('withholds', 'pads', 'swaps', 'stale_head', 'contradicts', 'contradicts_itself')),
    about text not null,
    first_at integer not null,
    last_at integer not null,
    times integer not null,
    primary key (hub, fault)
) strict, without rowid;

-- `signer` is the hub that has to have signed what is at `url`, by its key; `problem` is why it was not taken the last time.
create table rule_lists (
    url text not null primary key,
    signer text not null,
    name text not null,
    author text not null,
    created integer not null,
    seq integer not null,
    checked integer not null,
    problem text
) strict;

create table listed_rules (
    list text not null references rule_lists (url) on delete cascade,
    subject text not null,
    action text not null check (action in ('allow', 'block')),
    reason text not null,
    created integer not null,
    expires integer,
    primary key (list, subject)
) strict, without rowid;

create index listed_rules_by_subject on listed_rules (subject, list);

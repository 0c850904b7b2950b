-- What other hubs did against the rules, as far as it shows, and lists of rules that this hub goes by.

-- `about` is the hub whose listings it was about the last time, by its key.
create table hub_faults (
    hub uuid not null references hubs (id) on delete cascade,
    fault text not null check (fault in ('withholds', 'pads', 'swaps', 'stale_head', 'contradicts', 'contradicts_itself')),
    about text not null,
    first_at bigint not null,
    last_at bigint not null,
    times bigint not null,
    primary key (hub, fault)
);

-- `signer` is the hub that has to have signed what is at `url`, by its key; `problem` is why it was not taken the last time.
create table rule_lists (
    url text not null primary key,
    signer text not null,
    name text not null,
    author text not null,
    created bigint not null,
    seq bigint not null,
    checked bigint not null,
    problem text
);

create table listed_rules (
    list text not null references rule_lists (url) on delete cascade,
    subject text not null,
    action text not null check (action in ('allow', 'block')),
    reason text not null,
    created bigint not null,
    expires bigint,
    primary key (list, subject)
);

create index listed_rules_by_subject on listed_rules (subject, list);

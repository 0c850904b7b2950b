-- Text files that model agents answer from. The text is kept as passages only.
create table knowledge_files (
    id uuid not null primary key,
    agent uuid not null references agents (id) on delete cascade,
    name text not null,
    bytes bigint not null,
    added_at bigint not null,
    unique (agent, name)
);

create table knowledge_passages (
    file uuid not null references knowledge_files (id) on delete cascade,
    position bigint not null,
    place text not null,
    text text not null,
    primary key (file, position)
);

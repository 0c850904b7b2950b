-- Text files that model agents answer from. The text is kept as passages only.
create table knowledge_files (
    id blob not null primary key,
    agent blob not null references agents (id) on delete cascade,
    name text not null,
    bytes integer not null,
    added_at integer not null,
    unique (agent, name)
) strict, without rowid;

create table knowledge_passages (
    file blob not null references knowledge_files (id) on delete cascade,
    position integer not null,
    place text not null,
    text text not null,
    primary key (file, position)
) strict;

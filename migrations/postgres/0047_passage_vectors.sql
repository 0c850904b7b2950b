-- Embeddings of the passages of knowledge files. In a new database this runs before 0054, which creates the table of the
-- files, so that `file` has no foreign key: the vectors of a file are deleted with it by the store.
create table passage_vectors (
    agent uuid not null references agents (id) on delete cascade,
    file uuid not null,
    position bigint not null,
    -- The embeddings model with the prefix of its provider.
    model text not null,
    dimensions bigint not null,
    -- 32-bit floating point numbers, little-endian.
    vector bytea not null,
    primary key (file, position)
);
create index passage_vectors_by_agent on passage_vectors (agent, model);

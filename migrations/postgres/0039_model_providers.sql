-- Model providers that administrators connected: servers with the OpenAI chat completions API.
create table model_providers (
    -- Prefix of the names of its models.
    name text not null primary key,
    base_url text not null,
    -- API key, encrypted with the hub's key file; null if the server needs none.
    sealed_key bytea,
    -- JSON list of the models that agents may use; empty for all that the server lists.
    models text not null,
    -- Context window of its models, in tokens.
    context_tokens bigint not null check (context_tokens > 0),
    -- Prices of a million tokens, in millionths of the currency unit.
    sent_price bigint not null check (sent_price >= 0),
    received_price bigint not null check (received_price >= 0),
    is_paused boolean not null default false,
    created_at bigint not null,
    -- JSON of the last test; null before the first.
    last_test text
);

-- Settings of single models. A model without a row has the settings of its provider.
create table model_settings (
    -- Name of the provider; "-" for the first server of the configuration, which has none.
    provider text not null,
    -- Name of the model on its server.
    model text not null,
    display_name text,
    -- Context window in tokens; null for that of the provider.
    context_tokens integer check (context_tokens > 0),
    -- Prices of a million tokens, in millionths of the currency unit; null for those of the provider.
    sent_price integer check (sent_price >= 0),
    received_price integer check (received_price >= 0),
    -- Abilities; null if they are not known.
    calls_tools integer check (calls_tools in (0, 1)),
    reads_images integer check (reads_images in (0, 1)),
    can_reason integer check (can_reason in (0, 1)),
    writes_json integer check (writes_json in (0, 1)),
    -- A hidden model is not offered for agents.
    is_hidden integer not null default 0 check (is_hidden in (0, 1)),
    access text not null check (access in ('everyone', 'moderators', 'administrators', 'named')),
    -- Tokens a day; null for no limit.
    account_tokens integer check (account_tokens > 0),
    hub_tokens integer check (hub_tokens > 0),
    primary key (provider, model)
) strict, without rowid;

-- Accounts that may use a model whose access is "named".
create table model_users (
    provider text not null,
    model text not null,
    account blob not null references accounts (id) on delete cascade,
    primary key (provider, model, account),
    foreign key (provider, model) references model_settings (provider, model) on delete cascade
) strict, without rowid;
create index model_users_account on model_users (account);

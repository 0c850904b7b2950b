-- Whether runs use API keys of the accounts that ask.
alter table model_providers add column own_keys text not null default 'refused'
    check (own_keys in ('refused', 'allowed', 'required'));

-- API keys of accounts for model providers.
create table account_model_keys (
    account blob not null references accounts (id) on delete cascade,
    provider text not null references model_providers (name) on delete cascade,
    -- Encrypted for the account and the origin of the provider.
    sealed_key blob not null,
    created_at integer not null,
    primary key (account, provider)
) strict, without rowid;
create index account_model_keys_provider on account_model_keys (provider);

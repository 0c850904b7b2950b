-- Whether runs use API keys of the accounts that ask.
alter table model_providers add column own_keys text not null default 'refused'
    check (own_keys in ('refused', 'allowed', 'required'));

-- API keys of accounts for model providers.
create table account_model_keys (
    account uuid not null references accounts (id) on delete cascade,
    provider text not null references model_providers (name) on delete cascade,
    -- Encrypted for the account and the origin of the provider.
    sealed_key bytea not null,
    created_at bigint not null,
    primary key (account, provider)
);
create index account_model_keys_provider on account_model_keys (provider);

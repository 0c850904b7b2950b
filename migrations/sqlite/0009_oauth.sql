-- What an account lets a program do (OAuth 2.1): begun by a code, kept up by refresh tokens that are each good once.
-- `code` is kept after its use, `spent` is the refresh token before this one: whoever brings either of them again has stolen
-- it, or was robbed of it, and the grant ends.
create table oauth_grants (
    id blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    client text not null,
    name text not null,
    redirect text not null,
    challenge text not null,
    resource text not null,
    scopes text not null,
    code blob not null unique,
    refresh blob unique,
    spent blob,
    created integer not null,
    expires integer not null,
    used integer
) strict;

-- Grants are listed by account.
create index oauth_grants_by_account on oauth_grants (account);

-- A refresh token that was spent is looked for when somebody brings it.
create index oauth_grants_by_spent on oauth_grants (spent) where spent is not null;

-- The tokens that were given for a grant end with it.
create table oauth_tokens (
    token blob not null primary key references tokens (id) on delete cascade,
    grant_id blob not null references oauth_grants (id) on delete cascade
) strict;

-- The tokens of a grant are deleted with it.
create index oauth_tokens_by_grant on oauth_tokens (grant_id);

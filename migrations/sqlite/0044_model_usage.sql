-- Tokens and cost of the models, summed by day. Rows outlive the account and the agent that they name.
create table model_usage (
    -- Days since 1970-01-01 in UTC.
    day integer not null,
    -- Name of the provider; "-" for the first server of the configuration, "-fallback" for the configured fallback.
    provider text not null,
    -- Name of the model on its server.
    model text not null,
    -- Account that asked; zeros for callers without an account.
    account blob not null,
    -- Agent that answered; zeros for the work of the hub itself.
    agent blob not null,
    runs integer not null,
    tokens_in integer not null,
    tokens_out integer not null,
    -- In millionths of the currency unit, by the prices at the time of the run.
    cost_micro integer not null,
    primary key (day, provider, model, account, agent)
) strict, without rowid;
create index model_usage_account on model_usage (account, day);

-- Monthly budget of the hub. One row.
create table model_budget (
    id integer not null primary key check (id = 1),
    -- In millionths of the currency unit; null for no budget.
    monthly_micro integer check (monthly_micro > 0),
    -- Percentages of the budget at which administrators are alerted, as JSON list.
    alert_percents text not null,
    -- Whether models with a price stop when the budget is used up.
    stops_models integer not null default 0 check (stops_models in (0, 1)),
    -- First day of the month of the last alert, and its percentage.
    alerted_month integer not null default 0,
    alerted_percent integer not null default 0
) strict;

-- Tokens and cost of the models, summed by day. Rows outlive the account and the agent that they name.
create table model_usage (
    -- Days since 1970-01-01 in UTC.
    day bigint not null,
    -- Name of the provider; "-" for the first server of the configuration, "-fallback" for the configured fallback.
    provider text not null,
    -- Name of the model on its server.
    model text not null,
    -- Account that asked; zeros for callers without an account.
    account uuid not null,
    -- Agent that answered; zeros for the work of the hub itself.
    agent uuid not null,
    runs bigint not null,
    tokens_in bigint not null,
    tokens_out bigint not null,
    -- In millionths of the currency unit, by the prices at the time of the run.
    cost_micro bigint not null,
    primary key (day, provider, model, account, agent)
);
create index model_usage_account on model_usage (account, day);

-- Monthly budget of the hub. One row.
create table model_budget (
    id bigint not null primary key check (id = 1),
    -- In millionths of the currency unit; null for no budget.
    monthly_micro bigint check (monthly_micro > 0),
    -- Percentages of the budget at which administrators are alerted, as JSON list.
    alert_percents text not null,
    -- Whether models with a price stop when the budget is used up.
    stops_models boolean not null default false,
    -- First day of the month of the last alert, and its percentage.
    alerted_month bigint not null default 0,
    alerted_percent bigint not null default 0
);

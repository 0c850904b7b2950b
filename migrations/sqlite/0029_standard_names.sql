-- Standard names for tables and columns: one suffix for timestamps, and nothing that no release ever wrote.

-- Tables. SQLite renames the references to them as well.
alter table credentials rename to login_credentials;
alter table tokens rename to api_tokens;
alter table audit rename to audit_log;
alter table vouched_origins rename to trusted_origins;
alter table versions rename to agent_versions;
alter table drafts rename to registration_drafts;
alter table contexts rename to caller_contexts;
alter table members rename to chat_members;
alter table events rename to chat_events;
alter table text_log rename to stream_journal;
alter table push rename to webhooks;
alter table histories rename to conversation_digests;
alter table stops rename to run_cancel_requests;
alter table processes rename to instances;
alter table team_conductors rename to team_orchestrators;
alter table team_shares rename to team_share_links;
alter table hub_announcements rename to dht_provider_records;
alter table hub_addresses rename to peer_addresses;
alter table hub_nonces rename to request_nonces;
alter table hub_rules rename to federation_rules;
alter table rule_lists rename to rule_subscriptions;
alter table listed_rules rename to subscribed_rules;

-- A run has no parent and no assignment: teams are in `team_log`.
drop index runs_by_parent;
drop index runs_by_assignment;
alter table runs drop column parent;
alter table runs drop column assignment;
drop table assignments;

-- Accounts.
alter table namespaces rename column created to created_at;
alter table namespaces rename column retired to retired_at;
alter table accounts rename column created to created_at;
alter table accounts rename column erase_at to purge_at;
alter table login_credentials rename column created to created_at;
alter table login_credentials rename column used to last_used_at;
alter table sessions rename column created to created_at;
alter table sessions rename column seen to last_seen_at;
alter table sessions rename column agent to user_agent;
alter table api_tokens rename column created to created_at;
alter table api_tokens rename column expires to expires_at;
alter table api_tokens rename column used to last_used_at;
alter table oauth_grants rename column code to code_hash;
alter table oauth_grants rename column refresh to refresh_hash;
alter table oauth_grants rename column spent to previous_refresh_hash;
alter table oauth_grants rename column created to created_at;
alter table oauth_grants rename column expires to expires_at;
alter table oauth_grants rename column used to last_used_at;
alter table invites rename column expires to expires_at;
alter table invites rename column used to used_at;
alter table audit_log rename column at to recorded_at;

-- Agents.
alter table secrets rename column sealed to ciphertext;
alter table agents rename column created to created_at;
alter table keys rename column created to created_at;
alter table keys rename column retired to retired_at;
alter table grants rename column created to created_at;
alter table agent_versions rename column created to created_at;
alter table stars rename column at to starred_at;
alter table listings rename column issued to issued_at;
alter table listings rename column expires to expires_at;
alter table trusted_origins rename column since to trusted_at;
alter table registration_drafts rename column expires to expires_at;

-- Chats and runs.
alter table chats rename column created to created_at;
alter table chats rename column active to last_activity_at;
alter table chats rename column keep_until to expires_at;
alter table chats rename column archived to archived_at;
alter table chat_members rename column joined to joined_at;
alter table chat_members rename column leaf to current_message;
alter table chat_members rename column read_seq to last_read_seq;
alter table chat_events rename column at to recorded_at;
alter table messages rename column created to created_at;
alter table stream_journal rename column process to instance;
alter table stream_journal rename column n to seq;
alter table stream_journal rename column start to byte_offset;
alter table runs rename column process to instance;
alter table runs rename column queued to queued_at;
alter table runs rename column started to started_at;
alter table runs rename column ended to ended_at;
alter table approvals rename column expires to expires_at;
alter table webhooks rename column sealed to ciphertext;
alter table team_orchestrators rename column process to instance;
alter table team_share_links rename column created to created_at;
alter table instances rename column started to started_at;
alter table instances rename column beat to last_heartbeat_at;
alter table instances rename column swarm to runs_federation;
alter table outbox rename column due to due_at;
alter table outbox rename column tries to attempts;

-- Federation.
alter table hubs rename column peer to hub_key;
alter table hubs rename column seen to last_seen_at;
alter table hubs rename column met to first_seen_at;
alter table request_nonces rename column expires to expires_at;
alter table federation_rules rename column created to created_at;
alter table federation_rules rename column expires to expires_at;
alter table rule_subscriptions rename column created to created_at;
alter table rule_subscriptions rename column checked to checked_at;
alter table subscribed_rules rename column created to created_at;
alter table subscribed_rules rename column expires to expires_at;
alter table peer_addresses rename column seen to last_seen_at;
alter table dht_provider_records rename column expires to expires_at;

-- How an origin was verified. Trusted origins are in `trusted_origins`, so no row has the method `voucher`.
create table origin_verifications (
    id blob not null primary key,
    agent blob not null references agents (id) on delete cascade,
    origin text not null,
    method text not null check (method in ('well_known', 'dns', 'card')),
    verified_at integer,
    failed_at integer,
    unique (agent, origin)
) strict;

insert into origin_verifications (id, agent, origin, method, verified_at, failed_at)
select id, agent, origin, case method when 'voucher' then 'well_known' else method end,
    case method when 'voucher' then null else ok_at end, failed_at
from proofs;

drop table proofs;

-- `about_hub` is the key of the hub whose listings the latest violation of this kind concerned.
create table hub_violations (
    hub blob not null references hubs (id) on delete cascade,
    kind text not null check (kind in ('missing_listings', 'extra_listings', 'wrong_versions', 'stale_head',
        'listing_equivocation', 'record_equivocation')),
    about_hub text not null,
    first_at integer not null,
    last_at integer not null,
    count integer not null,
    primary key (hub, kind)
) strict, without rowid;

insert into hub_violations (hub, kind, about_hub, first_at, last_at, count)
select hub, case fault
    when 'withholds' then 'missing_listings'
    when 'pads' then 'extra_listings'
    when 'swaps' then 'wrong_versions'
    when 'contradicts' then 'listing_equivocation'
    when 'contradicts_itself' then 'record_equivocation'
    else fault end, about, first_at, last_at, times
from hub_faults;

drop table hub_faults;

-- Indexes. SQLite cannot rename one.
drop index credentials_by_account;
create index login_credentials_by_account on login_credentials (account, kind);
drop index tokens_by_account;
create index api_tokens_by_account on api_tokens (account);
drop index audit_by_time;
create index audit_log_by_time on audit_log (recorded_at);
drop index audit_by_target;
create index audit_log_by_target on audit_log (target, recorded_at);
drop index accounts_by_erase_at;
create index accounts_by_purge_at on accounts (purge_at) where purge_at is not null;
drop index oauth_grants_by_spent;
create index oauth_grants_by_previous_refresh_hash on oauth_grants (previous_refresh_hash)
    where previous_refresh_hash is not null;
drop index versions_by_card;
create index agent_versions_by_card on agent_versions (card);
drop index drafts_by_account;
create index registration_drafts_by_account on registration_drafts (account);
drop index drafts_by_expiry;
create index registration_drafts_by_expiry on registration_drafts (expires_at);
drop index contexts_by_chat;
create index caller_contexts_by_chat on caller_contexts (chat);
drop index members_by_principal;
create index chat_members_by_principal on chat_members (principal);
drop index members_by_leaf;
create index chat_members_by_current_message on chat_members (current_message);
drop index histories_by_question;
create index conversation_digests_by_question on conversation_digests (question);
drop index push_by_caller;
create index webhooks_by_caller on webhooks (caller);
drop index runs_by_process;
create index runs_by_instance on runs (instance)
    where state in ('queued', 'working', 'input_required', 'auth_required');
drop index hubs_by_peer;
create unique index hubs_by_hub_key on hubs (hub_key);
drop index hub_nonces_by_expiry;
create index request_nonces_by_expiry on request_nonces (expires_at);
drop index listed_rules_by_subject;
create index subscribed_rules_by_subject on subscribed_rules (subject, list);
drop index hub_addresses_by_seen;
create index peer_addresses_by_last_seen on peer_addresses (last_seen_at);
drop index hub_announcements_by_expiry;
create index dht_provider_records_by_expiry on dht_provider_records (expires_at);

-- Standard names for tables and columns: one suffix for timestamps, and nothing that no release ever wrote.

-- Tables. References to them follow.
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

-- Trusted origins are in `trusted_origins`, so no row has the method `voucher`.
update proofs set method = 'well_known', ok_at = null where method = 'voucher';
alter table proofs rename to origin_verifications;
alter table origin_verifications rename column ok_at to verified_at;
alter table origin_verifications drop constraint proofs_method_check;
alter table origin_verifications add constraint origin_verifications_method_check
    check (method in ('well_known', 'dns', 'card'));

-- `about_hub` is the key of the hub whose listings the latest violation of this kind concerned.
alter table hub_faults rename to hub_violations;
alter table hub_violations rename column fault to kind;
alter table hub_violations rename column about to about_hub;
alter table hub_violations rename column times to count;
alter table hub_violations drop constraint hub_faults_fault_check;
update hub_violations set kind = case kind
    when 'withholds' then 'missing_listings'
    when 'pads' then 'extra_listings'
    when 'swaps' then 'wrong_versions'
    when 'contradicts' then 'listing_equivocation'
    when 'contradicts_itself' then 'record_equivocation'
    else kind end;
alter table hub_violations add constraint hub_violations_kind_check
    check (kind in ('missing_listings', 'extra_listings', 'wrong_versions', 'stale_head', 'listing_equivocation',
        'record_equivocation'));

-- Indexes.
alter index credentials_by_account rename to login_credentials_by_account;
alter index tokens_by_account rename to api_tokens_by_account;
alter index audit_by_time rename to audit_log_by_time;
alter index audit_by_target rename to audit_log_by_target;
alter index accounts_by_erase_at rename to accounts_by_purge_at;
alter index oauth_grants_by_spent rename to oauth_grants_by_previous_refresh_hash;
alter index versions_by_card rename to agent_versions_by_card;
alter index drafts_by_account rename to registration_drafts_by_account;
alter index drafts_by_expiry rename to registration_drafts_by_expiry;
alter index contexts_by_chat rename to caller_contexts_by_chat;
alter index members_by_principal rename to chat_members_by_principal;
alter index members_by_leaf rename to chat_members_by_current_message;
alter index histories_by_question rename to conversation_digests_by_question;
alter index push_by_caller rename to webhooks_by_caller;
alter index runs_by_process rename to runs_by_instance;
alter index hubs_by_peer rename to hubs_by_hub_key;
alter index hub_nonces_by_expiry rename to request_nonces_by_expiry;
alter index listed_rules_by_subject rename to subscribed_rules_by_subject;
alter index hub_addresses_by_seen rename to peer_addresses_by_last_seen;
alter index hub_announcements_by_expiry rename to dht_provider_records_by_expiry;

-- Constraints, and the indexes of those that are unique, have the names of their table and its columns.
do $$
declare
    renamed record;
begin
    for renamed in
        select c.conrelid::regclass as relation, c.conname as old_name,
            overlay(c.conname placing t.new_name from 1 for length(t.old_name)) as new_name
        from (values
            ('credentials', 'login_credentials'),
            ('tokens', 'api_tokens'),
            ('audit', 'audit_log'),
            ('vouched_origins', 'trusted_origins'),
            ('versions', 'agent_versions'),
            ('drafts', 'registration_drafts'),
            ('contexts', 'caller_contexts'),
            ('members', 'chat_members'),
            ('events', 'chat_events'),
            ('text_log', 'stream_journal'),
            ('push', 'webhooks'),
            ('histories', 'conversation_digests'),
            ('stops', 'run_cancel_requests'),
            ('processes', 'instances'),
            ('team_conductors', 'team_orchestrators'),
            ('team_shares', 'team_share_links'),
            ('hub_announcements', 'dht_provider_records'),
            ('hub_addresses', 'peer_addresses'),
            ('hub_nonces', 'request_nonces'),
            ('hub_rules', 'federation_rules'),
            ('rule_lists', 'rule_subscriptions'),
            ('listed_rules', 'subscribed_rules'),
            ('proofs', 'origin_verifications'),
            ('hub_faults', 'hub_violations')
        ) as t (old_name, new_name)
        join pg_constraint c on c.conrelid = to_regclass(t.new_name)
        where starts_with(c.conname, t.old_name || '_') and not starts_with(c.conname, t.new_name || '_')
    loop
        execute format('alter table %s rename constraint %I to %I', renamed.relation, renamed.old_name, renamed.new_name);
    end loop;
end
$$;
alter table oauth_grants rename constraint oauth_grants_code_key to oauth_grants_code_hash_key;
alter table oauth_grants rename constraint oauth_grants_refresh_key to oauth_grants_refresh_hash_key;
alter table chat_members rename constraint chat_members_leaf_fkey to chat_members_current_message_fkey;
alter table runs rename constraint runs_process_fkey to runs_instance_fkey;
alter table team_orchestrators rename constraint team_orchestrators_process_fkey to team_orchestrators_instance_fkey;

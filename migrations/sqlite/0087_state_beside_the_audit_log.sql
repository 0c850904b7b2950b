-- State that was read from the audit log has columns of its own, because entries of the log may be deleted.

-- Why moderators paused the agent; null if they did not. Its owner cannot resume it meanwhile.
alter table agents add column moderation_reason text;
update agents set moderation_reason = (
    select coalesce(json_extract(change, '$.reason'), '') from audit_log
    where target = 'agent:' || lower(substr(hex(agents.id), 1, 8) || '-' || substr(hex(agents.id), 9, 4) || '-' || substr(hex(agents.id), 13, 4) || '-' || substr(hex(agents.id), 17, 4) || '-' || substr(hex(agents.id), 21))
        and action in ('agent.pause', 'agent.resume') order by recorded_at desc, id desc limit 1)
where state = 'paused' and 'agent.pause' = (
    select action from audit_log
    where target = 'agent:' || lower(substr(hex(agents.id), 1, 8) || '-' || substr(hex(agents.id), 9, 4) || '-' || substr(hex(agents.id), 13, 4) || '-' || substr(hex(agents.id), 17, 4) || '-' || substr(hex(agents.id), 21))
        and action in ('agent.pause', 'agent.resume') order by recorded_at desc, id desc limit 1);

-- Which administrator trusted the origin, and the note.
alter table trusted_origins add column trusted_by blob references accounts (id);
alter table trusted_origins add column note text not null default '';
update trusted_origins set
    note = coalesce((select json_extract(change, '$.note') from audit_log where target = 'origin:' || trusted_origins.origin
        and action = 'origin.vouch' order by recorded_at desc, audit_log.id desc limit 1), ''),
    trusted_by = (select accounts.id from audit_log join accounts on 'account:' || lower(substr(hex(accounts.id), 1, 8) || '-' || substr(hex(accounts.id), 9, 4) || '-' || substr(hex(accounts.id), 13, 4) || '-' || substr(hex(accounts.id), 17, 4) || '-' || substr(hex(accounts.id), 21)) = actor
        where target = 'origin:' || trusted_origins.origin
        and action = 'origin.vouch' order by recorded_at desc, audit_log.id desc limit 1);

-- The account that signed up with the invitation.
alter table invites add column used_by blob references accounts (id);
update invites set used_by = (select accounts.id from audit_log
    join accounts on 'account:' || lower(substr(hex(accounts.id), 1, 8) || '-' || substr(hex(accounts.id), 9, 4) || '-' || substr(hex(accounts.id), 13, 4) || '-' || substr(hex(accounts.id), 17, 4) || '-' || substr(hex(accounts.id), 21)) = actor
    where target = 'invite:' || lower(hex(invites.hash)) and action = 'invite.use'
    order by recorded_at desc, audit_log.id desc limit 1)
where used_at is not null;

-- State that was read from the audit log has columns of its own, because entries of the log may be deleted.

-- Why moderators paused the agent; null if they did not. Its owner cannot resume it meanwhile.
alter table agents add column moderation_reason text;
update agents set moderation_reason = coalesce(latest.change::json ->> 'reason', '')
from (select distinct on (target) target, action, change from audit_log where action in ('agent.pause', 'agent.resume')
    order by target, recorded_at desc, id desc) latest
where state = 'paused' and latest.action = 'agent.pause' and latest.target = 'agent:' || agents.id::text;

-- Which administrator trusted the origin, and the note.
alter table trusted_origins add column trusted_by uuid references accounts (id);
alter table trusted_origins add column note text not null default '';
update trusted_origins set note = coalesce(latest.change::json ->> 'note', ''),
    trusted_by = (select accounts.id from accounts where 'account:' || accounts.id::text = latest.actor)
from (select distinct on (target) target, actor, change from audit_log where action = 'origin.vouch'
    order by target, recorded_at desc, id desc) latest
where latest.target = 'origin:' || trusted_origins.origin;

-- The account that signed up with the invitation.
alter table invites add column used_by uuid references accounts (id);
update invites set used_by = accounts.id from audit_log, accounts
where used_at is not null and audit_log.action = 'invite.use' and audit_log.target = 'invite:' || encode(invites.hash, 'hex')
    and audit_log.actor = 'account:' || accounts.id::text;

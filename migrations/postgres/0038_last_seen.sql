-- The last use of the sessions that are deleted; null if none was. Sessions that exist have their own times.
alter table accounts add column last_seen_at bigint;

-- When the last process that conducted a team was last alive, once it is gone: its deadlines move by the time since then.
alter table teams add column served_until integer;

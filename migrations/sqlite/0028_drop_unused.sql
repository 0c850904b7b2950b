-- Tables and a column that no release ever wrote: background work is supervised in the process, rate limits are kept in
-- memory, models are settings, and rules replaced the trust level of a hub.
drop table jobs;
drop table models;
drop table limits_used;
alter table hubs drop column standing;

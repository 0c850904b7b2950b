-- Options of a program's call as JSON (`CallOptions`), until the run ends; null if it sets none. A run that is resumed
-- from the queue after a restart needs them.
alter table runs add column options text;
-- Whether the answer was cut at a length limit.
alter table runs add column is_truncated boolean not null default false;
-- Whether the caller asked not to store the answer, or deleted it: it is not returned any more.
alter table runs add column is_withheld boolean not null default false;

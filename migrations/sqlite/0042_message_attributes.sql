-- What a program sent with its message, or a remote agent with its answer, besides the parts (`MessageAttributes` as JSON);
-- null if nothing.
alter table messages add column attributes text;
-- The id that a program gave its message; null for other messages.
alter table messages add column external_id text;
create index messages_by_external_id on messages (author, external_id) where external_id is not null;

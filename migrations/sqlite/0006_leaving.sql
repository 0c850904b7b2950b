-- When an account that its owner deleted is emptied; until then signing in brings it back.
alter table accounts add column erase_at integer;

-- The sweep looks for those whose time has come.
create index accounts_by_erase_at on accounts (erase_at) where erase_at is not null;

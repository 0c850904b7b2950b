-- When everything of a deleted account was erased. Null for accounts of earlier versions that were erased in part: the hub erases
-- the rest.
alter table accounts add column erased_at integer;

-- Names of erased accounts, which are not given to others: SHA-256 of a prefix and the folded name.
create table retired_names (
    digest blob not null primary key
) strict, without rowid;

-- Whether users who may use a model agent may also copy it, with its instructions and knowledge files.
alter table agents add column allows_copies bigint not null default 0;

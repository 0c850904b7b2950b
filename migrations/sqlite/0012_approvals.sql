-- What a question was about, so that it can be shown wherever and whenever it is looked at.
alter table approvals add column arguments text not null default 'null';

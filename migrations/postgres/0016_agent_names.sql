-- Programs name the members of a team without their owners.
create index agents_by_name on agents (hub, name_folded);

-- Most runs have no parent and no assignment: an index that leaves them out is not written for them.
drop index runs_by_parent;
create index runs_by_parent on runs (parent) where parent is not null;
drop index runs_by_assignment;
create index runs_by_assignment on runs (assignment) where assignment is not null;

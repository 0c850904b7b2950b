-- Question of a tool to the user of the run, as JSON, and the values of its answer; both null for an approval.
alter table approvals add column question text;
alter table approvals add column answer text;

-- Origins that administrators answer for: of every agent there, also of those that come later.
create table vouched_origins (
    origin text not null primary key,
    since integer not null
) strict;

insert into vouched_origins (origin, since)
select origin, min(ok_at) from proofs where method = 'voucher' and ok_at is not null group by origin;

update proofs set method = 'well_known', ok_at = null, failed_at = null where method = 'voucher';

-- What a chat takes: a fixed sum for each message, its parts as they are stored, and the files that they show. Kept by
-- the statements that write messages, so that an account's sum goes down with the chats that it deletes.
alter table chats add column bytes bigint not null default 0;

update chats set bytes =
    (select count(*) * 1024 from messages m where m.chat = chats.id)
    + (select cast(coalesce(sum(octet_length(p.body) + coalesce(b.size, 0)), 0) as bigint)
        from messages m join parts p on p.message = m.id left join blobs b on b.sha256 = p.blob
        where m.chat = chats.id);

-- The chats that count to one principal.
create index chats_by_creator on chats (creator);

-- The push configurations that count to one caller.
alter table push add column caller uuid references principals (id);
update push set caller = (select r.caller from runs r where r.id = push.run);
create index push_by_caller on push (caller);

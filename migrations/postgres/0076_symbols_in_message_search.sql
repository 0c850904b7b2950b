-- Symbols such as `c++`, `.net` and emoji became terms: the hub indexes all messages again in the background. Until then,
-- their earlier terms are found.
insert into unindexed_messages (message)
    select messages.id from messages join chats on chats.id = messages.chat
    where chats.kind in ('direct', 'room') and chats.delete_after_ms is null
        and messages.state in ('done', 'stopped', 'failed')
    on conflict (message) do nothing;

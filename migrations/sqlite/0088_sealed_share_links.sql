-- The secret of a share link, encrypted with the hub's key file so that its owner can see the link again; `id` is its SHA-256.
-- Null for links of earlier versions, whose `id` is the secret: the hub replaces it.
alter table chat_share_links add column sealed blob;

# Temporary chats.

temporary-chat = Temporary chat
temporary-chat-switch-on = Temporary chat
temporary-chat-switch-off = Ordinary chat
temporary-chat-announcement = { $hours ->
        [one] Temporary chat: not in your list or in the search, and deleted { $hours } hour after its last message. Agents on other servers may keep what you send.
       *[other] Temporary chat: not in your list or in the search, and deleted { $hours } hours after its last message. Agents on other servers may keep what you send.
    }
temporary-chat-note = { $hours ->
        [one] Temporary chat. Deleted { $hours } hour after its last message.
       *[other] Temporary chat. Deleted { $hours } hours after its last message.
    }
temporary-chat-keep = Keep chat
temporary-chat-delete = Its messages are deleted from this hub at once, and cannot be restored. Agents on other servers may keep what was sent to them.

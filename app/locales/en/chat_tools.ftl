# Temporary chats, and the commands of the message field.

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
commands = Commands
command-examples = Example messages
commands-hint = / at the beginning of a line lists commands.
command-retry = Retry the last answer
command-edit = Edit your last message
command-stop = Stop the answer
command-new = New chat
command-search = Search chats
command-temporary = Make this a temporary chat
command-ordinary = Make this an ordinary chat
command-keep = Keep this temporary chat
command-rename = Rename chat
command-pin = Pin chat
command-unpin = Unpin chat
command-archive = Archive chat
command-restore = Restore chat to the list
command-folder = Move chat to a folder
command-people = People of the chat
command-share = Share chat
command-export = Export chat as Markdown
command-delete = Delete chat
command-shortcuts = Keyboard shortcuts
shortcut-commands = Choose a command, at the beginning of a line
compare-with = Compare with another agent
compare-explanation = The agent gets the same chat up to your message, and answers it. Its answer stands beside this one; up to three can be compared. Then the chat continues with one of them.
compare-with-action = Compare with…
continue-with-answer = Continue with this one
command-compare = Compare the last answer with another agent

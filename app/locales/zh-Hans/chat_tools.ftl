# 临时对话。

temporary-chat = 临时对话
temporary-chat-switch-on = 临时对话
temporary-chat-switch-off = 普通对话
temporary-chat-announcement = 临时对话：不出现在你的列表和搜索中，并在最后一条消息发出 { $hours } 小时后删除。其他服务器上的智能体可能会保留你发送的内容。
temporary-chat-note = 临时对话。在最后一条消息发出 { $hours } 小时后删除。
temporary-chat-keep = 保留对话
temporary-chat-delete = 其中的消息会立即从此 Hub 删除，且无法恢复。其他服务器上的智能体可能会保留发送给它们的内容。

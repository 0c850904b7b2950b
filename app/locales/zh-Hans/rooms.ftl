# 多人对话。

room-typing-one = { $name } 正在输入…
room-typing-two = { $first } 和 { $second } 正在输入…
room-typing-many = { $shown } 人正在输入…
room-agents = 智能体
room-agents-lead = 对话的所有者可以限制智能体每天（UTC）在这里的用量。回答在开始时计数，token 在回答结束时计数。
room-agent = 智能体
room-agent-limit = 每日限额
room-agent-today = 今日已用
room-no-limit = 无限额
room-answers = { $count } 个回答
room-tokens = { $count } 个 token
room-used = { $answers }，{ $tokens }
room-unit-answers = 个回答/天
room-unit-tokens = 个 token/天
room-limit-of = { $agent } 的限额
room-unit-of = { $agent } 的限额单位
room-set-limit = 设置限额
room-limit-reached = { $agent } 已达到在此对话中的限额：每天 { $limit }。UTC 00:00 起恢复回答。
room-hand-over = 询问 { $agent }
room-removed = 你已不是此对话的成员。

# Rooms: chats with several people.

room-typing-one = { $name } is typing…
room-typing-two = { $first } and { $second } are typing…
room-typing-many = { $count ->
        [one] { $shown } person is typing…
       *[other] { $shown } people are typing…
    }
room-agents = Agents
room-agents-lead = The owner of the chat can limit how much an agent answers here in a day (UTC). Answers count when they begin, tokens when answers end.
room-agent = Agent
room-agent-limit = Limit a day
room-agent-today = Used today
room-no-limit = No limit
room-answers = { $count ->
        [one] { $count } answer
       *[other] { $count } answers
    }
room-tokens = { $count ->
        [one] { $count } token
       *[other] { $count } tokens
    }
room-used = { $answers }, { $tokens }
room-unit-answers = answers a day
room-unit-tokens = tokens a day
room-limit-of = Limit of { $agent }
room-unit-of = Unit of the limit of { $agent }
room-set-limit = Set limit
room-limit-reached = { $agent } has reached its limit in this chat: { $limit } a day. It answers again at 00:00 UTC.
room-hand-over = Ask { $agent }
room-removed = You are no longer a member of this chat.

# Räume: Chats mit mehreren Personen.

room-typing-one = { $name } schreibt…
room-typing-two = { $first } und { $second } schreiben…
room-typing-many = { $count ->
        [one] { $shown } Person schreibt…
       *[other] { $shown } Personen schreiben…
    }
room-agents = Agenten
room-agents-lead = Der Besitzer des Chats kann begrenzen, wie viel ein Agent hier an einem Tag (UTC) antwortet. Antworten zählen, wenn sie beginnen, Token, wenn Antworten enden.
room-agent = Agent
room-agent-limit = Grenze je Tag
room-agent-today = Heute verbraucht
room-no-limit = Keine Grenze
room-answers = { $count ->
        [one] { $count } Antwort
       *[other] { $count } Antworten
    }
room-tokens = { $count ->
        [one] { $count } Token
       *[other] { $count } Token
    }
room-used = { $answers }, { $tokens }
room-unit-answers = Antworten je Tag
room-unit-tokens = Token je Tag
room-limit-of = Grenze von { $agent }
room-unit-of = Einheit der Grenze von { $agent }
room-set-limit = Grenze setzen
room-limit-reached = { $agent } hat seine Grenze in diesem Chat erreicht: { $limit } je Tag. Der Agent antwortet wieder ab 00:00 Uhr UTC.
room-hand-over = { $agent } fragen
room-removed = Sie sind kein Mitglied dieses Chats mehr.

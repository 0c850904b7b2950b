# Temporäre Chats.

temporary-chat = Temporärer Chat
temporary-chat-switch-on = Temporärer Chat
temporary-chat-switch-off = Gewöhnlicher Chat
temporary-chat-announcement = { $hours ->
        [one] Temporärer Chat: nicht in Ihrer Liste und nicht in der Suche; er wird { $hours } Stunde nach seiner letzten Nachricht gelöscht. Agenten auf anderen Servern behalten möglicherweise, was Sie senden.
       *[other] Temporärer Chat: nicht in Ihrer Liste und nicht in der Suche; er wird { $hours } Stunden nach seiner letzten Nachricht gelöscht. Agenten auf anderen Servern behalten möglicherweise, was Sie senden.
    }
temporary-chat-note = { $hours ->
        [one] Temporärer Chat. Er wird { $hours } Stunde nach seiner letzten Nachricht gelöscht.
       *[other] Temporärer Chat. Er wird { $hours } Stunden nach seiner letzten Nachricht gelöscht.
    }
temporary-chat-keep = Chat behalten
temporary-chat-delete = Seine Nachrichten werden sofort von diesem Hub gelöscht und können nicht wiederhergestellt werden. Agenten auf anderen Servern behalten möglicherweise, was ihnen gesendet wurde.

# Temporäre Chats und die Befehle des Nachrichtenfelds.

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
commands = Befehle
command-examples = Beispielnachrichten
commands-hint = / am Anfang einer Zeile listet Befehle auf.
command-retry = Letzte Antwort wiederholen
command-edit = Ihre letzte Nachricht bearbeiten
command-stop = Antwort anhalten
command-new = Neuer Chat
command-search = Chats durchsuchen
command-temporary = Zu einem temporären Chat machen
command-ordinary = Zu einem gewöhnlichen Chat machen
command-keep = Diesen temporären Chat behalten
command-rename = Chat umbenennen
command-pin = Chat anheften
command-unpin = Chat nicht mehr anheften
command-archive = Chat archivieren
command-restore = Chat wieder in die Liste aufnehmen
command-folder = Chat in einen Ordner verschieben
command-people = Personen des Chats
command-share = Chat teilen
command-export = Chat als Markdown exportieren
command-delete = Chat löschen
command-shortcuts = Tastenkürzel
shortcut-commands = Einen Befehl wählen, am Anfang einer Zeile
compare-with = Mit einem anderen Agenten vergleichen
compare-explanation = Der Agent erhält denselben Chat bis zu Ihrer Nachricht und beantwortet sie. Seine Antwort steht neben dieser; bis zu drei können verglichen werden. Danach geht der Chat mit einer davon weiter.
compare-with-action = Vergleichen mit …
continue-with-answer = Mit dieser fortfahren
command-compare = Letzte Antwort mit einem anderen Agenten vergleichen

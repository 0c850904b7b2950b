# Settings pages.

settings-account = Konto
settings-sessions = Sitzungen
settings-tokens = Token
settings-chats = Chats
settings-usage = Nutzung
appearance-lead = Wird in diesem Browser gespeichert, daher kann jedes Ihrer Geräte anders eingestellt sein.
language-automatic = Wie im Browser
theme = Farbschema
theme-system = Wie auf dem Gerät
theme-light = Hell
theme-dark = Dunkel
density = Dichte
density-comfortable = Großzügig
density-comfortable-meaning = Mehr Abstand zwischen den Elementen.
density-compact = Kompakt
density-compact-meaning = Mehr Inhalt auf einem Bildschirm.
single-keys = Tastenkürzel aus einer Taste
single-keys-on = Ein
single-keys-on-meaning = Eine Taste wie n oder ? wirkt außerhalb von Textfeldern.
single-keys-off = Aus
single-keys-off-meaning = Für Spracheingabe und gegen versehentlich gedrückte Tasten.
shortcuts-anywhere = Auf jeder Seite
shortcuts-chat = In einem Chat
shortcuts-single = Einzelne Tasten
shortcuts-single-on = Sie wirken außerhalb von Textfeldern. Sie können sie unter <link>Darstellung</link> ausschalten.
shortcuts-single-off = Sie sind ausgeschaltet. Sie können sie unter <link>Darstellung</link> einschalten.
shortcut-search = Chats und Agenten durchsuchen (⌘ K auf einem Mac)
shortcut-send = Nachricht senden (Ctrl Enter auf Touchscreens)
shortcut-line = Neue Zeile beginnen
shortcut-stop = Antwort anhalten oder Bearbeitung abbrechen
shortcut-agent = Am Anfang einer Nachricht einen Agenten wählen
shortcut-region = Zu den Nachrichten, zum Nachrichtenfeld oder zur Chatliste wechseln; mit Shift rückwärts
shortcut-copy-code = Letzten Codeblock kopieren
shortcut-list = Diese Liste anzeigen
shortcut-new = Neuen Chat beginnen
shortcut-write = Zum Nachrichtenfeld oder zur Suche wechseln
shortcut-next = Zur nächsten Nachricht wechseln
shortcut-previous = Zur vorherigen Nachricht wechseln
account-you = Sie sind <name>@{ $name }</name>, dabei seit <date></date>.
account-usage-lead = Ihre Nutzung und Ihre Kontingente auf diesem Hub. Gelöschte Daten werden sofort nicht mehr angerechnet.
account-delete = Konto löschen
account-delete-lead = Ihre Agenten werden sofort verborgen, und Ihre Sitzungen enden. Wenn Sie sich innerhalb von 30 Tagen anmelden, wird das Konto wiederhergestellt. Danach wird Folgendes endgültig gelöscht: { $agents } und { $chats }. Ihre Nachrichten an andere Benutzer bleiben ohne Ihren Namen erhalten, und Ihr Name kann nicht wieder verwendet werden.
count-chats = { $count ->
        [one] { $count } Chat
       *[other] { $count } Chats
    }
email-lead = Damit können Sie sich anmelden und ein neues Passwort festlegen. Sie werden benachrichtigt, wenn Ihr Passwort geändert wird.
email-confirmed = Bestätigt: <email>{ $email }</email>
email-none = Keine E-Mail-Adresse.
email-new = Neue E-Mail-Adresse
email-hint = Sie erhalten einen Link, der die Adresse bestätigt. Er gilt 24 Stunden.
email-send = Bestätigungslink senden
email-remove = E-Mail-Adresse entfernen
password-current = Aktuelles Passwort
password-lead = Ein neues Passwort meldet alle anderen Sitzungen ab.
password-change = Passwort ändern
approvals = Freigabe von Werkzeugen
approvals-always = Agenten bitten im Chat vor jedem Werkzeugaufruf um Ihre Freigabe.
approvals-sometimes = Jeder Werkzeugaufruf wird im Chat angezeigt. Agenten bitten nur um Freigabe, wenn ihr Besitzer es verlangt.
approvals-set-sometimes = Nur fragen, wenn der Besitzer es verlangt
approvals-set-always = Immer um Freigabe bitten
account-type-name = Geben Sie zur Bestätigung { $name } ein
quota-bytes = Chats und Dateien
quota-chats = Chats, auch über APIs
quota-agents = Agenten
quota-versions = Agentenversionen
quota-teams = Laufende Teams
quota-stars = Sterne
quota-drafts = Unfertige Registrierungen
quota-tokens = API-Token
quota-webhooks = Webhooks
quota-used = { $used } von { $limit }
sessions-lead = Browser, die bei Ihrem Konto angemeldet sind.
sessions-caption = Sitzungen, zuletzt verwendete zuerst
sessions-browser = Browser
sessions-address = Adresse
sessions-signed-in = Angemeldet
last-used = Zuletzt verwendet
sessions-end-others = Überall sonst abmelden
sessions-this = Diese Sitzung
sessions-end = Abmelden
session-browser = { $browser } unter { $system }
session-unknown = Unbekanntes Programm
tokens-lead = Mit einem Token handeln Programme in Ihrem Namen, begrenzt auf seine Berechtigungen.
tokens-new = Neues Token
tokens-example = Nächtlicher Bericht
tokens-create = Token erstellen
tokens-copy-now = <strong>Kopieren Sie das Token jetzt.</strong> Der Hub speichert nur einen Hash. Das Token kann nicht noch einmal angezeigt werden.
tokens-about = Token
tokens-none = Keine Token
tokens-none-why = Sie haben noch keine Token erstellt.
tokens-caption = Token, neueste zuerst
scopes = Berechtigungen
token-expires = Läuft ab
token-never = Nie
applications = Autorisierte Anwendungen
applications-caption = Autorisierte Anwendungen, neueste zuerst
applications-resource = Ressource
access-revoke = Widerrufen
access-revoke-title = { $name } widerrufen?
access-revoke-meaning = Programme, die es verwenden, verlieren sofort den Zugriff. Das lässt sich nicht rückgängig machen.
access-revoke-permanently = Endgültig widerrufen
tokens-days-30 = 30 Tage
tokens-days-90 = 90 Tage
tokens-days-365 = 1 Jahr
tokens-lifetime = Läuft ab nach
scope-read = Ihre Chats und Agenten lesen
scope-chat = Nachrichten an Agenten senden und Ihre Chats verwalten
scope-agents = Ihre Agenten registrieren und ändern, und Agenten mit Sternen markieren
scope-team = Teams starten
scope-admin = Die Rechte Ihrer Rolle nutzen
share-links-none = Keine geteilten Links
share-links-none-next = Geben Sie einen Chat in seinem Menü frei. Seine Links werden hier aufgelistet.
share-links = Geteilte Links
share-links-lead = Wer einen dieser Links hat, kann den Chat bis zu der Nachricht lesen, bei der er erstellt wurde.
chat-export = Export
chat-export-lead = Eine Datei mit allen Ihren Chats und jeder Nachricht jedes Zweigs, ein Chat je Zeile als JSON. Dateien werden genannt, sind aber nicht enthalten.
chat-export-all = Alle Chats exportieren
chat-import = Import
chat-import-lead = Chats, die ChatGPT, Claude, DeepSeek, Open WebUI, LibreChat oder ein anderer Plexus-Hub exportiert hat, mit allen Zweigen.
chat-import-file = Exportierte Datei
chat-import-hint = JSON oder das ZIP-Archiv, das Sie erhalten haben, höchstens 64 MiB. Bilder und Dateien im Archiv werden mit importiert. Chats, die Sie schon importiert haben, erhalten nur ihre späteren Nachrichten.
chat-import-submit = Chats importieren
chat-imported = { $count ->
        [one] { $count } Chat aus { $service } importiert.
       *[other] { $count } Chats aus { $service } importiert.
    }
chat-import-new-messages = { $count ->
        [one] { $count } spätere Nachricht zu einem früher importierten Chat hinzugefügt.
       *[other] { $count } spätere Nachrichten zu früher importierten Chats hinzugefügt.
    }
chat-import-skipped = { $count ->
        [one] { $count } Chat wurde schon früher importiert und übersprungen.
       *[other] { $count } Chats wurden schon früher importiert und übersprungen.
    }
chat-import-left-out = Ausgelassen:
chat-import-ended = Der Import endete vorzeitig: <problem></problem>
chat-import-show = Chats anzeigen
omitted-unreadable = { $count ->
        [one] { $count } Chat, der nicht gelesen werden konnte
       *[other] { $count } Chats, die nicht gelesen werden konnten
    }
omitted-long = { $count ->
        [one] { $count } Chat mit mehr als { $limit } Nachrichten
       *[other] { $count } Chats mit mehr als { $limit } Nachrichten
    }
omitted-empty-chats = { $count ->
        [one] { $count } Chat ohne Text
       *[other] { $count } Chats ohne Text
    }
omitted-images = { $count ->
        [one] { $count } Bild
       *[other] { $count } Bilder
    }
omitted-files = { $count ->
        [one] { $count } Datei
       *[other] { $count } Dateien
    }
omitted-tools = { $count ->
        [one] { $count } Aufruf oder Ergebnis eines Werkzeugs
       *[other] { $count } Aufrufe und Ergebnisse von Werkzeugen
    }
omitted-hidden = { $count ->
        [one] { $count } verborgene Nachricht
       *[other] { $count } verborgene Nachrichten
    }
omitted-empty = { $count ->
        [one] { $count } Nachricht ohne Text
       *[other] { $count } Nachrichten ohne Text
    }
omitted-repeated = { $count ->
        [one] { $count } Nachricht mit einer doppelten ID
       *[other] { $count } Nachrichten mit einer doppelten ID
    }
omitted-text = { $count ->
        [one] der Rest von { $count } Text nach { $limit } MiB
       *[other] der Rest von { $count } Texten nach { $limit } MiB
    }
model-keys = Modellschlüssel
model-keys-lead = Mit einem eigenen Schlüssel stellt Ihnen der Anbieter Ihre Nachrichten an Agenten in Rechnung, die mit seinen Modellen laufen. Sie zählen nicht zu den Grenzen dieses Hubs. Schlüssel werden verschlüsselt gespeichert und nie wieder angezeigt.
model-keys-none = Keine Anbieter
model-keys-none-why = Dieser Hub bezahlt seine Modelle mit eigenen Schlüsseln.
provider = Anbieter
server = Server
model-keys-yours = Ihr Schlüssel
model-keys-without = Ohne Ihren Schlüssel
model-keys-caption = Modellanbieter, die Schlüssel von Benutzern annehmen
model-keys-missing = Keiner
model-keys-added = Hinzugefügt <time></time>
model-keys-refused = Schlüssel von Benutzern werden nicht mehr verwendet
model-keys-hub-pays = Der Hub bezahlt
model-keys-no-answers = Keine Antworten
model-keys-remove-title = Ihren Schlüssel für { $provider } entfernen?
remove = Entfernen
model-keys-remove-meaning = Der Hub löscht den Schlüssel. Sie können ihn wieder eingeben.
model-keys-remove = Schlüssel entfernen
model-keys-hint = Wird nur an den Server des Anbieters gesendet.
model-keys-add = Schlüssel hinzufügen
model-keys-add-lead = Er ersetzt den Schlüssel, den Sie zuvor eingegeben haben.
model-keys-save = Schlüssel speichern
usage-lead = Token und Kosten Ihrer Nachrichten an Agenten, die mit Modellen dieses Hubs laufen. Tage beginnen um 00:00 UTC.
usage-keys = Mit <link>Modellschlüsseln</link> bezahlen Sie einen Modellanbieter selbst.
usage-days = { $days } Tage
usage-none = Keine Nutzung in diesem Zeitraum
usage-none-why = Antworten von Agenten, die mit Modellen dieses Hubs laufen, werden hier gezählt, sobald sie beendet sind.
usage-period = Zeitraum
usage-tokens = Token
usage-cost = Kosten
usage-by-day = Nach Tagen
usage-each-day = Zahlen jedes Tages
usage-csv = Als CSV herunterladen
usage-by-provider = Nach Anbietern
usage-by-model = Nach Modellen
usage-by-user = Nach Benutzern
usage-by-agent = Nach Agenten
usage-model = Modell
usage-user = Benutzer
usage-agent = Agent
usage-day = Tag
usage-answers = Antworten
usage-input = Eingabe-Token
usage-output = Ausgabe-Token
usage-caption = Nutzung nach Tagen
usage-figure-answers = { $count ->
        [one] Antwort
       *[other] Antworten
    }
usage-figure-input = Eingabe-Token
usage-figure-output = Ausgabe-Token
usage-figure-cost = Kosten
usage-chart-tokens = Token jedes Tages. Das Maximum eines Tages ist { $most }.
usage-chart-cost = Kosten jedes Tages. Das Maximum eines Tages ist { $most }.
usage-up-to = bis zu { $most } am Tag
usage-unknown = Unbekannt
usage-no-account = Aufrufer ohne Konto
usage-internal = Entscheidungen in Teams und Titel von Chats
usage-deleted = Gelöscht
consent = Anwendung autorisieren
consent-title = { $client } autorisieren?
consent-lead = Die Anwendung unter <host>{ $host }</host> nennt sich { $client }. Sie bittet um diese Berechtigungen:
consent-lead-unverified = Eine Anwendung, die sich selbst registriert hat und deren Name deshalb nicht verifiziert ist, nennt sich { $client }. Sie bittet um diese Berechtigungen:
consent-resource = Ressource: <code>{ $resource }</code>. Sie kehren zu <place>{ $place }</place> zurück. Sie können den Zugriff jederzeit in Ihren Einstellungen widerrufen.
consent-allow = Erlauben
consent-deny = Ablehnen
consent-invalid = Ungültige Autorisierungsanfrage
consent-invalid-what = Die Anwendung unter <host>{ $host }</host>, die sich { $client } nennt, hat eine ungültige Autorisierungsanfrage gesendet. <why></why>
consent-invalid-unverified = Eine Anwendung, die sich selbst registriert hat und deren Name deshalb nicht verifiziert ist, nennt sich { $client } und hat eine ungültige Autorisierungsanfrage gesendet. <why></why>
consent-invalid-next = Es wurde kein Zugriff gewährt. Wenden Sie sich an den Entwickler der Anwendung.
consent-back = Zurück zu { $place }

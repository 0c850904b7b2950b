# Components that several pages share.

close = Schließen
cancel = Abbrechen
copy = Kopieren
save = Speichern
delete = Löschen
actions = Aktionen
list-separator = ,{" "}
page-previous = Zurück
page-next = Weiter
pages = Seiten
page = Seite
correct-errors = { $count ->
        [one] Bitte korrigieren Sie den folgenden Fehler
       *[other] Bitte korrigieren Sie die folgenden Fehler
    }
field-optional = (optional)
show-password = Anzeigen
index-incomplete = Der Suchindex wird aufgebaut. Die Ergebnisse sind unvollständig; laden Sie die Seite gleich noch einmal.
example-messages = Beispielnachrichten an { $address }
count-agents = { $count ->
        [one] { $count } Agent
       *[other] { $count } Agenten
    }
count-seconds = { $count ->
        [one] { $count } Sekunde
       *[other] { $count } Sekunden
    }
count-minutes = { $count ->
        [one] { $count } Minute
       *[other] { $count } Minuten
    }
count-hours = { $count ->
        [one] { $count } Stunde
       *[other] { $count } Stunden
    }
time-just-now = gerade eben
time-in-a-moment = gleich
time-minutes-ago = vor { $count } Min.
time-hours-ago = vor { $count } Std.
time-days-ago = { $count ->
        [one] vor { $count } Tag
       *[other] vor { $count } Tagen
    }
time-in-minutes = in { $count } Min.
time-in-hours = in { $count } Std.
time-in-days = { $count ->
        [one] in { $count } Tag
       *[other] in { $count } Tagen
    }
time-minutes = { $count } Min.
time-hours = { $count } Std.
time-days = { $count ->
        [one] { $count } Tag
       *[other] { $count } Tagen
    }
date = { $day }. { $month ->
        [1] Jan.
        [2] Feb.
        [3] März
        [4] Apr.
        [5] Mai
        [6] Juni
        [7] Juli
        [8] Aug.
        [9] Sept.
        [10] Okt.
        [11] Nov.
       *[12] Dez.
    } { $year }
date-and-clock = { $date }, { $clock } UTC
protocol-model = Modell
protocol-built-in = Eingebaut
protocol-attached = Verbundenes Programm
protocol-program = Programm
row-online-seen = Online, gesehen <time></time>
row-seen = Gesehen <time></time>
visibility-private = Privat
visibility-unlisted = Nicht gelistet
visibility-public = Auf diesem Hub öffentlich
visibility-federated = Überall öffentlich
visibility-private-meaning = Nur Sie können ihn sehen.
visibility-unlisted-meaning = Wer den Link hat, kann ihn sehen. Er erscheint nicht in Listen und in der Suche.
visibility-public-meaning = Auf diesem Hub gelistet.
visibility-federated-meaning = Hier gelistet und auf andere Hubs repliziert. Die Kopien dort können Sie nicht löschen.
badge-online = Online
badge-offline = Antwortet nicht
badge-offline-since = Antwortet nicht seit { $time }
badge-detached = Nicht verbunden
badge-domain = Verifiziert: { $domain }
badge-trusted = Vertrauenswürdig: { $origin }
badge-signed-card = Signierte Karte
badge-unverified = Nicht verifiziert
badge-elsewhere = Von { $hub }
badge-not-replicated = Nicht repliziert
badge-built-in = Eingebaut
badge-private = Privat
badge-unlisted = Nicht gelistet
badge-paused = Pausiert
badge-online-meaning = Er gehört zu diesem Hub, ist verbunden oder hat in den letzten 15 Minuten geantwortet.
badge-offline-meaning = Er hat auf die letzte Statusprüfung nicht geantwortet.
badge-detached-meaning = Er läuft auf dem Rechner seines Besitzers, der nicht verbunden ist.
badge-domain-meaning = Der Besitzer hat nachgewiesen, dass er diese Domain kontrolliert.
badge-trusted-meaning = Ein Administrator dieses Hubs vertraut seiner Herkunft.
badge-signed-card-meaning = Seine Agentenkarte hat eine gültige Signatur.
badge-unverified-meaning = Nicht verifizierte Herkunft: Nur der Besitzer kann diesen Agenten nutzen.
badge-elsewhere-meaning = Auf einem anderen Hub betrieben; Signatur geprüft.
badge-not-replicated-meaning = Nicht repliziert: Sein Hub hat hier sein Kontingent überschritten, daher ist dieser Agent von hier nicht nutzbar.
badge-built-in-meaning = Er gehört zu diesem Hub.
badge-private-meaning = Nur sein Besitzer kann ihn sehen.
badge-unlisted-meaning = Er erscheint nicht in Listen und in der Suche.
badge-paused-meaning = Vom Besitzer oder von einem Administrator pausiert.
reason-correct = Richtig
reason-clear = Klar und hilfreich
reason-incorrect = Falsch
reason-incomplete = Unvollständig
reason-off-topic = Hat nicht getan, worum ich gebeten habe
reason-harmful = Schädlich oder anstößig
reason-slow = Zu langsam
scheme-bearer = ein Bearer-Token
scheme-api-key = einen API-Schlüssel im Header { $header }
scheme-basic = einen Benutzernamen und ein Passwort
scheme-client = ein Token von { $server }, das dem Hub als Client ausgestellt wird (OAuth)
scheme-connect = ein Token von { $server }, das jeder Benutzer dort autorisiert (OAuth)

# Network of hubs.

network-description = Hubs, die dieser Hub kennt, und ihr Status.
count-other-hubs = { $count ->
        [one] { $count } anderer Hub
       *[other] { $count } andere Hubs
    }
network-known = Bekannte Hubs
network-hub = Hub
network-agents-here = Agenten hier
network-last-seen = Zuletzt gesehen
network-none = Noch keine anderen Hubs
network-none-why = Die Föderation ist aktiviert, aber es wurde noch kein anderer Hub gefunden. Hubs finden einander über Bootstrap-Adressen.
network-disabled = Die Föderation ist deaktiviert
network-disabled-next = Setzen Sie PLEXUS_P2P_LISTEN, um sie zu aktivieren. <link>So treten Sie einem Netzwerk bei</link>.
network-lead = Hubs bilden ein Peer-to-Peer-Netzwerk ohne zentralen Server. Agenten eines entfernten Hubs werden gelistet, solange sein signiertes Verzeichnis aktuell ist.
network-connected = verbunden
network-catching-up = { $total ->
        [one] wird nachgeholt: { $fetched } von { $total } Eintrag
       *[other] wird nachgeholt: { $fetched } von { $total } Einträgen
    }
hub-alive = Aktiv
hub-quiet = Ruhig
hub-silent = Stumm
hub-blocked = Blockiert
hub-alive-meaning = Er hat sein Verzeichnis in den letzten 30 Minuten signiert.
hub-quiet-meaning = Seit 30 Minuten stumm; seine Agenten werden noch gelistet.
hub-silent-meaning = Seit 2 Tagen stumm; seine Agenten sind verborgen.
hub-blocked-meaning = Eine Regel blockiert ihn; seine Agenten sind verborgen.
latency-gossip = Gossip-Latenz
latency-gossip-meaning = Zeit vom Signieren eines Eintrags oder Verzeichnisses an der Quelle bis zur Speicherung hier. Unterliegt der Uhrabweichung; negative Werte zählen als 0 ms.
latency-dht = DHT-Abfrage
latency-dht-meaning = Zeit bis zum Ende einer Abfrage, mit oder ohne Ergebnis.
latency-round = Anti-Entropie-Runde
latency-round-meaning = Zeit, um Verzeichnisse mit einem Peer zu vergleichen und fehlende Einträge zu holen.
latency = Latenz
latency-lead = Von diesem Hub seit seinem Start gemessen, über die jeweils letzten 1.024 Messwerte.
latency-caption = Latenz der Föderation
latency-measurement = Messung
latency-samples = Messwerte
latency-since = Seit
latency-none = Noch keine Messwerte
new-hubs-open = Neue Hubs werden vollständig repliziert.
new-hubs-probation = Neue Hubs sind auf Probe (verringertes Kontingent), bis sie eine Domain verifizieren.
new-hubs-allowlist = Nur Hubs mit einer Erlaubnisregel werden repliziert.
network-this-hub = Dieser Hub
network-federated = Föderierte Agenten
network-new-hubs = Neue Hubs
network-reachability = Erreichbarkeit
network-hub-id = Hub-ID (öffentlicher Schlüssel):
about-hub-id = Hub-ID
network-addresses = Adressen für andere Hubs:
hub-description = { $name }: ein entfernter Hub und seine Agenten hier.
hub-lead = Ein Hub im <link>Netzwerk</link>
count-agents-here = { $count ->
        [one] { $count } Agent hier
       *[other] { $count } Agenten hier
    }
hub-domain = Domain
hub-own-name = Selbst angegebener Name
hub-replication = Replikation
hub-rule = Regel
hub-listings = Einträge hier
hub-progress = Fortschritt
hub-inventory = Zuletzt signiertes Verzeichnis
hub-by-its-clock = <time></time> (nach seiner Uhr)
hub-first-seen = Zuerst gesehen
hub-software = Software
hub-api = HTTP-API
hub-domain-verified = { $domain } (verifiziert)
hub-domain-claimed = { $domain } (behauptet, nicht verifiziert)
hub-tier-full = Alle Einträge
hub-tier-probation = Auf Probe (verringertes Kontingent), bis er eine Domain verifiziert, höchstens bis <date></date>
hub-tier-refused = Abgelehnt
hub-rule-allowed = Durch Regel <code>{ $subject }</code> erlaubt
hub-rule-allowed-until = Durch Regel <code>{ $subject }</code> erlaubt bis <date></date>
hub-rule-blocked = Durch Regel <code>{ $subject }</code> blockiert
hub-rule-blocked-until = Durch Regel <code>{ $subject }</code> blockiert bis <date></date>
hub-listings-of = { $replicated } von { $announced } signierten
hub-listings-partial = { $listings }; einige ausgelassen (Kontingent)
hub-none-blocked = Eine Regel blockiert seine Agenten.
hub-none-silent = Sie erscheinen wieder, wenn der Hub ein neues signiertes Verzeichnis veröffentlicht.
hub-none-federated = Er hat keine föderierten Agenten, oder es wurde noch keiner repliziert.
hub-none = Keine Agenten hier
violations = Protokollverstöße
violations-lead = Von diesem Hub beobachtete Verstöße. Langsame Replikation wird nicht aufgeführt.
violations-caption = Protokollverstöße dieses Hubs
violation = Verstoß
violation-count = Anzahl
violation-first = Erstmals
violation-last = Zuletzt
violation-about = Betrifft Einträge von <link>{ $hub }</link>
hub-undo = Rückgängig machen
hub-undo-about = die Regel { $subject }
hub-block = Hub blockieren
hub-allow = Hub erlauben
hub-administrators = Für Administratoren
hub-administrators-lead = Regeln gelten sofort. Wird eine Regel entfernt, erscheint wieder, was sie verborgen hat.
hub-reason = Grund
hub-rule-by-user = Regel hinzugefügt von @{ $name }, <time></time>: „{ $reason }“
hub-rule-by-list = Regel hinzugefügt durch die Liste unter <code>{ $url }</code>, <time></time>: „{ $reason }“
graph-title = Dieser Hub und die ihm bekannten Hubs
graph-omitted = { $count ->
        [one] { $count } weiterer Hub ist nicht gezeichnet; die Tabelle enthält alle Hubs.
       *[other] { $count } weitere Hubs sind nicht gezeichnet; die Tabelle enthält alle Hubs.
    }
graph-hub = { $name }: { $state }
graph-hub-connected = { $name }: { $state }, verbunden
graph-text = { $name } in der Mitte. { $hubs }.
graph-connected = Jetzt verbunden
network-relaying = { $how }; Relay (Hubs: { $hubs }, Verbindungen: { $circuits })

# Home page and list of agents.

home-purpose = Ein Hub für KI-Agenten: Finden Sie einen, sprechen Sie mit ihm, veröffentlichen Sie Ihren eigenen.
home-lead = { $agents } hier. Fragen Sie einen, oder <link>registrieren Sie Ihren eigenen</link>.
home-next-steps = Dieser Hub ist neu. <link>Nächste Schritte</link>: { $done } von { $total } erledigt.
home-search = Was soll ein Agent für Sie tun?
home-answering = Jetzt erreichbar
home-newest = Neu
home-most-used = Am meisten genutzt
home-featured = Empfohlen
home-all = Alle
all-agents = Alle Agenten
home-empty = Noch keine Agenten
home-empty-next = Dieser Hub ist neu. Registrieren Sie den ersten Agenten: Fügen Sie die Adresse eines Agenten ein, der A2A spricht, oder schreiben Sie Anweisungen für ein Modell.
home-hubs = Verbundene Hubs
agents-title = { $words } – Agenten
agents-description = Agenten, die auf diesem Hub gelistet sind.
starred = Gemerkt
nothing-found = Nichts gefunden
agents-search = Name, Aufgabe oder Beschreibung
filters = Filter
filters-chosen = Filter ({ $count })
filters-clear = Filter entfernen
sort-order = Reihenfolge
sort-relevance = Beste Treffer
sort-newest = Neueste
sort-most-used = Am meisten genutzt
sort-name = Name
did-you-mean = Meinten Sie <words>{ $words }</words>?
filter-without = Ohne
agents-none = Hier gibt es noch keine Agenten.
agents-none-filtered = Kein Agent hat alle diese Eigenschaften.
agents-none-words = Kein Agent passt zu „{ $words }“. Mit weniger oder allgemeineren Wörtern finden Sie vielleicht einen.
agents-none-words-filtered = Mit diesen Filtern passt kein Agent zu „{ $words }“.
search-no-terms = „{ $words }“ besteht nur aus Satzzeichen. Suchen Sie nach Wörtern, Zahlen oder Symbolen.
search-without = Noch einmal suchen ohne:
filter-online = online
filter-verified = verifiziert
filter-this-hub = dieser Hub
filter-other-hubs = andere Hubs
facet-selected = (ausgewählt; entfernen)
facet-availability = Verfügbarkeit
facet-trust = Vertrauen
facet-network = Netzwerk
facet-hubs = Andere Hubs
facet-kind = Art
facet-protocol = Protokoll
facet-tags = Schlagwörter
facet-owner = Besitzer
facet-online = Jetzt online
facet-verified = Verifiziert
facet-this-hub = Dieser Hub
facet-other-hubs = Andere Hubs
kind-a2a = Entfernt, über A2A
kind-model = Modell mit Anweisungen
kind-http = Entfernt, über HTTP
kind-attached = Auf dem Rechner des Besitzers
kind-built-in = Eingebaut
kind-program = Programm auf diesem Hub
live-more = Auf anderen Hubs gibt es möglicherweise weitere Agenten.
live-search-hubs = Andere Hubs durchsuchen
live-heading = Von anderen Hubs
live-summary = Dieser Hub { $local }, repliziert { $replicated }, Live-Suche: { $answered ->
        [one] { $answered } Hub hat
       *[other] { $answered } Hubs haben
    } geantwortet.
live-summary-silent = Dieser Hub { $local }, repliziert { $replicated }, Live-Suche: { $answered ->
        [one] { $answered } Hub hat
       *[other] { $answered } Hubs haben
    } geantwortet, { $silent } ohne Antwort.
live-summary-replicated = Dieser Hub { $local }, repliziert { $replicated }. Alle bekannten Hubs sind vollständig repliziert.
live-hub = { $name }: { $result }
live-nothing-new = nichts Neues
live-results = { $found ->
        [one] { $found } Ergebnis
       *[other] { $found } Ergebnisse
    }
live-rejected = { $found } Ergebnisse, { $invalid } abgelehnt (ungültige Signatur)
live-no-answer = keine Antwort in der Zeit
starred-agents = Gemerkte Agenten
starred-none = Noch nichts gemerkt
starred-none-next = Merken Sie sich einen Agenten auf seiner Seite. Gemerkte Agenten stehen hier und kommen zuerst, wenn Sie einen Chat beginnen.
find-agents = Agenten finden
namespace-description = Agenten von @{ $name }.
namespace-user = Benutzer, hier seit <date></date>
namespace-organisation = Organisation, hier seit <date></date>
namespace-hub = Dieser Hub, hier seit <date></date>
namespace-none = Keine Agenten vorhanden
namespace-none-why = Dieser Namensraum hat keine öffentlichen Agenten.
namespace-all = Alle Agenten dieses Hubs
namespace-none-own = Sie haben noch keine Agenten
namespace-none-own-next = Registrieren Sie einen laufenden Agenten, oder schreiben Sie Anweisungen für ein Modell. Er bleibt privat, bis Sie ihn veröffentlichen.

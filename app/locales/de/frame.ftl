# Frame of every page: header, menu, footer.

skip-to-content = Zum Inhalt springen
reload-page = Seite neu laden
nav-site = Website
nav-home = Startseite
nav-agents = Agenten
nav-chat = Chat
nav-teams = Teams
register-agent = Agent registrieren
nav-settings = Einstellungen
nav-administration = Administration
nav-about = Über diesen Hub
nav-documentation = Dokumentation
nav-network = Netzwerk
keyboard-shortcuts = Tastenkürzel
search-agents = Agenten suchen
search-chats-and-agents = Chats und Agenten durchsuchen
search-button = Suchen
account-menu = Konto von { $name }
your-agents = Ihre Agenten
sign-in = Anmelden
sign-up = Konto erstellen
sign-out = Abmelden
appearance = Darstellung
language = Sprache
change-language = Sprache ändern

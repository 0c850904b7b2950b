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

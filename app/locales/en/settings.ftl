# Settings pages.

settings-account = Account
settings-sessions = Sessions
settings-tokens = Tokens
settings-chats = Chats
settings-usage = Usage
appearance-lead = Stored in this browser, so each of your devices can differ.
language-automatic = Same as the browser
theme = Theme
theme-system = Same as the device
theme-light = Light
theme-dark = Dark
density = Density
density-comfortable = Comfortable
density-comfortable-meaning = More space between elements.
density-compact = Compact
density-compact-meaning = More content on one screen.
single-keys = Shortcuts of a single key
single-keys-on = On
single-keys-on-meaning = A key such as n or ? acts outside text fields.
single-keys-off = Off
single-keys-off-meaning = For speech input, and for keys pressed by accident.

# Frame of every page: header, menu, footer.

skip-to-content = Skip to content
reload-page = Reload the page
nav-site = Site
nav-home = Home
nav-agents = Agents
nav-chat = Chat
nav-teams = Teams
register-agent = Register agent
nav-settings = Settings
nav-administration = Administration
nav-about = About this hub
nav-documentation = Documentation
nav-network = Network
keyboard-shortcuts = Keyboard shortcuts
search-agents = Search agents
search-chats-and-agents = Search chats and agents
search-button = Search
account-menu = Account of { $name }
your-agents = Your agents
sign-in = Sign in
sign-up = Sign up
sign-out = Sign out
appearance = Appearance
language = Language
change-language = Change language

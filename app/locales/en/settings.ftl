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
shortcuts-anywhere = On every page
shortcuts-chat = In a chat
shortcuts-single = Single keys
shortcuts-single-on = They work outside text fields. You can turn them off under <link>Appearance</link>.
shortcuts-single-off = They are turned off. You can turn them on under <link>Appearance</link>.
shortcut-search = Search chats and agents (⌘ K on a Mac)
shortcut-send = Send the message (Ctrl Enter on touch screens)
shortcut-line = Start a new line
shortcut-stop = Stop the answer, or cancel an edit
shortcut-agent = Choose an agent, at the beginning of a message
shortcut-region = Go to the messages, the message field or the list of chats; with Shift, backwards
shortcut-copy-code = Copy the last code block
shortcut-list = Show this list
shortcut-new = Start a new chat
shortcut-write = Go to the message field, or to the search
shortcut-next = Go to the next message
shortcut-previous = Go to the previous message
account-you = You are <name>@{ $name }</name>, here since <date></date>.
account-usage-lead = Your usage and quotas on this hub. Deleting data frees its quota immediately.
account-delete = Delete account
account-delete-lead = Your agents are hidden and your sessions end immediately. Sign in within 30 days to restore the account. After that { $agents } and { $chats } are deleted permanently. Your messages to other users stay without your name, and your name cannot be used again.
count-chats = { $count ->
        [one] { $count } chat
       *[other] { $count } chats
    }
email-lead = With it you can sign in and set a new password, and you are told about changes of your password.
email-confirmed = Confirmed: <email>{ $email }</email>
email-none = No e-mail address.
email-new = New e-mail address
email-hint = You get a link that confirms the address, for 24 hours.
email-send = Send confirmation link
email-remove = Remove e-mail address
password-current = Current password
password-lead = A new password signs out every other session.
password-change = Change password
approvals = Tool approvals
approvals-always = Agents ask for your approval in the chat before each tool call.
approvals-sometimes = Each tool call is shown in the chat. Agents ask for approval only if their owner requires it.
approvals-set-sometimes = Ask only if the owner requires it
approvals-set-always = Always ask for approval
account-type-name = Type { $name } to confirm
quota-bytes = Chats and files
quota-chats = Chats, including those over APIs
quota-agents = Agents
quota-versions = Agent versions
quota-teams = Running teams
quota-stars = Stars
quota-drafts = Unfinished registrations
quota-tokens = API tokens
quota-webhooks = Webhooks
quota-used = { $used } of { $limit }
sessions-lead = Browsers that are signed in to your account.
sessions-caption = Sessions, last used first
sessions-browser = Browser
sessions-address = Address
sessions-signed-in = Signed in
last-used = Last used
sessions-end-others = Sign out everywhere else
sessions-this = This session
sessions-end = Sign out
session-browser = { $browser } on { $system }
session-unknown = Unknown program
tokens-lead = Programs use a token to act on your behalf, limited to its scopes.
tokens-new = New token
tokens-example = Nightly report
tokens-create = Create token
tokens-copy-now = <strong>Copy the token now.</strong> The hub stores only a hash. The token cannot be shown again.
tokens-about = token
tokens-none = No tokens
tokens-none-why = You have not created any tokens yet.
tokens-caption = Tokens, newest first
scopes = Scopes
token-expires = Expires
token-never = Never
applications = Authorized applications
applications-caption = Authorized applications, newest first
applications-resource = Resource
access-revoke = Revoke
access-revoke-title = Revoke { $name }?
access-revoke-meaning = Programs that use it lose access at once. This cannot be undone.
access-revoke-permanently = Revoke permanently
tokens-days-30 = 30 days
tokens-days-90 = 90 days
tokens-days-365 = 1 year
tokens-lifetime = Expires after
scope-read = Read your chats and agents
scope-chat = Send messages to agents and manage your chats
scope-agents = Register and change your agents, and star agents
scope-team = Start teams
scope-admin = Use the permissions of your role
share-links-none = No share links
share-links-none-next = Share a chat in its menu. Its links are listed here.
share-links = Share links
share-links-lead = Anyone with one of these links can read the chat up to the message at which it was created.
chat-export = Export
chat-export-lead = One file with all of your chats and every message of each branch, one chat per line as JSON. Files are named, but not included.
chat-export-all = Export all chats
chat-import = Import
chat-import-lead = Chats that ChatGPT, Claude, DeepSeek, Open WebUI, LibreChat or another Plexus hub exported, with all of their branches.
chat-import-file = Exported file
chat-import-hint = JSON, or the ZIP archive that you got, at most 64 MiB. Images and files that are in the archive are imported too. Chats that you imported before get only their later messages.
chat-import-submit = Import chats
chat-imported = { $count ->
        [one] { $count } chat imported from { $service }.
       *[other] { $count } chats imported from { $service }.
    }
chat-import-new-messages = { $count ->
        [one] { $count } later message added to a chat that you imported before.
       *[other] { $count } later messages added to chats that you imported before.
    }
chat-import-skipped = { $count ->
        [one] { $count } chat was imported before and skipped.
       *[other] { $count } chats were imported before and skipped.
    }
chat-import-left-out = Left out:
chat-import-ended = The import ended early: <problem></problem>
chat-import-show = Show chats
omitted-unreadable = { $count ->
        [one] { $count } conversation that could not be read
       *[other] { $count } conversations that could not be read
    }
omitted-long = { $count ->
        [one] { $count } conversation with more than { $limit } messages
       *[other] { $count } conversations with more than { $limit } messages
    }
omitted-empty-chats = { $count ->
        [one] { $count } conversation without text
       *[other] { $count } conversations without text
    }
omitted-images = { $count ->
        [one] { $count } image
       *[other] { $count } images
    }
omitted-files = { $count ->
        [one] { $count } file
       *[other] { $count } files
    }
omitted-tools = { $count ->
        [one] { $count } call or result of a tool
       *[other] { $count } calls and results of tools
    }
omitted-hidden = { $count ->
        [one] { $count } hidden message
       *[other] { $count } hidden messages
    }
omitted-empty = { $count ->
        [one] { $count } message without text
       *[other] { $count } messages without text
    }
omitted-repeated = { $count ->
        [one] { $count } message with a repeated id
       *[other] { $count } messages with a repeated id
    }
omitted-text = { $count ->
        [one] the rest of { $count } text after { $limit } MiB
       *[other] the rest of { $count } texts after { $limit } MiB
    }
model-keys = Model keys
model-keys-lead = With a key of your own, the provider charges you for your messages to agents that run on its models. Limits of this hub do not count them. Keys are stored encrypted and never shown again.
model-keys-none = No providers
model-keys-none-why = This hub pays for its models with its own keys.
provider = Provider
server = Server
model-keys-yours = Your key
model-keys-without = Without your key
model-keys-caption = Model providers that take keys of users
model-keys-missing = None
model-keys-added = Added <time></time>
model-keys-refused = Keys of users are no longer used
model-keys-hub-pays = The hub pays
model-keys-no-answers = No answers
model-keys-remove-title = Remove your key for { $provider }?
remove = Remove
model-keys-remove-meaning = The hub deletes the key. You can enter it again.
model-keys-remove = Remove key
model-keys-hint = Sent only to the server of the provider.
model-keys-add = Add a key
model-keys-add-lead = It replaces the key that you entered before.
model-keys-save = Save key
usage-lead = Tokens and cost of your messages to agents that run on models of this hub. Days begin at 00:00 UTC.
usage-keys = <link>Model keys</link> to pay a model provider yourself.
usage-days = { $days } days
usage-none = No use in this period
usage-none-why = Answers of agents that run on models of this hub are counted here when they end.
usage-period = Period
usage-tokens = Tokens
usage-cost = Cost
usage-by-day = By day
usage-each-day = Numbers of each day
usage-csv = Download as CSV
usage-by-provider = By provider
usage-by-model = By model
usage-by-user = By user
usage-by-agent = By agent
usage-model = Model
usage-user = User
usage-agent = Agent
usage-day = Day
usage-answers = Answers
usage-input = Input tokens
usage-output = Output tokens
usage-caption = Use by day
usage-figure-answers = { $count ->
        [one] answer
       *[other] answers
    }
usage-figure-input = input tokens
usage-figure-output = output tokens
usage-figure-cost = cost
usage-chart-tokens = Tokens of each day. The most on one day is { $most }.
usage-chart-cost = Cost of each day. The most on one day is { $most }.
usage-up-to = up to { $most } a day
usage-unknown = Unknown
usage-no-account = Callers without an account
usage-internal = Decisions in teams and titles of chats
usage-deleted = Deleted
consent = Authorize application
consent-title = Authorize { $client }?
consent-lead = The application at <host>{ $host }</host> calls itself { $client }. It requests permission to:
consent-lead-unverified = An application that registered itself, so that its name is not verified, calls itself { $client }. It requests permission to:
consent-resource = Resource: <code>{ $resource }</code>. You will return to <place>{ $place }</place>. You can revoke access at any time in your settings.
consent-allow = Allow
consent-deny = Deny
consent-invalid = Invalid authorization request
consent-invalid-what = The application at <host>{ $host }</host>, which calls itself { $client }, sent an invalid authorization request. <why></why>
consent-invalid-unverified = An application that registered itself, so that its name is not verified, which calls itself { $client }, sent an invalid authorization request. <why></why>
consent-invalid-next = No access was granted. Contact the application's developer.
consent-back = Go back to { $place }

# Components that several pages share.

close = Close
cancel = Cancel
copy = Copy
save = Save
delete = Delete
actions = Actions
list-separator = ,{" "}
page-previous = Previous
page-next = Next
pages = Pages
page = Page
correct-errors = { $count ->
        [one] Please correct the error below
       *[other] Please correct the errors below
    }
field-optional = (optional)
show-password = Show
index-incomplete = The search index is being built. Results are incomplete; reload in a moment.
example-messages = Example messages to { $address }
count-agents = { $count ->
        [one] { $count } agent
       *[other] { $count } agents
    }
count-seconds = { $count ->
        [one] { $count } second
       *[other] { $count } seconds
    }
count-minutes = { $count ->
        [one] { $count } minute
       *[other] { $count } minutes
    }
count-hours = { $count ->
        [one] { $count } hour
       *[other] { $count } hours
    }
time-just-now = just now
time-in-a-moment = in a moment
time-minutes-ago = { $count } min ago
time-hours-ago = { $count } h ago
time-days-ago = { $count ->
        [one] { $count } day ago
       *[other] { $count } days ago
    }
time-in-minutes = in { $count } min
time-in-hours = in { $count } h
time-in-days = { $count ->
        [one] in { $count } day
       *[other] in { $count } days
    }
time-minutes = { $count } min
time-hours = { $count } h
time-days = { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
date = { $day } { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    } { $year }
date-and-clock = { $date }, { $clock } UTC
protocol-model = Model
protocol-built-in = Built in
protocol-attached = Attached
protocol-program = Program
row-online-seen = Online, seen <time></time>
row-seen = Seen <time></time>
visibility-private = Private
visibility-unlisted = Unlisted
visibility-public = Public on this hub
visibility-federated = Public everywhere
visibility-private-meaning = Only you can see it.
visibility-unlisted-meaning = Anyone with the link can see it. It is not in lists or search.
visibility-public-meaning = Listed on this hub.
visibility-federated-meaning = Listed here and replicated to other hubs. You cannot delete the copies there.
badge-online = Online
badge-offline = Not answering
badge-offline-since = Not answering since { $time }
badge-detached = Not connected
badge-domain = Verified: { $domain }
badge-trusted = Trusted: { $origin }
badge-signed-card = Signed card
badge-unverified = Unverified
badge-elsewhere = From { $hub }
badge-not-replicated = Not replicated
badge-built-in = Built in
badge-private = Private
badge-unlisted = Unlisted
badge-paused = Paused
badge-online-meaning = It is part of this hub, is connected, or answered within the last 15 minutes.
badge-offline-meaning = It did not answer the last health check.
badge-detached-meaning = It runs on its owner's machine, which is not connected.
badge-domain-meaning = The owner proved control of this domain.
badge-trusted-meaning = An administrator of this hub trusts its origin.
badge-signed-card-meaning = Its agent card has a valid signature.
badge-unverified-meaning = Unverified origin: only the owner can use this agent.
badge-elsewhere-meaning = Hosted on another hub; signature verified.
badge-not-replicated-meaning = Not replicated: its hub is over its quota here, so this agent cannot be used from here.
badge-built-in-meaning = It is part of this hub.
badge-private-meaning = Only its owner can see it.
badge-unlisted-meaning = It is not in lists or search.
badge-paused-meaning = Paused by its owner or an administrator.
reason-correct = Correct
reason-clear = Clear and useful
reason-incorrect = Incorrect
reason-incomplete = Incomplete
reason-off-topic = Did not do what I asked for
reason-harmful = Harmful or offensive
reason-slow = Too slow
scheme-bearer = a bearer token
scheme-api-key = an API key in the header { $header }
scheme-basic = a user name and a password
scheme-client = a token of { $server }, issued to the hub as a client (OAuth)
scheme-connect = a token of { $server }, authorized there by each user (OAuth)

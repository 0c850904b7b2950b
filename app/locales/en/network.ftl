# Network of hubs.

network-description = Hubs known to this hub, and their state.
count-other-hubs = { $count ->
        [one] { $count } other hub
       *[other] { $count } other hubs
    }
network-known = Known hubs
network-hub = Hub
network-agents-here = Agents here
network-last-seen = Last seen
network-none = No other hubs yet
network-none-why = Federation is enabled, but no other hub has been found yet. Hubs find each other through bootstrap addresses.
network-disabled = Federation is disabled
network-disabled-next = Set PLEXUS_P2P_LISTEN to enable it. <link>How to join a network</link>.
network-lead = Hubs form a peer-to-peer network without a central server. Agents of a remote hub are listed while its signed inventory is recent.
network-connected = connected
network-catching-up = { $total ->
        [one] catching up: { $fetched } of { $total } listing
       *[other] catching up: { $fetched } of { $total } listings
    }
hub-alive = Alive
hub-quiet = Quiet
hub-silent = Silent
hub-blocked = Blocked
hub-alive-meaning = It signed its inventory within the last 30 minutes.
hub-quiet-meaning = Silent for 30 minutes; its agents are still listed.
hub-silent-meaning = Silent for 2 days; its agents are hidden.
hub-blocked-meaning = A rule blocks it; its agents are hidden.
latency-gossip = Gossip latency
latency-gossip-meaning = Time from signing a listing or inventory at the source to storage here. Subject to clock skew; negative values count as 0 ms.
latency-dht = DHT query
latency-dht-meaning = Time until a query ends, with or without a result.
latency-round = Anti-entropy round
latency-round-meaning = Time to compare inventories with one peer and fetch missing listings.
latency = Latency
latency-lead = Measured by this hub since it started, over the latest 1,024 samples of each kind.
latency-caption = Federation latency
latency-measurement = Measurement
latency-samples = Samples
latency-since = Since
latency-none = No samples yet
new-hubs-open = New hubs are replicated in full.
new-hubs-probation = New hubs are on probation (reduced quota) until they verify a domain.
new-hubs-allowlist = Only hubs with an allow rule are replicated.
network-this-hub = This hub
network-federated = Federated agents
network-new-hubs = New hubs
network-reachability = Reachability
network-hub-id = Hub id (public key):
about-hub-id = hub id
network-addresses = Addresses for other hubs:
hub-description = { $name }: a remote hub, and its agents here.
hub-lead = A hub in the <link>network</link>
count-agents-here = { $count ->
        [one] { $count } agent here
       *[other] { $count } agents here
    }
hub-domain = Domain
hub-own-name = Self-reported name
hub-replication = Replication
hub-rule = Rule
hub-listings = Listings here
hub-progress = Progress
hub-inventory = Last signed inventory
hub-by-its-clock = <time></time> (by its clock)
hub-first-seen = First seen
hub-software = Software
hub-api = HTTP API
hub-domain-verified = { $domain } (verified)
hub-domain-claimed = { $domain } (claimed, not verified)
hub-tier-full = All listings
hub-tier-probation = On probation (reduced quota) until it verifies a domain, at most until <date></date>
hub-tier-refused = Refused
hub-rule-allowed = Allowed by rule <code>{ $subject }</code>
hub-rule-allowed-until = Allowed by rule <code>{ $subject }</code> until <date></date>
hub-rule-blocked = Blocked by rule <code>{ $subject }</code>
hub-rule-blocked-until = Blocked by rule <code>{ $subject }</code> until <date></date>
hub-listings-of = { $replicated } of { $announced } signed
hub-listings-partial = { $listings }; some omitted (quota)
hub-none-blocked = A rule blocks its agents.
hub-none-silent = They reappear when the hub publishes a new signed inventory.
hub-none-federated = It has no federated agents, or none has been replicated yet.
hub-none = No agents here
violations = Protocol violations
violations-lead = Violations observed by this hub. Slow replication is not listed.
violations-caption = Protocol violations of this hub
violation = Violation
violation-count = Count
violation-first = First
violation-last = Last
violation-about = Concerns listings of <link>{ $hub }</link>
hub-undo = Undo
hub-undo-about = the rule { $subject }
hub-block = Block hub
hub-allow = Allow hub
hub-administrators = For administrators
hub-administrators-lead = Rules apply immediately. Removing a rule restores what it hid.
hub-reason = Reason
hub-rule-by-user = Rule added by @{ $name }, <time></time>: “{ $reason }”
hub-rule-by-list = Rule added by the list at <code>{ $url }</code>, <time></time>: “{ $reason }”
graph-title = This hub and its known hubs
graph-omitted = { $count ->
        [one] { $count } more hub is not drawn; the table lists all hubs.
       *[other] { $count } more hubs are not drawn; the table lists all hubs.
    }
graph-hub = { $name }: { $state }
graph-hub-connected = { $name }: { $state }, connected
graph-text = { $name } in the middle. { $hubs }.
graph-connected = Connected now
network-relaying = { $how }; relay (hubs: { $hubs }, circuits: { $circuits })

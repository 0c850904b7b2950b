# Home page and list of agents.

home-purpose = A hub for AI agents: find one, talk to it, publish your own.
home-lead = { $agents } here. Ask one, or <link>register your own</link>.
home-next-steps = This hub is new. <link>Next steps</link>: { $done } of { $total } done.
home-search = What should an agent do for you?
home-answering = Answering now
home-newest = New
home-most-used = Most used
home-featured = Featured
home-all = All
all-agents = All agents
home-empty = No agents yet
home-empty-next = This hub is new. Register the first agent: paste the address of one that speaks A2A, or write instructions for a model.
home-hubs = Connected hubs
agents-title = { $words } – agents
agents-description = Agents listed on this hub.
starred = Starred
nothing-found = Nothing found
agents-search = Name, task or description
filters = Filters
filters-chosen = Filters ({ $count })
filters-clear = Clear filters
sort-order = Order
sort-relevance = Best match
sort-newest = Newest
sort-most-used = Most used
sort-name = Name
did-you-mean = Did you mean <words>{ $words }</words>?
filter-without = Without
agents-none = There are no agents here yet.
agents-none-filtered = No agent has all of these properties.
agents-none-words = No agent matches “{ $words }”. Fewer or more general words may find one.
agents-none-words-filtered = No agent matches “{ $words }” with these filters.
search-without = Search again without:
filter-online = online
filter-verified = verified
filter-this-hub = this hub
filter-other-hubs = other hubs
facet-selected = (selected; remove)
facet-availability = Availability
facet-trust = Trust
facet-network = Network
facet-hubs = Other hubs
facet-kind = Kind
facet-protocol = Protocol
facet-tags = Tags
facet-owner = Owner
facet-online = Online now
facet-verified = Verified
facet-this-hub = This hub
facet-other-hubs = Other hubs
kind-a2a = Remote, over A2A
kind-model = Model with instructions
kind-http = Remote, over HTTP
kind-attached = On its owner's machine
kind-built-in = Built in
kind-program = Program on this hub
live-more = More agents may exist on other hubs.
live-search-hubs = Search other hubs
live-heading = From other hubs
live-summary = This hub { $local }, replicated { $replicated }, live search: { $answered ->
        [one] { $answered } hub
       *[other] { $answered } hubs
    } answered.
live-summary-silent = This hub { $local }, replicated { $replicated }, live search: { $answered ->
        [one] { $answered } hub
       *[other] { $answered } hubs
    } answered, { $silent } timed out.
live-summary-replicated = This hub { $local }, replicated { $replicated }. All known hubs are fully replicated.
live-hub = { $name }: { $result }
live-nothing-new = nothing new
live-results = { $found } results
live-rejected = { $found } results, { $invalid } rejected (invalid signature)
live-no-answer = no answer in time
starred-agents = Starred agents
starred-none = No stars yet
starred-none-next = Star an agent on its page. Starred agents are listed here and come first when you start a chat.
find-agents = Find agents
namespace-description = Agents of @{ $name }.
namespace-user = User, here since <date></date>
namespace-organisation = Organisation, here since <date></date>
namespace-hub = This hub, here since <date></date>
namespace-none = No agents to show
namespace-none-why = This namespace has no public agents.
namespace-all = All agents of this hub
namespace-none-own = You have no agents yet
namespace-none-own-next = Register a running agent, or write instructions for a model. It stays private until you publish it.

//! The rates that the hub keeps, each with its default.

use super::Allowance;

macro_rules! rates {
    ($($(#[$meta:meta])* $rate:ident = $name:literal, $what:literal, $burst:literal / $every_ms:literal;)*) => {
        /// One thing that is done no more often than its limit allows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rate {
            $($(#[$meta])* $rate),*
        }

        impl Rate {
            pub const ALL: &[Self] = &[$(Self::$rate),*];

            /// Its name in settings, behind `limit_`, and in metrics.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$rate => $name),*
                }
            }

            /// Completes "Too many … from here".
            pub(super) const fn what(self) -> &'static str {
                match self {
                    $(Self::$rate => $what),*
                }
            }

            /// So many at once, then one every so many milliseconds.
            pub const fn default(self) -> Allowance {
                match self {
                    $(Self::$rate => Allowance::new($burst, $every_ms)),*
                }
            }
        }
    };
}

rates! {
    /// Attempts to sign in, of one address.
    SignIns = "sign_ins", "sign-in attempts", 10 / 20_000;
    /// Attempts to sign in as one account, from anywhere, and to change its password.
    SignInsPerAccount = "sign_ins_per_account", "sign-in attempts for this account", 1_800 / 2_000;
    /// New accounts, of one address.
    SignUps = "sign_ups", "new accounts", 5 / 1_250_000;
    /// Requests of any kind, of one account, or of one address without one.
    Requests = "requests", "requests", 1_200 / 20;
    /// Messages, and what is done in teams, of one account or one address.
    Messages = "messages", "messages", 60 / 1_000;
    /// Calls to addresses that an account names, of one account.
    Fetches = "fetches", "fetches of agent cards", 20 / 6_000;
    /// Trial messages to an endpoint before control of its address is proved, of one account.
    Trials = "trials", "trials of an address that is not proved", 5 / 60_000;
    /// New agents, of one account.
    Registrations = "registrations", "new agents", 30 / 60_000;
    /// New agents, of all accounts together.
    RegistrationsOfHub = "registrations_of_hub", "new agents on this hub", 300 / 1_000;
    /// Changes of agents (visibility, access, pausing, versions, deleting), of one account.
    Changes = "changes", "changes of agents", 60 / 2_000;
    /// Stars given and taken, of one account.
    Stars = "stars", "stars", 60 / 1_000;
    /// Searches for agents, of one account.
    Searches = "searches", "searches", 120 / 100;
    /// Searches for agents without an account, of one address.
    SearchesOfStrangers = "searches_of_strangers", "searches", 60 / 250;
    /// Searches for agents without an account, of all addresses together.
    SearchesOfAllStrangers = "searches_of_all_strangers", "searches without an account", 600 / 10;
    /// Requests that look at everything that is listed, of one account or one address.
    Catalogs = "catalogs", "searches of the catalog", 60 / 500;
    /// Searches that other hubs are asked for, of one account or one address.
    NetworkSearches = "network_searches", "searches of other hubs", 20 / 2_000;
    /// Searches that other hubs are asked for, of all callers without an account together.
    NetworkSearchesOfStrangers = "network_searches_of_strangers", "searches of other hubs without an account", 40 / 1_000;
    /// Bearer tokens that are not good, of one address.
    WrongTokens = "wrong_tokens", "wrong tokens", 30 / 2_000;
    /// Requests at /oauth/token and /oauth/revoke, of one address.
    TokenRequests = "token_requests", "requests for tokens", 60 / 1_000;
    /// Codes and refresh tokens that are not good at /oauth/token, for one client.
    WrongGrants = "wrong_grants", "codes and refresh tokens that are not good for this client", 30 / 2_000;
    /// Calls of methods at /rpc, of one account or one address.
    Calls = "calls", "calls", 600 / 10;
    /// Calls of methods at /rpc, on one WebSocket.
    CallsPerConnection = "calls_per_connection", "calls on this connection", 300 / 20;
    /// KiB of files that callers send and that agents answer with, for one account.
    FileKib = "file_kib", "files", 65_536 / 1;
    /// Looks at what is shared by a link, of one account or one address.
    Shares = "shares", "looks at what is shared", 60 / 500;
    /// Requests that another hub signed, of one hub.
    HubRequests = "hub_requests", "requests", 600 / 50;
    /// Messages of all people of another hub, or of all hubs on probation.
    GuestMessages = "guest_messages", "messages of people of your hub", 120 / 500;
}

//! The rate limits of a hub, each with its default.

use super::Allowance;

macro_rules! rates {
    ($($(#[$meta:meta])* $rate:ident = $name:literal, $what:literal, $burst:literal / $every_ms:literal;)*) => {
        /// An operation that is rate limited.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rate {
            $($(#[$meta])* $rate),*
        }

        impl Rate {
            pub const ALL: &[Self] = &[$(Self::$rate),*];

            /// Name in settings, after the prefix `limit_`, and in metrics.
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

            /// Default burst, and milliseconds per further token.
            pub const fn default(self) -> Allowance {
                match self {
                    $(Self::$rate => Allowance::new($burst, $every_ms)),*
                }
            }
        }
    };
}

rates! {
    /// Sign-in attempts, per address.
    SignIns = "sign_ins", "sign-in attempts", 10 / 20_000;
    /// Sign-in attempts and password changes, per account, from all addresses.
    SignInsPerAccount = "sign_ins_per_account", "sign-in attempts for this account", 1_800 / 2_000;
    /// New accounts, per address.
    SignUps = "sign_ups", "new accounts", 5 / 1_250_000;
    /// E-mails with a link that an account requests, per account.
    Emails = "emails", "e-mails", 5 / 300_000;
    /// Requests for a link that sets a new password, per address.
    Recoveries = "recoveries", "password reset links", 10 / 60_000;
    /// Requests of any kind, per account, or per address without an account.
    Requests = "requests", "requests", 1_200 / 20;
    /// Messages and team actions, per account or address.
    Messages = "messages", "messages", 60 / 1_000;
    /// Outgoing requests to user-supplied URLs, per account.
    Fetches = "fetches", "fetches of agent cards", 20 / 6_000;
    /// Trial messages to an endpoint before its origin is verified, per account.
    TestMessages = "test_messages", "test messages to an unverified origin", 5 / 60_000;
    /// New agents, per account.
    Registrations = "registrations", "new agents", 30 / 60_000;
    /// New agents, for the whole hub.
    RegistrationsTotal = "registrations_total", "new agents on this hub", 300 / 1_000;
    /// Changes of agents (visibility, access, pausing, versions, deletion), per account.
    AgentChanges = "agent_changes", "changes of agents", 60 / 2_000;
    /// Stars given and removed, per account.
    Stars = "stars", "stars", 60 / 1_000;
    /// Searches for agents and in chats, per account.
    Searches = "searches", "searches", 120 / 100;
    /// Searches for agents by anonymous callers, per address.
    SearchesAnonymous = "searches_anonymous", "searches", 60 / 250;
    /// Searches for agents by anonymous callers, for the whole hub.
    SearchesAnonymousTotal = "searches_anonymous_total", "searches without an account", 600 / 10;
    /// Requests that read the whole catalogue, per account or address.
    Catalogs = "catalogs", "searches of the catalog", 60 / 500;
    /// Live searches of remote hubs, per account or address.
    NetworkSearches = "network_searches", "searches of other hubs", 20 / 2_000;
    /// Live searches of remote hubs by anonymous callers, for the whole hub.
    NetworkSearchesAnonymousTotal = "network_searches_anonymous_total", "searches of other hubs without an account", 40 / 1_000;
    /// Invalid bearer tokens, per address.
    InvalidTokens = "invalid_tokens", "invalid tokens", 30 / 2_000;
    /// Requests to /oauth/token, /oauth/revoke and /oauth/register, per address.
    TokenRequests = "token_requests", "requests for tokens", 60 / 1_000;
    /// Invalid codes and refresh tokens at /oauth/token, per client.
    InvalidGrants = "invalid_grants", "invalid codes and refresh tokens of this client", 30 / 2_000;
    /// Method calls at /rpc, per account or address.
    RpcCalls = "rpc_calls", "calls", 600 / 10;
    /// Method calls at /rpc, per WebSocket.
    RpcCallsPerConnection = "rpc_calls_per_connection", "calls on this connection", 300 / 20;
    /// KiB of files that callers send and agents answer with, per account.
    FileKib = "file_kib", "files", 65_536 / 1;
    /// Views of shared content, per account or address.
    SharedLinks = "shared_links", "requests for shared links", 60 / 500;
    /// Share links of chats created, per account.
    ShareLinks = "share_links", "new share links", 30 / 10_000;
    /// Invitations to chats sent and accepted, per account.
    ChatInvitations = "chat_invitations", "invitations to chats", 60 / 10_000;
    /// Reports that a user types in a room, per account.
    Typing = "typing", "reports of typing", 30 / 1_000;
    /// Feedback on answers given and taken back, per account.
    Feedback = "feedback", "ratings", 60 / 1_000;
    /// Exports of chats, per account.
    Exports = "exports", "exports", 30 / 10_000;
    /// Imports of chats, per account.
    Imports = "imports", "imports", 10 / 30_000;
    /// PDF files that agents are given, per account.
    PdfFiles = "pdf_files", "PDF files", 50 / 20_000;
    /// Signed requests of a remote hub, per hub.
    RequestsPerHub = "requests_per_hub", "requests", 600 / 50;
    /// Messages of all users of one remote hub, or of all hubs on probation.
    MessagesPerHub = "messages_per_hub", "messages of users of your hub", 120 / 500;
}

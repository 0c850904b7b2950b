//! Badges: single facts about the availability, trust and visibility of an agent.

use plexus_domain::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Badge {
    /// The last card fetch or run, within 15 minutes, succeeded.
    Online,
    /// It did not answer when it was last contacted.
    Offline {
        since: Option<Timestamp>,
    },
    /// Its attached program is not connected.
    Detached,
    /// Control of this domain is verified.
    Domain(String),
    /// An administrator of this hub trusts the origin.
    Trusted(String),
    /// The agent card has a valid signature.
    SignedCard,
    /// An origin that the agent card names is not verified.
    Unverified,
    /// Hosted on a remote hub.
    Elsewhere {
        /// Its verified domain, or its key.
        hub: String,
        /// Name that it gives itself; not verified.
        name: Option<String>,
    },
    /// Found by live search; this hub may not replicate it.
    NotCarried,
    /// Built into this hub.
    BuiltIn,
    Private,
    Unlisted,
    /// Paused by its owner.
    Paused,
}

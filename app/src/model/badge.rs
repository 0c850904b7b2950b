//! What is known about an agent, each thing by itself and in words.

use plexus_domain::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Badge {
    /// Its last card fetch or run, within 15 minutes, succeeded.
    Online,
    /// It did not answer when it was last asked.
    Offline {
        since: Option<Timestamp>,
    },
    /// A program that would be it is not attached.
    Detached,
    /// Control of this domain was proved.
    Domain(String),
    /// An administrator of this hub vouches for the origin.
    Vouched(String),
    /// The card carries a signature that was checked.
    SignedCard,
    /// Nobody proved control of an origin that its card names.
    Unverified,
    /// It belongs to this other hub.
    Elsewhere(String),
    /// Its hub answered a search with it, and this hub may not carry it.
    NotCarried,
    /// Part of this hub.
    BuiltIn,
    Private,
    Unlisted,
    /// Its owner switched it off for now.
    Paused,
}

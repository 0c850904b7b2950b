//! Agent cards: what an agent says of itself, read with suspicion.
//!
//! A card comes from anybody. [`Card::read`] takes both shapes, 1.0 and 0.3, also in one document, and collects
//! every problem with the place it is in. What is shown is cleaned and capped; the bytes stay as received.

mod interface;
mod link;
mod node;
mod own;
mod problem;
mod read;
mod schema;
mod security;
mod served;
mod signing;
mod skill;

use plexus_domain::Digest;
use url::Url;

pub use self::{
    interface::{Binding, Interface},
    link::Origin,
    own::{OwnCard, with_base},
    problem::{Problem, Severity},
    security::{Credential, KeyPlace, Security, Way},
    served::{Serving, serve, with_former},
    signing::{Coverage, SignError, Unverified, sign, sign_from},
    skill::Skill,
};

/// The largest card that is read.
pub const MAX_CARD_BYTES: usize = 256 * 1024;

/// Where a card is found, relative to the agent's base URL (specification 1.0 section 8.2).
pub const WELL_KNOWN: &str = ".well-known/agent-card.json";

/// A card without errors. Only [`Card::read`] makes one; text is clean and capped, URLs are `http` or `https`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Card {
    /// The bytes as received.
    pub source: Vec<u8>,
    pub name: String,
    /// Several lines, maybe empty.
    pub description: String,
    /// The agent's own version, maybe empty.
    pub version: String,
    pub provider: Option<Provider>,
    /// In the order of the card; at least one is usable.
    pub interfaces: Vec<Interface>,
    pub capabilities: Capabilities,
    pub skills: Vec<Skill>,
    /// Media types.
    pub input_modes: Vec<String>,
    pub output_modes: Vec<String>,
    pub security: Security,
    pub documentation_url: Option<Url>,
    pub icon_url: Option<Url>,
    /// As on the wire; nothing is verified yet.
    pub signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    pub organization: String,
    pub url: Option<Url>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    pub streaming: bool,
    pub push_notifications: bool,
    /// There is another card for callers who sign in.
    pub extended_card: bool,
    pub extensions: Vec<Extension>,
}

impl Capabilities {
    pub fn declares(&self, uri: &str) -> bool {
        self.extensions.iter().any(|extension| extension.uri == uri)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    pub uri: String,
    pub required: bool,
}

/// A JWS over the card, in the two pieces that the card carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub protected: String,
    pub signature: String,
}

/// What reading a card came to: a card if there is no error, and all problems in the order of the card.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub card: Option<Card>,
    pub problems: Vec<Problem>,
}

impl Card {
    pub fn read(bytes: &[u8]) -> Reading {
        read::read(bytes)
    }

    /// What names this card in the store.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.source)
    }

    /// The interface that the hub calls: 1.0 before 0.3, then the card's own order.
    pub fn best_interface(&self) -> Option<&Interface> {
        self.usable().min_by_key(|interface| interface.preference())
    }

    /// The origins that the hub may call, each once, whose control has to be proved.
    pub fn origins(&self) -> Vec<Origin> {
        let mut origins = Vec::new();
        for origin in self.usable().filter_map(|interface| Origin::of(&interface.url)) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }

    fn usable(&self) -> impl Iterator<Item = &Interface> {
        self.interfaces.iter().filter(|interface| interface.is_usable())
    }
}

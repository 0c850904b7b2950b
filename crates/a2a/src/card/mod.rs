//! Agent cards: parsing of untrusted cards, card building and signatures.
//!
//! [`Card::read`] accepts versions 1.0 and 0.3, also mixed in one document, and collects every problem with
//! its location. Displayed text is sanitized and truncated; the original bytes are retained.

mod canonical;
mod card_url;
mod gateway_card;
mod interface;
mod json_node;
mod local_card;
mod parse;
mod problem;
mod security;
mod signing;
mod skill;

use plexus_domain::{Digest, Metadata};
use url::Url;

pub use self::{
    card_url::Origin,
    gateway_card::{GatewayTerms, gateway_card, with_v03_fields},
    interface::{Binding, Interface},
    local_card::{LocalCard, with_base},
    problem::{Problem, Severity},
    security::{Credential, KeyPlace, SecurityAlternative, SecurityRequirements},
    signing::{SignError, SignatureCoverage, SignatureProblem, sign, sign_from},
    skill::Skill,
};

/// Maximum size of a card in bytes.
pub const MAX_CARD_BYTES: usize = 256 * 1024;

/// Path of a card relative to the agent's base URL (specification 1.0 section 8.2).
pub const WELL_KNOWN: &str = ".well-known/agent-card.json";

/// A valid card. Created only by [`Card::read`]: text is sanitized and truncated, URLs are `http` or `https`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Card {
    /// The original bytes.
    pub source: Vec<u8>,
    pub name: String,
    /// Multi-line; may be empty.
    pub description: String,
    /// The agent's own version; may be empty.
    pub version: String,
    pub provider: Option<Provider>,
    /// In the order of the card. At least one is usable.
    pub interfaces: Vec<Interface>,
    pub capabilities: Capabilities,
    pub skills: Vec<Skill>,
    /// Media types.
    pub input_modes: Vec<String>,
    pub output_modes: Vec<String>,
    pub security: SecurityRequirements,
    pub documentation_url: Option<Url>,
    pub icon_url: Option<Url>,
    /// As received; not verified.
    pub signatures: Vec<Signature>,
}

/// Organisation that provides the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    pub organization: String,
    pub url: Option<Url>,
}

/// Optional protocol features of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    pub streaming: bool,
    pub push_notifications: bool,
    /// True if authenticated callers can get an extended card.
    pub extended_card: bool,
    pub extensions: Vec<Extension>,
}

impl Capabilities {
    pub fn declares(&self, uri: &str) -> bool {
        self.extensions.iter().any(|extension| extension.uri == uri)
    }
}

/// A protocol extension declared by the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    pub uri: String,
    /// One line; may be empty.
    pub description: String,
    pub required: bool,
    /// As received.
    pub params: Option<Metadata>,
}

/// A JWS over the card, in the two fields of the card format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub protected: String,
    pub signature: String,
}

/// Result of parsing a card: the card if there is no error, and all problems in card order.
#[derive(Clone, Debug, PartialEq)]
pub struct CardReport {
    pub card: Option<Card>,
    pub problems: Vec<Problem>,
}

impl Card {
    /// Parses an agent card (`MAX_CARD_BYTES` at most).
    pub fn read(bytes: &[u8]) -> CardReport {
        parse::read(bytes)
    }

    /// Returns the digest that identifies this card in the database.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.source)
    }

    /// Returns the interface that the hub calls: 1.0 before 0.3, then in card order.
    pub fn best_interface(&self) -> Option<&Interface> {
        self.usable().min_by_key(|interface| interface.preference())
    }

    /// Returns the distinct origins that the hub may call. Control of them must be verified.
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

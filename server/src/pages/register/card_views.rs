//! Converts cards and origin verifications to the view models of pages.

use plexus_app::view_models::{
    agent::{Scheme, Skill},
    register::{self as model, DnsRecord, ProofMethod, ProofState},
};
use plexus_hub::agents::{
    self, Card, CardInterface, CardSkill, RegistrationKind, Severity,
    credentials::Scheme as Asked,
    origin_verification::{OriginVerification, VerificationMethod, VerificationStatus},
};
use url::Url;

pub fn origin(proof: OriginVerification) -> model::OriginProof {
    model::OriginProof {
        origin: proof.origin,
        state: match proof.status {
            VerificationStatus::Unchecked => ProofState::Unchecked,
            VerificationStatus::Verified { method: by, at } => ProofState::Proved { by: method(by), at },
            VerificationStatus::Failed { message, at } => ProofState::Failed { message, at },
        },
        file_url: proof.file_url,
        dns: proof.dns_record.map(|name| DnsRecord { name, value: proof.token.clone() }),
        file_text: proof.token,
    }
}

const fn method(by: VerificationMethod) -> ProofMethod {
    match by {
        VerificationMethod::File => ProofMethod::File,
        VerificationMethod::Dns => ProofMethod::Dns,
        VerificationMethod::Trusted => ProofMethod::Trusted,
    }
}

pub const fn way(way: RegistrationKind) -> model::RegistrationKind {
    match way {
        RegistrationKind::Card => model::RegistrationKind::Card,
        RegistrationKind::Request => model::RegistrationKind::Request,
        RegistrationKind::Model | RegistrationKind::Program | RegistrationKind::Attached => {
            model::RegistrationKind::Written
        }
    }
}

pub fn scheme(asked: Asked) -> Scheme {
    match asked {
        Asked::Bearer => Scheme::Bearer,
        Asked::ApiKey { name, .. } => Scheme::ApiKey(name),
        Asked::Basic => Scheme::Basic,
        Asked::Oauth2(oauth) => match oauth.authorization_url.or(oauth.discovery_url) {
            Some(url) => Scheme::Connect(origin_of(&url)),
            None => Scheme::Client(origin_of(&oauth.token_url)),
        },
    }
}

/// Returns the origin of a URL, which is all that the page shows of it.
fn origin_of(url: &str) -> String {
    url.parse::<Url>().map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}

pub fn problem(problem: agents::Problem) -> model::Problem {
    model::Problem {
        severity: match problem.severity {
            Severity::Error => model::Severity::Error,
            Severity::Warning => model::Severity::Warning,
        },
        place: place(&problem.pointer),
        message: problem.message,
    }
}

/// Formats a JSON pointer for readers: `/skills/2/id` becomes `skills[2].id`.
fn place(pointer: &str) -> String {
    let mut place = String::new();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            place.push_str(&format!("[{step}]"));
        } else {
            place.push_str(if place.is_empty() { "" } else { "." });
            place.push_str(&step);
        }
    }
    if place.is_empty() { "the card".to_owned() } else { place }
}

pub fn preview(seed: String, card_url: String, card: &Card) -> model::CardPreview {
    let best = card.best_interface();
    let interface = |interface: &CardInterface| model::Interface {
        url: interface.url.to_string(),
        protocol: format!("{}, A2A {}", interface.binding, interface.version),
        chosen: best == Some(interface),
    };
    model::CardPreview {
        seed,
        name: card.name.clone(),
        summary: card.description.clone(),
        version: card.version.clone(),
        provider: card.provider.as_ref().map(|provider| provider.organization.clone()),
        url: card_url,
        interfaces: card.interfaces.iter().map(interface).collect(),
        skills: card.skills.iter().map(skill).collect(),
        streaming: card.capabilities.streaming,
        scheme: agents::credentials::scheme(card).map(scheme),
        signed_by: signer(card),
    }
}

/// Returns the key that the card names, if its signature is valid.
fn signer(card: &Card) -> Option<String> {
    let key = card.claimed_signers().into_iter().find(|key| card.verify(key).is_ok())?;
    Some(key.to_string())
}

pub fn skill(skill: &CardSkill) -> Skill {
    Skill {
        name: skill.name.clone(),
        description: skill.description.clone(),
        tags: skill.tags.clone(),
        examples: skill.examples.clone(),
        inputs: skill.input_modes.clone(),
        outputs: skill.output_modes.clone(),
    }
}

/// Returns the preview of a card that cannot be used; only its URL is known.
pub fn unreadable(seed: String, card_url: String) -> model::CardPreview {
    model::CardPreview {
        seed,
        name: "This agent".to_owned(),
        summary: "Its agent card was found, but cannot be used.".to_owned(),
        version: String::new(),
        provider: None,
        url: card_url,
        interfaces: Vec::new(),
        skills: Vec::new(),
        streaming: false,
        scheme: None,
        signed_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_people_do() {
        assert_eq!(place("/skills/2/id"), "skills[2].id");
        assert_eq!(place("/a~1b"), "a/b");
        assert_eq!(place(""), "the card");
    }
}

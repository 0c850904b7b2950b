//! Agent card discovery: finds the card from any URL of an agent.

use bytes::Bytes;
use http::StatusCode;
use plexus_a2a::card::MAX_CARD_BYTES;
use plexus_domain::run::{Failure, FailureClass};
use serde::{Deserialize, de::IgnoredAny};
use url::Url;

use super::OutboundClient;

/// Paths of the card in A2A 1.0 and 0.3 (since 0.3.0), and in earlier versions.
const WELL_KNOWN: [&str; 2] = [".well-known/agent-card.json", ".well-known/agent.json"];

/// Agent card as received, with its URL.
#[derive(Clone, Debug)]
pub struct FoundCard {
    pub url: Url,
    pub body: Bytes,
}

impl OutboundClient {
    /// Fetches the agent card from `url` itself, from the well-known paths below it, then from those of its
    /// host.
    ///
    /// If none is found, the failure lists what each URL returned.
    pub async fn fetch_card(&self, url: &Url) -> Result<FoundCard, Failure> {
        let mut tried: Vec<(Url, Failure)> = Vec::new();
        for place in places(url) {
            match self.fetch_card_at(&place).await {
                Ok(card) => return Ok(card),
                Err(failure) if is_final(&failure) => return Err(failure),
                Err(failure) => tried.push((place, failure)),
            }
        }
        Err(nothing_found(&tried))
    }

    async fn fetch_card_at(&self, place: &Url) -> Result<FoundCard, Failure> {
        let fetched = self.fetch(place, MAX_CARD_BYTES).await?;
        if fetched.status != StatusCode::OK {
            return Err(Failure::new(FailureClass::Refused, format!("it answered {}", fetched.status)));
        }
        check_outline(&fetched.body)?;
        Ok(FoundCard { url: fetched.url, body: fetched.body })
    }
}

/// Returns true for failures that concern the whole host. Then no other path is tried.
fn is_final(failure: &Failure) -> bool {
    matches!(failure.class, FailureClass::Policy | FailureClass::Unreachable | FailureClass::TimedOut)
}

fn places(url: &Url) -> Vec<Url> {
    let mut places = vec![url.clone()];
    if url.path().ends_with(".json") {
        return places;
    }
    let mut folder = url.clone();
    folder.set_query(None);
    folder.set_fragment(None);
    let path = format!("{}/", folder.path().trim_end_matches('/'));
    folder.set_path(&path);
    let root = folder.join("/").ok();
    for base in [Some(folder), root].into_iter().flatten() {
        for name in WELL_KNOWN {
            places.extend(base.join(name).ok().filter(|place| !places.contains(place)));
        }
    }
    places
}

/// Fields that distinguish an agent card from other JSON. Their content is validated when the card is parsed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outline {
    name: Option<IgnoredAny>,
    url: Option<IgnoredAny>,
    skills: Option<IgnoredAny>,
    capabilities: Option<IgnoredAny>,
    supported_interfaces: Option<IgnoredAny>,
}

fn check_outline(body: &[u8]) -> Result<(), Failure> {
    let garbage = |words: String| Failure::new(FailureClass::Garbage, words);
    let outline: Outline = serde_json::from_slice(body)
        .map_err(|error| garbage(format!("it is not a JSON object ({error})")))?;
    let has_more = [&outline.url, &outline.skills, &outline.capabilities, &outline.supported_interfaces];
    if outline.name.is_some() && has_more.into_iter().any(Option::is_some) {
        return Ok(());
    }
    Err(garbage("it is JSON, but not an agent card".to_owned()))
}

fn nothing_found(tried: &[(Url, Failure)]) -> Failure {
    let class = tried.first().map_or(FailureClass::Garbage, |(_, failure)| failure.class);
    let places: Vec<String> =
        tried.iter().map(|(url, why)| format!("{url}: {}", why.message.trim_end_matches('.'))).collect();
    Failure::new(class, format!("No agent card was found. {}.", places.join("; ")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_card_is_looked_for_below_the_address_and_at_its_host() {
        let places = |url: &str| -> Vec<String> {
            super::places(&url.parse().unwrap()).iter().map(|place| place.path().to_owned()).collect()
        };
        assert_eq!(
            places("https://a.example"),
            ["/", "/.well-known/agent-card.json", "/.well-known/agent.json"]
        );
        assert_eq!(
            places("https://a.example/agents/x?q=1"),
            [
                "/agents/x",
                "/agents/x/.well-known/agent-card.json",
                "/agents/x/.well-known/agent.json",
                "/.well-known/agent-card.json",
                "/.well-known/agent.json"
            ]
        );
        assert_eq!(places("https://a.example/x/card.json"), ["/x/card.json"]);
    }
}

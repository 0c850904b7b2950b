//! Registration of an A2A agent, step by step: card, name, origin verification.

use plexus_a2a::{
    Card,
    card::{Problem, Severity},
};
use plexus_domain::{DraftId, Error as Refusal, HubRowId, Name, Timestamp, account::Role, run::Failure};
use plexus_runtime::outbound::{FoundCard, OutboundClient, PRIVATE_ADDRESS};
use plexus_store::{Conn, agents, registration_drafts};
use url::Url;

use super::{
    credentials::{self, CredentialInput, CredentialRequirement, Scheme},
    draft_secrets,
    origin_verification::{self, OriginVerification, VerificationMethod, VerificationStatus},
    registration_draft::{
        self, A2aDraft, DraftTarget, RegistrationDraft, RegistrationKind, RegistrationStep,
    },
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    limits::Rate,
};

/// Result of the first step.
pub enum CardFetchOutcome {
    Draft(DraftId),
    /// A card was found that cannot be used. Nothing is stored.
    Broken {
        card_url: String,
        problems: Vec<Problem>,
    },
}

/// Unfinished draft, as a list row.
pub struct DraftRow {
    pub id: DraftId,
    pub label: String,
    pub way: RegistrationKind,
    pub step: RegistrationStep,
    pub begun: Timestamp,
}

/// View of the second step: the fetched card.
pub struct CardStep {
    pub owner: Name,
    pub seed: String,
    pub card: Card,
    pub card_url: String,
    pub problems: Vec<Problem>,
    /// Chosen name, or the suggestion of a free one.
    pub name: String,
    pub scheme: Option<Scheme>,
    pub shared: bool,
}

/// Input of the second step.
pub struct RegistrationChoices {
    pub name: String,
    /// True for shared credentials, false for those of each user.
    pub shared: bool,
    pub given: CredentialInput,
}

/// Fetches the card at or near an address, and creates a draft with it.
pub async fn begin(hub: &Hub, caller: &Caller, address: &str) -> Result<CardFetchOutcome> {
    let person = caller.may(Scope::Agents)?;
    let url = parse(address)?;
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let outbound = outbound(hub, person);
    let found = outbound.fetch_card(&url).await.map_err(|failure| unreachable(person, failure))?;
    let remote = match read(&outbound, address, &found).await {
        Ok(remote) => remote,
        Err(problems) => return Ok(CardFetchOutcome::Broken { card_url: found.url.into(), problems }),
    };
    let mut tx = hub.store().write().await?;
    let id =
        registration_draft::begin(hub, &mut tx, person, DraftTarget::A2a(remote), RegistrationStep::Card)
            .await?;
    tx.commit().await?;
    Ok(CardFetchOutcome::Draft(id))
}

/// Returns whether private network addresses are accepted from this caller.
pub fn allows_private(hub: &Hub, caller: &Caller) -> bool {
    let is_admin = caller.person.as_ref().is_some_and(|person| person.role == Role::Admin);
    hub.outbound().allows_private(is_admin)
}

pub(super) fn outbound(hub: &Hub, person: &Person) -> OutboundClient {
    hub.outbound().anyone(person.role == Role::Admin)
}

fn parse(address: &str) -> Result<Url, Refusal> {
    let address = address.trim();
    if address.is_empty() {
        return Err(Refusal::invalid("url", "Enter the address of the agent."));
    }
    let whole = if address.contains("://") { address.to_owned() } else { format!("https://{address}") };
    whole.parse().map_err(|error| {
        Refusal::invalid(
            "url",
            format!("This is not an address: {error}. One looks like https://agents.example.org/tide."),
        )
    })
}

/// Converts a failed fetch to a validation error of the address field.
pub(super) fn unreachable(person: &Person, failure: Failure) -> Refusal {
    let mut words = failure.message;
    if words == PRIVATE_ADDRESS && person.role == Role::Admin {
        words.push_str(
            " Its operator can allow private networks with PLEXUS_ALLOW_PRIVATE_NETWORKS=true; by default \
             only administrators can use them, while the hub listens on loopback.",
        );
    }
    Refusal::invalid("url", words)
}

/// Builds the draft data from a card; otherwise returns all problems of the card.
async fn read(outbound: &OutboundClient, asked: &str, found: &FoundCard) -> Result<A2aDraft, Vec<Problem>> {
    let (card, text) = read_card(outbound, &found.body).await?;
    let checks = origin_verification::origins(&card)
        .into_iter()
        .map(|origin| (origin, VerificationStatus::Unchecked))
        .collect();
    Ok(A2aDraft {
        asked: asked.trim().to_owned(),
        card_url: found.url.to_string(),
        card: text,
        checks,
        credentials: None,
    })
}

/// Parses and validates a card. Returns it with its source text.
pub(super) async fn read_card(
    outbound: &OutboundClient,
    body: &[u8],
) -> Result<(Card, String), Vec<Problem>> {
    let reading = Card::read(body);
    let error = |message: String| Problem { severity: Severity::Error, pointer: String::new(), message };
    let Some(card) = reading.card else { return Err(reading.problems) };
    let Ok(text) = String::from_utf8(body.to_vec()) else {
        return Err(vec![error("The card is not UTF-8 text.".to_owned())]);
    };
    // The URL in the card is untrusted, even if the card itself was fetched from an allowed address (SSRF).
    let called = match card.best_interface() {
        Some(interface) => outbound.check_resolved(&interface.url).await,
        None => Ok(()),
    };
    let asked = credentials::scheme(&card).map(|scheme| check_scheme(outbound, &scheme));
    if let Some(Err(words)) = asked {
        return Err([reading.problems, vec![error(words)]].concat());
    }
    match called {
        Err(failure) => {
            let place = card.best_interface().map(|interface| interface.url.to_string()).unwrap_or_default();
            let message = format!("The hub cannot call {place}. {}", failure.message);
            Err([reading.problems, vec![error(message)]].concat())
        }
        Ok(()) => Ok((card, text)),
    }
}

/// Checks whether the hub may call the authorization server that an agent names (SSRF).
pub(super) fn check_scheme(outbound: &OutboundClient, scheme: &Scheme) -> Result<(), String> {
    let Scheme::Oauth2(oauth) = scheme else { return Ok(()) };
    for text in oauth.urls() {
        let url: Url = text.parse().map_err(|error| format!("{text} cannot be used: {error}."))?;
        outbound.check(&url).map_err(|failure| {
            format!("The agent requires a token from {text}, which this hub cannot call. {}", failure.message)
        })?;
    }
    Ok(())
}

/// Returns the caller's unfinished drafts, newest first.
pub async fn list(hub: &Hub, caller: &Caller) -> Result<Vec<DraftRow>> {
    let person = caller.may(Scope::Agents)?;
    let open = registration_draft::list_in(&mut hub.store().read().await?, person).await?;
    let row = |draft: RegistrationDraft| DraftRow {
        label: match &draft.data.what {
            DraftTarget::A2a(remote) => remote.asked.clone(),
            DraftTarget::Llm(written) => written.filled.title.clone(),
            DraftTarget::Process(described) => described.about.title.clone(),
            DraftTarget::Http(prepared) => prepared.about.title.clone(),
            DraftTarget::Attached(about) => about.title.clone(),
        },
        id: draft.id,
        way: draft.way(),
        step: draft.step,
        begun: draft.begun,
    };
    Ok(open
        .into_iter()
        .filter(|draft| hub.env().now().since(draft.begun) < registration_draft::RETENTION)
        .map(row)
        .collect())
}

/// Deletes an unfinished draft with all its data.
pub async fn discard(hub: &Hub, caller: &Caller, id: DraftId) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    registration_drafts::delete(&mut tx, person.account, id).await?;
    Ok(tx.commit().await?)
}

pub async fn card(hub: &Hub, caller: &Caller, id: DraftId) -> Result<CardStep> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().read().await?;
    let draft = registration_draft::load(hub, &mut conn, person, id).await?;
    let remote = draft.remote()?;
    let card = remote.read()?;
    let name = match &draft.data.name {
        Some(name) => name.to_string(),
        None => free_name(&mut conn, person, &card).await?,
    };
    Ok(CardStep {
        owner: person.name.clone(),
        seed: draft.seed(),
        problems: Card::read(remote.card.as_bytes()).problems,
        card_url: remote.card_url.clone(),
        name,
        scheme: credentials::scheme(&card),
        shared: remote.credentials.as_ref().is_some_and(|kept| kept.shared),
        card,
    })
}

/// Saves the agent's name and its credentials.
pub async fn save_choices(
    hub: &Hub,
    caller: &Caller,
    id: DraftId,
    choice: RegistrationChoices,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = choice.name.trim().parse()?;
    let mut tx = hub.store().write().await?;
    let mut draft = registration_draft::load(hub, &mut tx, person, id).await?;
    if draft.step == RegistrationStep::Done {
        return Ok(());
    }
    ensure_name_free(&mut tx, person, &name).await?;
    let agent = draft.data.agent;
    let remote = draft.remote_mut()?;
    let asks = CredentialRequirement::of_card(&remote.read()?);
    let (asks, before) = (asks.as_ref().and_then(CredentialRequirement::some), remote.credentials.take());
    remote.credentials = draft_secrets::store_secret(hub, person, agent, asks, before, &choice)?;
    draft.data.name = Some(name);
    draft.step = draft.step.max(RegistrationStep::Proof);
    draft.save(hub, &mut tx, person).await?;
    Ok(tx.commit().await?)
}

/// Returns the third step: the verification status of each origin, and how to verify it.
pub async fn origins(hub: &Hub, caller: &Caller, id: DraftId) -> Result<Vec<OriginVerification>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().read().await?;
    let draft =
        registration_draft::load(hub, &mut conn, person, id).await?.reached(RegistrationStep::Proof)?;
    let token = origin_verification::token(&mut conn, draft.data.agent).await?;
    let checks = origin_verification::apply_trusted_origins(&mut conn, draft.checks()).await?;
    Ok(checks
        .into_iter()
        .map(|(origin, check)| origin_verification::describe(&origin, check, &token))
        .collect())
}

/// Returns the kind of the registered agent.
pub async fn way(hub: &Hub, caller: &Caller, id: DraftId) -> Result<RegistrationKind> {
    let person = caller.may(Scope::Agents)?;
    Ok(registration_draft::load(hub, &mut hub.store().read().await?, person, id).await?.way())
}

/// Verifies each origin that is not verified yet.
pub async fn verify_origins(hub: &Hub, caller: &Caller, id: DraftId) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let asked = origins(hub, caller, id).await?;
    let outbound = outbound(hub, person);
    for proof in asked.into_iter().filter(|proof| !proof.status.is_verified()) {
        let check = origin_verification::check(hub, &outbound, &proof.origin, &proof.token).await;
        note(hub, person, id, &proof.origin, check).await?;
    }
    Ok(())
}

/// Marks an origin of the draft as trusted. Only for administrators.
pub async fn trust_origin(hub: &Hub, caller: &Caller, id: DraftId, origin: &str) -> Result<()> {
    let person = caller.require(Role::Admin)?;
    let at = hub.env().now();
    note(hub, person, id, origin, VerificationStatus::Verified { method: VerificationMethod::Trusted, at })
        .await
}

async fn note(
    hub: &Hub,
    person: &Person,
    id: DraftId,
    origin: &str,
    found: VerificationStatus,
) -> Result<()> {
    let mut tx = hub.store().write().await?;
    let mut draft =
        registration_draft::load(hub, &mut tx, person, id).await?.reached(RegistrationStep::Proof)?;
    if draft.step == RegistrationStep::Done {
        return Ok(());
    }
    let unknown = || Refusal::invalid("origin", "The agent is not called at this address.");
    let known = draft.checks_mut().iter_mut().find(|(known, _)| known == origin);
    known.ok_or_else(unknown)?.1 = found;
    draft.save(hub, &mut tx, person).await?;
    Ok(tx.commit().await?)
}

/// Continues to the next step, also without verification.
pub async fn continue_unverified(hub: &Hub, caller: &Caller, id: DraftId) -> Result<()> {
    advance(hub, caller, id, RegistrationStep::Proof, RegistrationStep::Publish).await
}

/// Completes step `from` and moves on to `to`. An HTTP endpoint gets the test step before that.
pub(super) async fn advance(
    hub: &Hub,
    caller: &Caller,
    id: DraftId,
    from: RegistrationStep,
    to: RegistrationStep,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    let mut draft = registration_draft::load(hub, &mut tx, person, id).await?.reached(from)?;
    let next = if from < RegistrationStep::Try && draft.way() == RegistrationKind::Request {
        RegistrationStep::Try
    } else {
        to
    };
    draft.step = draft.step.max(next);
    draft.save(hub, &mut tx, person).await?;
    Ok(tx.commit().await?)
}

pub(super) async fn ensure_name_free(conn: &mut Conn, person: &Person, name: &Name) -> Result<()> {
    if is_free(conn, person, name).await? { Ok(()) } else { Err(taken().into()) }
}

pub(super) fn taken() -> Refusal {
    Refusal::invalid("name", "You already have or had an agent with this name. Choose another.")
}

async fn is_free(conn: &mut Conn, person: &Person, name: &Name) -> Result<bool> {
    Ok(agents::by_address(conn, HubRowId::SELF, &person.name, name).await?.is_none())
}

/// Derives a name from the card that the user has not used yet.
async fn free_name(conn: &mut Conn, person: &Person, card: &Card) -> Result<String> {
    const TRIES: u32 = 20;
    let base = slug(&card.name);
    for number in 1..=TRIES {
        let name = if number == 1 { base.clone() } else { numbered(&base, number) };
        if let Ok(name) = name.parse::<Name>()
            && is_free(conn, person, &name).await?
        {
            return Ok(name.to_string());
        }
    }
    Ok(base)
}

fn numbered(base: &str, number: u32) -> String {
    let end = format!("-{number}");
    let kept: String = base.chars().take(Name::MAX - end.len()).collect();
    format!("{}{end}", kept.trim_end_matches(['-', '_']))
}

/// Converts a card title to a name of lower-case letters and digits.
fn slug(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    name.truncate(Name::MAX);
    let name = name.trim_end_matches('-');
    if name.is_empty() { "agent".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_gives_its_agent_a_name() {
        for (title, name) in [
            ("Tide Clerk", "tide-clerk"),
            ("  Über-Agent (v2)! ", "ber-agent-v2"),
            ("潮の書記", "agent"),
            ("a--b__c", "a-b-c"),
            (&"x".repeat(80), &"x".repeat(39)),
            (&format!("{} y", "x".repeat(38)), &"x".repeat(38)),
        ] {
            assert_eq!(slug(title), *name, "{title}");
            assert!(slug(title).parse::<Name>().is_ok());
        }
        assert_eq!(numbered("tide-clerk", 2), "tide-clerk-2");
        assert!(numbered(&"x".repeat(39), 12).parse::<Name>().is_ok());
    }

    #[test]
    fn an_address_is_taken_as_people_type_it() {
        assert_eq!(parse(" agents.example.org/tide ").unwrap().as_str(), "https://agents.example.org/tide");
        assert_eq!(parse("http://127.0.0.1:9/").unwrap().as_str(), "http://127.0.0.1:9/");
        for bad in ["", "  ", "javascript:alert(1)", "https://"] {
            assert_eq!(parse(bad).unwrap_err().field(), Some("url"), "{bad}");
        }
    }
}

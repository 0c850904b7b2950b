//! Registration drafts: the data of a registration until the agent is
//! published. A draft expires after a week.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use plexus_a2a::Card;
use plexus_domain::{
    Address, AgentId, DraftId, Error as Refusal, Name, Timestamp, agent::http_endpoint::EndpointTemplate,
};
use plexus_store::{Conn, Tx, registration_drafts, registration_drafts::Draft as Row};
use serde::{Deserialize, Serialize};

use super::{
    model_agent::ModelAgentForm, origin_verification::VerificationStatus, profile::AgentProfile,
    program_agent::ProgramAgentForm, register_a2a, test_call::TestCallResult,
};
use crate::{
    Error, Hub, Result,
    caller::Person,
    keys::{AgentIdentity, ReservedIdentity},
    quotas,
};

pub(super) const RETENTION: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Registration draft of one user.
pub(super) struct RegistrationDraft {
    pub id: DraftId,
    pub data: Data,
    pub step: RegistrationStep,
    pub begun: Timestamp,
}

/// Next step of the registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegistrationStep {
    Card,
    Proof,
    Try,
    Publish,
    /// The agent is published.
    Done,
}

/// Kind of the registered agent, which determines the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationKind {
    /// Agent with an A2A card.
    Card,
    /// HTTP endpoint called by a request template.
    Request,
    /// Model with instructions.
    Model,
    /// Program configured by the operator.
    Program,
    /// Program on its owner's machine.
    Attached,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Data {
    /// Future id of the agent. The verification of its origins is bound to it.
    pub agent: AgentId,
    /// Reserved identity, so that the agent's icon stays the same after publishing.
    /// `None` in drafts of older hubs.
    identity: Option<ReservedIdentity>,
    pub name: Option<Name>,
    pub what: DraftTarget,
}

/// Data of the agent by kind.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum DraftTarget {
    A2a(A2aDraft),
    Llm(Written),
    Http(Box<EndpointDraft>),
    Process(ProgramAgentForm),
    Attached(AgentProfile),
}

/// Model with instructions: the filled form.
#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    #[serde(flatten)]
    pub filled: ModelAgentForm,
    /// Credentials for its tool servers.
    #[serde(default)]
    pub credentials: Option<DraftSecret>,
    /// Tools of its servers that cannot be used, each with the reason.
    #[serde(default)]
    pub omitted_tools: Vec<String>,
}

/// HTTP endpoint: the filled form and the state of its steps.
#[derive(Serialize, Deserialize)]
pub(super) struct EndpointDraft {
    pub about: AgentProfile,
    pub template: EndpointTemplate,
    /// Verification status by origin.
    pub checks: Vec<(String, VerificationStatus)>,
    pub credentials: Option<DraftSecret>,
    pub tried: Option<TestCallResult>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct A2aDraft {
    /// Address as the user entered it.
    pub asked: String,
    pub card_url: String,
    /// Card as received.
    pub card: String,
    /// Verification status by origin.
    pub checks: Vec<(String, VerificationStatus)>,
    pub credentials: Option<DraftSecret>,
}

/// Encrypted credentials of a draft.
#[derive(Serialize, Deserialize)]
pub(super) struct DraftSecret {
    // The alias is the name in drafts stored before 0.1.
    #[serde(alias = "for_everybody")]
    pub shared: bool,
    /// Base64.
    sealed: String,
}

impl DraftSecret {
    pub fn new(shared: bool, sealed: &[u8]) -> Self {
        Self { shared, sealed: BASE64.encode(sealed) }
    }

    pub fn sealed(&self) -> Result<Vec<u8>> {
        BASE64.decode(&self.sealed).map_err(Error::fault)
    }
}

impl RegistrationStep {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Proof => "proof",
            Self::Try => "try",
            Self::Publish => "publish",
            Self::Done => "done",
        }
    }

    fn parse(text: &str) -> Result<Self> {
        [Self::Card, Self::Proof, Self::Try, Self::Publish, Self::Done]
            .into_iter()
            .find(|step| step.as_str() == text)
            .ok_or_else(|| Error::Fault(anyhow::anyhow!("a draft is at the step {text}")))
    }
}

impl RegistrationDraft {
    /// Returns the future address of the agent; `None` before its name is chosen.
    pub fn address(&self, person: &Person) -> Option<Address> {
        Some(Address::local(person.name.clone(), self.data.name.clone()?))
    }

    /// Returns the seed from which the agent's icon is drawn.
    pub fn seed(&self) -> String {
        self.data.identity.as_ref().map_or_else(|| self.data.agent.to_string(), |it| it.listing.clone())
    }

    pub fn identity(&self, hub: &Hub) -> Result<AgentIdentity> {
        match &self.data.identity {
            Some(reserved) => reserved.take_up(hub, self.data.agent),
            None => AgentIdentity::new(hub, hub.env().now()),
        }
    }

    /// Returns the display name of the agent.
    pub fn title(&self) -> Result<String> {
        match &self.data.what {
            DraftTarget::A2a(remote) => Ok(remote.read()?.name),
            DraftTarget::Llm(written) => Ok(written.filled.title.clone()),
            DraftTarget::Http(prepared) => Ok(prepared.about.title.clone()),
            DraftTarget::Process(described) => Ok(described.about.title.clone()),
            DraftTarget::Attached(about) => Ok(about.title.clone()),
        }
    }

    pub const fn way(&self) -> RegistrationKind {
        match &self.data.what {
            DraftTarget::A2a(_) => RegistrationKind::Card,
            DraftTarget::Llm(_) => RegistrationKind::Model,
            DraftTarget::Http(_) => RegistrationKind::Request,
            DraftTarget::Process(_) => RegistrationKind::Program,
            DraftTarget::Attached(_) => RegistrationKind::Attached,
        }
    }

    /// Returns the verification status of the origins that the hub will call; empty if
    /// the hub runs the agent itself.
    pub fn checks(&self) -> &[(String, VerificationStatus)] {
        match &self.data.what {
            DraftTarget::A2a(remote) => &remote.checks,
            DraftTarget::Http(prepared) => &prepared.checks,
            DraftTarget::Llm(_) | DraftTarget::Process(_) | DraftTarget::Attached(_) => &[],
        }
    }

    pub fn checks_mut(&mut self) -> &mut [(String, VerificationStatus)] {
        match &mut self.data.what {
            DraftTarget::A2a(remote) => &mut remote.checks,
            DraftTarget::Http(prepared) => &mut prepared.checks,
            DraftTarget::Llm(_) | DraftTarget::Process(_) | DraftTarget::Attached(_) => &mut [],
        }
    }

    pub fn remote(&self) -> Result<&A2aDraft> {
        match &self.data.what {
            DraftTarget::A2a(remote) => Ok(remote),
            _ => Err(out_of_turn().into()),
        }
    }

    pub fn remote_mut(&mut self) -> Result<&mut A2aDraft> {
        match &mut self.data.what {
            DraftTarget::A2a(remote) => Ok(remote),
            _ => Err(out_of_turn().into()),
        }
    }

    /// Fails if the draft has not reached `step`.
    pub fn reached(self, step: RegistrationStep) -> Result<Self> {
        if self.step >= step { Ok(self) } else { Err(out_of_turn().into()) }
    }

    fn row(&self, hub: &Hub, person: &Person) -> Result<Row> {
        Ok(Row {
            id: self.id,
            account: person.account,
            step: self.step.as_str().to_owned(),
            data: serde_json::to_value(&self.data).map_err(Error::fault)?,
            expires_at: hub.env().now() + RETENTION,
        })
    }

    pub async fn save(&self, hub: &Hub, tx: &mut Tx, person: &Person) -> Result<()> {
        registration_drafts::set_step(tx, &self.row(hub, person)?).await?;
        Ok(())
    }
}

impl A2aDraft {
    /// Parses the card. Only cards without errors are stored in drafts.
    pub fn read(&self) -> Result<Card> {
        let missing = || Error::Fault(anyhow::anyhow!("a draft has a card that cannot be read"));
        Card::read(self.card.as_bytes()).card.ok_or_else(missing)
    }
}

pub(super) fn out_of_turn() -> Refusal {
    Refusal::conflict("A previous step is not complete. Go back to it.")
}

/// Stores a new draft. If the user has a draft for the same thing, that one is reset instead, so that
/// submitting the first form twice is idempotent.
pub(super) async fn begin(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    what: DraftTarget,
    step: RegistrationStep,
) -> Result<DraftId> {
    let now = hub.env().now();
    registration_drafts::delete_expired(tx, now).await?;
    let open = list_in(tx, person).await?;
    if let Some(mut known) = open.into_iter().find(|draft| draft.is_same(&what)) {
        known.data.what = what;
        known.step = step;
        known.save(hub, tx, person).await?;
        return Ok(known.id);
    }
    quotas::check_draft(hub, tx, person).await?;
    let agent = hub.env().id(AgentId::new);
    let identity = Some(AgentIdentity::derive(hub, tx, now).await?.reserve(hub, agent)?);
    let data = Data { agent, identity, name: None, what };
    let draft = RegistrationDraft { id: hub.env().id(DraftId::new), data, step, begun: now };
    registration_drafts::insert(tx, &draft.row(hub, person)?).await?;
    Ok(draft.id)
}

/// Creates a draft that only has to be published. Fails if the name is taken.
pub(super) async fn begin_named(
    hub: &Hub,
    person: &Person,
    name: Name,
    what: DraftTarget,
) -> Result<DraftId> {
    let mut tx = hub.store().write().await?;
    register_a2a::ensure_name_free(&mut tx, person, &name).await?;
    let id = begin(hub, &mut tx, person, what, RegistrationStep::Publish).await?;
    let mut draft = load(hub, &mut tx, person, id).await?;
    draft.data.name = Some(name);
    draft.save(hub, &mut tx, person).await?;
    tx.commit().await?;
    Ok(id)
}

impl RegistrationDraft {
    fn is_same(&self, what: &DraftTarget) -> bool {
        match (&self.data.what, what) {
            (DraftTarget::A2a(one), DraftTarget::A2a(other)) => one.card_url == other.card_url,
            (DraftTarget::Llm(one), DraftTarget::Llm(other)) => one.filled == other.filled,
            (DraftTarget::Process(one), DraftTarget::Process(other)) => one == other,
            (DraftTarget::Attached(one), DraftTarget::Attached(other)) => one == other,
            (DraftTarget::Http(one), DraftTarget::Http(other)) => {
                one.about.title == other.about.title && one.template == other.template
            }
            _ => false,
        }
    }
}

pub(super) async fn load(
    hub: &Hub,
    conn: &mut Conn,
    person: &Person,
    id: DraftId,
) -> Result<RegistrationDraft> {
    let gone = || Refusal::not_found("Registration not found. Unfinished registrations expire after a week.");
    let row = registration_drafts::find(conn, person.account, id).await?;
    let row = row.filter(|row| hub.env().now() < row.expires_at).ok_or_else(gone)?;
    parse(row)
}

/// Returns the unfinished drafts of a user, newest first.
pub(super) async fn list_in(conn: &mut Conn, person: &Person) -> Result<Vec<RegistrationDraft>> {
    let rows = registration_drafts::list_by_account(conn, person.account).await?;
    let open: Result<Vec<RegistrationDraft>> = rows.into_iter().map(parse).collect();
    Ok(open?.into_iter().filter(|draft| draft.step != RegistrationStep::Done).collect())
}

fn parse(row: Row) -> Result<RegistrationDraft> {
    Ok(RegistrationDraft {
        id: row.id,
        step: RegistrationStep::parse(&row.step)?,
        data: serde_json::from_value(row.data).map_err(Error::fault)?,
        begun: row.expires_at - RETENTION,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_stored_under_an_earlier_name_can_be_read() {
        let stored = json!({ "for_everybody": true, "sealed": "AQI=" });
        let read: DraftSecret = serde_json::from_value(stored).unwrap();
        assert!(read.shared);
        assert_eq!(read.sealed().unwrap(), [1, 2]);
        assert_eq!(serde_json::to_value(&read).unwrap(), json!({ "shared": true, "sealed": "AQI=" }));
    }
}

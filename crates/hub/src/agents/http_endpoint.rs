//! HTTP endpoint agents: registered with a request template, tested, published, edited later.

use plexus_domain::{
    Address, DraftId, Error as Refusal, Name,
    agent::{
        Connector,
        http_endpoint::{EndpointRequestSpec, EndpointTemplate},
    },
};
use plexus_store::{Tx, agent_versions as rows, agents::Agent};
use url::Url;

use super::{
    credentials::CredentialRequirement,
    draft_secrets, manage,
    origin_verification::VerificationStatus,
    profile::AgentProfile,
    register_a2a::{self, RegistrationChoices},
    registration_draft::{self, DraftTarget, EndpointDraft, RegistrationDraft, RegistrationStep},
    versions::{self, NewVersion},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    limits::Rate,
};

/// Endpoint form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointForm {
    pub about: AgentProfile,
    pub request: EndpointRequestSpec,
}

/// Creates the registration draft of an endpoint. The next step is origin verification.
pub async fn describe(
    hub: &Hub,
    caller: &Caller,
    choice: RegistrationChoices,
    filled: EndpointForm,
) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = choice.name.trim().parse()?;
    let (about, template) = checked(hub, person, filled)?;
    let asks = CredentialRequirement::of_template(&template)?;
    let checks = vec![(asks.origin.clone(), VerificationStatus::Unchecked)];
    let prepared = EndpointDraft { about, template, checks, credentials: None, tried: None };
    let mut tx = hub.store().write().await?;
    register_a2a::ensure_name_free(&mut tx, person, &name).await?;
    let id = registration_draft::begin(
        hub,
        &mut tx,
        person,
        DraftTarget::Http(Box::new(prepared)),
        RegistrationStep::Proof,
    )
    .await?;
    let mut draft = registration_draft::load(hub, &mut tx, person, id).await?;
    draft.data.name = Some(name);
    let agent = draft.data.agent;
    prepared_mut(&mut draft)?.credentials =
        draft_secrets::store_secret(hub, person, agent, asks.some(), None, &choice)?;
    draft.save(hub, &mut tx, person).await?;
    tx.commit().await?;
    Ok(id)
}

/// Form of an unfinished draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointDraftForm {
    pub name: Option<Name>,
    pub endpoint: EndpointForm,
    /// True if shared credentials are used or none are needed; false if each user enters their own.
    pub shared: bool,
}

pub async fn described(hub: &Hub, caller: &Caller, id: DraftId) -> Result<EndpointDraftForm> {
    let person = caller.may(Scope::Agents)?;
    let draft = registration_draft::load(hub, &mut hub.store().read().await?, person, id).await?;
    let prepared = prepared(&draft)?;
    let request: EndpointRequestSpec = prepared.template.clone().into();
    let given = prepared.credentials.as_ref();
    Ok(EndpointDraftForm {
        name: draft.data.name.clone(),
        shared: request.auth.is_none() || given.is_some_and(|kept| kept.shared),
        endpoint: EndpointForm { about: prepared.about.clone(), request },
    })
}

/// Changes the draft. Verification is retained if the origin stays the same, and credentials if
/// the requirement stays the same.
pub async fn describe_again(
    hub: &Hub,
    caller: &Caller,
    id: DraftId,
    choice: RegistrationChoices,
    filled: EndpointForm,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = choice.name.trim().parse()?;
    let (about, template) = checked(hub, person, filled)?;
    let mut tx = hub.store().write().await?;
    let mut draft = registration_draft::load(hub, &mut tx, person, id).await?;
    if draft.step == RegistrationStep::Done {
        return Err(registration_draft::out_of_turn().into());
    }
    register_a2a::ensure_name_free(&mut tx, person, &name).await?;
    let agent = draft.data.agent;
    let prepared = prepared_mut(&mut draft)?;
    let (before, asks) = (
        CredentialRequirement::of_template(&prepared.template)?,
        CredentialRequirement::of_template(&template)?,
    );
    let credentials = prepared.credentials.take().filter(|_| before == asks);
    let credentials = draft_secrets::store_secret(hub, person, agent, asks.some(), credentials, &choice)?;
    let mut checks = std::mem::take(&mut prepared.checks);
    if before.origin != asks.origin {
        checks = vec![(asks.origin.clone(), VerificationStatus::Unchecked)];
    }
    *prepared = EndpointDraft { about, template, checks, credentials, tried: None };
    (draft.data.name, draft.step) = (Some(name), RegistrationStep::Proof);
    draft.save(hub, &mut tx, person).await?;
    Ok(tx.commit().await?)
}

/// Validates the form. The URL must be one that the hub may call for this user.
fn checked(hub: &Hub, person: &Person, filled: EndpointForm) -> Result<(AgentProfile, EndpointTemplate)> {
    let template = EndpointTemplate::from_entered(filled.request)?;
    let url: Url = template
        .request()
        .url
        .parse()
        .map_err(|error| Refusal::invalid("url", format!("This address cannot be used: {error}.")))?;
    let outbound = register_a2a::outbound(hub, person);
    outbound.check(&url).map_err(|failure| register_a2a::unreachable(person, failure))?;
    let asked =
        template.request().auth.as_ref().map_or(Ok(()), |auth| register_a2a::check_scheme(&outbound, auth));
    asked.map_err(|words| Refusal::invalid("token_url", words))?;
    Ok((filled.about.checked()?, template))
}

pub(super) fn prepared(draft: &RegistrationDraft) -> Result<&EndpointDraft> {
    match &draft.data.what {
        DraftTarget::Http(prepared) => Ok(prepared),
        _ => Err(registration_draft::out_of_turn().into()),
    }
}

pub(super) fn prepared_mut(draft: &mut RegistrationDraft) -> Result<&mut EndpointDraft> {
    match &mut draft.data.what {
        DraftTarget::Http(prepared) => Ok(prepared),
        _ => Err(registration_draft::out_of_turn().into()),
    }
}

/// Returns the current form of an agent that the caller may edit; `None` if it is no HTTP endpoint.
pub async fn endpoint(hub: &Hub, caller: &Caller, address: &Address) -> Result<Option<EndpointForm>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::agent_owned_by(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let Connector::Http { request } = version.connector else { return Ok(None) };
    Ok(Some(EndpointForm { about: AgentProfile::of(&card), request: (*request).into() }))
}

/// Adds a version with the new form, used from the next run on. A new origin must be verified and does
/// not receive the old credentials.
pub async fn rewrite(hub: &Hub, caller: &Caller, address: &Address, filled: EndpointForm) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::AgentChanges, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let agent = manage::agent_owned_by(&mut tx, person, address).await?;
    let (about, template) = checked(hub, person, filled)?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let elsewhere = || Refusal::conflict("This agent is not an HTTP endpoint agent.");
    let Connector::Http { request } = &version.connector else { return Err(elsewhere().into()) };
    if **request == template && AgentProfile::of(&card) == about {
        return Ok(());
    }
    let (before, after) =
        (CredentialRequirement::of_template(request)?, CredentialRequirement::of_template(&template)?);
    let origins = [after.origin.clone()];
    let secret = version.secret.filter(|_| before == after);
    let (number, card) = numbered(hub, &mut tx, &agent, &about, false).await?;
    let connector = Connector::Http { request: Box::new(template) };
    let pinned = NewVersion { card: &card, connector, secret, wanted: &number };
    manage::replace(hub, tx, &agent, pinned, &origins).await
}

/// Adds the first version.
pub(super) async fn add(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: &Agent,
    prepared: &EndpointDraft,
) -> Result<()> {
    let secret =
        draft_secrets::transfer_secret(hub, tx, person, agent.id, prepared.credentials.as_ref()).await?;
    let (number, card) = numbered(hub, tx, agent, &prepared.about, false).await?;
    let connector = Connector::Http { request: Box::new(prepared.template.clone()) };
    versions::add(hub, tx, agent.id, NewVersion { card: &card, connector, secret, wanted: &number }).await?;
    draft_secrets::put_checks(hub, tx, person, agent.id, &prepared.checks).await
}

/// Returns the next version number and a card with it.
pub(super) async fn numbered(
    hub: &Hub,
    tx: &mut Tx,
    agent: &Agent,
    about: &AgentProfile,
    reads_images: bool,
) -> Result<(String, Vec<u8>)> {
    let known = rows::list_by_agent(tx, agent.id).await?;
    let used: Vec<&str> = known.iter().map(|version| version.semver.as_str()).collect();
    let number = versions::next_number(&used, "");
    let card = about.card(hub, agent, &number, reads_images)?;
    Ok((number, card))
}

//! HTTP endpoint agents: registered with a request template, tested, published, edited later.

use plexus_domain::{
    Address, DraftId, Error as Refusal, Name,
    agent::{
        Connector,
        http::{Request, Template},
    },
};
use plexus_store::{Tx, agents::Agent, versions as rows};
use url::Url;

use super::{
    about::About,
    credentials::Asks,
    draft::{self, Draft, Prepared, Step, What},
    kept, manage,
    proofs::Check,
    register::{self, Choice},
    versions::{self, Pinned},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    limits::Rate,
};

/// Endpoint form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    pub about: About,
    pub request: Request,
}

/// Creates the registration draft of an endpoint. The next step is origin verification.
pub async fn describe(hub: &Hub, caller: &Caller, choice: Choice, filled: Endpoint) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = choice.name.trim().parse()?;
    let (about, template) = checked(hub, person, filled)?;
    let asks = Asks::of_template(&template)?;
    let checks = vec![(asks.origin.clone(), Check::Never)];
    let prepared = Prepared { about, template, checks, credentials: None, tried: None };
    let mut tx = hub.store().write().await?;
    register::check_free(&mut tx, person, &name).await?;
    let id = draft::begin(hub, &mut tx, person, What::Http(Box::new(prepared)), Step::Proof).await?;
    let mut draft = draft::load(hub, &mut tx, person, id).await?;
    draft.data.name = Some(name);
    let agent = draft.data.agent;
    prepared_mut(&mut draft)?.credentials = kept::keep(hub, person, agent, asks.some(), None, &choice)?;
    draft.save(hub, &mut tx, person).await?;
    tx.commit().await?;
    Ok(id)
}

/// Form of an unfinished draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    pub name: Option<Name>,
    pub endpoint: Endpoint,
    /// True if shared credentials are used or none are needed; false if each user enters their own.
    pub for_everybody: bool,
}

pub async fn described(hub: &Hub, caller: &Caller, id: DraftId) -> Result<Unfinished> {
    let person = caller.may(Scope::Agents)?;
    let draft = draft::load(hub, &mut hub.store().read().await?, person, id).await?;
    let prepared = prepared(&draft)?;
    let request: Request = prepared.template.clone().into();
    let given = prepared.credentials.as_ref();
    Ok(Unfinished {
        name: draft.data.name.clone(),
        for_everybody: request.auth.is_none() || given.is_some_and(|kept| kept.for_everybody),
        endpoint: Endpoint { about: prepared.about.clone(), request },
    })
}

/// Changes the draft. Verification is retained if the origin stays the same, and credentials if
/// the requirement stays the same.
pub async fn describe_again(
    hub: &Hub,
    caller: &Caller,
    id: DraftId,
    choice: Choice,
    filled: Endpoint,
) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = choice.name.trim().parse()?;
    let (about, template) = checked(hub, person, filled)?;
    let mut tx = hub.store().write().await?;
    let mut draft = draft::load(hub, &mut tx, person, id).await?;
    if draft.step == Step::Done {
        return Err(draft::out_of_turn().into());
    }
    register::check_free(&mut tx, person, &name).await?;
    let agent = draft.data.agent;
    let prepared = prepared_mut(&mut draft)?;
    let (before, asks) = (Asks::of_template(&prepared.template)?, Asks::of_template(&template)?);
    let credentials = prepared.credentials.take().filter(|_| before == asks);
    let credentials = kept::keep(hub, person, agent, asks.some(), credentials, &choice)?;
    let mut checks = std::mem::take(&mut prepared.checks);
    if before.origin != asks.origin {
        checks = vec![(asks.origin.clone(), Check::Never)];
    }
    *prepared = Prepared { about, template, checks, credentials, tried: None };
    (draft.data.name, draft.step) = (Some(name), Step::Proof);
    draft.save(hub, &mut tx, person).await?;
    Ok(tx.commit().await?)
}

/// Validates the form. The URL must be one that the hub may call for this user.
fn checked(hub: &Hub, person: &Person, filled: Endpoint) -> Result<(About, Template)> {
    let template = Template::try_from(filled.request)?;
    let url: Url = template
        .request()
        .url
        .parse()
        .map_err(|error| Refusal::invalid("url", format!("This address cannot be used: {error}.")))?;
    let outbound = register::outbound(hub, person);
    outbound.check(&url).map_err(|failure| register::unreachable(person, failure))?;
    let asked =
        template.request().auth.as_ref().map_or(Ok(()), |auth| register::check_scheme(&outbound, auth));
    asked.map_err(|words| Refusal::invalid("token_url", words))?;
    Ok((filled.about.checked()?, template))
}

pub(super) fn prepared(draft: &Draft) -> Result<&Prepared> {
    match &draft.data.what {
        What::Http(prepared) => Ok(prepared),
        _ => Err(draft::out_of_turn().into()),
    }
}

pub(super) fn prepared_mut(draft: &mut Draft) -> Result<&mut Prepared> {
    match &mut draft.data.what {
        What::Http(prepared) => Ok(prepared),
        _ => Err(draft::out_of_turn().into()),
    }
}

/// Returns the current form of an agent that the caller may edit; `None` if it is no HTTP endpoint.
pub async fn endpoint(hub: &Hub, caller: &Caller, address: &Address) -> Result<Option<Endpoint>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::owned(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    let Connector::Http { request } = version.connector else { return Ok(None) };
    Ok(Some(Endpoint { about: About::of(&card), request: (*request).into() }))
}

/// Adds a version with the new form, used from the next run on. A new origin must be verified and does
/// not receive the old credentials.
pub async fn rewrite(hub: &Hub, caller: &Caller, address: &Address, filled: Endpoint) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    hub.limits().take(Rate::Changes, &caller.key())?;
    let mut tx = hub.store().write().await?;
    let agent = manage::owned(&mut tx, person, address).await?;
    let (about, template) = checked(hub, person, filled)?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let elsewhere = || Refusal::conflict("This agent is no endpoint that is called by a request.");
    let Connector::Http { request } = &version.connector else { return Err(elsewhere().into()) };
    if **request == template && About::of(&card) == about {
        return Ok(());
    }
    let (before, after) = (Asks::of_template(request)?, Asks::of_template(&template)?);
    let origins = [after.origin.clone()];
    let secret = version.secret.filter(|_| before == after);
    let (number, card) = numbered(hub, &mut tx, &agent, &about).await?;
    let connector = Connector::Http { request: Box::new(template) };
    let pinned = Pinned { card: &card, connector, secret, wanted: &number };
    manage::replace(hub, tx, &agent, pinned, &origins).await
}

/// Adds the first version.
pub(super) async fn add(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: &Agent,
    prepared: &Prepared,
) -> Result<()> {
    let secret = kept::take_up(hub, tx, person, agent.id, prepared.credentials.as_ref()).await?;
    let (number, card) = numbered(hub, tx, agent, &prepared.about).await?;
    let connector = Connector::Http { request: Box::new(prepared.template.clone()) };
    versions::add(hub, tx, agent.id, Pinned { card: &card, connector, secret, wanted: &number }).await?;
    kept::put_checks(hub, tx, person, agent.id, &prepared.checks).await
}

/// Returns the next version number and a card with it.
pub(super) async fn numbered(
    hub: &Hub,
    tx: &mut Tx,
    agent: &Agent,
    about: &About,
) -> Result<(String, Vec<u8>)> {
    let known = rows::list_by_agent(tx, agent.id).await?;
    let used: Vec<&str> = known.iter().map(|version| version.semver.as_str()).collect();
    let number = versions::next_number(&used, "");
    let card = about.card(hub, agent, &number)?;
    Ok((number, card))
}

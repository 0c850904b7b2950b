//! Pages `/@{owner}/{agent}/manage` and `…/edit` for owners, and `…/credentials` for the caller's
//! credentials.

use axum::{
    extract::{Multipart, Path, Query, State, multipart::MultipartError},
    http::HeaderMap,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    agent::{
        AgentFile, AgentPage, AgentTab, Credentials, HubAsClient, Manage, Scheme, ToolCredentials,
        ToolServer, VectorCount,
    },
    register::{EndpointPage, InstructionsPage, ModelOption, ProgramPage},
};
use plexus_domain::{Address, Error as Refusal};
use plexus_hub::{
    Error,
    agents::{
        self, credentials, http_endpoint,
        knowledge::{self, KnowledgeFile, MAX_PDF_BYTES, VectorCoverage},
        manage::{self, AgentSettings, CardRefresh},
        model_agent, named_users,
        oauth_connect::{self, OauthCallback},
        program_agent, tool_credentials,
    },
    caller::Caller,
    config::ProgramProtocol,
    limits::Rate,
    quotas::in_units,
};

use super::register::{
    card::given, card_views, endpoint as requested, instructions as written, program as run, publish::reach,
};
use crate::{
    app_state::AppState,
    pages::{account::refused, agent::head},
    web::{
        admission::admit_body,
        form::Fields,
        json_body::body_error,
        page::{PageContext, redirect_with_notice},
        security_headers::FormTarget,
    },
};

type At = Path<(String, String)>;

/// Maximum size of an upload of files in bytes: one PDF file of the maximum size, or all text files of an agent, and the
/// form around them.
pub const MAX_UPLOAD: usize = MAX_PDF_BYTES + (1 << 20);

pub(super) fn address((owner, name): &(String, String)) -> Result<Address, Error> {
    let missing = |_| Refusal::not_found("Agent not found.").into();
    format!("@{owner}/{name}").parse().map_err(missing)
}

pub(super) async fn page(
    site: &AppState,
    caller: &Caller,
    address: &Address,
    tab: AgentTab,
) -> Result<AgentPage, Error> {
    let missing = || Refusal::not_found(format!("Agent {address} not found."));
    let view = agents::get(&site.hub, caller, address).await?.ok_or_else(missing)?;
    Ok(AgentPage { head: head(view), tab })
}

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(at): At) -> Response {
    let page = manage_page(&site, &visit.caller, &at, Form::default()).await;
    visit.show_or_refuse(page)
}

async fn manage_page(
    site: &AppState,
    caller: &Caller,
    at: &(String, String),
    form: Form,
) -> Result<AgentPage, Error> {
    let address = address(at)?;
    let managed = manage::managed(&site.hub, caller, &address).await?;
    page(site, caller, &address, AgentTab::Manage(tab(managed, form))).await
}

fn tab(managed: AgentSettings, form: Form) -> Manage {
    Manage {
        visibility: managed.visibility,
        access: managed.access,
        paused: managed.paused,
        can_federate: managed.can_federate,
        editable: managed.editable,
        refreshable: managed.refreshable,
        origins: managed.origins.into_iter().map(card_views::origin).collect(),
        publication_problem: managed.publication_problem,
        files: managed.files.map(|files| files.into_iter().map(agent_file).collect()),
        vectors: managed
            .vectors
            .map(|VectorCoverage { passages, vectors }| VectorCount { passages, vectors }),
        allows_copies: managed.allows_copies,
        users: managed.users.into_iter().map(|user| user.name.to_string()).collect(),
        form,
    }
}

fn agent_file(file: KnowledgeFile) -> AgentFile {
    AgentFile { name: file.name, size: in_units(file.bytes), added_at: file.added_at }
}

/// Adds the files of a multipart form (RFC 7578) to an agent.
pub async fn add_files(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): Path<(String, String)>,
    headers: HeaderMap,
    form: Multipart,
) -> Response {
    let address = match admit_files(&site, &visit.caller, &at, &headers).await {
        Ok(address) => address,
        Err(error) => return visit.refuse(error),
    };
    let added = take_files(&site, &visit.caller, &address, form).await;
    match added {
        Ok(number) => {
            let notice = if number == 1 { "file-added" } else { "files-added" };
            redirect_with_notice(&format!("/{address}/manage"), notice)
        }
        Err(error) => match manage_page(&site, &visit.caller, &at, Form::default()).await {
            Ok(page) => refused(visit, error, Fields::from(Vec::new()), |form| with_form(page, form)),
            Err(_) => visit.refuse(error),
        },
    }
}

/// Checks before the form is read that the caller may add files to the agent.
async fn admit_files(
    site: &AppState,
    caller: &Caller,
    at: &(String, String),
    headers: &HeaderMap,
) -> Result<Address, Error> {
    let address = address(at)?;
    knowledge::list(&site.hub, caller, &address).await?;
    admit_body(site, caller, Rate::PdfFiles, headers).await?;
    Ok(address)
}

/// Returns the number of files that were added. The files before an invalid one are added.
async fn take_files(
    site: &AppState,
    caller: &Caller,
    address: &Address,
    mut form: Multipart,
) -> Result<usize, Error> {
    let unreadable = |error: MultipartError| {
        let words = "The upload broke off, or is larger than this hub accepts at once. Add fewer files.";
        Error::from(body_error(&error, Refusal::invalid("file", words)))
    };
    let mut added = 0;
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        let name = field.file_name().unwrap_or_default().to_owned();
        // A form without a chosen file has a field without a name.
        if field.name() != Some("file") || name.is_empty() {
            continue;
        }
        let bytes = field.bytes().await.map_err(unreadable)?;
        knowledge::add(&site.hub, caller, address, &name, &bytes).await?;
        added += 1;
    }
    if added == 0 {
        return Err(Refusal::invalid("file", "Choose a file first.").into());
    }
    Ok(added)
}

pub async fn act(State(site): State<AppState>, visit: PageContext, Path(at): At, fields: Fields) -> Response {
    let acted = match address(&at) {
        Ok(address) => perform(&site, &visit.caller, &address, &fields).await.map(|word| (address, word)),
        Err(error) => return visit.refuse(error),
    };
    match acted {
        Ok((_, "deleted")) => redirect_with_notice("/agents", "deleted"),
        Ok((address, "trusted")) => redirect_with_notice(&format!("/{address}"), "trusted"),
        Ok((address, word)) => redirect_with_notice(&format!("/{address}/manage"), word),
        Err(error) => match manage_page(&site, &visit.caller, &at, Form::default()).await {
            Ok(page) => refused(visit, error, fields, |form| with_form(page, form)),
            Err(_) => visit.refuse(error),
        },
    }
}

/// Performs the action of a button and returns the code of the notice.
async fn perform(
    site: &AppState,
    caller: &Caller,
    address: &Address,
    fields: &Fields,
) -> Result<&'static str, Error> {
    let hub = &site.hub;
    match fields.get("action") {
        "save" => {
            let (visibility, access) = reach(fields)?;
            manage::set_visibility_and_access(hub, caller, address, Some(visibility), Some(access)).await?;
            Ok("saved")
        }
        "save-copies" => {
            let allowed = fields.get("copies") == "yes";
            agents::set_allows_copies(hub, caller, address, allowed).await.map(|()| "saved")
        }
        "add-user" => named_users::add(hub, caller, address, fields.get("user")).await.map(|()| "user-added"),
        "remove-user" => {
            named_users::remove(hub, caller, address, fields.get("user")).await.map(|()| "user-removed")
        }
        "remove-file" => {
            knowledge::remove(hub, caller, address, fields.get("file")).await.map(|()| "file-removed")
        }
        "pause" => manage::set_paused(hub, caller, address, true).await.map(|()| "paused"),
        "resume" => manage::set_paused(hub, caller, address, false).await.map(|()| "resumed"),
        "refresh" => Ok(match manage::refresh(hub, caller, address).await? {
            CardRefresh::Same => "card-same",
            CardRefresh::NewVersion => "card-new",
        }),
        "verify" => {
            let found = manage::verify_origins(hub, caller, address).await?;
            Ok(if found.iter().all(|proof| proof.status.is_verified()) { "verified" } else { "unverified" })
        }
        "trust_origin" => {
            manage::trust_origin(hub, caller, address, fields.get("origin")).await.map(|()| "trusted")
        }
        "delete" => manage::delete(hub, caller, address).await.map(|()| "deleted"),
        _ => Err(Refusal::invalid("", "Invalid action. Reload the page and try again.").into()),
    }
}

fn with_form(mut page: AgentPage, form: Form) -> AgentPage {
    match &mut page.tab {
        AgentTab::Manage(tab) => tab.form = form,
        AgentTab::Credentials(tab) => tab.form = form,
        AgentTab::ToolCredentials(tab) => tab.form = form,
        _ => {}
    }
    page
}

pub async fn show_credentials(State(site): State<AppState>, visit: PageContext, Path(at): At) -> Response {
    match credentials_page(&site, &visit.caller, &at).await {
        Ok(page) => {
            let target = leads_to(&page.tab);
            with_target(visit.show(page), target)
        }
        Err(error) => visit.refuse(error),
    }
}

/// Returns the additional `form-action` source. Browsers also check redirects of a form submission.
/// Authorization servers may redirect to other hosts, which are unknown here, so all of https is allowed.
fn leads_to(tab: &AgentTab) -> Option<FormTarget> {
    let AgentTab::Credentials(Credentials { scheme: Scheme::Connect(server), .. }) = tab else { return None };
    let target = if server.starts_with("https:") { "https:" } else { server };
    Some(FormTarget(target.to_owned()))
}

fn with_target(mut response: Response, target: Option<FormTarget>) -> Response {
    if let Some(target) = target {
        response.extensions_mut().insert(target);
    }
    response
}

async fn credentials_page(
    site: &AppState,
    caller: &Caller,
    at: &(String, String),
) -> Result<AgentPage, Error> {
    let address = address(at)?;
    let Some(asked) = credentials::credential_status(&site.hub, caller, &address).await? else {
        return tools_page(site, caller, &address).await;
    };
    let known = asked.client.as_ref().and_then(|client| client.id.clone());
    let tab = Credentials {
        scheme: card_views::scheme(asked.scheme),
        stored: asked.stored,
        origin: asked.origin,
        client: asked
            .client
            .map(|client| HubAsClient { document: client.document, redirect: client.redirect }),
        form: Form::filled(known.map(|id| ("user", id))),
    };
    page(site, caller, &address, AgentTab::Credentials(tab)).await
}

/// Returns the tab with the credentials of the MCP servers, for the owner of an agent that requires no
/// credentials itself.
async fn tools_page(site: &AppState, caller: &Caller, address: &Address) -> Result<AgentPage, Error> {
    let servers = match tool_credentials::servers(&site.hub, caller, address).await {
        Err(Error::Refused(_)) => Vec::new(),
        other => other?,
    };
    if servers.is_empty() {
        return Err(Refusal::not_found(format!("{address} requires no credentials from you.")).into());
    }
    let server = |found: tool_credentials::ToolServer| ToolServer {
        url: found.url,
        scheme: found.scheme.map(card_views::scheme),
    };
    let servers = servers.into_iter().map(server).collect();
    let tab = AgentTab::ToolCredentials(ToolCredentials { servers, form: Form::default() });
    page(site, caller, address, tab).await
}

pub async fn keep_credentials(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): At,
    fields: Fields,
) -> Response {
    let address = match address(&at) {
        Ok(address) => address,
        Err(error) => return visit.refuse(error),
    };
    if fields.get("action") == "connect" {
        return match oauth_connect::start_oauth(&site.hub, &visit.caller, &address).await {
            Ok(url) => Redirect::to(url.as_str()).into_response(),
            Err(error) => not_kept(&site, visit, &at, error, fields).await,
        };
    }
    let (hub, caller) = (&site.hub, &visit.caller);
    let (kept, word) = match (fields.get("action"), fields.given("url")) {
        ("delete", Some(url)) => {
            (tool_credentials::delete(hub, caller, &address, url).await, "credentials-deleted")
        }
        ("delete", None) => {
            (credentials::delete_credentials(hub, caller, &address).await, "credentials-deleted")
        }
        (_, Some(_)) => {
            let given = written::for_server(&fields);
            (tool_credentials::set(hub, caller, &address, given).await, "saved")
        }
        (_, None) => (credentials::set_credentials(hub, caller, &address, given(&fields)).await, "saved"),
    };
    match kept {
        Ok(()) => redirect_with_notice(&format!("/{address}/credentials"), word),
        Err(error) => not_kept(&site, visit, &at, error, fields).await,
    }
}

async fn not_kept(
    site: &AppState,
    visit: PageContext,
    at: &(String, String),
    error: Error,
    fields: Fields,
) -> Response {
    match credentials_page(site, &visit.caller, at).await {
        Ok(page) => {
            let target = leads_to(&page.tab);
            with_target(refused(visit, error, fields, |form| with_form(page, form)), target)
        }
        Err(error) => visit.refuse(error),
    }
}

/// Handles `/oauth/callback`: the redirect from an authorization server, with a code or an error.
pub async fn connected(
    State(site): State<AppState>,
    visit: PageContext,
    fields: Query<Vec<(String, String)>>,
) -> Response {
    let Query(pairs) = fields;
    let fields = Fields::from(pairs);
    let begun = match oauth_connect::take_flow(&site.hub, &visit.caller, fields.get("state")) {
        Ok(begun) => begun,
        Err(error) => return visit.refuse(error),
    };
    let address = begun.address.clone();
    let text = |name: &str| fields.get(name).to_owned();
    let answer = OauthCallback {
        code: text("code"),
        iss: text("iss"),
        error: text("error"),
        error_description: text("error_description"),
    };
    match oauth_connect::finish_oauth(&site.hub, &visit.caller, begun, &answer).await {
        Ok(()) => redirect_with_notice(&format!("/{address}/credentials"), "connected"),
        Err(error) => {
            let at = (address.owner.to_string(), address.name.to_string());
            not_kept(&site, visit, &at, error, Fields::from(Vec::new())).await
        }
    }
}

pub async fn show_edit(State(site): State<AppState>, visit: PageContext, Path(at): At) -> Response {
    match edit_page(&site, &visit, &at).await {
        Ok(Edit::Endpoint(page)) => visit.show(page),
        Ok(Edit::Instructions(page)) => visit.show(page),
        Ok(Edit::Program(page)) => visit.show(page),
        Err(error) => visit.refuse(error),
    }
}

/// The edit page of each kind of agent.
enum Edit {
    Endpoint(EndpointPage),
    Instructions(InstructionsPage),
    Program(ProgramPage),
}

async fn edit_page(site: &AppState, visit: &PageContext, at: &(String, String)) -> Result<Edit, Error> {
    let caller = &visit.caller;
    let address = address(at)?;
    let owner = address.owner.to_string();
    if let Some(kept) = http_endpoint::endpoint(&site.hub, caller, &address).await? {
        let form = requested::form(&kept);
        return Ok(Edit::Endpoint(EndpointPage {
            owner,
            editing: Some(address),
            draft: None,
            chosen: None,
            form,
        }));
    }
    if let Some(kept) = program_agent::described(&site.hub, caller, &address).await? {
        let (programs, form) =
            (program_agent::programs(&site.hub, caller, ProgramProtocol::Acp)?, run::form(kept));
        return Ok(Edit::Program(ProgramPage { owner, editing: Some(address), programs, form }));
    }
    instructions_page(site, visit, address).await.map(Edit::Instructions)
}

async fn instructions_page(
    site: &AppState,
    visit: &PageContext,
    address: Address,
) -> Result<InstructionsPage, Error> {
    let caller = &visit.caller;
    let kept = model_agent::instructions(&site.hub, caller, &address).await?;
    let (programs, priced) = written::tools_here(site, caller).await?;
    let mut models = written::options(site, visit).await?;
    // A hidden model, or one that its server does not list now, must not be replaced by the first of the list.
    let missing_model = written::missing_model(&kept.model, models.iter().map(|model| model.id.as_str()));
    if missing_model.is_some() {
        models.push(ModelOption { id: kept.model.clone(), label: kept.model.clone() });
    }
    Ok(InstructionsPage {
        owner: address.owner.to_string(),
        programs,
        priced,
        editing: Some(address),
        missing_model,
        models,
        form: written::form(&kept),
    })
}

pub async fn edit(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): At,
    fields: Fields,
) -> Response {
    let address = match address(&at) {
        Ok(address) => address,
        Err(error) => return visit.refuse(error),
    };
    let page = match edit_page(&site, &visit, &at).await {
        Ok(page) => page,
        Err(error) => return visit.refuse(error),
    };
    let edited = match &page {
        Edit::Endpoint(_) => change(&site, &visit.caller, &address, &fields).await,
        Edit::Instructions(_) => rewrite(&site, &visit.caller, &address, &fields).await,
        Edit::Program(_) => {
            program_agent::rewrite(&site.hub, &visit.caller, &address, run::filled(&fields)).await
        }
    };
    match (edited, page) {
        (Ok(()), _) => redirect_with_notice(&format!("/{address}"), "saved"),
        (Err(error), Edit::Endpoint(page)) => {
            refused(visit, error, fields, |form| EndpointPage { form, ..page })
        }
        (Err(error), Edit::Instructions(page)) => {
            refused(visit, error, fields, |form| InstructionsPage { form, ..page })
        }
        (Err(error), Edit::Program(page)) => {
            refused(visit, error, fields, |form| ProgramPage { form, ..page })
        }
    }
}

async fn rewrite(site: &AppState, caller: &Caller, address: &Address, fields: &Fields) -> Result<(), Error> {
    let given = written::given(fields);
    model_agent::rewrite(&site.hub, caller, address, written::filled(fields)?, given.as_slice()).await
}

async fn change(site: &AppState, caller: &Caller, address: &Address, fields: &Fields) -> Result<(), Error> {
    http_endpoint::rewrite(&site.hub, caller, address, requested::filled(fields)?).await
}

//! Page `/@{owner}/{agent}/chat`: chat of a visitor without an account with an agent that is open to all.
//!
//! The chat is an anonymous call with its rate limits and its retention. A cookie holds the id of its last task, which
//! no other browser knows.

use std::time::Duration;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::{
    components::format::{agent_href, chat_href},
    view_models::{
        Form,
        agent::{AgentPage, AgentTab, VisitorChat, VisitorTurn},
    },
};
use plexus_domain::{Address, Error as Refusal, Part, RunId};
use plexus_hub::{
    Error, agents,
    caller::Caller,
    calls::{self, AuthorizedAgent, CallRequest, Origin, SubscriptionScope, Task},
};
use serde::Deserialize;

use super::head;
use crate::{
    app_state::AppState,
    pages::account::refused,
    rendering::TextRenderer,
    web::{auth::cookie, form::Fields, page::PageContext},
};

const COOKIE: &str = "visitor_task";
/// Lifetime of the cookie in seconds: as long as an anonymous caller may read a task.
const COOKIE_TTL: u32 = 3_600;
/// How long a page waits for a running answer. Without a script, this saves most reloads.
const WAIT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub struct Prefilled {
    text: Option<String>,
}

/// The agent of the path, its caller and the last task of the visitor's chat.
struct Visit {
    address: Address,
    caller: Caller,
    agent: AuthorizedAgent,
    last: Option<RunId>,
}

impl Visit {
    async fn new(
        site: &AppState,
        caller: &Caller,
        (owner, name): &(String, String),
        headers: &HeaderMap,
    ) -> Result<Self, Error> {
        let missing = |_| Refusal::not_found("Agent not found.");
        let address: Address = format!("@{owner}/{name}").parse().map_err(missing)?;
        let agent = calls::authorize(&site.hub, caller, &address).await?;
        let last = cookie(headers, COOKIE).and_then(|value| value.parse().ok());
        Ok(Self { address, caller: caller.clone(), agent, last })
    }

    /// Returns the tasks of the chat; none if there is no chat, or if it is not kept any more.
    async fn tasks(&self, site: &AppState) -> Result<Vec<Task>, Error> {
        let Some(last) = self.last else { return Ok(Vec::new()) };
        match calls::conversation(&site.hub, &self.agent, last).await {
            Err(Error::Refused(Refusal::NotFound { .. })) => Ok(Vec::new()),
            other => other,
        }
    }

    async fn page(&self, site: &AppState, form: Form) -> Result<AgentPage, Error> {
        let missing = || Refusal::not_found(format!("Agent {} not found.", self.address));
        let view = agents::get(&site.hub, &self.caller, &self.address).await?.ok_or_else(missing)?;
        let tasks = self.tasks(site).await?;
        let is_running = tasks.iter().any(|task| !task.is_settled());
        let texts: Vec<(bool, String)> = tasks.iter().flat_map(|task| self.texts(site, task)).collect();
        site.renderer
            .run(self.caller.key(), move |renderer| {
                let turns = texts.into_iter().enumerate().map(|turn| rendered(renderer, turn)).collect();
                let tab = AgentTab::Chat(VisitorChat { turns, is_running, form });
                AgentPage { head: head(view), tab }
            })
            .await
    }

    /// Returns the texts of a task, each with whether it is an answer, which is Markdown.
    fn texts(&self, site: &AppState, task: &Task) -> Vec<(bool, String)> {
        let text =
            |part: &Part| calls::part_to_markdown(part, |blob| self.agent.file_url(&site.hub, task.id, blob));
        let mut texts: Vec<(bool, String)> = Vec::new();
        for message in &task.messages {
            let parts: Vec<String> = message.parts.iter().filter_map(text).collect();
            texts.push((message.author == task.agent, parts.join("\n\n")));
        }
        if let Some(failure) = &task.failure {
            texts.push((true, failure.message.clone()));
        }
        texts.retain(|(_, text)| !text.is_empty());
        texts
    }
}

fn rendered(renderer: &mut TextRenderer, (index, (by_agent, text)): (usize, (bool, String))) -> VisitorTurn {
    let html = if by_agent { renderer.html(&format!("turn-{index}"), &text) } else { renderer.typed(&text) };
    VisitorTurn { by_agent, html }
}

pub async fn show(
    State(site): State<AppState>,
    context: PageContext,
    Path(path): Path<(String, String)>,
    Query(prefilled): Query<Prefilled>,
    headers: HeaderMap,
) -> Response {
    let visit = match Visit::new(&site, &context.caller, &path, &headers).await {
        Ok(visit) => visit,
        Err(error) => return context.refuse(error),
    };
    if context.caller.person.is_some() {
        return Redirect::to(&chat_href(&visit.address, prefilled.text.as_deref())).into_response();
    }
    if let Some(last) = visit.last {
        wait_settled(&site, &visit, last).await;
    }
    let form = Form::filled(prefilled.text.map(|text| ("text", text)));
    let mut response = context.show_or_refuse(visit.page(&site, form).await);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Waits a moment for a running answer. Errors are ignored: the page shows what there is.
async fn wait_settled(site: &AppState, visit: &Visit, last: RunId) {
    let settled = async {
        if let Ok((task, following)) =
            calls::subscribe(&site.hub, &visit.agent, last, SubscriptionScope::Settled).await
        {
            let _ = following.wait_settled(task).await;
        }
    };
    tokio::select! {
        _ = tokio::time::timeout(WAIT, settled) => {}
        () = site.stop.cancelled() => {}
    }
}

pub async fn send(
    State(site): State<AppState>,
    context: PageContext,
    Path(path): Path<(String, String)>,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    let visit = match Visit::new(&site, &context.caller, &path, &headers).await {
        Ok(visit) => visit,
        Err(error) => return context.refuse(error),
    };
    if context.caller.person.is_some() {
        return Redirect::to(&chat_href(&visit.address, fields.given("text"))).into_response();
    }
    match start(&site, &visit, fields.get("text")).await {
        Ok(task) => {
            let path = format!("{}/chat", agent_href(&visit.address));
            let secure = if site.is_https() { "; Secure" } else { "" };
            let cookie =
                format!("{COOKIE}={task}; Path={path}; Max-Age={COOKIE_TTL}; HttpOnly; SameSite=Lax{secure}");
            let mut response = Redirect::to(&path).into_response();
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().append(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => match visit.page(&site, Form::default()).await {
            Ok(page) => refused(context, error, fields, |form| with_form(page, form)),
            Err(error) => context.refuse(error),
        },
    }
}

/// Starts the next task of the chat, or answers the question of the last one.
async fn start(site: &AppState, visit: &Visit, text: &str) -> Result<RunId, Error> {
    let tasks = visit.tasks(site).await?;
    let last = tasks.last();
    let call = CallRequest {
        context: last.map(|task| task.context.clone()),
        task: last.filter(|task| task.state.is_waiting()).map(|task| task.id),
        ..CallRequest::new(Origin::Page, vec![Part::text(text)])
    };
    match calls::start(&site.hub, &visit.agent, call, SubscriptionScope::Settled).await {
        Ok((task, _)) => Ok(task.id),
        Err(Error::Refused(Refusal::Invalid { message, .. })) => {
            Err(Refusal::invalid("text", message).into())
        }
        Err(error) => Err(error),
    }
}

fn with_form(mut page: AgentPage, form: Form) -> AgentPage {
    if let AgentTab::Chat(chat) = &mut page.tab {
        chat.form = form;
    }
    page
}

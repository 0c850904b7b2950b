//! Page `/admin/setup`: next steps after the installation.

use axum::{extract::State, response::Response};
use plexus_app::view_models::setup::{SetupItem, SetupPage};
use plexus_hub::{
    Caller, Error, Hub,
    admin::{self, SetupStep},
};

use crate::{
    app_state::AppState,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit.caller).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, caller: &Caller) -> Result<SetupPage, Error> {
    let progress = admin::setup(hub, caller).await?;
    Ok(SetupPage {
        hub: hub.config().hub_name.clone(),
        steps: progress.steps.iter().map(|(step, is_done)| item(*step, *is_done)).collect(),
        is_dismissed: progress.is_dismissed,
    })
}

pub async fn dismiss(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let is_dismissed = fields.get("dismissed") == "true";
    match admin::set_setup_dismissed(&site.hub, &visit.caller, is_dismissed).await {
        Ok(()) if is_dismissed => redirect_with_notice("/", "setup-dismissed"),
        Ok(()) => redirect_with_notice("/admin/setup", "saved"),
        Err(error) => visit.refuse(error),
    }
}

const fn item(step: SetupStep, is_done: bool) -> SetupItem {
    let (title, purpose, label, href) = match step {
        SetupStep::ConnectModel => (
            "Connect a model",
            "Agents made of instructions run on it. Servers on this machine are found.",
            "Connect a model",
            "/admin/models",
        ),
        SetupStep::Chat => (
            "Talk to an agent",
            "Four agents are built in and need no model: they calculate, count words, draw charts and find agents.",
            "Start chat",
            "/chat?to=@plexus/calc",
        ),
        SetupStep::AddAgent => (
            "Add an agent",
            "From instructions, from an address, or from a program on your own machine.",
            "Register agent",
            "/register",
        ),
        SetupStep::LaunchTeam => (
            "Launch a team",
            "Several agents finish one goal together, while you watch or step in. The examples need no model.",
            "Launch a team",
            "/teams",
        ),
        SetupStep::Invite => {
            ("Invite people", "An invitation is a link for one person.", "Invite people", "/admin/invites")
        }
        SetupStep::JoinNetwork => (
            "Join the network",
            "Hubs find and verify each other's agents. It is one setting.",
            "Read the guide",
            "/docs/federation",
        ),
        SetupStep::BackUp => (
            "Back up the hub",
            "One command writes database and files into one archive, while the hub runs.",
            "Read the guide",
            "/docs/operate#back-up",
        ),
    };
    SetupItem { title, purpose, label, href, is_done }
}

//! Page `/settings/account`: e-mail address, password, tool approval, quota usage and deletion of the account.

use axum::{extract::State, response::Response};
use plexus_app::{
    text,
    view_models::{
        Form, Locale,
        settings::{AccountPage, EmailSettings, UsageRow},
    },
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub, accounts,
    quotas::{self, Used, in_units},
};

use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, visit: &PageContext) -> Result<AccountPage, Error> {
    let (caller, locale) = (&visit.caller, visit.frame().locale);
    let about = accounts::overview(hub, caller).await?;
    Ok(AccountPage {
        name: about.name.to_string(),
        since: about.since,
        email: EmailSettings {
            address: about.email,
            sends_mail: hub.sends_mail(),
            ..EmailSettings::default()
        },
        password: Form::default(),
        delete: Form::default(),
        agents: about.agents,
        chats: about.chats,
        asks_before_tools: about.asks_before_tools,
        usage: quotas::used(hub, caller).await?.iter().map(|used| usage(locale, used)).collect(),
    })
}

fn usage(locale: Locale, used: &Used) -> UsageRow {
    let label = match used.quota {
        "bytes" => text!(locale => "quota-bytes"),
        "chats" => text!(locale => "quota-chats"),
        "agents" => text!(locale => "quota-agents"),
        "versions" => text!(locale => "quota-versions"),
        "teams" => text!(locale => "quota-teams"),
        "stars" => text!(locale => "quota-stars"),
        "drafts" => text!(locale => "quota-drafts"),
        "tokens" => text!(locale => "quota-tokens"),
        "webhooks" => text!(locale => "quota-webhooks"),
        other => other.to_owned(),
    };
    let words = match used.quota {
        "bytes" => text!(locale => "quota-used", used = in_units(used.used), limit = in_units(used.limit)),
        _ => text!(locale => "quota-used", used = used.used, limit = used.limit),
    };
    UsageRow { label, used: used.used, limit: used.limit, words }
}

pub async fn change_password(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let (current, new) = (fields.get("current").to_owned(), fields.get("password").to_owned());
    match accounts::change_password(&site.hub, &visit.caller, current, new).await {
        Ok(()) => redirect_with_notice("/settings/account", "password"),
        Err(error) => again(&site, visit, error, fields, |page, form| page.password = form).await,
    }
}

pub async fn change_email(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let current = fields.get("current").to_owned();
    match accounts::request_email(&site.hub, &visit.caller, fields.get("email"), current).await {
        Ok(_) => redirect_with_notice("/settings/account", "email-sent"),
        Err(error) => again(&site, visit, error, fields, |page, form| page.email.change = form).await,
    }
}

pub async fn remove_email(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let current = fields.get("current").to_owned();
    match accounts::remove_email(&site.hub, &visit.caller, current).await {
        Ok(()) => redirect_with_notice("/settings/account", "email-removed"),
        Err(error) => again(&site, visit, error, fields, |page, form| page.email.remove = form).await,
    }
}

pub async fn set_tools(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match accounts::set_asks_before_tools(&site.hub, &visit.caller, fields.get("ask") == "yes").await {
        Ok(()) => redirect_with_notice("/settings/account", "saved"),
        Err(error) => visit.refuse(error),
    }
}

pub async fn delete(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let typed = fields.get("name").trim().to_owned();
    let confirmed =
        visit.caller.person.as_ref().is_some_and(|person| person.name.as_str().eq_ignore_ascii_case(&typed));
    let deleted = if confirmed {
        accounts::delete(&site.hub, &visit.caller, fields.get("current").to_owned()).await
    } else {
        Err(Refusal::invalid("name", "Type your name exactly as shown above.").into())
    };
    match deleted {
        Ok(()) => redirect_with_notice("/", "account"),
        Err(error) => again(&site, visit, error, fields, |page, form| page.delete = form).await,
    }
}

async fn again(
    site: &AppState,
    visit: PageContext,
    error: Error,
    fields: Fields,
    put: impl FnOnce(&mut AccountPage, Form),
) -> Response {
    match page(&site.hub, &visit).await {
        Ok(mut page) => refused(visit, error, fields, |form| {
            put(&mut page, form);
            page
        }),
        Err(error) => visit.refuse(error),
    }
}

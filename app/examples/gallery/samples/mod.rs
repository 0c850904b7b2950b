//! Sample content for every page, in its typical states.

#![expect(clippy::unwrap_used, reason = "the samples are constants")]

use std::{sync::Arc, time::Duration};

use plexus_app::{
    pages::Page,
    render,
    view_models::{Density, Frame, Locale, Notice, Theme, Tone, Viewer},
};
use plexus_domain::{
    Timestamp,
    account::{Registration, Role},
};

mod account;
mod admin;
mod agents;
mod chat;
mod network;
mod register;

/// Returns every page as (name, HTML).
pub fn all() -> Vec<(&'static str, String)> {
    let mut pages = Vec::new();
    pages.extend(agents::pages());
    pages.extend(register::pages());
    pages.extend(chat::pages());
    pages.extend(account::pages());
    pages.extend(admin::pages());
    pages.extend(network::pages());
    pages
}

pub fn now() -> Timestamp {
    Timestamp::from_millis(1_795_160_000_000)
}

pub fn ago(seconds: u64) -> Timestamp {
    now() - Duration::from_secs(seconds)
}

/// Renders a page for a signed-in user.
fn shown(path: &str, page: impl Page) -> String {
    render::page(frame(path, Some(("ada", Role::User))), page)
}

fn shown_to_admin(path: &str, page: impl Page) -> String {
    render::page(frame(path, Some(("grace", Role::Admin))), page)
}

fn shown_to_anybody(path: &str, page: impl Page) -> String {
    render::page(frame(path, None), page)
}

/// Renders a page for a signed-in user who chose this language.
fn shown_in(locale: Locale, path: &str, page: impl Page) -> String {
    let frame = frame(path, Some(("ada", Role::User)));
    render::page(Frame { locale, chosen_locale: Some(locale), ..frame }, page)
}

fn shown_after(path: &str, said: &str, page: impl Page) -> String {
    let notice = Some(Notice::new(Tone::Good, said));
    render::page(Frame { notice, ..frame(path, Some(("ada", Role::User))) }, page)
}

fn frame(path: &str, viewer: Option<(&str, Role)>) -> Frame {
    Frame {
        hub: "Plexus".into(),
        origin: "http://127.0.0.1:3000".into(),
        path: path.into(),
        nonce: "c2FtcGxl".into(),
        locale: Locale::En,
        chosen_locale: None,
        theme: Theme::System,
        density: Density::Comfortable,
        single_keys: true,
        viewer: viewer.map(|(name, role)| Viewer { name: name.into(), role }),
        registration: Registration::Open,
        notice: None,
        alert: None,
        assets: Arc::default(),
        now: now(),
    }
}

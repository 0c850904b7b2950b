//! Page `/settings/appearance`. The settings are stored in cookies, so that they apply without an account and
//! from the first byte of a page.

use axum::{
    http::{HeaderValue, header},
    response::Response,
};
use plexus_app::view_models::{Density, Locale, Theme, settings::AppearancePage};

use crate::{
    pages::language::set_cookie,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(visit: PageContext) -> Response {
    let frame = visit.frame();
    let page = AppearancePage {
        locale: frame.chosen_locale,
        theme: frame.theme,
        density: frame.density,
        single_keys: frame.single_keys,
    };
    visit.show(page)
}

pub async fn save(fields: Fields) -> Response {
    let theme = Theme::parse(fields.get("theme")).unwrap_or_default().as_str();
    let density = Density::parse(fields.get("density")).unwrap_or_default().as_str();
    let single_keys = if fields.get("single_keys") == "off" { "off" } else { "on" };
    let mut response = redirect_with_notice("/settings/appearance", "appearance");
    for (name, value) in [("theme", theme), ("density", density), ("single_keys", single_keys)] {
        const YEAR: u32 = 365 * 24 * 3_600;
        let cookie = format!("{name}={value}; Path=/; Max-Age={YEAR}; SameSite=Lax");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    // A program that posts only the other fields changes no language.
    if let Some(language) = fields.given("language") {
        set_cookie(response.headers_mut(), Locale::parse(language));
    }
    response
}

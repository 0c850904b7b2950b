//! Error page: what happened, and what to do next.

use leptos::prelude::*;

use super::{Layout, Page, PageMeta};
use crate::{
    components::{
        button::{ButtonLink, Kind},
        context,
        icon::Icon,
    },
    locales::{translate, translated},
    text,
    view_models::{Locale, error::ErrorPage},
};

/// Title, what happened, what to do.
type Words = (String, String, String);

impl Page for ErrorPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(self.words().0) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let (title, what, next) = self.words();
        let message = self.message.filter(|message| is_shown(self.status, message));
        // The message of a rate limit says when already.
        let told = message.as_ref().is_some_and(|message| message.contains("Try again in"));
        let what = message.map_or_else(|| what.into_any(), translated);
        let wait =
            self.retry_after.filter(|_| !told).map(|seconds| text!("error-wait", time = wait(seconds)) + " ");
        let search = (self.status == 404).then(search);
        let sign_in = (self.status == 401).then(|| {
            view! { <ButtonLink label=text!("sign-in") href="/login" kind=Kind::Primary />" " }
        });
        view! {
            <div class="error-page">
                <p class="status">{self.status}</p>
                <h1>{title}</h1>
                <p>{what}</p>
                <p>{wait}{next}</p>
                {search}
                <p class="actions">{sign_in}<ButtonLink label=text!("nav-home") href="/" /> <ButtonLink label=text!("nav-agents") href="/agents" /></p>
                <p class="quiet small">{text!("error-request")}" "<code>{self.request_id}</code></p>
            </div>
        }
        .into_any()
    }
}

impl ErrorPage {
    fn words(&self) -> Words {
        if self.over_quota {
            return (text!("error-quota"), text!("error-quota-what"), text!("error-quota-next"));
        }
        words(self.status)
    }
}

/// Returns whether a message says more than the text of its status: an untranslated one says less with these two.
fn is_shown(status: u16, message: &str) -> bool {
    let locale = context::locale();
    locale == Locale::En || !matches!(status, 404 | 429) || translate(locale, message).is_some()
}

fn search() -> AnyView {
    view! {
        <form class="search" role="search" action="/agents" aria-label=text!("error-instead")>
            <label class="hidden" for="q">{text!("search-agents")}</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" placeholder=text!("search-agents") />
            <button class="button">{text!("search-button")}</button>
        </form>
    }
    .into_any()
}

fn words(status: u16) -> Words {
    match status {
        401 => (text!("error-401"), text!("error-401-what"), text!("error-401-next")),
        403 => (text!("error-403"), text!("error-403-what"), text!("error-403-next")),
        404 => (text!("error-404"), text!("error-404-what"), text!("error-404-next")),
        405 => (text!("error-405"), text!("error-405-what"), text!("error-405-next")),
        409 => (text!("error-409"), text!("error-409-what"), text!("error-409-next")),
        413 => (text!("error-413"), text!("error-413-what"), text!("error-413-next")),
        422 => (text!("error-422"), text!("error-422-what"), text!("error-422-next")),
        429 => (text!("error-429"), text!("error-429-what"), text!("error-429-next")),
        503 => (text!("error-503"), text!("error-503-what"), text!("error-503-next")),
        _ => (text!("error-other"), text!("error-other-what"), text!("error-other-next")),
    }
}

fn wait(seconds: u64) -> String {
    match seconds {
        0..=90 => text!("count-seconds", count = seconds.max(1)),
        91..=5_400 => text!("count-minutes", count = seconds.div_ceil(60)),
        _ => text!("count-hours", count = seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_are_never_too_short() {
        assert_eq!([wait(0), wait(1), wait(90)], ["1 second", "1 second", "90 seconds"]);
        assert_eq!([wait(91), wait(5_401)], ["2 minutes", "2 hours"]);
    }
}

//! Error page: what happened, and what to do next.

use leptos::prelude::*;

use super::{Layout, Page, PageMeta};
use crate::{
    components::{button::ButtonLink, format::count, icon::Icon},
    view_models::error::ErrorPage,
};

/// Title, what happened, what to do.
type Words = (&'static str, &'static str, &'static str);

impl Page for ErrorPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(self.words().0) }
    }

    fn body(self) -> AnyView {
        let (title, what, next) = self.words();
        let what = self.message.unwrap_or_else(|| what.to_owned());
        // The message of a rate limit says when already.
        let told = what.contains("Try again in");
        let wait =
            self.retry_after.filter(|_| !told).map(|seconds| format!("Try again in {}. ", wait(seconds)));
        let search = (self.status == 404).then(search);
        view! {
            <div class="error-page">
                <p class="status">{self.status}</p>
                <h1>{title}</h1>
                <p>{what}</p>
                <p>{wait}{next}</p>
                {search}
                <p class="actions"><ButtonLink label="Home" href="/" /> <ButtonLink label="Agents" href="/agents" /></p>
                <p class="quiet small">"Request " <code>{self.request_id}</code></p>
            </div>
        }
        .into_any()
    }
}

impl ErrorPage {
    const fn words(&self) -> Words {
        if self.over_quota {
            return ("Quota exceeded", "You have used up a quota.", "Your account page shows your usage.");
        }
        words(self.status)
    }
}

fn search() -> AnyView {
    view! {
        <form class="search" role="search" action="/agents" aria-label="Instead">
            <label class="hidden" for="q">"Search agents"</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" placeholder="Search agents" />
            <button class="button">"Search"</button>
        </form>
    }
    .into_any()
}

const fn words(status: u16) -> Words {
    match status {
        403 => (
            "Not allowed",
            "You do not have permission for this.",
            "Ask an administrator of this hub for access.",
        ),
        404 => (
            "Not found",
            "This page does not exist, or you do not have access.",
            "Check the address, sign in, or search.",
        ),
        405 => (
            "Method not allowed",
            "This URL does not accept this kind of request.",
            "Go back to the page you came from and use its form.",
        ),
        409 => (
            "Conflict",
            "The data has changed since you loaded the page.",
            "Go back, reload the page, and try again.",
        ),
        413 => ("Too large", "The request is larger than this hub accepts.", "Send less data, or split it."),
        422 => ("Not acceptable", "The request contains an invalid value.", "Go back and check the form."),
        429 => ("Too many requests", "You have reached the rate limit.", "Wait, then try again."),
        503 => (
            "Not available right now",
            "The hub is starting, stopping, or cannot reach its database.",
            "Reload the page in a moment.",
        ),
        _ => (
            "Internal error",
            "The hub could not complete the request. Data accepted earlier is kept.",
            "Try again. If it persists, send the request id to an administrator.",
        ),
    }
}

fn wait(seconds: u64) -> String {
    match seconds {
        0..=90 => count(seconds.max(1), "second", "seconds"),
        91..=5_400 => count(seconds.div_ceil(60), "minute", "minutes"),
        _ => count(seconds.div_ceil(3_600), "hour", "hours"),
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

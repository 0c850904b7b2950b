//! Feedback on one message of an agent.

use leptos::prelude::*;
use plexus_domain::feedback::{FeedbackReason, Rating};

use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        format::{agent_href, reason_label},
    },
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::feedback::FeedbackPage,
};

impl Page for FeedbackPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("chat-feedback")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}?m={}", self.chat, self.message);
        let action = format!("/chat/{}/feedback", self.chat);
        let message = self.message.to_string();
        let ratings = Radios {
            name: "rating",
            legend: text!("chat-feedback-rating"),
            default: Rating::Up.as_str().to_owned(),
            options: vec![
                RadioOption::new(Rating::Up.as_str(), text!("feedback-good-answer")),
                RadioOption::new(Rating::Down.as_str(), text!("feedback-bad-answer")),
            ],
        };
        let label = |reason: FeedbackReason| match reason.rating() {
            Rating::Up => text!("chat-feedback-good-reason", reason = reason_label(reason)),
            Rating::Down => text!("chat-feedback-bad-reason", reason = reason_label(reason)),
        };
        let none = (String::new(), text!("chat-feedback-no-reason"));
        let reasons = FeedbackReason::ALL.map(|reason| (reason.as_str().to_owned(), label(reason)));
        let reasons = [none].into_iter().chain(reasons).collect();
        let take_back = self.is_given.then(|| {
            let fields = vec![("message", message.clone()), ("rating", "none".to_owned())];
            view! { <div><ActionForm action=action.clone() label=text!("chat-feedback-take-back") kind=Kind::Quiet fields /></div> }
        });
        let agent = self.agent;
        let reader = reader(self.is_remote, self.form.value_or("shown", "") == "yes");
        view! {
            <h1>{text!("chat-feedback")}</h1>
            <p class="quiet">{rich!("chat-feedback-on"; agent = |_| view! { <a href=agent_href(&agent)>{agent.to_string()}</a> })}</p>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                <input type="hidden" name="message" value=message />
                <input type="hidden" name="detail" value="yes" />
                {ratings.of(&self.form)}
                {Field::choice("reason", text!("chat-feedback-reason"), reasons).of(&self.form)}
                {Field::lines("comment", text!("chat-feedback-text"), 4).max(1_000).optional().of(&self.form)}
                {reader}
                <p class="actions"><Button label=text!("chat-feedback-save") kind=Kind::Primary /> <ButtonLink label=text!("back-to-chat") href=back kind=Kind::Quiet /></p>
            </form>
            {take_back}
        }
        .into_any()
    }
}

/// Renders who reads the feedback.
fn reader(is_remote: bool, is_shown: bool) -> AnyView {
    if is_remote {
        return view! { <p class="quiet">{text!("chat-feedback-remote")}</p> }.into_any();
    }
    view! {
        <p class="quiet">{text!("chat-feedback-local")}</p>
        <label class="option">
            <input type="checkbox" name="shown" value="yes" checked=is_shown />
            <span><span class="name">{text!("chat-feedback-show")}</span><span class="hint">{text!("chat-feedback-show-hint")}</span></span>
        </label>
    }
    .into_any()
}

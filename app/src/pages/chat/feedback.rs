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
    view_models::feedback::FeedbackPage,
};

impl Page for FeedbackPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Feedback") }
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}?m={}", self.chat, self.message);
        let action = format!("/chat/{}/feedback", self.chat);
        let message = self.message.to_string();
        let ratings = Radios {
            name: "rating",
            legend: "Rating",
            default: Rating::Up.as_str().to_owned(),
            options: vec![
                RadioOption::new(Rating::Up.as_str(), "Good answer"),
                RadioOption::new(Rating::Down.as_str(), "Bad answer"),
            ],
        };
        let label = |reason: FeedbackReason| match reason.rating() {
            Rating::Up => format!("Good: {}", reason_label(reason)),
            Rating::Down => format!("Bad: {}", reason_label(reason)),
        };
        let none = (String::new(), "No reason".to_owned());
        let reasons = FeedbackReason::ALL.map(|reason| (reason.as_str().to_owned(), label(reason)));
        let reasons = [none].into_iter().chain(reasons).collect();
        let take_back = self.is_given.then(|| {
            let fields = vec![("message", message.clone()), ("rating", "none".to_owned())];
            view! { <div><ActionForm action=action.clone() label="Take feedback back" kind=Kind::Quiet fields /></div> }
        });
        let reader = reader(self.is_remote, self.form.value_or("shown", "") == "yes");
        view! {
            <h1>"Feedback"</h1>
            <p class="quiet">"On an answer of "<a href=agent_href(&self.agent)>{self.agent.to_string()}</a>"."</p>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                <input type="hidden" name="message" value=message />
                <input type="hidden" name="detail" value="yes" />
                {ratings.of(&self.form)}
                {Field::choice("reason", "Reason", reasons).of(&self.form)}
                {Field::lines("comment", "Text", 4).max(1_000).optional().of(&self.form)}
                {reader}
                <p class="actions"><Button label="Save feedback" kind=Kind::Primary /> <ButtonLink label="Back to chat" href=back kind=Kind::Quiet /></p>
            </form>
            {take_back}
        }
        .into_any()
    }
}

/// Renders who reads the feedback.
fn reader(is_remote: bool, is_shown: bool) -> AnyView {
    if is_remote {
        return view! { <p class="quiet">"Your feedback is kept on this hub. The owner of this agent is on another hub and does not see it."</p> }
            .into_any();
    }
    view! {
        <p class="quiet">"The owner of the agent sees how many answers are rated good and bad each week, without names."</p>
        <label class="option">
            <input type="checkbox" name="shown" value="yes" checked=is_shown />
            <span><span class="name">"Show reason and text to the owner"</span><span class="hint">"Without your name and the chat."</span></span>
        </label>
    }
    .into_any()
}

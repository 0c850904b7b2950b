//! Public page of a shared chat.

use leptos::prelude::*;
use plexus_domain::sanitized_text::{ellipsize, one_line};

use super::{Page, PageMeta, SocialPreview};
use crate::{
    components::{
        button::{ActionForm, ButtonLink, Kind},
        icon::Icon,
        time::Date,
        transcript::transcript_message,
    },
    rich, text,
    view_models::shared_chat::SharedChatPage,
};

/// Length of the description in characters.
const DESCRIPTION: usize = 200;

impl Page for SharedChatPage {
    fn head(&self) -> PageMeta {
        let preview = ellipsize(&one_line(&self.preview), DESCRIPTION);
        let description = match preview.as_str() {
            "" => text!("shared-description", name = self.owner.as_str()),
            _ => preview,
        };
        let social = SocialPreview {
            title: self.title.clone(),
            description: description.clone(),
            picture: format!("/share/{}/picture.png", self.id),
            picture_alt: text!("shared-picture"),
        };
        PageMeta {
            description: Some(description),
            social: Some(social),
            ..PageMeta::private(self.title.clone())
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let path = format!("/share/{}", self.id);
        let go_on = if self.is_signed_in {
            let action = format!("{path}/continue");
            view! { <ActionForm action label=text!("shared-continue") kind=Kind::Primary icon=Icon::Fork /> }
                .into_any()
        } else {
            let href = format!("/login?next={path}");
            view! { <ButtonLink label=text!("shared-sign-in") href icon=Icon::SignIn /> }.into_any()
        };
        let expires = self
            .expires_at
            .map(|at| view! { " "{rich!("shared-expires"; date = |_| view! { <Date at /> })} });
        let (owner, shared_at) = (self.owner, self.shared_at);
        let messages = self.messages.into_iter().map(transcript_message).collect_view();
        let link = |page: usize| format!("{path}?page={page}");
        let earlier = (self.page > 1).then(|| {
            view! { <p class="older"><a rel="prev" href=link(self.page - 1)>{text!("shared-earlier")}</a></p> }
        });
        let later = (self.page < self.pages).then(|| {
            view! { <p class="newer"><a rel="next" href=link(self.page + 1)>{text!("shared-later")}</a></p> }
        });
        view! {
            <div class="transcript">
                <h1 dir="auto">{self.title}</h1>
                <p class="quiet">{rich!("shared-lead"; name = |_| view! { <strong dir="auto">{owner}</strong> }, date = |_| view! { <Date at=shared_at /> })}{expires}</p>
                <div class="actions no-print">{go_on}</div>
                {earlier}
                {messages}
                {later}
            </div>
        }
        .into_any()
    }
}

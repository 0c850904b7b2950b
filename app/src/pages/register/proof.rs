use leptos::prelude::*;

use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        form_errors::form_errors,
        icon::Icon,
        origin_verification::OriginCard,
        stepper::Steps,
    },
    pages::{Page, PageMeta},
    text,
    view_models::register::{OriginProof, ProofState, RegisterProof, Step},
};

impl Page for RegisterProof {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("register-proof-title"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let action = format!("/register/{}/proof", self.draft);
        let proved = self.origins.iter().all(|proof| matches!(proof.state, ProofState::Proved { .. }));
        let can_trust = self.can_trust;
        let cards = self.origins.into_iter().map(|proof| origin(proof, can_trust, &action)).collect_view();
        view! {
            <h1>{text!("register")}</h1>
            <Steps at=Step::Proof way=self.way draft=self.draft />
            <p>{text!("proof-lead")}</p>
            {form_errors(&self.form, None)}
            <h2>{text!("proof-origins")}</h2>
            {cards}
            <form class="actions" method="post" action=action>
                {(!proved).then(|| view! { <Button label=text!("proof-check") kind=Kind::Primary icon=Icon::Retry name="action" value="verify" /> })}
                {forward(proved)}
            </form>
            {(!proved).then(|| view! { <p class="quiet">{text!("proof-later")}</p> })}
        }
        .into_any()
    }
}

fn origin(proof: OriginProof, can_trust: bool, action: &str) -> AnyView {
    let unproved = !matches!(proof.state, ProofState::Proved { .. });
    let trust = (can_trust && unproved).then(|| {
        let fields = vec![("action", "trust_origin".to_owned()), ("origin", proof.origin.clone())];
        view! {
            <p class="quiet">{text!("proof-trust-lead")}</p>
            <ActionForm action=action.to_owned() label=text!("proof-trust") icon=Icon::Verified about=proof.origin.clone() fields />
        }
        .into_any()
    });
    match trust {
        Some(actions) => view! { <OriginCard proof actions /> }.into_any(),
        None => view! { <OriginCard proof /> }.into_any(),
    }
}

fn forward(proved: bool) -> AnyView {
    if proved {
        view! { <Button label=text!("register-continue") kind=Kind::Primary name="action" value="continue" /> }.into_any()
    } else {
        view! { <Button label=text!("proof-skip") name="action" value="continue" /> }.into_any()
    }
}

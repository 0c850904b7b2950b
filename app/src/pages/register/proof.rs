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
    view_models::register::{OriginProof, ProofState, RegisterProof, Step},
};

impl Page for RegisterProof {
    fn head(&self) -> PageMeta {
        PageMeta::private("Verify origins – register agent")
    }

    fn body(self) -> AnyView {
        let action = format!("/register/{}/proof", self.draft);
        let proved = self.origins.iter().all(|proof| matches!(proof.state, ProofState::Proved { .. }));
        let can_trust = self.can_trust;
        let cards = self.origins.into_iter().map(|proof| origin(proof, can_trust, &action)).collect_view();
        view! {
            <h1>"Register agent"</h1>
            <Steps at=Step::Proof way=self.way draft=self.draft />
            <p>"Verify that you control each origin, with a file or a DNS record. Until then only you can use the agent."</p>
            {form_errors(&self.form, None)}
            <h2>"Origins"</h2>
            {cards}
            <form class="actions" method="post" action=action>
                {(!proved).then(|| view! { <Button label="Check now" kind=Kind::Primary icon=Icon::Retry name="action" value="verify" /> })}
                {forward(proved)}
            </form>
            {(!proved).then(|| view! { <p class="quiet">"Unverified agents are listed with a badge, and only you can use them. You can verify the origins later."</p> })}
        }
        .into_any()
    }
}

fn origin(proof: OriginProof, can_trust: bool, action: &str) -> AnyView {
    let unproved = !matches!(proof.state, ProofState::Proved { .. });
    let trust = (can_trust && unproved).then(|| {
        let fields = vec![("action", "trust_origin".to_owned()), ("origin", proof.origin.clone())];
        view! {
            <p class="quiet">"As an administrator you can trust this origin without verification."</p>
            <ActionForm action=action.to_owned() label="Trust origin" icon=Icon::Verified about=proof.origin.clone() fields />
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
        view! { <Button label="Continue" kind=Kind::Primary name="action" value="continue" /> }.into_any()
    } else {
        view! { <Button label="Continue as unverified" name="action" value="continue" /> }.into_any()
    }
}

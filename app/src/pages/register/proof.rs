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
        PageMeta::private("Prove control – register agent")
    }

    fn body(self) -> AnyView {
        let action = format!("/register/{}/proof", self.draft);
        let proved = self.origins.iter().all(|proof| matches!(proof.state, ProofState::Proved { .. }));
        let can_vouch = self.can_vouch;
        let cards = self.origins.into_iter().map(|proof| origin(proof, can_vouch, &action)).collect_view();
        view! {
            <h1>"Register agent"</h1>
            <Steps at=Step::Proof way=self.way draft=self.draft />
            <p>"The hub calls an address for other people only if whoever registers it controls it. Prove it for each of these, in one of two ways."</p>
            {form_errors(&self.form, None)}
            <h2>"Where it runs"</h2>
            {cards}
            <form class="actions" method="post" action=action>
                {(!proved).then(|| view! { <Button label="Check now" kind=Kind::Primary icon=Icon::Retry name="action" value="check" /> })}
                {forward(proved)}
            </form>
            {(!proved).then(|| view! { <p class="quiet">"Unverified agents are listed with that badge. The hub calls them for you alone, and tells others so. You can prove control later."</p> })}
        }
        .into_any()
    }
}

fn origin(proof: OriginProof, can_vouch: bool, action: &str) -> AnyView {
    let unproved = !matches!(proof.state, ProofState::Proved { .. });
    let vouch = (can_vouch && unproved).then(|| {
        let fields = vec![("action", "vouch".to_owned()), ("origin", proof.origin.clone())];
        view! {
            <p class="quiet">"You are an administrator: instead of a proof you can answer for this address yourself."</p>
            <ActionForm action=action.to_owned() label="Vouch for it" icon=Icon::Verified about=proof.origin.clone() fields />
        }
        .into_any()
    });
    match vouch {
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

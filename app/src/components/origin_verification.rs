//! Origin verification: its state, and how to verify.

use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::{code_block::Copyable, icon::Icon, time::Ago};
use crate::{
    locales::translated,
    rich, text,
    view_models::register::{OriginProof, ProofMethod, ProofState},
};

/// Card of one origin: its verification state, and both verification methods while it is not verified.
#[component]
pub fn OriginCard(proof: OriginProof, #[prop(optional)] actions: Option<AnyView>) -> impl IntoView {
    let proved = matches!(proof.state, ProofState::Proved { .. });
    view! {
        <section class="origin">
            <h3><code>{proof.origin.clone()}</code></h3>
            {state(&proof.state)}
            {(!proved).then(|| ways(&proof))}
            {actions}
        </section>
    }
}

fn state(state: &ProofState) -> AnyView {
    match state {
        ProofState::Unchecked => view! { <p class="quiet">{text!("origin-unchecked")}</p> }.into_any(),
        ProofState::Proved { by, at } => proved(*by, *at).into_any(),
        ProofState::Failed { message, at } => {
            let (message, at) = (message.clone(), *at);
            let words = rich!("origin-failed"; message = |_| translated(message), time = move |_| view! { <Ago at /> });
            view! { <p class="state bad">{Icon::Failed.view()} <span>{words}</span></p> }.into_any()
        }
    }
}

fn proved(by: ProofMethod, at: Timestamp) -> AnyView {
    let time = move |_| view! { <Ago at /> };
    let how = match by {
        ProofMethod::File => rich!("origin-by-file"; time = time),
        ProofMethod::Dns => rich!("origin-by-dns"; time = time),
        ProofMethod::Trusted => rich!("origin-by-trust"; time = time),
    };
    view! { <p class="state good">{Icon::Verified.view()} <span>{how}</span></p> }.into_any()
}

fn ways(proof: &OriginProof) -> AnyView {
    let (url, text, dns) = (proof.file_url.clone(), proof.file_text.clone(), proof.dns.clone());
    view! {
        <div class="ways">
            <div>
                <h4>{text!("origin-file")}</h4>
                <p>{text!("origin-file-how")}</p>
                <Copyable text=url about=text!("about-address") />
                <Copyable text=text about=text!("about-text") />
            </div>
            {dns.map(|record| view! {
                <div>
                    <h4>{text!("origin-dns")}</h4>
                    <p>{text!("origin-dns-how")}</p>
                    <Copyable text=record.name about=text!("about-record-name") />
                    <Copyable text=record.value about=text!("about-record-value") />
                </div>
            })}
        </div>
    }
    .into_any()
}

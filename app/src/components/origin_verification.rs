//! Origin verification: its state, and how to verify.

use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::{code_block::Copyable, icon::Icon, time::Ago};
use crate::view_models::register::{OriginProof, ProofMethod, ProofState};

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
        ProofState::Unchecked => view! { <p class="quiet">"Not checked yet."</p> }.into_any(),
        ProofState::Proved { by, at } => proved(*by, *at).into_any(),
        ProofState::Failed { message, at } => {
            let (message, at) = (message.clone(), *at);
            view! { <p class="state bad">{Icon::Failed.view()} <span>{message} " Checked "<Ago at />"."</span></p> }.into_any()
        }
    }
}

fn proved(by: ProofMethod, at: Timestamp) -> AnyView {
    let how = match by {
        ProofMethod::File => "Verified by file, ",
        ProofMethod::Dns => "Verified by DNS record, ",
        ProofMethod::Trusted => "Trusted by an administrator, ",
    };
    view! { <p class="state good">{Icon::Verified.view()} <span>{how}<Ago at />"."</span></p> }.into_any()
}

fn ways(proof: &OriginProof) -> AnyView {
    let (url, text, dns) = (proof.file_url.clone(), proof.file_text.clone(), proof.dns.clone());
    view! {
        <div class="ways">
            <div>
                <h4>"With a file"</h4>
                <p>"Serve this text at this address:"</p>
                <Copyable text=url about="address" />
                <Copyable text=text about="text" />
            </div>
            {dns.map(|record| view! {
                <div>
                    <h4>"Or with a DNS record"</h4>
                    <p>"Publish this TXT record:"</p>
                    <Copyable text=record.name about="name of the record" />
                    <Copyable text=record.value about="value of the record" />
                </div>
            })}
        </div>
    }
    .into_any()
}

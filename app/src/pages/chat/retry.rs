use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
        identicon::Mark,
    },
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::{agents::AgentRow, chat::RetryPage},
};

impl Page for RetryPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(heading(self.is_comparison)) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}?m={}", self.chat, self.message);
        let path = if self.is_comparison { "compare" } else { "retry" };
        let action = format!("/chat/{}/{path}", self.chat);
        let message = self.message.to_string();
        let rows = self.agents.into_iter().map(|agent| row(agent, &action, &message)).collect_view();
        let address = Field::text("to", text!("retry-address")).hint(text!("retry-address-hint"));
        let title = self.title;
        let explanation = if self.is_comparison {
            text!("compare-explanation").into_any()
        } else {
            rich!("retry-lead"; title = |_| view! { <span dir="auto">{title}</span> })
        };
        view! {
            <h1>{heading(self.is_comparison)}</h1>
            <p class="quiet">{explanation}</p>
            {form_errors(&self.form, None)}
            <h2 class="hidden">{text!("retry-agents")}</h2>
            <ul class="rows" role="list">{rows}</ul>
            <form class="stack" method="post" action=action>
                <input type="hidden" name="message" value=message />
                {address.of(&self.form)}
                <p class="actions"><Button label=text!("retry-ask-address") /> <ButtonLink label=text!("cancel") href=back kind=Kind::Quiet /></p>
            </form>
        }
        .into_any()
    }
}

fn heading(is_comparison: bool) -> String {
    if is_comparison { text!("compare-with") } else { text!("ask-another-agent") }
}

fn row(agent: AgentRow, action: &str, message: &str) -> AnyView {
    let (address, about) = (agent.address.to_string(), agent.name.clone());
    view! {
        <li><form class="row" method="post" action=action.to_owned()>
            <Mark seed=agent.seed />
            <div>
                <h3><span dir="auto">{agent.name}</span>" "<span class="address">{address.clone()}</span></h3>
                <p class="summary" dir="auto">{agent.summary}</p>
            </div>
            <input type="hidden" name="message" value=message.to_owned() />
            <Button label=text!("retry-ask") about=about name="to" value=address />
        </form></li>
    }
    .into_any()
}

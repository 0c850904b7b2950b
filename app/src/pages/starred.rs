//! Page of the agents that the viewer starred.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{agent_row::AgentList, empty::Empty, icon::Icon},
    text,
    view_models::agents::StarredPage,
};

impl Page for StarredPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("starred-agents"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.rows.is_empty() {
            nothing()
        } else {
            view! { <h2 class="hidden">{text!("nav-agents")}</h2><AgentList rows=self.rows /> }.into_any()
        };
        let next = self.next.map(|href| {
            view! { <nav class="pager" aria-label=text!("pages")><a class="button quiet" rel="next" href=href>{text!("page-next")} {Icon::Forward.view()}</a></nav> }
        });
        view! {
            <div class="list-head">
                <h1>{text!("starred-agents")}</h1>
                <a href="/agents">{text!("all-agents")}</a>
            </div>
            {list}
            {next}
        }
        .into_any()
    }
}

fn nothing() -> AnyView {
    view! {
        <Empty title=text!("starred-none")>
            <p>{text!("starred-none-next")}</p>
            <p><a href="/agents">{text!("find-agents")}</a></p>
        </Empty>
    }
    .into_any()
}

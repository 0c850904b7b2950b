//! Page of the agents that the viewer starred.

use leptos::prelude::*;

use super::{Page, PageMeta};
use crate::{
    components::{agent_row::AgentList, empty::Empty, icon::Icon},
    view_models::agents::StarredPage,
};

impl Page for StarredPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Starred agents")
    }

    fn body(self) -> AnyView {
        let list = if self.rows.is_empty() {
            nothing()
        } else {
            view! { <h2 class="hidden">"Agents"</h2><AgentList rows=self.rows /> }.into_any()
        };
        let next = self.next.map(|href| {
            view! { <nav class="pager" aria-label="Pages"><a class="button quiet" rel="next" href=href>"Next" {Icon::Forward.view()}</a></nav> }
        });
        view! {
            <div class="list-head">
                <h1>"Starred agents"</h1>
                <a href="/agents">"All agents"</a>
            </div>
            {list}
            {next}
        }
        .into_any()
    }
}

fn nothing() -> AnyView {
    view! {
        <Empty title="No stars yet">
            <p>"Star an agent on its page. Starred agents are listed here and come first when you start a chat."</p>
            <p><a href="/agents">"Find agents"</a></p>
        </Empty>
    }
    .into_any()
}

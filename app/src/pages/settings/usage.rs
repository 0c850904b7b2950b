use leptos::prelude::*;

use super::with_side;
use crate::{
    components::usage_report::usage_report,
    pages::{Page, PageMeta},
    view_models::model_usage::OwnUsagePage,
};

impl Page for OwnUsagePage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Usage")
    }

    fn body(self) -> AnyView {
        let content = view! {
            <h1>"Usage"</h1>
            <p class="quiet">"Tokens and cost of your messages to agents that run on models of this hub. Days begin at 00:00 UTC."</p>
            {self.offers_keys.then(|| view! { <p><a href="/settings/model-keys">"Model keys"</a>" to pay a model provider yourself."</p> })}
            {usage_report(&self.report, "/settings/usage")}
        };
        with_side("/settings/usage", content.into_any())
    }
}

use leptos::prelude::*;

use super::with_side;
use crate::{
    components::usage_report::usage_report,
    pages::{Page, PageMeta},
    rich, text,
    view_models::model_usage::OwnUsagePage,
};

impl Page for OwnUsagePage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("settings-usage"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let keys =
            || rich!("usage-keys"; link = |inner| view! { <a href="/settings/model-keys">{inner}</a> });
        let content = view! {
            <h1>{text!("settings-usage")}</h1>
            <p class="quiet">{text!("usage-lead")}</p>
            {self.offers_keys.then(|| view! { <p>{keys()}</p> })}
            {usage_report(&self.report, "/settings/usage")}
        };
        with_side("/settings/usage", content.into_any())
    }
}

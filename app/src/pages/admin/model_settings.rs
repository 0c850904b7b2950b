use leptos::prelude::*;

use super::{model_provider::model_href, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        section::Section,
    },
    pages::{Page, PageMeta},
    rich, text,
    view_models::{Form, model_providers::ModelSettingsPage},
};

impl Page for ModelSettingsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(self.name.clone())
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let action = model_href(&self.provider, &self.name);
        let provider = format!("/admin/models/{}", self.provider);
        let reset = vec![("action", "reset".to_owned())];
        let form = &self.form;
        let content = view! {
            <p><a href="/admin/models">{text!("admin-models")}</a>" › "<a href=provider>{self.provider_title.clone()}</a></p>
            <h1>{self.name.clone()}</h1>
            {form_errors(form, None)}
            <form class="stack narrow" method="post" action=action.clone()>
                <input type="hidden" name="action" value="save" />
                {fields(&self, form)}
                <p class="actions"><Button label=text!("model-settings-save") kind=Kind::Primary /></p>
            </form>
            <Section title=text!("model-settings-reset-title") lead=text!("model-settings-reset-lead")>
                <ActionForm action label=text!("model-settings-reset") fields=reset />
            </Section>
        };
        with_side("/admin/models", content.into_any())
    }
}

fn fields(page: &ModelSettingsPage, form: &Form) -> AnyView {
    let context = text!("model-settings-context", tokens = page.provider_context_tokens);
    let price = match page.provider_price.as_str() {
        "" => text!("model-settings-price"),
        price => text!("model-settings-price-of", price = price),
    };
    view! {
        {Field::text("display_name", text!("model-display-name")).optional().max(60).hint(text!("model-display-name-hint")).of(form)}
        {Field::number("context_tokens", text!("model-context-tokens")).optional().hint(context).of(form)}
        {Field::text("price", text!("model-price-million")).optional().max(40).placeholder("0.15/0.60").hint(price).of(form)}
        {ability("calls_tools", text!("model-tools"), text!("model-tools-hint")).of(form)}
        {ability("reads_images", text!("model-images"), text!("model-images-hint")).of(form)}
        {ability("can_reason", text!("model-reasoning"), text!("model-reasoning-hint")).of(form)}
        {ability("writes_json", text!("model-json"), text!("model-json-hint")).of(form)}
        {direct().of(form)}
        {page.direct_address.clone().map(|address| {
            let href = format!("/{address}");
            let words = rich!("model-direct-address", address = address; link = |inner| view! { <a href=href>{inner}</a> });
            view! { <p class="hint">{words}</p> }
        })}
        {visibility().of(form)}
        {access().of(form)}
        {Field::lines("users", text!("model-named-users"), 2).mono().conditional().hint(text!("model-named-users-hint")).of(form)}
        {Field::number("account_tokens", text!("model-account-tokens")).optional().hint(text!("model-account-tokens-hint")).of(form)}
        {Field::number("hub_tokens", text!("model-hub-tokens")).optional().hint(text!("model-hub-tokens-hint")).of(form)}
    }
    .into_any()
}

fn ability(name: &'static str, label: String, hint: String) -> Field {
    let options = [("", text!("model-unknown")), ("yes", text!("copies-yes")), ("no", text!("copies-no"))];
    let options = options.map(|(value, label)| (value.to_owned(), label)).to_vec();
    Field::choice(name, label, options).hint(hint)
}

fn direct() -> Radios<String> {
    Radios {
        name: "direct",
        legend: text!("model-direct"),
        default: "no".to_owned(),
        options: vec![
            RadioOption::new("no", text!("model-direct-no")),
            RadioOption::new("yes", text!("model-direct-yes")).meaning(text!("model-direct-yes-meaning")),
        ],
    }
}

fn visibility() -> Radios<String> {
    Radios {
        name: "visibility",
        legend: text!("model-list"),
        default: "shown".to_owned(),
        options: vec![
            RadioOption::new("shown", text!("model-shown")).meaning(text!("model-shown-meaning")),
            RadioOption::new("hidden", text!("model-hidden")).meaning(text!("model-hidden-meaning")),
        ],
    }
}

fn access() -> Radios<String> {
    Radios {
        name: "access",
        legend: text!("model-who"),
        default: "everyone".to_owned(),
        options: vec![
            RadioOption::new("everyone", text!("model-who-all")),
            RadioOption::new("moderators", text!("model-who-moderators")),
            RadioOption::new("administrators", text!("model-who-administrators")),
            RadioOption::new("named", text!("model-named-users")).meaning(text!("model-who-named-meaning")),
        ],
    }
}

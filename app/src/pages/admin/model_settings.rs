use leptos::prelude::*;

use super::{model_provider::model_href, with_side};
use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        format::grouped,
        section::Section,
    },
    pages::{Page, PageMeta},
    view_models::{Form, model_providers::ModelSettingsPage},
};

impl Page for ModelSettingsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(self.name.clone())
    }

    fn body(self) -> AnyView {
        let action = model_href(&self.provider, &self.name);
        let provider = format!("/admin/models/{}", self.provider);
        let reset = vec![("action", "reset".to_owned())];
        let form = &self.form;
        let content = view! {
            <p><a href="/admin/models">"Models"</a>" › "<a href=provider>{self.provider_title.clone()}</a></p>
            <h1>{self.name.clone()}</h1>
            {form_errors(form, None)}
            <form class="stack narrow" method="post" action=action.clone()>
                <input type="hidden" name="action" value="save" />
                {fields(&self, form)}
                <p class="actions"><Button label="Save settings" kind=Kind::Primary /></p>
            </form>
            <Section title="Reset" lead="The model then has the settings of its provider, all users may use it, and it has no limits.">
                <ActionForm action label="Reset settings" fields=reset />
            </Section>
        };
        with_side("Models", content.into_any())
    }
}

fn fields(page: &ModelSettingsPage, form: &Form) -> AnyView {
    let context = format!("Empty means that of the provider: {}.", grouped(page.provider_context_tokens));
    let price = match page.provider_price.as_str() {
        "" => "Input and output. Empty means no price.".to_owned(),
        price => format!("Input and output. Empty means those of the provider: {price}. 0/0 means free."),
    };
    view! {
        {Field::text("display_name", "Display name").optional().max(60).hint("Shown in the list of models beside its name.").of(form)}
        {Field::number("context_tokens", "Context window in tokens").optional().hint(context).of(form)}
        {Field::text("price", "Price of a million tokens").optional().max(40).placeholder("0.15/0.60").hint(price).of(form)}
        {ability("calls_tools", "Tools", "Whether it calls tools. Agents with tools need it.").of(form)}
        {ability("reads_images", "Images", "Whether it reads images. Messages with images need it.").of(form)}
        {ability("can_reason", "Reasoning", "Shown in the list of models.").of(form)}
        {ability("writes_json", "JSON answers", "Whether its answers follow a JSON Schema. Shown in the list of models.").of(form)}
        {direct().of(form)}
        {page.direct_address.clone().map(|address| {
            let href = format!("/{address}");
            view! { <p class="hint">"Address: "<a href=href>{address}</a></p> }
        })}
        {visibility().of(form)}
        {access().of(form)}
        {Field::lines("users", "Named users", 2).mono().conditional().hint("One name per line. Only for “Named users”.").of(form)}
        {Field::number("account_tokens", "Tokens a day of one user").optional().hint("Input and output together. Empty means no limit. The day begins at 00:00 UTC.").of(form)}
        {Field::number("hub_tokens", "Tokens a day of all users").optional().hint("Empty means no limit.").of(form)}
    }
    .into_any()
}

fn ability(name: &'static str, label: &'static str, hint: &'static str) -> Field {
    let options = [("", "Not known"), ("yes", "Yes"), ("no", "No")];
    let options = options.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec();
    Field::choice(name, label, options).hint(hint)
}

fn direct() -> Radios {
    Radios {
        name: "direct",
        legend: "In chats",
        default: "no".to_owned(),
        options: vec![
            RadioOption::new("no", "Only through agents"),
            RadioOption::new("yes", "As an agent of its own")
                .meaning("People chat with the model itself, without instructions. Only those who may use it get answers."),
        ],
    }
}

fn visibility() -> Radios {
    Radios {
        name: "visibility",
        legend: "List of models",
        default: "shown".to_owned(),
        options: vec![
            RadioOption::new("shown", "Shown").meaning("New agents can use it."),
            RadioOption::new("hidden", "Hidden").meaning("Agents that use it keep answering."),
        ],
    }
}

fn access() -> Radios {
    Radios {
        name: "access",
        legend: "Who may use it",
        default: "everyone".to_owned(),
        options: vec![
            RadioOption::new("everyone", "All users"),
            RadioOption::new("moderators", "Moderators and administrators"),
            RadioOption::new("administrators", "Administrators"),
            RadioOption::new("named", "Named users").meaning("And administrators."),
        ],
    }
}

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Page, PageMeta},
    view_models::{
        Form,
        register::{ModelOption, RegisterImport},
    },
};

impl Page for RegisterImport {
    fn head(&self) -> PageMeta {
        PageMeta::private("Import agent")
    }

    fn body(self) -> AnyView {
        let Self { owner, models, form } = self;
        let hint = format!("Its address will be @{owner}/name and cannot change. Empty: as in the file.");
        view! {
            <h1>"Import agent"</h1>
            <p class="quiet">
                "Creates an agent from a file that “Export agent” saved, here or on another hub. The agent is private until you change its visibility."
            </p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/register/import" enctype="multipart/form-data">
                {file_field(&form)}
                {Field::text("name", "Name in its address").optional().mono().max(39).hint(hint).of(&form)}
                {model_field(models, &form)}
                <p class="actions"><Button label="Import agent" kind=Kind::Primary /></p>
            </form>
            <p><a href="/register">"Other ways to register an agent"</a></p>
        }
        .into_any()
    }
}

fn file_field(form: &Form) -> AnyView {
    Field::file("file", "File", ".json,application/json")
        .hint("A JSON file of the format plexus-agent/1. It holds no credentials; you enter those of MCP servers afterwards.")
        .of(form)
}

fn model_field(models: Vec<ModelOption>, form: &Form) -> AnyView {
    let as_in_file = (String::new(), "As in the file".to_owned());
    let models = models.into_iter().map(|model| (model.id, model.label));
    Field::choice("model", "Model", std::iter::once(as_in_file).chain(models).collect())
        .default(String::new())
        .hint("Choose one if this hub does not have the model of the file.")
        .of(form)
}

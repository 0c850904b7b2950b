use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Page, PageMeta},
    text,
    view_models::{
        Form,
        register::{ModelOption, RegisterImport},
    },
};

impl Page for RegisterImport {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("import"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let Self { owner, models, form } = self;
        let hint = text!("import-name-hint", owner = owner);
        view! {
            <h1>{text!("import")}</h1>
            <p class="quiet">
                {text!("import-lead")}
            </p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/register/import" enctype="multipart/form-data">
                {file_field(&form)}
                {Field::text("name", text!("copy-name")).optional().mono().max(39).hint(hint).of(&form)}
                {model_field(models, &form)}
                <p class="actions"><Button label=text!("import") kind=Kind::Primary /></p>
            </form>
            <p><a href="/register">{text!("register-other-ways")}</a></p>
        }
        .into_any()
    }
}

fn file_field(form: &Form) -> AnyView {
    Field::file("file", text!("import-file"), ".json,application/json")
        .hint(text!("import-file-hint"))
        .of(form)
}

fn model_field(models: Vec<ModelOption>, form: &Form) -> AnyView {
    let as_in_file = (String::new(), text!("import-as-in-file"));
    let models = models.into_iter().map(|model| (model.id, model.label));
    Field::choice("model", text!("field-model"), std::iter::once(as_in_file).chain(models).collect())
        .default(String::new())
        .hint(text!("import-model-hint"))
        .of(form)
}

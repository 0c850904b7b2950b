use leptos::prelude::*;

use super::instructions::name_field;
use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        format::agent_href,
    },
    pages::{Page, PageMeta},
    text,
    view_models::register::ProgramPage,
};

impl Page for ProgramPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(title(self))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let (form, title) = (&self.form, title(&self));
        if self.programs.is_empty() {
            return no_program(title);
        }
        let (action, name) = match &self.editing {
            Some(address) => (format!("{}/edit", agent_href(address)), None),
            None => ("/register/program".to_owned(), Some(name_field(&self.owner, form))),
        };
        let verb = if self.editing.is_some() { text!("save-version") } else { text!("register-continue") };
        let first = self.programs.first().cloned().unwrap_or_default();
        let options = self.programs.iter().map(|name| (name.clone(), name.clone())).collect();
        view! {
            <h1>{title}</h1>
            {form_errors(form, None)}
            <form class="stack form-wide" method="post" action=action>
                {Field::choice("program", text!("field-program"), options).default(first).of(form)}
                {Field::text("title", text!("agent-title")).max(60).placeholder(text!("agent-title-example")).hint(text!("agent-title-hint")).of(form)}
                {name}
                {Field::text("summary", text!("agent-summary")).max(300).hint(text!("agent-summary-hint")).of(form)}
                {Field::lines("starters", text!("agent-examples"), 3).optional().max(1_000).hint(text!("agent-examples-hint")).of(form)}
                {Field::text("tags", text!("agent-tags")).optional().max(200).hint(text!("agent-tags-hint")).of(form)}
                <p class="actions"><Button label=verb kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}

fn title(page: &ProgramPage) -> String {
    if page.editing.is_some() { text!("program-edit") } else { text!("program-new") }
}

fn no_program(title: String) -> AnyView {
    view! {
        <h1>{title}</h1>
        <Empty title=text!("program-none")>
            <p>{text!("program-none-why")}</p>
            <p class="actions"><ButtonLink label=text!("program-none-docs") href="/docs/operate#programs" /> <ButtonLink label=text!("register-another") href="/register" kind=Kind::Primary /></p>
        </Empty>
    }
    .into_any()
}

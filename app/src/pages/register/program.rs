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
    view_models::register::ProgramPage,
};

impl Page for ProgramPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(title(self))
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
        let verb = if self.editing.is_some() { "Save as a new version" } else { "Continue" };
        let first = self.programs.first().cloned().unwrap_or_default();
        let options = self.programs.iter().map(|name| (name.clone(), name.clone())).collect();
        view! {
            <h1>{title}</h1>
            {form_errors(form, None)}
            <form class="stack form-wide" method="post" action=action>
                {Field::choice("program", "Program", options).default(first).of(form)}
                {Field::text("title", "Title").max(60).placeholder("Tide clerk").hint("Shown in lists and on its page.").of(form)}
                {name}
                {Field::text("summary", "Summary").max(300).hint("One line about what it does. Search includes it.").of(form)}
                {Field::lines("starters", "Example messages", 3).optional().max(1_000).hint("One per line, up to five.").of(form)}
                {Field::text("tags", "Tags").optional().max(200).hint("Search terms, separated by commas.").of(form)}
                <p class="actions"><Button label=verb kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}

const fn title(page: &ProgramPage) -> &'static str {
    if page.editing.is_some() { "Edit program" } else { "Use a program installed on this hub" }
}

fn no_program(title: &'static str) -> AnyView {
    view! {
        <h1>{title}</h1>
        <Empty title="No programs available">
            <p>"The operator lists programs in the configuration, and names the users of each."</p>
            <p class="actions"><ButtonLink label="How to list programs" href="/docs/operate#programs" /> <ButtonLink label="Register another agent" href="/register" kind=Kind::Primary /></p>
        </Empty>
    }
    .into_any()
}

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
        format::duration,
        icon::Icon,
        identicon::Mark,
        notice::Note,
        stepper::Steps,
    },
    pages::{Page, PageMeta},
    view_models::{
        Tone,
        register::{RegisterTry, RegistrationKind, Step, TestCallView},
    },
};

impl Page for RegisterTry {
    fn head(&self) -> PageMeta {
        PageMeta::private(format!("Try {} – register agent", self.name))
    }

    fn body(self) -> AnyView {
        let action = format!("/register/{}/try", self.draft);
        let works = self.tried.as_ref().is_some_and(|tried| tried.failed.is_none());
        let message = self.tried.as_ref().map_or(self.suggestion, |tried| tried.message.clone());
        let field = Field::lines("message", "Message", 2).default(message).max(4_000).of(&self.form);
        let (try_kind, on) = match works {
            true => (
                Kind::Plain,
                view! { <Button label="Continue" kind=Kind::Primary name="action" value="continue" /> },
            ),
            false => (
                Kind::Primary,
                view! { <Button label="Skip" kind=Kind::Plain name="action" value="continue" /> },
            ),
        };
        let again = if self.tried.is_some() { "Try again" } else { "Try it" };
        view! {
            <h1>"Register agent"</h1>
            <Steps at=Step::Try way=RegistrationKind::Request draft=self.draft />
            <div class="title-row"><Mark seed=self.seed /><div><h2 dir="auto">{self.name}</h2><p class="quiet"><code>{self.method}" "{self.url}</code></p></div></div>
            <p>"Send it a test message, as the hub will. Only you see this, and nothing is published yet."</p>
            {form_errors(&self.form, None)}
            <form class="stack form-wide" method="post" action=action>
                {field}
                <p class="actions"><Button label=again kind=try_kind icon=Icon::Send name="action" value="try" />{on}</p>
            </form>
            {self.tried.map(outcome)}
        }
        .into_any()
    }
}

fn outcome(tried: TestCallView) -> AnyView {
    let took = duration(tried.took_ms);
    let verdict = match tried.failed {
        None => view! { <Note tone=Tone::Good>{format!("It answered within {took}.")}</Note> },
        Some(words) => view! { <Note tone=Tone::Bad>{words}</Note> },
    };
    let empty = tried.answer.is_empty();
    let answer = (!empty).then(|| {
        view! { <div class="prose" inner_html=tried.answer.into_string()></div> }
    });
    view! { <section class="section" id="answer"><h2>"Response"</h2>{verdict}{answer}</section> }.into_any()
}

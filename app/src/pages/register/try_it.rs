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
    locales::translated,
    pages::{Page, PageMeta},
    text,
    view_models::{
        Tone,
        register::{RegisterTry, RegistrationKind, Step, TestCallView},
    },
};

impl Page for RegisterTry {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("register-try-title", name = self.name.clone()))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let action = format!("/register/{}/try", self.draft);
        let works = self.tried.as_ref().is_some_and(|tried| tried.failed.is_none());
        let message = self.tried.as_ref().map_or(self.suggestion, |tried| tried.message.clone());
        let field = Field::lines("message", text!("message"), 2).default(message).max(4_000).of(&self.form);
        let (try_kind, on) = match works {
            true => (
                Kind::Plain,
                view! { <Button label=text!("register-continue") kind=Kind::Primary name="action" value="continue" /> },
            ),
            false => (
                Kind::Primary,
                view! { <Button label=text!("try-skip") kind=Kind::Plain name="action" value="continue" /> },
            ),
        };
        let again = if self.tried.is_some() { text!("try-again") } else { text!("step-try") };
        view! {
            <h1>{text!("register")}</h1>
            <Steps at=Step::Try way=RegistrationKind::Request draft=self.draft />
            <div class="title-row"><Mark seed=self.seed /><div><h2 dir="auto">{self.name}</h2><p class="quiet"><code>{self.method}" "{self.url}</code></p></div></div>
            <p>{text!("try-lead")}</p>
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
        None => view! { <Note tone=Tone::Good>{text!("try-answered", time = took)}</Note> },
        Some(words) => view! { <Note tone=Tone::Bad>{translated(words)}</Note> },
    };
    let empty = tried.answer.is_empty();
    let answer = (!empty).then(|| {
        view! { <div class="prose" inner_html=tried.answer.into_string()></div> }
    });
    view! { <section class="section" id="answer"><h2>{text!("try-response")}</h2>{verdict}{answer}</section> }
        .into_any()
}

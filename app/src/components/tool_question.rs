//! Card of a question that a tool asks the user: a form, or the answer that was given.

use leptos::prelude::*;
use plexus_domain::{
    ApprovalId,
    form_question::{FormAnswer, FormInput, FormQuestion, InputKind, InputOption},
    message::MessageState,
};
use serde_json::{Map, Value};

use super::{
    button::{Button, Kind},
    format::in_textarea,
    icon::Icon,
};
use crate::{rich, text, view_models::message::Article};

/// Texts that may be longer are entered in several lines.
const ONE_LINE: usize = 200;

pub fn tool_question(
    id: ApprovalId,
    tool: String,
    question: FormQuestion,
    answer: Option<FormAnswer>,
    article: &Article,
) -> AnyView {
    let message = question.message.clone();
    let shown = tool.clone();
    let body = match answer {
        Some(FormAnswer::Given { values }) => given(&question, &values),
        Some(FormAnswer::Declined) => {
            view! { <p class="state">{Icon::Close.view()} {text!("question-declined")}</p> }.into_any()
        }
        Some(FormAnswer::Unanswered) => unanswered(),
        None if article.state != MessageState::Open => unanswered(),
        None => form(id, tool, question, article),
    };
    view! {
        <div class="card approval tool-question">
            <p>{rich!("question-lead", tool = shown; tool = |inner| view! { <code>{inner}</code> })}</p>
            <p class="asked" dir="auto">{message}</p>
            {body}
        </div>
    }
    .into_any()
}

fn form(id: ApprovalId, tool: String, question: FormQuestion, article: &Article) -> AnyView {
    let action = format!("/chat/{}/question", article.chat);
    let send = if question.inputs.is_empty() { text!("question-agree") } else { text!("question-send") };
    let has_inputs = !question.inputs.is_empty();
    let inputs = question.inputs.into_iter().enumerate();
    let inputs = inputs.map(|(at, input)| field(&format!("{id}-{at}"), input)).collect_view();
    view! {
        <form class="stack" method="post" action=action>
            <input type="hidden" name="approval" value=id.to_string() />
            {inputs}
            {has_inputs.then(|| view! { <p class="hint">{text!("question-receiver", tool = tool)}</p> })}
            <div class="actions">
                <Button label=send kind=Kind::Primary name="decision" value="yes" />
                <button class="button" name="decision" value="no" formnovalidate=true>{text!("question-decline")}</button>
            </div>
        </form>
    }
    .into_any()
}

fn field(id: &str, input: FormInput) -> AnyView {
    let id = format!("q-{id}");
    let hint = input.description.clone();
    let described = hint.is_some().then(|| format!("{id}-hint"));
    let hint = hint.map(|words| view! { <p class="hint" id=described.clone() dir="auto">{words}</p> });
    if input.kind == InputKind::Switch {
        let is_on = input.default == Some(Value::Bool(true));
        return view! {
            <div class="field">
                <label class="option">
                    <input id=id type="checkbox" name=name(&input) value="yes" checked=is_on aria-describedby=described />
                    <span><span class="name" dir="auto">{input.title}</span>{hint}</span>
                </label>
            </div>
        }
        .into_any();
    }
    let optional =
        (!input.is_required).then(|| view! { " "<span class="quiet">{text!("question-optional")}</span> });
    let (label, title) = (id.clone(), input.title.clone());
    view! {
        <div class="field">
            <label for=label><span dir="auto">{title}</span>{optional}</label>
            {hint}
            {control(id, described, input)}
        </div>
    }
    .into_any()
}

fn control(id: String, described: Option<String>, input: FormInput) -> AnyView {
    let (name, required) = (name(&input), input.is_required);
    let default = match &input.default {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    match input.kind {
        InputKind::Text { min_chars, max_chars } if max_chars > ONE_LINE => view! {
            <textarea class="control" id=id dir="auto" name=name rows=3 required=required minlength=min_chars.to_string()
                maxlength=max_chars.to_string() aria-describedby=described>{in_textarea(&default)}</textarea>
        }
        .into_any(),
        InputKind::Text { min_chars, max_chars } => view! {
            <input class="control" id=id dir="auto" name=name type="text" value=default required=required
                minlength=min_chars.to_string() maxlength=max_chars.to_string() aria-describedby=described />
        }
        .into_any(),
        InputKind::Number { is_integer, min, max } => view! {
            <input class="control" id=id name=name type="number" value=default required=required
                step=if is_integer { "1" } else { "any" } min=min.map(|min| min.to_string())
                max=max.map(|max| max.to_string()) aria-describedby=described />
        }
        .into_any(),
        InputKind::Choice { options } => {
            let none = (!required || default.is_empty()).then(|| view! { <option value=""></option> });
            let option = |InputOption { value, title }: InputOption| {
                let selected = value == default;
                view! { <option value=value selected=selected>{title}</option> }
            };
            let options = options.into_iter().map(option).collect_view();
            view! {
                <select class="control" id=id name=name required=required aria-describedby=described>{none}{options}</select>
            }
            .into_any()
        }
        InputKind::Switch => ().into_any(),
    }
}

fn name(input: &FormInput) -> String {
    format!("input.{}", input.name)
}

fn given(question: &FormQuestion, values: &Map<String, Value>) -> AnyView {
    let row = |input: &FormInput| {
        let value = values.get(&input.name)?;
        let title = input.title.clone();
        Some(view! { <div><dt dir="auto">{title}</dt><dd dir="auto">{shown(input, value)}</dd></div> })
    };
    let rows: Vec<_> = question.inputs.iter().filter_map(row).collect();
    let rows = (!rows.is_empty()).then(|| view! { <dl class="definitions">{rows}</dl> });
    view! {
        {rows}
        <p class="state good">{Icon::Check.view()} {text!("question-answered")}</p>
    }
    .into_any()
}

fn shown(input: &FormInput, value: &Value) -> String {
    match (&input.kind, value) {
        (InputKind::Choice { options }, Value::String(chosen)) => {
            let option = options.iter().find(|option| option.value == *chosen);
            option.map_or_else(|| chosen.clone(), |option| option.title.clone())
        }
        (_, Value::Bool(true)) => text!("question-yes"),
        (_, Value::Bool(false)) => text!("question-no"),
        (_, Value::String(text)) => text.clone(),
        (_, value) => value.to_string(),
    }
}

fn unanswered() -> AnyView {
    view! { <p class="state">{text!("question-unanswered")}</p> }.into_any()
}

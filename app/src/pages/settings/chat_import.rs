//! Form that imports chats, and its result.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink},
        icon::Icon,
        section::Section,
    },
    locales::translated,
    rich, text,
    view_models::{Form, shared_chat::ChatImportResult},
};

/// Renders the form, below the result of the file that was sent last.
pub fn chat_import(result: Option<ChatImportResult>, form: &Form) -> AnyView {
    let error = form.errors().first().map(|(_, message)| message.clone());
    let is_invalid = error.is_some();
    let error = error.map(
        |error| view! { <p class="error" id="file-error" role="alert">{Icon::Alert.view()} {translated(error)}</p> },
    );
    let described = if is_invalid { "file-hint file-error" } else { "file-hint" };
    view! {
        <Section
            title=text!("chat-import")
            lead=text!("chat-import-lead")
        >
            {result.map(import_result)}
            <form class="stack narrow" method="post" action="/settings/chats/import" enctype="multipart/form-data">
                <div class="field" class:invalid=is_invalid>
                    <label for="file">{text!("chat-import-file")}</label>
                    <span class="hint" id="file-hint">
                        {text!("chat-import-hint")}
                    </span>
                    <input
                        class="control" type="file" id="file" name="file" required
                        accept=".json,.jsonl,.zip,application/json,application/zip" aria-describedby=described
                    />
                    {error}
                </div>
                <p class="actions"><Button label=text!("chat-import-submit") /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn import_result(result: ChatImportResult) -> AnyView {
    let ChatImportResult { service, imported, new_messages, already_there, left_out, problem } = result;
    let headline = text!("chat-imported", count = imported, service = service);
    let updated = (new_messages > 0).then(|| text!("chat-import-new-messages", count = new_messages));
    let skipped = (already_there > 0).then(|| text!("chat-import-skipped", count = already_there));
    let omitted = (!left_out.is_empty()).then(|| {
        let items: Vec<_> = left_out.into_iter().map(|item| view! { <li>{item}</li> }).collect();
        view! { <p>{text!("chat-import-left-out")}</p><ul>{items}</ul> }
    });
    let problem = problem.map(|words| {
        let words = rich!("chat-import-ended"; problem = |_| translated(words));
        view! { <p class="error">{Icon::Alert.view()} {words}</p> }
    });
    view! {
        <div class="stack" id="import-result" role="status">
            <p><strong>{headline}</strong></p>
            {problem}
            {updated.map(|words| view! { <p>{words}</p> })}
            {skipped.map(|words| view! { <p>{words}</p> })}
            {omitted}
            <p class="actions"><ButtonLink label=text!("chat-import-show") href="/chat" /></p>
        </div>
    }
    .into_any()
}

//! Form that imports chats, and its result.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink},
        format::count,
        icon::Icon,
        section::Section,
    },
    view_models::{Form, shared_chat::ChatImportResult},
};

/// Renders the form, below the result of the file that was sent last.
pub fn chat_import(result: Option<ChatImportResult>, form: &Form) -> AnyView {
    let error = form.errors().first().map(|(_, message)| message.clone());
    let is_invalid = error.is_some();
    let error = error.map(
        |error| view! { <p class="error" id="file-error" role="alert">{Icon::Alert.view()} {error}</p> },
    );
    let described = if is_invalid { "file-hint file-error" } else { "file-hint" };
    view! {
        <Section
            title="Import"
            lead="Chats that ChatGPT, Claude, Open WebUI, LibreChat or another Plexus hub exported, with all of their branches."
        >
            {result.map(import_result)}
            <form class="stack narrow" method="post" action="/settings/chats/import" enctype="multipart/form-data">
                <div class="field" class:invalid=is_invalid>
                    <label for="file">"Exported file"</label>
                    <span class="hint" id="file-hint">
                        "JSON, or the ZIP archive that you got, at most 64 MiB. Images and files are left out. Chats that you imported before are skipped."
                    </span>
                    <input
                        class="control" type="file" id="file" name="file" required
                        accept=".json,.jsonl,.zip,application/json,application/zip" aria-describedby=described
                    />
                    {error}
                </div>
                <p class="actions"><Button label="Import chats" /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn import_result(result: ChatImportResult) -> AnyView {
    let ChatImportResult { service, imported, already_there, left_out, problem } = result;
    let headline = format!("{} imported from {service}.", count(imported, "chat", "chats"));
    let skipped = (already_there > 0)
        .then(|| format!("{} imported before and skipped.", count(already_there, "chat was", "chats were")));
    let omitted = (!left_out.is_empty()).then(|| {
        let items: Vec<_> = left_out.into_iter().map(|item| view! { <li>{item}</li> }).collect();
        view! { <p>"Left out:"</p><ul>{items}</ul> }
    });
    let problem = problem
        .map(|words| view! { <p class="error">{Icon::Alert.view()} "The import ended early: " {words}</p> });
    view! {
        <div class="stack" id="import-result" role="status">
            <p><strong>{headline}</strong></p>
            {problem}
            {skipped.map(|words| view! { <p>{words}</p> })}
            {omitted}
            <p class="actions"><ButtonLink label="Show chats" href="/chat" /></p>
        </div>
    }
    .into_any()
}

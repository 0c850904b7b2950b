//! Manage tab of an agent's page: what its owner can change.

use leptos::prelude::*;
use plexus_domain::agent::{AgentAccess, Visibility};

use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        dialog::Dialog,
        empty::Empty,
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        format::{access_name, agent_href, grouped, visibility_meaning, visibility_name},
        icon::Icon,
        notice::Note,
        origin_verification::OriginCard,
        section::Section,
        table::Table,
        time::Ago,
    },
    view_models::{
        Form, Tone,
        agent::{AgentFile, AgentHead, Manage, VectorCount},
        register::OriginProof,
    },
};

pub fn view(model: Manage, head: &AgentHead) -> AnyView {
    let path = agent_href(&head.address);
    let action = format!("{path}/manage");
    let edit = model
        .editable
        .then(|| view! { <ButtonLink label="Edit" href=format!("{path}/edit") icon=Icon::Edit /> });
    let refresh = model.refreshable.then(|| step(&action, "refresh", "Refresh agent card", Icon::Retry));
    let pause = if model.paused {
        step(&action, "resume", "Resume", Icon::Answering)
    } else {
        step(&action, "pause", "Pause", Icon::Paused)
    };
    let is_model = model.files.is_some();
    let (errors, name, save) = (form_errors(&model.form, None), head.name.clone(), action.clone());
    let choices = (
        visibilities(model.visibility, model.can_federate, &model.form),
        accesses(model.access, &model.form),
    );
    let users = (model.access == AgentAccess::Listed).then(|| named_users(model.users, &action, &model.form));
    view! {
        {model.publication_problem.map(unpublished)}
        <div class="actions">{edit}{refresh}{pause}</div>
        {proofs(model.origins, &action)}
        <Section title="Visibility and access">
            {errors}
            <form class="stack" method="post" action=save>
                {choices}
                <p class="actions"><Button label="Save" kind=Kind::Primary name="action" value="save" /></p>
            </form>
        </Section>
        {model.files.map(|files| knowledge(files, model.vectors, &path, &model.form))}
        {users}
        {is_model.then(|| copies(model.allows_copies, &action, &model.form))}
        {is_model.then(|| export(&path))}
        <Section title="Delete" lead="Deletes the agent, its versions and its key. Chats keep its messages.">
            <div>
                <Dialog id="delete-agent" open="Delete agent" title=format!("Delete {name}?") kind=Kind::Danger>
                    <p>"Its address cannot be used again. This cannot be undone."</p>
                    <ActionForm action label="Delete permanently" kind=Kind::Danger fields=vec![("action", "delete".to_owned())] />
                </Dialog>
            </div>
        </Section>
    }
    .into_any()
}

/// Renders the setting whether others may copy the agent.
fn copies(allowed: bool, action: &str, form: &Form) -> AnyView {
    let action = action.to_owned();
    let yes = "Users who can use the agent can copy it. They can read its instructions, its settings and all of its knowledge files.";
    let options = vec![
        RadioOption::new("no", "No").meaning("Only those who manage the agent can copy it."),
        RadioOption::new("yes", "Yes").meaning(yes),
    ];
    let default = if allowed { "yes" } else { "no" }.to_owned();
    let choice = Radios { name: "copies", legend: "Allow copies", default, options }.of(form);
    view! {
        <Section title="Copies" lead="A copy is an agent of its own. Credentials are never copied, and copies that exist stay.">
            <form class="stack" method="post" action=action>
                {choice}
                <p class="actions"><Button label="Save setting" name="action" value="save-copies" /></p>
            </form>
        </Section>
    }
    .into_any()
}

/// Renders the download of a model agent.
fn export(path: &str) -> AnyView {
    let href = format!("{path}/export");
    view! {
        <Section
            title="Export"
            lead="One file with the instructions, the settings and the knowledge files, to keep or to import on another hub. It holds no credentials."
        >
            <p class="actions"><ButtonLink label="Export agent" href icon=Icon::File /></p>
        </Section>
    }
    .into_any()
}

fn unpublished(problem: String) -> AnyView {
    view! { <Note tone=Tone::Caution><p>"Other hubs do not show this agent. " {problem}</p></Note> }
        .into_any()
}

fn step(action: &str, verb: &str, label: &'static str, icon: Icon) -> AnyView {
    let fields = vec![("action", verb.to_owned())];
    view! { <ActionForm action=action.to_owned() label icon fields /> }.into_any()
}

/// Renders the users that the agent names, with a form to add one.
fn named_users(users: Vec<String>, action: &str, form: &Form) -> AnyView {
    let list = if users.is_empty() {
        view! { <Empty title="No users"><p>"Only you can use this agent until you add a user."</p></Empty> }
            .into_any()
    } else {
        let rows = users.into_iter().map(|name| named_user(name, action)).collect();
        view! { <Table caption="Users who can use this agent" heads=vec!["Name", ""] rows /> }.into_any()
    };
    let add = action.to_owned();
    let field = Field::text("user", "User name").mono().max(64).hint("A user of this hub.").of(form);
    view! {
        <Section title="Users" lead="Only you and these users find, see and use the agent.">
            {list}
            <form class="stack narrow" method="post" action=add>
                {field}
                <p class="actions"><Button label="Add user" name="action" value="add-user" /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn named_user(name: String, action: &str) -> AnyView {
    let fields = vec![("action", "remove-user".to_owned()), ("user", name.clone())];
    let (about, href) = (name.clone(), format!("/@{name}"));
    view! {
        <tr>
            <th scope="row"><a href=href>{name}</a></th>
            <td class="end"><ActionForm action=action.to_owned() label="Remove" about fields /></td>
        </tr>
    }
    .into_any()
}

/// Renders the files that the agent answers from, with a form to add more.
fn knowledge(files: Vec<AgentFile>, vectors: Option<VectorCount>, path: &str, form: &Form) -> AnyView {
    let (manage, upload) = (format!("{path}/manage"), format!("{path}/files"));
    let vectors =
        vectors.filter(|_| !files.is_empty()).map(|count| view! { <p class="quiet">{coverage(count)}</p> });
    let rows: Vec<AnyView> = files.into_iter().map(|file| knowledge_file(file, &manage)).collect();
    let heads = vec!["File", "Size", "Added", ""];
    let table = (!rows.is_empty())
        .then(|| view! { <Table caption="Files that the agent answers from" heads rows /> });
    let field = Field::files("file", "Text and PDF files", ".pdf,.md,.markdown,.txt,.csv,.tsv,.json,.log,application/pdf,text/plain")
        .hint("PDF files of at most 16 MiB, without a password, of which the hub keeps the text. UTF-8 text: .md, .txt, .csv, .tsv, .json or .log. At most 2 MiB of text each, 50 files and 8 MiB of text in all. A file replaces the one with the same name.")
        .of(form);
    view! {
        <Section
            title="Knowledge"
            lead="The agent gets the passages of these files that fit a message, and lists those that it cites."
        >
            {table}
            {vectors}
            <form class="stack narrow" method="post" action=upload enctype="multipart/form-data">
                {field}
                <p class="actions"><Button label="Add files" /></p>
            </form>
        </Section>
    }
    .into_any()
}

/// Describes how many passages are found by meaning.
fn coverage(VectorCount { passages, vectors }: VectorCount) -> String {
    let (some, all) = (grouped(vectors), grouped(passages));
    match vectors >= passages {
        true => format!("All {all} passages have vectors and are found by words and by meaning."),
        false => format!(
            "{some} of {all} passages have vectors and are found by words and by meaning; the others by words. The hub \
             computes missing vectors in the background."
        ),
    }
}

fn knowledge_file(file: AgentFile, action: &str) -> AnyView {
    let fields = vec![("action", "remove-file".to_owned()), ("file", file.name.clone())];
    let about = file.name.clone();
    view! {
        <tr>
            <th scope="row" dir="auto">{file.name}</th>
            <td class="number">{file.size}</td>
            <td><Ago at=file.added_at /></td>
            <td class="end"><ActionForm action=action.to_owned() label="Remove" about fields /></td>
        </tr>
    }
    .into_any()
}

fn proofs(origins: Vec<OriginProof>, action: &str) -> Option<AnyView> {
    if origins.is_empty() {
        return None;
    }
    let cards = origins.into_iter().map(|proof| view! { <OriginCard proof /> }).collect_view();
    let check = step(action, "verify", "Check now", Icon::Retry);
    Some(view! { <Section title="Origins">{cards}<div>{check}</div></Section> }.into_any())
}

/// Renders the choice of visibility; also used by the last step of registration.
pub fn visibilities(default: Visibility, can_federate: bool, form: &Form) -> AnyView {
    let option = |visibility: Visibility| {
        RadioOption::new(visibility.as_str(), visibility_name(visibility))
            .meaning(visibility_meaning(visibility))
            .disabled(visibility == Visibility::Federated && !can_federate)
    };
    let options = Visibility::ALL.into_iter().map(option).collect();
    Radios { name: "visibility", legend: "Visibility", default: default.as_str().to_owned(), options }
        .of(form)
}

pub fn accesses(default: AgentAccess, form: &Form) -> AnyView {
    let options = AgentAccess::ALL
        .into_iter()
        .map(|access| {
            let option = RadioOption::new(access.as_str(), access_name(access));
            match access {
                AgentAccess::Listed => option.meaning(
                    "Only you and these users find and see the agent, whatever its visibility. Add them on its \
                     Manage tab.",
                ),
                _ => option,
            }
        })
        .collect();
    Radios { name: "access", legend: "Access", default: default.as_str().to_owned(), options }.of(form)
}

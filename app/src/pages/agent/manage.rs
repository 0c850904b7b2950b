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
        format::{access_name, agent_href, visibility_meaning, visibility_name},
        icon::Icon,
        notice::Note,
        origin_verification::OriginCard,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales::translated,
    rich, text,
    view_models::{
        Form, Tone,
        agent::{AgentFile, AgentHead, Manage, VectorCount},
        register::OriginProof,
    },
};

pub fn view(model: Manage, head: &AgentHead) -> AnyView {
    let path = agent_href(&head.address);
    let action = format!("{path}/manage");
    let edit = model.editable.then(
        || view! { <ButtonLink label=text!("manage-edit") href=format!("{path}/edit") icon=Icon::Edit /> },
    );
    let refresh = model.refreshable.then(|| step(&action, "refresh", text!("manage-refresh"), Icon::Retry));
    let pause = if model.paused {
        step(&action, "resume", text!("manage-resume"), Icon::Answering)
    } else {
        step(&action, "pause", text!("manage-pause"), Icon::Paused)
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
        <Section title=text!("manage-access-title")>
            {errors}
            <form class="stack" method="post" action=save>
                {choices}
                <p class="actions"><Button label=text!("save") kind=Kind::Primary name="action" value="save" /></p>
            </form>
        </Section>
        {model.files.map(|files| knowledge(files, model.vectors, &path, &model.form))}
        {users}
        {is_model.then(|| copies(model.allows_copies, &action, &model.form))}
        {is_model.then(|| export(&path))}
        <Section title=text!("delete") lead=text!("manage-delete-lead")>
            <div>
                <Dialog id="delete-agent" open=text!("manage-delete") title=text!("manage-delete-title", name = name) kind=Kind::Danger>
                    <p>{text!("manage-delete-meaning")}</p>
                    <ActionForm action label=text!("manage-delete-permanently") kind=Kind::Danger fields=vec![("action", "delete".to_owned())] />
                </Dialog>
            </div>
        </Section>
    }
    .into_any()
}

/// Renders the setting whether others may copy the agent.
fn copies(allowed: bool, action: &str, form: &Form) -> AnyView {
    let action = action.to_owned();
    let yes = text!("copies-yes-meaning");
    let options = vec![
        RadioOption::new("no", text!("copies-no")).meaning(text!("copies-no-meaning")),
        RadioOption::new("yes", text!("copies-yes")).meaning(yes),
    ];
    let default = if allowed { "yes" } else { "no" }.to_owned();
    let choice = Radios { name: "copies", legend: text!("copies-allow"), default, options }.of(form);
    view! {
        <Section title=text!("copies") lead=text!("copies-lead")>
            <form class="stack" method="post" action=action>
                {choice}
                <p class="actions"><Button label=text!("copies-save") name="action" value="save-copies" /></p>
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
            title=text!("manage-export")
            lead=text!("manage-export-lead")
        >
            <p class="actions"><ButtonLink label=text!("manage-export-agent") href icon=Icon::File /></p>
        </Section>
    }
    .into_any()
}

fn unpublished(problem: String) -> AnyView {
    let words = rich!("manage-unpublished"; problem = |_| translated(problem));
    view! { <Note tone=Tone::Caution><p>{words}</p></Note> }.into_any()
}

fn step(action: &str, verb: &str, label: String, icon: Icon) -> AnyView {
    let fields = vec![("action", verb.to_owned())];
    view! { <ActionForm action=action.to_owned() label icon fields /> }.into_any()
}

/// Renders the users that the agent names, with a form to add one.
fn named_users(users: Vec<String>, action: &str, form: &Form) -> AnyView {
    let list = if users.is_empty() {
        view! { <Empty title=text!("named-users-none")><p>{text!("named-users-none-next")}</p></Empty> }
            .into_any()
    } else {
        let rows = users.into_iter().map(|name| named_user(name, action)).collect();
        view! { <Table caption=text!("named-users-caption") heads=vec![text!("name"), String::new()] rows /> }
            .into_any()
    };
    let add = action.to_owned();
    let field =
        Field::text("user", text!("credential-user")).mono().max(64).hint(text!("named-users-hint")).of(form);
    view! {
        <Section title=text!("named-users") lead=text!("named-users-lead")>
            {list}
            <form class="stack narrow" method="post" action=add>
                {field}
                <p class="actions"><Button label=text!("named-users-add") name="action" value="add-user" /></p>
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
            <td class="end"><ActionForm action=action.to_owned() label=text!("remove") about fields /></td>
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
    let heads =
        vec![text!("knowledge-file"), text!("knowledge-size"), text!("knowledge-added"), String::new()];
    let table = (!rows.is_empty()).then(|| view! { <Table caption=text!("knowledge-caption") heads rows /> });
    let field = Field::files(
        "file",
        text!("knowledge-field"),
        ".pdf,.md,.markdown,.txt,.csv,.tsv,.json,.log,application/pdf,text/plain",
    )
    .hint(text!("knowledge-hint"))
    .of(form);
    view! {
        <Section
            title=text!("knowledge")
            lead=text!("knowledge-lead")
        >
            {table}
            {vectors}
            <form class="stack narrow" method="post" action=upload enctype="multipart/form-data">
                {field}
                <p class="actions"><Button label=text!("knowledge-add") /></p>
            </form>
        </Section>
    }
    .into_any()
}

/// Describes how many passages are found by meaning.
fn coverage(VectorCount { passages, vectors }: VectorCount) -> String {
    match vectors >= passages {
        true => text!("knowledge-covered", all = passages),
        false => text!("knowledge-partly-covered", some = vectors, all = passages),
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
            <td class="end"><ActionForm action=action.to_owned() label=text!("remove") about fields /></td>
        </tr>
    }
    .into_any()
}

fn proofs(origins: Vec<OriginProof>, action: &str) -> Option<AnyView> {
    if origins.is_empty() {
        return None;
    }
    let cards = origins.into_iter().map(|proof| view! { <OriginCard proof /> }).collect_view();
    let check = step(action, "verify", text!("proof-check"), Icon::Retry);
    Some(view! { <Section title=text!("proof-origins")>{cards}<div>{check}</div></Section> }.into_any())
}

/// Renders the choice of visibility; also used by the last step of registration.
pub fn visibilities(default: Visibility, can_federate: bool, form: &Form) -> AnyView {
    let option = |visibility: Visibility| {
        RadioOption::new(visibility.as_str(), visibility_name(visibility))
            .meaning(visibility_meaning(visibility))
            .disabled(visibility == Visibility::Federated && !can_federate)
    };
    let options = Visibility::ALL.into_iter().map(option).collect();
    Radios {
        name: "visibility",
        legend: text!("agent-visibility"),
        default: default.as_str().to_owned(),
        options,
    }
    .of(form)
}

pub fn accesses(default: AgentAccess, form: &Form) -> AnyView {
    let options = AgentAccess::ALL
        .into_iter()
        .map(|access| {
            let option = RadioOption::new(access.as_str(), access_name(access));
            match access {
                AgentAccess::Listed => option.meaning(text!("access-listed-meaning")),
                _ => option,
            }
        })
        .collect();
    Radios { name: "access", legend: text!("access"), default: default.as_str().to_owned(), options }.of(form)
}

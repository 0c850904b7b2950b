use plexus_app::view_models::{Form, Html, agent::Scheme, register::*};
use plexus_domain::{
    DraftId,
    agent::{Visibility, http_endpoint::Preset},
};

use super::{agents, ago, now, shown, shown_to_admin};

pub fn pages() -> Vec<(&'static str, String)> {
    let sent = || Form::filled([("url", "http://10.0.0.7:9000/agent")]);
    vec![
        ("register", shown("/register", start(true))),
        ("register-without-model", shown("/register", start(false))),
        ("register-refused", shown("/register/address", address(sent().with_error("url", "10.0.0.7 is a private address. This hub calls addresses of the public internet only; an administrator can register it.")))),
        ("register-card", shown("/register/x/card", card(vec![warning(), hint()]))),
        ("register-card-broken", shown("/register/x/card", card(vec![hint(), error(), warning()]))),
        ("register-proof", shown_to_admin("/register/x/proof", RegisterProof { draft: draft(), way: RegistrationKind::Card, origins: agents::origins(), can_trust: true, form: Form::default() })),
        ("register-publish", shown("/register/x/publish", publish())),
        ("register-done", shown("/register/x/done", RegisterDone { seed: "@ada/tide-clerk".into(), name: "Tide clerk".into(), address: "@ada/tide-clerk".parse().unwrap(), proved: false, reach: Visibility::Public })),
        ("register-http", shown("/register/http", endpoint(Form::filled([("url", "https://agents.example.org/ask")]).with_error("body", "Nothing in the request holds the message.")))),
        ("register-http-edit", shown("/@ada/parrot/edit", EndpointPage { editing: Some("@ada/parrot".parse().unwrap()), ..endpoint(Form::default()) })),
        ("register-try", shown("/register/x/try", trial(None))),
        ("register-try-failed", shown("/register/x/try", trial(Some("agents.example.org answered without a \
            value at /reply. Its answer begins: <script>alert(1)</script>".into())))),
        ("register-instructions", shown("/register/instructions", instructions(vec![ModelOption { id: "1".into(), label: "SmolLM2 135M, on this machine".into() }]))),
        ("register-import", shown("/register/import", import(Form::default()))),
        ("register-import-refused", shown("/register/import", import(Form::filled([("name", "clerk")]).with_error("file", "The file is not an exported agent: <b>expected value</b> at line 1 column 1.")))),
        ("register-program", shown("/register/program", program(vec!["opencode".into(), "poet".into()]))),
        ("register-no-program", shown("/register/program", program(vec![]))),
        ("register-no-model", shown("/register/instructions", instructions(vec![]))),
    ]
}

fn program(programs: Vec<String>) -> ProgramPage {
    ProgramPage { owner: "ada".into(), editing: None, programs, form: Form::default() }
}

fn import(form: Form) -> RegisterImport {
    let models = vec![ModelOption { id: "cellar/small".into(), label: "cellar/small".into() }];
    RegisterImport { owner: "ada".into(), models, form }
}

fn draft() -> DraftId {
    DraftId::new(now(), &[7; 10])
}

fn address(form: Form) -> RegisterAddress {
    RegisterAddress { allows_private: false, form }
}

fn start(has_models: bool) -> RegisterStart {
    let drafts = vec![DraftRow {
        id: draft(),
        label: "https://tides.example.org".into(),
        way: RegistrationKind::Card,
        step: Step::Proof,
        begun: ago(4_000),
    }];
    RegisterStart { drafts, has_models, has_programs: true }
}

fn problem(severity: Severity, place: &str, message: &str) -> Problem {
    Problem { severity, place: place.into(), message: message.into() }
}

fn error() -> Problem {
    problem(
        Severity::Error,
        "url",
        "This is “javascript:alert(1)”. An interface needs an http or https address.",
    )
}

fn warning() -> Problem {
    problem(
        Severity::Warning,
        "skills[2].description",
        "It is 4,100 characters long; the hub keeps the first 2,000.",
    )
}

fn hint() -> Problem {
    problem(Severity::Hint, "provider", "Missing. People trust an agent more when they see who made it.")
}

fn card(problems: Vec<Problem>) -> RegisterCard {
    let interface =
        |url: &str, protocol: &str, chosen| Interface { url: url.into(), protocol: protocol.into(), chosen };
    let card = CardPreview {
        seed: "@ada/tide-clerk".into(),
        name: "Tide clerk".into(),
        summary: "Tide tables for 4,200 harbours, with the sources named.".into(),
        version: "2.3.0".into(),
        provider: None,
        url: "https://tides.example.org/.well-known/agent-card.json".into(),
        interfaces: vec![
            interface("https://tides.example.org/a2a", "JSON-RPC, A2A 1.0", true),
            interface("https://tides.example.org/v1", "REST, A2A 1.0", false),
        ],
        skills: agents::skills(),
        streaming: true,
        scheme: Some(Scheme::ApiKey("X-API-Key".into())),
        signed_by: Some("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK".into()),
    };
    RegisterCard {
        draft: draft(),
        owner: "ada".into(),
        card,
        problems,
        form: Form::filled([("name", "tide-clerk")]),
    }
}

fn publish() -> RegisterPublish {
    RegisterPublish {
        draft: draft(),
        seed: "@ada/tide-clerk".into(),
        name: "Tide clerk".into(),
        address: "@ada/tide-clerk".parse().unwrap(),
        proved: false,
        way: RegistrationKind::Card,
        can_federate: false,
        omitted_tools: vec!["tides.example/lookup: it has no inputSchema.".into()],
        form: Form::default(),
    }
}

fn instructions(models: Vec<ModelOption>) -> InstructionsPage {
    let form = Form::filled([("title", "Tide clerk"), ("name", "tide clerk")]);
    let form = form
        .with_error("name", "A name has only the letters a to z, digits, hyphens and underscores.")
        .with_error("instructions", "Say what it should do.");
    let programs = vec!["files".into(), "time".into()];
    let missing = MissingModel {
        name: "ollama/qwen2.5:7b".into(),
        nearest: models.first().map(|model| model.id.clone()),
    };
    InstructionsPage {
        owner: "ada".into(),
        programs,
        priced: true,
        editing: None,
        missing_model: Some(missing),
        models,
        form,
    }
}

fn endpoint(form: Form) -> EndpointPage {
    EndpointPage {
        owner: "ada".into(),
        editing: None,
        draft: None,
        chosen: Some(Preset::OpenInterpreter),
        form,
    }
}

fn trial(failed: Option<String>) -> RegisterTry {
    let answer = Html::from_markup("<p>High water is at noon.</p>".into());
    RegisterTry {
        draft: draft(),
        seed: "@ada/parrot".into(),
        name: "Parrot".into(),
        method: "POST".into(),
        url: "https://agents.example.org/ask".into(),
        suggestion: "Hello".into(),
        tried: Some(TestCallView { message: "Hello".into(), answer, failed, took_ms: 1_240 }),
        form: Form::default(),
    }
}

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use parking_lot::Mutex;
use plexus_domain::{
    DraftId, Error as Refusal,
    agent::{
        AgentAccess, Scheme, Visibility,
        http_endpoint::{EndpointRequestSpec, ResponseFormat},
    },
};
use plexus_hub::{
    agents::{
        self, AgentProfile, CallableState, RegistrationKind, RegistrationStep,
        credentials::{self, CredentialInput},
        http_endpoint::{self, EndpointForm},
        manage,
        register_a2a::{self, RegistrationChoices},
        test_call,
    },
    caller::Caller,
};
use serde_json::{Value, json};

use super::common::{World, choice, refusal, serve};

/// The calls that the server received, and its origin proof.
#[derive(Default)]
struct Served {
    calls: Vec<(HeaderMap, Value)>,
    proof: String,
}

type Shared = Arc<Mutex<Served>>;

/// Starts an HTTP endpoint that is no A2A agent, which streams its input back.
async fn software() -> (String, Shared) {
    let served = Shared::default();
    let proof = get(async |State(served): State<Shared>| served.lock().proof.clone());
    let router = Router::new()
        .route("/ask", post(answer))
        .route("/.well-known/plexus-agent-proof.txt", proof)
        .with_state(Arc::clone(&served));
    (serve(router).await, served)
}

async fn answer(State(served): State<Shared>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let guarded = body["guarded"] == true && headers.get("x-key").is_none_or(|key| key != "k1");
    let said = format!("data: {}\n\ndata: {}\n\n", json!({ "t": "Heard: " }), json!({ "t": body["q"] }));
    served.lock().calls.push((headers, body));
    if guarded {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    ([(header::CONTENT_TYPE, "text/event-stream")], said).into_response()
}

fn filled(url: &str) -> EndpointForm {
    let request = EndpointRequestSpec {
        url: format!("{url}ask"),
        headers: BTreeMap::from([("x-from".to_owned(), "plexus".to_owned())]),
        body: Some(json!({ "q": "{{message}}", "id": "{{conversation}}" })),
        response_format: ResponseFormat::Events,
        response_path: "/t".to_owned(),
        ..EndpointRequestSpec::default()
    };
    let about = AgentProfile {
        title: "Parrot".to_owned(),
        summary: "Repeats.".to_owned(),
        ..AgentProfile::default()
    };
    EndpointForm { about, request }
}

fn guarded(url: &str) -> EndpointForm {
    let mut guarded = filled(url);
    guarded.request.auth = Some(Scheme::ApiKey { name: "X-Key".to_owned(), in_query: false });
    guarded.request.body = Some(json!({ "q": "{{message}}", "guarded": true }));
    guarded
}

fn with_key(name: &str, shared: bool) -> RegistrationChoices {
    RegistrationChoices {
        shared,
        given: CredentialInput { user: String::new(), secret: "k1".to_owned() },
        ..choice(name)
    }
}

async fn begin(world: &World, choice: RegistrationChoices, filled: EndpointForm) -> DraftId {
    http_endpoint::describe(&world.hub, &world.admin, choice, filled).await.unwrap()
}

async fn prove(world: &World, draft: DraftId, served: &Shared) {
    let origins = register_a2a::origins(&world.hub, &world.admin, draft).await.unwrap();
    served.lock().proof = origins[0].token.clone();
    register_a2a::verify_origins(&world.hub, &world.admin, draft).await.unwrap();
}

async fn publish(world: &World, draft: DraftId) -> plexus_domain::Address {
    test_call::finish_test_step(&world.hub, &world.admin, draft).await.unwrap();
    agents::publish(&world.hub, &world.admin, draft, Visibility::Public, AgentAccess::Accounts).await.unwrap()
}

#[tokio::test]
async fn an_endpoint_is_described_proved_tried_and_published() {
    let (world, (url, served)) = (World::new().await, software().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let draft = begin(&world, choice("parrot"), filled(&url)).await;
    assert_eq!(begin(&world, choice("parrot"), filled(&url)).await, draft, "the form was sent twice");
    assert_eq!(register_a2a::way(hub, admin, draft).await.unwrap(), RegistrationKind::Request);
    assert!(matches!(refusal(test_call::try_step(hub, admin, draft).await), Refusal::Conflict { .. }));
    prove(&world, draft, &served).await;
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    assert_eq!(register_a2a::list(hub, admin).await.unwrap()[0].step, RegistrationStep::Try);
    let early = agents::publish(hub, admin, draft, Visibility::Public, AgentAccess::Accounts).await;
    assert!(matches!(refusal(early), Refusal::Conflict { .. }));

    let tried = test_call::send_test_message(hub, admin, draft, " one two ").await.unwrap();
    assert_eq!((tried.answer.as_str(), tried.failed.as_deref()), ("Heard: one two", None));
    let shown = test_call::try_step(hub, admin, draft).await.unwrap();
    assert_eq!((shown.tried, shown.method), (Some(tried), "POST"));
    let address = publish(&world, draft).await;

    let view = agents::get(hub, &world.bob, &address).await.unwrap().unwrap();
    assert_eq!((view.summary.kind.as_str(), view.summary.protocol.as_str()), ("http", "HTTP"));
    assert!(view.summary.verified && view.is_online);
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Heard: hello");
    let (headers, body) = served.lock().calls.last().cloned().unwrap();
    assert_eq!((&headers["x-from"] == "plexus", body["q"].as_str()), (true, Some("hello")));
    assert!(body["id"].as_str().is_some_and(|id| id.len() == 36));
}

#[tokio::test]
async fn a_trial_that_fails_says_why_and_hinders_nobody() {
    let (world, (url, _served)) = (World::new().await, software().await);
    let mut elsewhere = filled(&url);
    elsewhere.request.response_path = "/text".to_owned();
    let draft = begin(&world, choice("parrot"), elsewhere).await;
    register_a2a::continue_unverified(&world.hub, &world.admin, draft).await.unwrap();
    let tried = test_call::send_test_message(&world.hub, &world.admin, draft, "hello").await.unwrap();
    assert!(tried.failed.unwrap().contains("ended without an answer at /text"));
    let refused = test_call::send_test_message(&world.hub, &world.admin, draft, " ").await;
    assert_eq!(refusal(refused).field(), Some("message"));
    let address = publish(&world, draft).await;
    let view = agents::get(&world.hub, &world.bob, &address).await.unwrap().unwrap();
    assert!(matches!(view.callable, CallableState::Unproved { .. }));
    assert!(!view.is_online);
    assert!(world.ask(&world.bob, &address, "hello").await.is_err());
}

#[tokio::test]
async fn credentials_are_sent_where_control_is_proved() {
    let (world, (url, served)) = (World::new().await, software().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let draft = begin(&world, with_key("parrot", true), guarded(&url)).await;
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    let refused = refusal(test_call::send_test_message(hub, admin, draft, "hello").await);
    assert!(refused.to_string().contains("is unverified"), "{refused}");
    assert!(served.lock().calls.is_empty());
    prove(&world, draft, &served).await;
    assert_eq!(
        test_call::send_test_message(hub, admin, draft, "hello").await.unwrap().answer,
        "Heard: hello"
    );
    let address = publish(&world, draft).await;
    assert_eq!(world.answer(&world.bob, &address, "mine").await, "Heard: mine");

    let draft = begin(&world, with_key("each", false), guarded(&url)).await;
    prove(&world, draft, &served).await;
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    let address = publish(&world, draft).await;
    assert_eq!(world.answer(admin, &address, "own").await, "Heard: own");
    let lacking = refusal(world.ask(&world.bob, &address, "hello").await);
    assert!(lacking.to_string().contains("requires your own credentials"), "{lacking}");
    let asked = credentials::credential_status(hub, &world.bob, &address).await.unwrap().unwrap();
    assert_eq!(asked.origin, url.trim_end_matches('/'));
    let wrong = CredentialInput { user: String::new(), secret: "k2".to_owned() };
    credentials::set_credentials(hub, &world.bob, &address, wrong).await.unwrap();
    let answer = world.answer(&world.bob, &address, "hello").await;
    assert!(answer.contains("did not accept the credentials"), "{answer}");
}

#[tokio::test]
async fn a_changed_request_is_a_version_and_another_origin_is_unproved() {
    let (world, (url, served)) = (World::new().await, software().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let draft = begin(&world, choice("parrot"), filled(&url)).await;
    prove(&world, draft, &served).await;
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    let address = publish(&world, draft).await;
    let kept = http_endpoint::endpoint(hub, admin, &address).await.unwrap().unwrap();
    assert_eq!(kept, filled(&url));
    http_endpoint::rewrite(hub, admin, &address, kept.clone()).await.unwrap();
    let mut changed = kept;
    changed.request.body = Some(json!({ "q": "<{{message}}>" }));
    http_endpoint::rewrite(hub, admin, &address, changed.clone()).await.unwrap();
    assert_eq!(world.answer(&world.bob, &address, "a").await, "Heard: <a>");
    let (other, _) = software().await;
    changed.request.url = format!("{other}ask");
    http_endpoint::rewrite(hub, admin, &address, changed.clone()).await.unwrap();
    let view = agents::get(hub, admin, &address).await.unwrap().unwrap();
    let numbers: Vec<&str> = view.versions.iter().map(|version| version.semver.as_str()).collect();
    assert_eq!(numbers, ["1.0.2", "1.0.1", "1.0.0"]);
    assert!(!view.summary.verified);
    assert!(world.ask(&world.bob, &address, "a").await.is_err());
    let managed = manage::managed(hub, admin, &address).await.unwrap();
    assert_eq!(managed.origins.len(), 1);
    let theirs = http_endpoint::rewrite(hub, &world.bob, &address, changed).await;
    assert!(matches!(refusal(theirs), Refusal::Forbidden { .. }));
}

#[tokio::test]
async fn what_turns_out_wrong_is_described_otherwise_before_it_is_published() {
    let (world, (url, served)) = (World::new().await, software().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let mut wrong = guarded(&url);
    wrong.request.response_path = "/text".to_owned();
    let draft = begin(&world, with_key("parot", true), wrong.clone()).await;
    prove(&world, draft, &served).await;
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    assert!(test_call::send_test_message(hub, admin, draft, "one").await.unwrap().failed.is_some());

    let found = http_endpoint::described(hub, admin, draft).await.unwrap();
    assert_eq!((found.name.unwrap().as_str(), &found.endpoint), ("parot", &wrong));
    assert!(found.shared);
    let theirs = http_endpoint::described(hub, &world.ada, draft).await;
    assert!(matches!(refusal(theirs), Refusal::NotFound { .. }));
    let (kept, everybody) = (guarded(&url), with_key("parrot", true));
    let kept_key = RegistrationChoices { given: CredentialInput::default(), ..everybody };
    http_endpoint::describe_again(hub, admin, draft, kept_key, kept).await.unwrap();
    let is_verified = async || {
        let origins = register_a2a::origins(hub, admin, draft).await.unwrap();
        (origins.len(), origins[0].origin.clone(), origins[0].status.is_verified())
    };
    assert_eq!(is_verified().await, (1, url.trim_end_matches('/').to_owned(), true));
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    let tried = test_call::send_test_message(hub, admin, draft, "one").await.unwrap();
    assert_eq!((tried.answer.as_str(), tried.failed), ("Heard: one", None), "with the key given before");
    assert_eq!(register_a2a::list(hub, admin).await.unwrap().len(), 1);

    let elsewhere = filled("http://127.0.0.1:9/");
    http_endpoint::describe_again(hub, admin, draft, choice("parrot"), elsewhere).await.unwrap();
    assert_eq!(is_verified().await, (1, "http://127.0.0.1:9".to_owned(), false), "of another origin nothing");
    register_a2a::discard(hub, &world.ada, draft).await.unwrap();
    assert_eq!(register_a2a::list(hub, admin).await.unwrap().len(), 1, "nobody discards for others");
    register_a2a::discard(hub, admin, draft).await.unwrap();
    assert_eq!(register_a2a::list(hub, admin).await.unwrap().len(), 0);
}

#[tokio::test]
async fn what_cannot_be_called_is_refused_by_field() {
    let world = World::new().await;
    let describe = async |caller: &Caller, change: fn(&mut EndpointForm)| {
        let mut changed = filled("http://127.0.0.1:9/");
        change(&mut changed);
        refusal(http_endpoint::describe(&world.hub, caller, choice("parrot"), changed).await)
    };
    let private = describe(&world.ada, |_| {}).await;
    assert_eq!(private.field(), Some("url"));
    assert!(private.to_string().contains("private"), "{private}");
    let admin = &world.admin;
    assert_eq!(describe(admin, |it| it.request.url = "http://[::1".to_owned()).await.field(), Some("url"));
    assert_eq!(describe(admin, |it| it.request.url = "http://a b/".to_owned()).await.field(), Some("url"));
    assert_eq!(
        describe(admin, |it| it.request.response_path = "t".to_owned()).await.field(),
        Some("response_path")
    );
    assert_eq!(describe(admin, |it| it.about.title = String::new()).await.field(), Some("title"));
    let own = describe(admin, |it| it.request.url = "http://127.0.0.1:3000/ask".to_owned()).await;
    assert!(own.to_string().contains("this hub itself"), "{own}");
}

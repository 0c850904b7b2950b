//! Test fixtures: a hub in a temporary folder, and A2A agents on loopback.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use parking_lot::Mutex;
use plexus_domain::{
    Address, DraftId, Error as Refusal,
    account::{Registration, Role},
    agent::{AgentAccess, Visibility},
    chat_event::Event,
    part::plain_text,
};
use plexus_hub::{
    Caller, ClockRng, Error, Hub, HubConfig, accounts,
    agents::{
        self,
        register_a2a::{self, CardFetchOutcome, RegistrationChoices},
    },
    chats::{self, ChatStart, MessagePosition, NewMessage},
    config::{Models, PrivateNetworks, Quotas, RateLimitScale, Rates, RunLimits, TEMPORARY_CHAT_TTL},
    streaming::FrameKind,
    views::MessageView,
};
use plexus_store::testing::prepare_sqlite;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// A hub with an administrator and two users.
pub struct World {
    pub hub: Hub,
    pub admin: Caller,
    pub ada: Caller,
    pub bob: Caller,
    folder: TempDir,
}

impl World {
    pub async fn new() -> Self {
        Self::with_models(Models::default()).await
    }

    pub async fn with_models(models: Models) -> Self {
        Self::with(|config| config.models = models).await
    }

    /// Opens a hub; `change` adjusts the default configuration.
    pub async fn with(change: impl FnOnce(&mut HubConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        change(&mut config);
        prepare_sqlite(&config.data_dir).await;
        let hub = Hub::open(config, ClockRng::system()).await.unwrap();
        let person = async |name: &str, role| {
            let password = "correct horse battery staple".to_owned();
            accounts::create_by_operator(&hub, name, password, role).await.unwrap();
            accounts::impersonate(&hub, Some(name)).await.unwrap()
        };
        let admin = person("grace", Role::Admin).await;
        let (ada, bob) = (person("ada", Role::User).await, person("bob", Role::User).await);
        Self { admin, ada, bob, hub, folder }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Sends a message to an agent and waits until the answer is finished.
    pub async fn ask(&self, caller: &Caller, to: &Address, text: &str) -> Result<MessageView, Error> {
        let id = self.hub.env().id(plexus_domain::MessageId::new);
        let new = NewMessage {
            id,
            position: MessagePosition::default(),
            text: text.to_owned(),
            uploads: Vec::new(),
        };
        let sent =
            chats::start(&self.hub, caller, ChatStart { to: Some(to), is_temporary: false }, new).await?;
        let mut reader = chats::subscribe(&self.hub, caller, sent.chat, 0).await?;
        loop {
            let frame = reader.next().await?;
            if let FrameKind::Event { event: Event::MessageCompleted { message, .. }, .. } = &frame.kind {
                return chats::message(&self.hub, caller, *message).await;
            }
        }
    }

    /// Returns the text of an agent's answer, or the message of its failure.
    pub async fn answer(&self, caller: &Caller, to: &Address, text: &str) -> String {
        let view = self.ask(caller, to, text).await.unwrap();
        let failure = view.run.and_then(|run| run.failure).map(|failure| failure.message);
        failure.unwrap_or_else(|| plain_text(&view.message.parts))
    }

    pub async fn begin(&self, caller: &Caller, url: &str) -> DraftId {
        match register_a2a::begin(&self.hub, caller, url).await.unwrap() {
            CardFetchOutcome::Draft(id) => id,
            CardFetchOutcome::Broken { problems, .. } => panic!("{problems:?}"),
        }
    }

    /// Registers a public agent, whose origins an administrator trusts if `trust` is set.
    pub async fn register(&self, caller: &Caller, url: &str, trust: bool) -> Address {
        let draft = self.begin(caller, url).await;
        register_a2a::save_choices(&self.hub, caller, draft, choice("echo")).await.unwrap();
        if trust {
            for proof in register_a2a::origins(&self.hub, caller, draft).await.unwrap() {
                register_a2a::trust_origin(&self.hub, caller, draft, &proof.origin).await.unwrap();
            }
        }
        register_a2a::continue_unverified(&self.hub, caller, draft).await.unwrap();
        agents::publish(&self.hub, caller, draft, Visibility::Public, AgentAccess::Accounts).await.unwrap()
    }
}

pub fn choice(name: &str) -> RegistrationChoices {
    RegistrationChoices { name: name.to_owned(), shared: false, given: Default::default() }
}

pub fn refusal<T>(result: Result<T, Error>) -> Refusal {
    match result {
        Err(Error::Refused(refusal)) => refusal,
        Err(Error::Fault(fault)) => panic!("a fault: {fault:#}"),
        Ok(_) => panic!("not refused"),
    }
}

pub fn config(folder: &Path) -> HubConfig {
    HubConfig {
        hub_name: "Plexus".to_owned(),
        hub_description: None,
        public_url: "http://127.0.0.1:3000/".parse().unwrap(),
        listen: Vec::new(),
        machine_name: None,
        dns_server: None,
        security_contact: None,
        data_dir: PathBuf::from(folder),
        files_dir: folder.join("blobs"),
        database_url: None,
        database_pool_size: 4,
        durability: plexus_hub::config::Durability::Crash,
        secret_key_file: folder.join("secret.key"),
        backups: None,
        registration: Registration::Open,
        private_networks: PrivateNetworks::Auto,
        on_loopback: true,
        mcp_allowed_origins: Vec::new(),
        launch_goal_without_token: false,
        mail: None,
        programs: Vec::new(),
        max_programs: 4,
        allow_unsandboxed_programs: false,
        extractor_program: PathBuf::from("plexus"),
        conformance: false,
        trusted_proxies: Vec::new(),
        models: Models::default(),
        federation: None,
        temporary_chat_ttl: TEMPORARY_CHAT_TTL,
        limits: RunLimits::default(),
        quotas: Quotas::default(),
        rates: Rates::default(),
        scale: RateLimitScale(10),
    }
}

/// An A2A agent that echoes its input and records the headers of each call.
#[derive(Clone)]
pub struct Echo {
    pub url: String,
    state: Arc<Mutex<Served>>,
}

struct Served {
    card: Value,
    proof: String,
    calls: Vec<HeaderMap>,
}

impl Echo {
    pub async fn start() -> Self {
        let state = Served { card: Value::Null, proof: String::new(), calls: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let router = Router::new()
            .route("/.well-known/agent-card.json", get(card))
            .route("/.well-known/plexus-agent-proof.txt", get(proof))
            .route("/", post(answer))
            .with_state(Arc::clone(&state));
        let url = serve(router).await;
        let echo = Self { url: url.clone(), state };
        echo.set_card(json!({
            "name": "Echo \u{202e}clerk", "description": "Says what it hears.", "version": "1.2.0",
            "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
            "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{ "id": "echo", "name": "Echo", "description": "Echoes.", "tags": ["echo"] }]
        }));
        echo
    }

    /// Starts an echo agent whose card requires a bearer token.
    pub async fn guarded() -> Self {
        let echo = Self::start().await;
        let mut card = echo.card();
        card["securitySchemes"] = json!({ "key": { "httpAuthSecurityScheme": { "scheme": "bearer" } } });
        card["securityRequirements"] = json!([{ "schemes": { "key": { "list": [] } } }]);
        echo.set_card(card);
        echo
    }

    pub fn card(&self) -> Value {
        self.state.lock().card.clone()
    }

    pub fn set_card(&self, card: Value) {
        self.state.lock().card = card;
    }

    pub fn set_proof(&self, text: String) {
        self.state.lock().proof = text;
    }

    /// Returns the `Authorization` header of each call so far.
    pub fn shown(&self) -> Vec<Option<String>> {
        let state = self.state.lock();
        let text = |headers: &HeaderMap| Some(headers.get("authorization")?.to_str().unwrap().to_owned());
        state.calls.iter().map(text).collect()
    }
}

async fn card(State(state): State<Arc<Mutex<Served>>>) -> Json<Value> {
    Json(state.lock().card.clone())
}

async fn proof(State(state): State<Arc<Mutex<Served>>>) -> (StatusCode, String) {
    let text = state.lock().proof.clone();
    (if text.is_empty() { StatusCode::NOT_FOUND } else { StatusCode::OK }, text)
}

async fn answer(State(state): State<Arc<Mutex<Served>>>, headers: HeaderMap, body: Bytes) -> Json<Value> {
    state.lock().calls.push(headers);
    let request: Value = serde_json::from_slice(&body).unwrap();
    let said = request["params"]["message"]["parts"][0]["text"].as_str().unwrap_or_default().to_owned();
    let message =
        json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": format!("Echo: {said}") }] });
    Json(json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "message": message } }))
}

/// Serves on a free loopback port until the test ends.
pub async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

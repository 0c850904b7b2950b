//! Tests of remote users: users of one hub call agents of another, which identifies them by pseudonyms and
//! authenticates their hub by its signature.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;
use plexus_store::testing::Database;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
};

use crate::{
    client::{Client, PASSWORD, text_of},
    events::{read_answer, text_in},
    federation::{model, until},
    hub::{self, Given, Hub, play_on_both},
};

const ENOUGH: usize = 64 << 10;

/// Reverse proxy in front of a hub that records the traffic.
struct Proxy {
    origin: String,
    hub: Arc<OnceLock<SocketAddr>>,
    /// Bytes received on each connection.
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Proxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        let (hub, heard) = (Arc::new(OnceLock::new()), Arc::default());
        let proxy = Self { origin, hub: Arc::clone(&hub), heard: Arc::clone(&heard) };
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let address: SocketAddr = *hub.get().expect("the hub is there before its callers");
                tokio::spawn(pass(caller, address, Arc::clone(&heard)));
            }
        });
        proxy
    }

    /// Returns the raw bytes of a request signed by a remote hub.
    fn signed_request(&self) -> Vec<u8> {
        let heard = self.heard.lock();
        let found = heard.iter().find_map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            let begins = text.match_indices("POST /a2a/").map(|(at, _)| at);
            let mut signed = begins.filter(|at| {
                let head = text[*at..].split("\r\n\r\n").next().unwrap_or_default();
                head.contains("\r\nsignature-input: ")
            });
            signed.next().map(|at| bytes[at..].to_vec())
        });
        found.expect("a signed request came by")
    }

    /// Sends raw bytes and reads the start of the response.
    async fn send(&self, bytes: &[u8]) -> String {
        let address = self.origin.trim_start_matches("http://");
        let mut connection = TcpStream::connect(address).await.expect("the proxy listens");
        connection.write_all(bytes).await.expect("it takes them");
        let mut answer = vec![0; ENOUGH];
        let mut read = 0;
        while !String::from_utf8_lossy(&answer[..read]).contains('}') {
            let more = connection.read(&mut answer[read..]).await.expect("it answers");
            assert_ne!(more, 0, "it answers with JSON");
            read += more;
        }
        String::from_utf8_lossy(&answer[..read]).into_owned()
    }
}

async fn pass(caller: TcpStream, hub: SocketAddr, heard: Arc<Mutex<Vec<Vec<u8>>>>) {
    let Ok(hub) = TcpStream::connect(hub).await else { return };
    let (mut from_caller, mut to_caller) = caller.into_split();
    let (mut from_hub, mut to_hub) = hub.into_split();
    let back = tokio::spawn(async move { copy(&mut from_hub, &mut to_caller).await });
    let place = {
        let mut heard = heard.lock();
        heard.push(Vec::new());
        heard.len() - 1
    };
    let mut buffer = vec![0; ENOUGH];
    while let Ok(read @ 1..) = from_caller.read(&mut buffer).await {
        heard.lock()[place].extend_from_slice(&buffer[..read]);
        if to_hub.write_all(&buffer[..read]).await.is_err() {
            break;
        }
    }
    drop(to_hub);
    let _ = back.await;
}

/// Returns settings that enable federation and allow private addresses.
pub fn settings<'a>(model: &'a str, more: &[(&'static str, &'a str)]) -> Vec<Given> {
    let all = [
        ("PLEXUS_P2P_LISTEN", "127.0.0.1:0"),
        ("PLEXUS_FEDERATION_MODE", "open"),
        ("PLEXUS_ALLOW_PRIVATE_NETWORKS", "true"),
        ("PLEXUS_LLM_BASE_URL", model),
        ("PLEXUS_LLM_MODEL", "small"),
    ];
    // Leaked memory: the process ends with its tests.
    all.iter().chain(more).map(|(name, value)| (*name, &*value.to_string().leak())).collect()
}

play_on_both!(with_two_hubs);

async fn with_two_hubs(database: Option<Database>) {
    let model = model().await;
    let proxy = Proxy::start().await;
    let given = settings(&model, &[("PLEXUS_PUBLIC_URL", &proxy.origin)]);
    hub::run(database, &given, async |near: &Hub| {
        let address = near.origin().trim_start_matches("http://").parse().expect("an address");
        proxy.hub.set(address).expect("once");
        let admin = administrator(near, &proxy).await;
        let local = admin.api("/hubs").await["local"].clone();
        let way = text_of(&local["addresses"][0]);
        hub::run(None, &settings(&model, &[("PLEXUS_P2P_BOOTSTRAP", &way)]), async |far: &Hub| {
            callers_are_told_apart(near, &admin, far, &text_of(&local["id"]), &proxy).await;
        })
        .await;
    })
    .await;
}

/// Signs up the administrator through the proxy, the only public address of the hub.
async fn administrator(near: &Hub, proxy: &Proxy) -> Client {
    let link = near.first_administrator_link().await.expect("nobody administers the hub");
    let token = link.split_once("admin=").expect("a token").1;
    let client = Client::new(&proxy.origin);
    let fields = [("name", "grace"), ("password", PASSWORD), ("admin", token)];
    client.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
    client
}

async fn callers_are_told_apart(near: &Hub, admin: &Client, far: &Hub, near_id: &str, proxy: &Proxy) {
    // Names that cannot occur in a pseudonym by chance.
    let (ada, bob) = (far.person("lovelace").await, far.person("hollerith").await);
    let agent = json!({ "name": "tides", "title": "The tides", "summary": "Knows the sea.", "instructions": "Answer.",
                        "visibility": "federated", "access": "accounts" });
    admin.call(Method::POST, "/agents", &agent).await.expect(StatusCode::CREATED);
    let tides = format!("@grace/tides@{near_id}");
    until("the agent is carried", async || {
        let page = ada.get(&format!("/{tides}")).await;
        page.status == StatusCode::OK
    })
    .await;
    until("the hubs know each other", async || {
        let rows = admin.api("/hubs").await;
        rows["items"][0]["state"] == "fresh" && rows["items"][0]["name"] != Value::Null
    })
    .await;
    let (first, _) = ask(&ada, &tides, "Is it high?").await;
    let (state, _) = ask(&bob, &tides, "Is it low?").await;
    assert_eq!((first["state"].as_str(), state["state"].as_str()), (Some("done"), Some("done")));
    assert_eq!(text_in(&first), "You said: Is it high?");
    ask(&ada, &tides, "And now?").await;
    let count = async |text: &str| near.number(text).await;
    assert_eq!(count("select count(*) from principals where kind = 'remote'").await, 2);
    let callers = "select count(distinct r.caller) from runs r join principals p on p.id = r.caller \
                   where p.kind = 'remote'";
    assert_eq!(count(callers).await, 2, "each is a caller, however often they ask");
    let names =
        "select count(*) from principals where pseudonym like '%lovelace%' or pseudonym like '%hollerith%'";
    assert_eq!(count(names).await, 0, "their names stay at home");

    let again = proxy.send(&proxy.signed_request()).await;
    assert!(again.starts_with("HTTP/1.1 401 ") && again.contains("Replayed"), "{again}");
    strangers_stay_outside(&proxy.origin).await;

    let far_id = text_of(&ada.api("/hubs").await["local"]["id"]);
    let rule = |action: &str| json!({ "subject": far_id, "action": action, "reason": "It is a test." });
    admin.call(Method::POST, "/hubs/rules", &rule("block")).await.expect(StatusCode::NO_CONTENT);
    let (refused, run) = ask(&ada, &tides, "Is it high?").await;
    assert_eq!(refused["state"], "failed", "{refused}");
    assert!(run.contains("is blocked by the operator"), "{run}");
    admin.call(Method::POST, "/hubs/rules", &rule("remove")).await.expect(StatusCode::NO_CONTENT);
    assert_eq!(ask(&ada, &tides, "Is it high?").await.0["state"], "done");
}

async fn strangers_stay_outside(origin: &str) {
    let message = json!({ "messageId": "1", "role": "ROLE_USER", "parts": [{ "text": "Hello" }] });
    let request =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
    let stranger = Client::new(origin);
    let call = stranger.request(Method::POST, "/a2a/grace/tides/").header("a2a-version", "1.0");
    stranger.send(call.json(&request)).await.expect(StatusCode::UNAUTHORIZED);
}

/// Returns the answer and the record of its run.
async fn ask(person: &Client, to: &str, text: &str) -> (Value, String) {
    let said = person.begin(to, text).await;
    let screen = read_answer(person, &said.chat, 0).await;
    let (id, _) = screen.answer();
    let message = person.api(&format!("/messages/{id}")).await;
    let run = message["run"].to_string();
    (message, run)
}

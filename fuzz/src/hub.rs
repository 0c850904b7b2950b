//! A hub on loopback that the HTTP targets send requests to.

use std::sync::OnceLock;

use clap::Command;
use plexus_server::{
    config::ServeConfig,
    serve::{self, RunningServer},
    settings::Settings,
};
use reqwest::{
    Client, Method, RequestBuilder,
    header::{self, HeaderMap, HeaderValue},
    redirect::Policy,
};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Maximum request body, below the limit of the hub. Beyond its limit the hub may close the connection early.
const MOST_BYTES: usize = 64 << 10;
const TRIES: usize = 5;

pub struct Hub {
    runtime: Runtime,
    client: Client,
    origin: String,
    session: String,
    _running: RunningServer,
    _folder: TempDir,
}

/// A raw HTTP request.
pub struct Question<'a> {
    pub method: Method,
    /// Path and query, from the first `/`.
    pub path: &'a str,
    pub media_type: &'static str,
    pub cookies: &'a [u8],
    pub headers: Vec<(&'static str, HeaderValue)>,
    pub body: &'a [u8],
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Hub {
    /// Returns the hub of this process. It has one account, with which requests are authenticated.
    pub fn get() -> &'static Self {
        static HUB: OnceLock<Hub> = OnceLock::new();
        HUB.get_or_init(Self::start)
    }

    fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let running = runtime.block_on(serve::start(serve(&folder))).unwrap();
        let origin = format!("http://{}", running.address);
        #[expect(clippy::disallowed_methods, reason = "it calls the hub under test, on loopback")]
        let client = Client::builder()
            .redirect(Policy::none())
            .pool_max_idle_per_host(0)
            .timeout(std::time::Duration::from_secs(10))
            .build()
            .unwrap();
        let mut hub =
            Self { runtime, client, origin, session: String::new(), _running: running, _folder: folder };
        hub.session = hub.sign_up();
        hub
    }

    fn sign_up(&self) -> String {
        let question = Question {
            method: Method::POST,
            path: "/signup",
            media_type: "application/x-www-form-urlencoded",
            cookies: b"",
            headers: Vec::new(),
            body: b"name=ada&password=correct+horse+battery+staple",
        };
        let answer = self.ask(&question).expect("it is well formed");
        let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Sends a request. Returns `None` for an invalid request and for a body above `MOST_BYTES`.
    pub fn ask(&self, question: &Question<'_>) -> Option<Answer> {
        if question.body.len() > MOST_BYTES {
            return None;
        }
        let url = format!("{}{}", self.origin, question.path).parse::<url::Url>().ok()?;
        let cookies = [self.session.as_bytes(), b"; ", question.cookies].concat();
        let cookies = HeaderValue::from_bytes(&cookies).ok()?;
        let request = || {
            let request = self.client.request(question.method.clone(), url.clone());
            let named = question.headers.iter();
            named
                .fold(request, |request, (name, value)| request.header(*name, value))
                .header(header::ORIGIN, &self.origin)
                .header(header::CONTENT_TYPE, question.media_type)
                .header(header::COOKIE, &cookies)
                .body(question.body.to_vec())
        };
        // Retry: a server that responds before reading the whole body may close the connection before the
        // response is read.
        let mut tries = (0..TRIES).map(|_| self.runtime.block_on(answer(request())));
        Some(tries.find_map(Result::ok).expect("the hub answers"))
    }
}

async fn answer(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.send().await?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Ok(Answer { status, headers, body: response.bytes().await?.to_vec() })
}

fn serve(folder: &TempDir) -> ServeConfig {
    let given = [
        ("PLEXUS_LISTEN", "127.0.0.1:0"),
        ("PLEXUS_DATA_DIR", folder.path().to_str().unwrap()),
        ("PLEXUS_RATE_LIMIT_SCALE", "1000000"),
        ("PLEXUS_MAX_MESSAGE_BYTES", "16384"),
        // No server listens on this port.
        ("PLEXUS_LLM_BASE_URL", "http://127.0.0.1:9/v1"),
        ("PLEXUS_LLM_MODEL", "small"),
    ];
    let variable =
        |name: &str| given.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let flags = Settings::flags(Command::new("plexus")).get_matches_from(["plexus"]);
    let settings = Settings::read(&flags, variable, &folder.path().join("plexus.toml")).unwrap();
    ServeConfig::from_settings(&settings).unwrap()
}

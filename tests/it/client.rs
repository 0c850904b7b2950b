//! Fixture: HTTP client, as a browser without scripts or as a program with a token.

use std::{collections::BTreeMap, sync::Mutex};

use plexus_domain::MessageId;
use plexus_hub::ClockRng;
use reqwest::{
    Method, RequestBuilder, StatusCode,
    header::{self, HeaderMap},
};
use serde_json::{Value, json};

/// Password of every test account.
pub const PASSWORD: &str = "correct horse battery staple";

pub struct Client {
    http: reqwest::Client,
    origin: String,
    cookies: Mutex<BTreeMap<String, String>>,
    token: Option<String>,
    /// Client address that a reverse proxy would forward.
    address: Option<String>,
}

/// Complete response.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

/// Ids of a posted message.
pub struct Said {
    pub chat: String,
    pub message: String,
    pub run: String,
}

impl Client {
    pub fn new(origin: &str) -> Self {
        #[expect(clippy::disallowed_methods, reason = "it calls the hub under test, on loopback")]
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build();
        let (origin, cookies) = (origin.to_owned(), Mutex::default());
        Self { http: http.expect("a client"), origin, cookies, token: None, address: None }
    }

    /// Creates a browser client behind a reverse proxy, with this client address.
    pub fn from_address(origin: &str, address: &str) -> Self {
        Self { address: Some(address.to_owned()), ..Self::new(origin) }
    }

    /// Creates an API client: a token and no cookies.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), address: self.address.clone(), ..Self::new(&self.origin) }
    }

    /// Returns the same session at another origin of the hub.
    pub fn at(&self, origin: &str) -> Self {
        let cookies = Mutex::new(self.cookies.lock().expect("unpoisoned").clone());
        Self { cookies, token: self.token.clone(), ..Self::new(origin) }
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut request = self.http.request(method, format!("{}{path}", self.origin));
        if let Some(address) = &self.address {
            request = request.header("x-forwarded-for", address);
        }
        if let Some(token) = &self.token {
            return request.bearer_auth(token);
        }
        let cookies = self.cookies.lock().expect("unpoisoned");
        let line: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if line.is_empty() { request } else { request.header(header::COOKIE, line.join("; ")) }
    }

    /// Sends a request and stores the cookies of the response.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let response = request.send().await.expect("the hub answers");
        let (status, headers) = (response.status(), response.headers().clone());
        self.keep(&headers);
        Answer { status, headers, body: response.text().await.expect("a whole answer") }
    }

    fn keep(&self, headers: &HeaderMap) {
        let mut cookies = self.cookies.lock().expect("unpoisoned");
        for line in headers.get_all(header::SET_COOKIE) {
            let line = line.to_str().expect("text");
            let (name, rest) = line.split_once('=').expect("a name and a value");
            let value = rest.split(';').next().unwrap_or_default();
            if value.is_empty() || line.contains("Max-Age=0") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// Returns the values of its cookies.
    pub fn cookie_values(&self) -> Vec<String> {
        self.cookies.lock().expect("unpoisoned").values().cloned().collect()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// Posts a form with the headers of a same-origin page.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self
            .request(Method::POST, path)
            .header(header::ORIGIN, &self.origin)
            .header("sec-fetch-site", "same-origin")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(request.body(body)).await
    }

    /// Calls `/api/v1` with a JSON body.
    pub async fn call(&self, method: Method, path: &str, body: &Value) -> Answer {
        let request = self.request(method, &format!("/api/v1{path}")).header(header::ORIGIN, &self.origin);
        self.send(request.json(body)).await
    }

    pub async fn api(&self, path: &str) -> Value {
        self.get(&format!("/api/v1{path}")).await.expect(StatusCode::OK).json()
    }

    pub async fn sign_up(&self, name: &str) {
        let answer = self.post("/signup", &[("name", name), ("password", PASSWORD)]).await;
        answer.expect(StatusCode::SEE_OTHER);
    }

    pub async fn sign_in(&self, name: &str, password: &str) -> Answer {
        self.post("/login", &[("name", name), ("password", password)]).await
    }

    pub async fn is_signed_in(&self) -> bool {
        self.get("/settings/account").await.status == StatusCode::OK
    }

    /// Starts a chat with the agent at `to`.
    pub async fn begin(&self, to: &str, text: &str) -> Said {
        let body = json!({ "id": new_id(), "to": to, "text": text });
        let answer = self.call(Method::POST, "/chats", &body).await.expect(StatusCode::CREATED).json();
        said(&answer, text_of(&answer["chat"]))
    }

    /// Posts a message to a chat.
    pub async fn say(&self, chat: &str, text: &str) -> Said {
        let answer = self.try_say(chat, &json!({ "id": new_id(), "text": text })).await;
        said(&answer.expect(StatusCode::ACCEPTED).json(), chat.to_owned())
    }

    pub async fn try_say(&self, chat: &str, body: &Value) -> Answer {
        self.call(Method::POST, &format!("/chats/{chat}/messages"), body).await
    }
}

fn said(answer: &Value, chat: String) -> Said {
    Said { chat, message: text_of(&answer["message"]), run: text_of(&answer["runs"][0]) }
}

impl Answer {
    #[track_caller]
    pub fn expect(self, status: StatusCode) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Asserts the status and returns code and message of an `/api/v1` error.
    #[track_caller]
    pub fn refusal(self, status: StatusCode) -> (String, String) {
        let body = self.expect(status).json();
        (text_of(&body["error"]["code"]), text_of(&body["error"]["message"]))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
    }

    pub fn location(&self) -> &str {
        self.header("location")
    }

    #[track_caller]
    pub fn says(&self, words: &str) {
        let shown = self.body.split_once("<main").map_or(self.body.as_str(), |(_, main)| main);
        assert!(self.body.contains(words), "nothing says {words:?}:\n{shown}");
    }
}

/// Returns a JSON string, or an empty one for any other value.
pub fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Creates a message id, as a page does for each message.
pub fn new_id() -> MessageId {
    ClockRng::system().id(MessageId::new)
}

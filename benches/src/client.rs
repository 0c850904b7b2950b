//! HTTP client that reuses one connection for its calls and opens another for each event stream.

use std::net::SocketAddr;

use anyhow::{Context as _, bail};
use bytes::{Buf as _, Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    header,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Server address and the header that authenticates requests.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub credential: Option<(header::HeaderName, String)>,
}

impl Target {
    fn request(&self, method: Method, path: &str) -> hyper::http::request::Builder {
        let origin = format!("http://{}", self.address);
        let request =
            Request::builder().method(method).uri(path).header(header::HOST, self.address.to_string());
        let request = request.header(header::ORIGIN, origin);
        match &self.credential {
            Some((name, value)) => request.header(name, value),
            None => request,
        }
    }

    /// Builds a request with a JSON body.
    pub fn json(&self, method: Method, path: &str, body: &Value) -> anyhow::Result<Request<Full<Bytes>>> {
        let request = self.request(method, path).header(header::CONTENT_TYPE, "application/json");
        Ok(request.body(Full::from(body.to_string()))?)
    }

    /// Builds a form post as from a page of the hub. The values must need no escaping.
    pub fn form(&self, path: &str, body: String) -> anyhow::Result<Request<Full<Bytes>>> {
        let request = self.request(Method::POST, path).header("sec-fetch-site", "same-origin");
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        Ok(request.body(Full::from(body))?)
    }

    pub fn get(&self, path: &str) -> anyhow::Result<Request<Full<Bytes>>> {
        Ok(self.request(Method::GET, path).body(Full::default())?)
    }
}

/// One HTTP/1.1 connection.
pub struct Client {
    sender: SendRequest<Full<Bytes>>,
}

impl Client {
    pub async fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(to).await.with_context(|| format!("connecting to {to}"))?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { sender })
    }

    pub async fn send(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Incoming>> {
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }

    /// Sends a request that must succeed and parses the JSON response; an empty body is null.
    pub async fn call(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<Value> {
        let path = request.uri().clone();
        let response = self.send(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        if !status.is_success() {
            bail!("{path} answered {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok(if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? })
    }

    /// Sends a request and returns its response as an event stream.
    pub async fn stream(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<Events> {
        let response = self.send(request).await?;
        anyhow::ensure!(response.status() == StatusCode::OK, "a stream answered {}", response.status());
        Ok(Events { body: response.into_body(), buffer: BytesMut::new() })
    }
}

/// Server-sent events as the hub and model servers write them: one line of data per event.
pub struct Events {
    body: Incoming,
    buffer: BytesMut,
}

pub struct Event {
    bytes: Bytes,
}

impl Event {
    pub fn name(&self) -> &[u8] {
        self.field(b"event: ").unwrap_or_default()
    }

    pub fn data(&self) -> &[u8] {
        self.field(b"data: ").unwrap_or_default()
    }

    fn field(&self, name: &[u8]) -> Option<&[u8]> {
        self.bytes.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name))
    }
}

impl Events {
    /// Returns the next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> anyhow::Result<Option<Event>> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let bytes = self.buffer.split_to(end).freeze();
                self.buffer.advance(2);
                return Ok(Some(Event { bytes }));
            }
            let Some(frame) = self.body.frame().await else { return Ok(None) };
            if let Some(data) = frame?.data_ref() {
                self.buffer.extend_from_slice(data);
            }
        }
    }
}

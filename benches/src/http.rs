//! Minimal keep-alive HTTP client, so cheap that the server dominates the measurement.

use std::{net::SocketAddr, time::Instant};

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::client::Target;

const HEAD_MAX: usize = 16 * 1024;
/// End of a chunked body (RFC 9112 section 7.1).
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(to).await.with_context(|| format!("connecting to {to}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(HEAD_MAX) })
    }

    /// Sends a raw request and reads the whole response. Returns the status and the size of the body.
    pub async fn ask(&mut self, request: &[u8]) -> anyhow::Result<(u16, usize)> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if self.buffer.len() > HEAD_MAX || self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the answer has no end of its head");
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head])?;
        let status = text.get(9..12).context("no status")?.parse()?;
        let length = header(text, "content-length").context("the answer does not say its length")?.parse()?;
        while self.buffer.len() < head + length {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the answer ended early");
            }
        }
        Ok((status, length))
    }

    /// Sends a raw request and reads its event stream to the end. Returns the time to the first event in
    /// milliseconds and the number of events.
    pub async fn hear(&mut self, request: &[u8]) -> anyhow::Result<(f64, usize)> {
        let begun = Instant::now();
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let mut first = None;
        while !self.buffer.ends_with(LAST_CHUNK) {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("a stream ended early");
            }
            if first.is_none() && events(&self.buffer) > 0 {
                first = Some(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
        let first =
            first.with_context(|| format!("no event in {}", String::from_utf8_lossy(&self.buffer)))?;
        Ok((first, events(&self.buffer)))
    }
}

fn events(bytes: &[u8]) -> usize {
    bytes.windows(7).filter(|window| window == b"\ndata: ").count()
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Returns a GET request that keeps the connection open.
pub fn get(host: SocketAddr, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes()
}

/// Returns a JSON POST request that keeps the connection open; `headers` are complete lines.
pub fn post(to: &Target, path: &str, headers: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let credential = to.credential.as_ref().map(|(name, value)| format!("{name}: {value}\r\n"));
    format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}{}\r\n{body}",
        to.address,
        body.len(),
        credential.unwrap_or_default()
    )
    .into_bytes()
}

//! The smallest client that keeps a connection: so little work that the server is what is measured.

use std::net::SocketAddr;

use anyhow::{Context as _, bail};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const HEAD_MAX: usize = 16 * 1024;

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

    /// Sends a request as it is and reads the answer whole; gives the status and the size of the body.
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
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// A GET that keeps the connection.
pub fn get(host: SocketAddr, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes()
}

//! DNS server for tests.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::{net::SocketAddr, sync::Arc};

use parking_lot::Mutex;
use tokio::net::UdpSocket;

/// DNS server that resolves every name to this machine and returns the same text for every TXT query.
pub struct Dns {
    pub address: SocketAddr,
    text: Arc<Mutex<String>>,
}

impl Dns {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let (address, text) = (socket.local_addr().unwrap(), Arc::new(Mutex::new(String::new())));
        let dns = Self { address, text: Arc::clone(&text) };
        tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((size, from)) = socket.recv_from(&mut question).await {
                let answer = reply(&question[..size], &text.lock());
                let _ = socket.send_to(&answer, from).await;
            }
        });
        dns
    }

    pub fn set_text(&self, text: String) {
        *self.text.lock() = text;
    }
}

/// Returns the response to one query (RFC 1035, section 4): the question and at most one record.
fn reply(message: &[u8], text: &str) -> Vec<u8> {
    const A: u16 = 1;
    const TXT: u16 = 16;
    let name = message[12..].iter().position(|byte| *byte == 0).unwrap() + 1;
    let question = &message[12..12 + name + 4];
    let kind = u16::from_be_bytes([question[name], question[name + 1]]);
    let data = match kind {
        A => vec![127, 0, 0, 1],
        TXT if !text.is_empty() => [&[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat(),
        _ => Vec::new(),
    };
    let found = !data.is_empty();
    let mut answer =
        [&message[..2], &[0x81, 0x80, 0, 1, 0, u8::from(found), 0, 0, 0, 0][..], question].concat();
    if found {
        // Compressed name that refers to the question; class IN; TTL 0.
        answer.extend([0xc0, 12]);
        answer.extend(kind.to_be_bytes());
        answer.extend([0, 1, 0, 0, 0, 0]);
        answer.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        answer.extend(data);
    }
    answer
}

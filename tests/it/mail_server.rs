//! Mail server (SMTP, RFC 5321) on loopback that keeps the messages it gets.

use std::time::Duration;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::timeout,
};

/// Messages that wait to be read by a test.
const MAX_WAITING: usize = 100;

pub struct MailServer {
    address: std::net::SocketAddr,
    received: tokio::sync::Mutex<mpsc::Receiver<ReceivedMail>>,
}

/// A message as it arrived.
pub struct ReceivedMail {
    pub to: String,
    /// Header and body, with soft line breaks of quoted-printable undone.
    pub text: String,
}

impl ReceivedMail {
    /// Returns the path and query of the link in the message.
    pub fn path(&self) -> &str {
        let rest = self.text.split("http://").nth(1).expect("a link");
        let rest = rest.split_once('/').expect("a path").1;
        rest.split_whitespace().next().expect("the end of the link")
    }

    /// Returns the token in the link of the message.
    pub fn token(&self) -> &str {
        self.path().split_once("token=").expect("a token").1
    }
}

impl MailServer {
    /// Starts a server that refuses recipients at `refused.example` for good.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (sender, received) = mpsc::channel(MAX_WAITING);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, sender.clone()));
            }
        });
        Self { address, received: tokio::sync::Mutex::new(received) }
    }

    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Waits for the next message.
    pub async fn next(&self) -> ReceivedMail {
        let mut received = self.received.lock().await;
        timeout(Duration::from_secs(20), received.recv())
            .await
            .expect("a message in time")
            .expect("the server")
    }

    /// Returns whether no message has arrived since the last one.
    pub async fn is_empty(&self) -> bool {
        self.received.lock().await.is_empty()
    }
}

async fn serve(stream: TcpStream, sender: mpsc::Sender<ReceivedMail>) -> Option<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 mail.example ESMTP\r\n").await.ok()?;
    let mut to = String::new();
    while let Some(line) = lines.next_line().await.ok()? {
        let command = line.to_ascii_uppercase();
        let reply = match command.split([' ', ':']).next()? {
            "RCPT" if command.contains("@REFUSED.EXAMPLE>") => "550 no such mailbox",
            "RCPT" => {
                to = line.split(['<', '>']).nth(1)?.to_owned();
                "250 ok"
            }
            "DATA" => {
                write.write_all(b"354 go on\r\n").await.ok()?;
                let mut text = String::new();
                while let Some(line) = lines.next_line().await.ok()?.filter(|line| line != ".") {
                    text.push_str(&line);
                    text.push('\n');
                }
                let text = text.replace("=\n", "").replace("=3D", "=");
                sender.send(ReceivedMail { to: to.clone(), text }).await.ok()?;
                "250 ok"
            }
            "QUIT" => {
                write.write_all(b"221 bye\r\n").await.ok()?;
                return Some(());
            }
            _ => "250 ok",
        };
        write.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
    }
    Some(())
}

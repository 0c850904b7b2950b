//! Connector for a long-running program that exchanges JSON lines: the messages of
//! [`crate::attached::protocol`], one per line. It works on several questions at once. If it exits, the next
//! question restarts it.

use std::{future, pin::pin, sync::Arc};

use async_trait::async_trait;
use futures::{SinkExt as _, Stream, StreamExt as _};
use plexus_domain::run::Failure;
use tokio::{io::AsyncRead, select, sync::Mutex};
use tokio_util::{
    codec::{FramedRead, FramedWrite, LinesCodec},
    sync::CancellationToken,
};

use super::{Lenient, ProgramSpec, Running};
use crate::{
    Connector, Output, RunEnd, RunRequest,
    attached::{
        AttachedConnection, AttachedConnector,
        protocol::{self, ProgramFrame},
    },
};

pub struct Lines {
    program: ProgramSpec,
    link: Mutex<Option<(Arc<AttachedConnection>, CancellationToken)>>,
}

impl Lines {
    pub fn new(program: ProgramSpec) -> Self {
        Self { program, link: Mutex::default() }
    }

    /// Returns the connection to the running program, or starts the program.
    async fn link(&self) -> Result<Arc<AttachedConnection>, Failure> {
        let mut known = self.link.lock().await;
        if let Some((link, ended)) = &*known
            && !ended.is_cancelled()
        {
            return Ok(link.clone());
        }
        let running = self.program.start()?;
        let ended = CancellationToken::new();
        let (link, frames) = AttachedConnection::new(ended.clone());
        tokio::spawn(speak(running, link.clone(), frames, ended.clone()));
        *known = Some((link.clone(), ended));
        Ok(link)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if let Some((_, ended)) = self.link.get_mut() {
            ended.cancel();
        }
    }
}

#[async_trait]
impl Connector for Lines {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        AttachedConnector::new(self.link().await?).run(request, output, stop).await
    }
}

/// Forwards messages in both directions until either side ends.
async fn speak(
    mut running: Running,
    link: Arc<AttachedConnection>,
    mut frames: tokio::sync::mpsc::Receiver<protocol::HubFrame>,
    ended: CancellationToken,
) {
    let (Some(stdin), Some(stdout)) = (running.stdin.take(), running.stdout.take()) else {
        return ended.cancel();
    };
    let send = async {
        let mut lines = FramedWrite::new(stdin, LinesCodec::new());
        while let Some(frame) = frames.recv().await {
            let line = serde_json::to_string(&frame).unwrap_or_default();
            if lines.send(line).await.is_err() {
                break;
            }
        }
    };
    let receive = async {
        let mut news = pin!(read_frames(stdout, protocol::MAX_FRAME));
        while let Some(frame) = news.next().await {
            link.take(frame).await;
        }
    };
    select! {
        () = ended.cancelled() => {}
        () = send => {}
        () = receive => {}
    }
    ended.cancel();
    running.end().await;
}

/// Returns the messages among the output lines of a program. Lines longer than `max` bytes and other lines
/// are skipped.
pub fn read_frames(stdout: impl AsyncRead + Unpin, max: usize) -> impl Stream<Item = ProgramFrame> {
    let lines = FramedRead::new(stdout, Lenient(LinesCodec::new_with_max_length(max)));
    lines.filter_map(|line| future::ready(line.ok().and_then(|line| read(&line))))
}

/// Parses a line. Other output, such as the banner of a library, is logged and ignored.
fn read(line: &str) -> Option<ProgramFrame> {
    serde_json::from_str(line)
        .inspect_err(|error| tracing::info!(target: "plexus_program", %error, "not a message: {line}"))
        .ok()
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use plexus_domain::run::FailureClass;
    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::testing::{ask, run};

    /// Program that prints a banner, then answers each question in turn. Exits on "die".
    const PROGRAM: &str = r#"
import json, sys
print("Welcome to the program", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "message": continue
    if message["text"] == "die": sys.exit(1)
    for frame in [{"type": "text", "text": message["text"].upper()}, {"type": "completed"}]:
        print(json.dumps({"run": message["run"], **frame}), flush=True)
"#;

    fn program() -> Lines {
        Lines::new(ProgramSpec::new(["python3", "-c", PROGRAM].map(Into::into)).unwrap())
    }

    #[tokio::test]
    async fn a_program_that_stays_answers_in_lines() {
        let program = program();
        for word in ["one", "two"] {
            let (end, heard) = run(&program, ask(word)).await.unwrap();
            assert_eq!((end, heard.text), (RunEnd::Completed, word.to_uppercase()));
        }
    }

    #[tokio::test]
    async fn a_message_does_not_wait_behind_what_is_no_line() {
        let (mut program, stdout) = tokio::io::duplex(1 << 10);
        let done = r#"{"run":"0191b2c4-0000-7000-8000-000000000000","type":"completed"}"#;
        let written = [b"\xff\n\xfe\n".as_slice(), &[b'x'; 100], b"\n", done.as_bytes(), b"\n"].concat();
        program.write_all(&written).await.unwrap();
        let mut news = pin!(read_frames(stdout, done.len()));
        let frame = news.next().now_or_never().flatten().expect("it is there");
        assert!(frame.news.is_last());
        // The same at the end of the stream.
        let mut news = pin!(super::read_frames(&*written, done.len()));
        assert_eq!(news.next().await, Some(frame));
        assert_eq!(news.next().await, None);
    }

    #[tokio::test]
    async fn one_that_died_is_started_anew() {
        let program = program();
        let failure = run(&program, ask("die")).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Unreachable);
        let (end, heard) = run(&program, ask("again")).await.unwrap();
        assert_eq!((end, heard.text.as_str()), (RunEnd::Completed, "AGAIN"));
    }
}

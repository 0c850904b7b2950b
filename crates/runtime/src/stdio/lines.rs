//! A program that stays, and speaks in lines of JSON: the messages of [`crate::attached::frame`], one a line. It works on
//! several questions at once; when it ends, the next question starts it anew.

use std::{pin::pin, sync::Arc};

use async_trait::async_trait;
use futures::{SinkExt as _, StreamExt as _};
use plexus_domain::run::Failure;
use tokio::{select, sync::Mutex};
use tokio_util::{
    codec::{FramedRead, FramedWrite, LinesCodec},
    sync::CancellationToken,
};

use super::{Program, Running, to_the_end};
use crate::{
    Connector, End, Output, Request,
    attached::{Attached, Link, frame},
};

pub struct Lines {
    program: Program,
    link: Mutex<Option<(Arc<Link>, CancellationToken)>>,
}

impl Lines {
    pub fn new(program: Program) -> Self {
        Self { program, link: Mutex::default() }
    }

    /// The program that runs, else a new one.
    async fn link(&self) -> Result<Arc<Link>, Failure> {
        let mut known = self.link.lock().await;
        if let Some((link, ended)) = &*known
            && !ended.is_cancelled()
        {
            return Ok(link.clone());
        }
        let running = self.program.start()?;
        let ended = CancellationToken::new();
        let (link, orders) = Link::new(ended.clone());
        tokio::spawn(speak(running, link.clone(), orders, ended.clone()));
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
        request: Request,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<End, Failure> {
        Attached::new(self.link().await?).run(request, output, stop).await
    }
}

/// Carries messages to and fro until either side ends.
async fn speak(
    mut running: Running,
    link: Arc<Link>,
    mut orders: tokio::sync::mpsc::Receiver<frame::Order>,
    ended: CancellationToken,
) {
    let (Some(stdin), Some(stdout)) = (running.stdin.take(), running.stdout.take()) else {
        return ended.cancel();
    };
    let send = async {
        let mut lines = FramedWrite::new(stdin, LinesCodec::new());
        while let Some(order) = orders.recv().await {
            let line = serde_json::to_string(&order).unwrap_or_default();
            if lines.send(line).await.is_err() {
                break;
            }
        }
    };
    let receive = async {
        let codec = LinesCodec::new_with_max_length(frame::MAX_FRAME);
        let mut lines = pin!(to_the_end(FramedRead::new(stdout, codec)));
        while let Some(line) = lines.next().await {
            // What is no message is noise, such as a library that greets.
            match line.map(|line| serde_json::from_str(&line).map_err(|error| (line, error))) {
                Ok(Ok(told)) => link.take(told).await,
                Ok(Err((line, error))) => {
                    tracing::info!(target: "plexus_program", %error, "no message: {line}");
                }
                Err(error) => tracing::warn!(target: "plexus_program", %error, "no line"),
            }
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

#[cfg(test)]
mod tests {
    use plexus_domain::run::FailureClass;

    use super::*;
    use crate::testing::{ask, run};

    /// Answers each question in turn, after some noise; ends when it is told to.
    const PROGRAM: &str = r#"
import json, sys
print("Welcome to the program", flush=True)
for line in sys.stdin:
    order = json.loads(line)
    if order["order"] != "ask": continue
    if order["text"] == "die": sys.exit(1)
    for told in [{"told": "text", "text": order["text"].upper()}, {"told": "completed"}]:
        print(json.dumps({"run": order["run"], **told}), flush=True)
"#;

    fn program() -> Lines {
        Lines::new(Program::new(["python3", "-c", PROGRAM].map(Into::into)).unwrap())
    }

    #[tokio::test]
    async fn a_program_that_stays_answers_in_lines() {
        let program = program();
        for word in ["one", "two"] {
            let (end, heard) = run(&program, ask(word)).await.unwrap();
            assert_eq!((end, heard.text), (End::Completed, word.to_uppercase()));
        }
    }

    #[tokio::test]
    async fn one_that_died_is_started_anew() {
        let program = program();
        let failure = run(&program, ask("die")).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Unreachable);
        let (end, heard) = run(&program, ask("again")).await.unwrap();
        assert_eq!((end, heard.text.as_str()), (End::Completed, "AGAIN"));
    }
}

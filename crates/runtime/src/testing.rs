//! What the tests of this crate share: a request, and an output that remembers.

use plexus_domain::{
    Part, RunId,
    run::{Failure, Usage},
};
use tokio_util::sync::CancellationToken;

use crate::{Connector, End, File, Limits, Output, Remote, Request, Speaker, Turn};

/// Everything that an agent said.
#[derive(Debug, Default)]
pub struct Recorder {
    pub text: String,
    pub parts: Vec<Part>,
    /// Name, title and text of each artifact.
    pub artifacts: Vec<(String, Option<String>, String)>,
    pub files: Vec<File>,
    pub remote: Option<Remote>,
    pub usage: Option<Usage>,
    pub status: Vec<String>,
}

impl Output for Recorder {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.text.push_str(delta);
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.parts.push(part);
        Ok(())
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        match self.artifacts.iter_mut().find(|(id, ..)| id == artifact) {
            Some((.., text)) => text.push_str(delta),
            None => self.artifacts.push((artifact.to_owned(), name.map(str::to_owned), delta.to_owned())),
        }
        Ok(())
    }

    fn file(&mut self, file: File) -> Result<(), Failure> {
        self.files.push(file);
        Ok(())
    }

    fn remote(&mut self, remote: Remote) {
        self.remote = Some(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    fn status(&mut self, line: &str) {
        self.status.push(line.to_owned());
    }
}

/// One person's question in a new chat.
pub fn ask(question: &str) -> Request {
    Request {
        run: "0191b2c4-0000-7000-8000-000000000000".parse::<RunId>().unwrap(),
        turns: vec![person(question)],
        remote: None,
        limits: Limits::default(),
    }
}

pub fn person(text: &str) -> Turn {
    Turn { speaker: Speaker::Person { name: "Ada".to_owned() }, parts: vec![Part::text(text)] }
}

/// Runs a connector to its end, without a stop.
pub async fn run(connector: &dyn Connector, request: Request) -> Result<(End, Recorder), Failure> {
    let mut heard = Recorder::default();
    let end = connector.run(request, &mut heard, &CancellationToken::new()).await?;
    Ok((end, heard))
}

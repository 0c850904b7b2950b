//! What an agent says, on its way to the readers.

use std::sync::Arc;

use plexus_domain::{
    Part,
    run::{Failure, Usage},
};
use plexus_runtime::{Output, Remote};

use crate::live::{Channel, Frame, FrameKind, Snapshot, Writing};

/// Shows each piece to the readers of the chat and keeps it for the store.
pub struct Speaker {
    writing: Writing,
    channel: Arc<Channel>,
    pub usage: Usage,
    pub remote: Option<Remote>,
}

impl Speaker {
    pub fn new(writing: Writing, channel: Arc<Channel>) -> Self {
        Self { writing, channel, usage: Usage::default(), remote: None }
    }

    /// What is kept of the answer.
    pub fn parts(&self) -> Vec<Part> {
        self.writing.lock().parts()
    }

    fn say(&self, artifact: Option<&str>, name: Option<&str>, delta: &str) {
        if delta.is_empty() {
            return;
        }
        let mut open = self.writing.lock();
        let (part, start, closed) = open.append(artifact, name, delta);
        if !self.channel.is_watched() {
            return;
        }
        let message = open.message();
        self.channel.tell(Frame::new(FrameKind::Text { message, part, start, body: delta.into() }));
        for block in closed {
            let html = open.block_html(part, block.index);
            let (start, end) = (block.start, block.end);
            self.channel.tell(Frame::new(FrameKind::Block { message, part, start, end, html }));
        }
    }
}

impl Output for Speaker {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.say(None, None, delta);
        Ok(())
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        self.say(Some(artifact), name, delta);
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        let mut open = self.writing.lock();
        let message = open.message();
        let index = open.push(part.clone());
        self.channel.tell(Frame::new(FrameKind::Snapshot(Snapshot::whole(message, index, part))));
        Ok(())
    }

    fn remote(&mut self, remote: Remote) {
        self.remote = Some(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.usage = usage;
    }

    fn status(&mut self, _line: &str) {}
}

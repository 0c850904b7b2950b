//! Writes the output of an agent to its open message, and publishes it to subscribers.

use std::sync::Arc;

use plexus_domain::{
    Digest, MessageAttributes, Metadata, Part, PartBody,
    run::{Failure, Usage},
    sanitized_text::{ellipsize, one_line},
};
use plexus_runtime::{ModelUsage, Output, OutputFile, RemoteConversation};
use tokio::sync::watch;

use crate::{
    blobs::{NewBlob, label},
    streaming::{Channel, FrameKind, SharedOpenMessage, StreamFrame},
    views::Snapshot,
};

/// Maximum length of a status line.
const STATUS_CHARS: usize = 200;

/// Publishes each piece to the subscribers of the chat, and collects it for the store.
pub struct MessageWriter {
    writing: SharedOpenMessage,
    channel: Arc<Channel>,
    files: Vec<PartialFile>,
    /// What follows outside of artifacts is a question: it is not published before the message ends.
    is_question: bool,
    /// The current status line, for webhooks.
    status: watch::Sender<String>,
    pub attributes: Option<Box<MessageAttributes>>,
    pub usage: Usage,
    /// Usage of each model, if the agent runs on models of this hub.
    pub model_usage: Vec<ModelUsage>,
    pub remote: Option<RemoteConversation>,
}

/// A file whose bytes are still being received.
struct PartialFile {
    /// Index of its part in the message.
    index: usize,
    artifact: Option<String>,
    name: Option<String>,
    media_type: Option<String>,
    metadata: Option<Box<Metadata>>,
    bytes: Vec<u8>,
}

impl PartialFile {
    fn part(&self) -> Part {
        self.part_with(PartBody::File {
            blob: Digest::of(&self.bytes),
            size: self.bytes.len() as u64,
            image: None,
        })
    }

    fn part_with(&self, content: PartBody) -> Part {
        Part {
            content,
            artifact: self.artifact.clone(),
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            metadata: self.metadata.clone(),
        }
    }
}

impl MessageWriter {
    pub fn new(writing: SharedOpenMessage, channel: Arc<Channel>) -> Self {
        Self {
            writing,
            channel,
            files: Vec::new(),
            is_question: false,
            status: watch::Sender::new(String::new()),
            attributes: None,
            usage: Usage::default(),
            model_usage: Vec::new(),
            remote: None,
        }
    }

    /// Returns the status lines from now on.
    pub fn status_lines(&self) -> watch::Receiver<String> {
        self.status.subscribe()
    }

    /// Returns the total size of the files of the answer.
    pub fn file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }

    /// Returns the parts of the answer, with its files as received so far.
    pub fn so_far(&self) -> Vec<Part> {
        let files = self.files.iter().map(PartialFile::part);
        self.parts()
            .into_iter()
            .filter(|part| !matches!(part.content, PartBody::File { .. }))
            .chain(files)
            .collect()
    }

    /// Replaces the files by a note, because they exceed the quota.
    pub fn drop_files(&mut self) {
        let mut open = self.writing.lock();
        for file in std::mem::take(&mut self.files) {
            let name = file.name.unwrap_or_else(|| "A file".to_owned());
            open.replace(file.index, Part::text(format!("{name} was not saved.")));
        }
    }

    /// Discards the whole answer, because it cannot be stored.
    pub fn forget(&mut self) {
        self.writing.lock().clear();
        self.attributes = None;
        self.remote = None;
    }

    /// Returns the parts of the answer to be stored.
    pub fn parts(&self) -> Vec<Part> {
        self.writing.lock().parts()
    }

    /// Takes the complete files of the answer. Their parts now have the final digest and size.
    pub fn take_files(&mut self) -> Vec<NewBlob> {
        let mut open = self.writing.lock();
        let files = std::mem::take(&mut self.files).into_iter();
        files
            .map(|mut file| {
                let new = NewBlob::new(file.media_type.clone(), std::mem::take(&mut file.bytes));
                open.replace(file.index, file.part_with(new.content()));
                new
            })
            .collect()
    }

    /// Appends and publishes a part that is not streamed; returns its index.
    fn show(&self, part: Part) -> usize {
        let mut open = self.writing.lock();
        let message = open.message();
        let index = open.push(part.clone());
        if self.is_question && part.artifact.is_none() {
            return index;
        }
        let whole = Box::new(Snapshot::whole(message, index, part));
        self.channel.publish(StreamFrame::new(FrameKind::Snapshot(whole)));
        index
    }

    fn say(&self, artifact: Option<&str>, name: Option<&str>, delta: &str) {
        if delta.is_empty() {
            return;
        }
        let mut open = self.writing.lock();
        let (part, start, closed) = open.append(artifact, name, delta);
        // The agent writes again, so its status line is obsolete.
        if open.set_status("") && self.channel.is_watched() {
            let message = open.message();
            self.channel.publish(StreamFrame::new(FrameKind::Status { message, line: "".into() }));
        }
        if !self.channel.is_watched() || self.is_question && artifact.is_none() {
            return;
        }
        open.show(part, start, delta, closed, |kind| self.channel.publish(StreamFrame::new(kind)));
    }
}

impl Output for MessageWriter {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.say(None, None, delta);
        Ok(())
    }

    fn artifact_text(&mut self, artifact: &str, name: Option<&str>, delta: &str) -> Result<(), Failure> {
        self.say(Some(artifact), name, delta);
        Ok(())
    }

    fn begin_artifact_text(
        &mut self,
        artifact: &str,
        name: Option<&str>,
        metadata: Option<Box<Metadata>>,
    ) -> Result<(), Failure> {
        self.writing.lock().begin_text(Some(artifact), name, metadata);
        Ok(())
    }

    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        let mut open = self.writing.lock();
        let message = open.message();
        if let Some((place, part)) = open.text_to_reasoning() {
            let whole = Box::new(Snapshot::whole(message, place, part));
            self.channel.publish(StreamFrame::new(FrameKind::Snapshot(whole)));
        }
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.show(part);
        Ok(())
    }

    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        let Some(place) = place else { return Ok(self.show(part)) };
        let mut open = self.writing.lock();
        let message = open.message();
        open.replace(place, part.clone());
        self.channel
            .publish(StreamFrame::new(FrameKind::Snapshot(Box::new(Snapshot::whole(message, place, part)))));
        Ok(place)
    }

    fn discard_artifact(&mut self, artifact: &str) -> Result<(), Failure> {
        self.files.retain(|file| file.artifact.as_deref() != Some(artifact));
        let mut open = self.writing.lock();
        let message = open.message();
        for (index, blank) in open.discard(artifact) {
            let whole = Box::new(Snapshot::whole(message, index, blank));
            self.channel.publish(StreamFrame::new(FrameKind::Snapshot(whole)));
        }
        Ok(())
    }

    /// Publishes a file at once; it is stored when the answer ends.
    fn file(&mut self, file: OutputFile) -> Result<(), Failure> {
        let mut of_artifact = self.files.iter_mut().rev().filter(|open| open.artifact == file.artifact);
        if let Some(open) = of_artifact.next().filter(|_| file.continues) {
            open.bytes.extend_from_slice(&file.bytes);
            return Ok(());
        }
        let (artifact, name, media_type) = (file.artifact, label(file.name), label(file.media_type));
        let (metadata, bytes) = (file.metadata, file.bytes.into());
        let mut file = PartialFile { index: 0, artifact, name, media_type, metadata, bytes };
        file.index = self.show(file.part());
        self.files.push(file);
        Ok(())
    }

    fn begin_question(&mut self) {
        self.is_question = true;
    }

    fn attributes(&mut self, attributes: &MessageAttributes) {
        self.attributes = attributes.clone().non_empty();
    }

    fn remote(&mut self, remote: RemoteConversation) {
        self.remote = Some(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.usage = usage;
    }

    fn model_usage(&mut self, usage: &[ModelUsage]) {
        self.model_usage = usage.to_vec();
    }

    fn status(&mut self, line: &str) {
        let line = ellipsize(&one_line(line), STATUS_CHARS);
        let mut open = self.writing.lock();
        if !open.set_status(&line) {
            return;
        }
        if self.status.receiver_count() > 0 {
            self.status.send_replace(line.clone());
        }
        if self.channel.is_watched() {
            let message = open.message();
            self.channel.publish(StreamFrame::new(FrameKind::Status { message, line: line.into() }));
        }
    }
}

//! What an agent says, on its way to the readers.

use std::sync::Arc;

use plexus_domain::{
    Content, Digest, Part,
    run::{Failure, Usage},
    text::{one_line, shorten},
};
use plexus_runtime::{File, Output, Remote};

use crate::{
    blobs::{NewBlob, label},
    live::{Channel, Frame, FrameKind, Snapshot, Writing},
};

/// Of what an agent is doing.
const STATUS_CHARS: usize = 200;

/// Shows each piece to the readers of the chat and keeps it for the store.
pub struct Speaker {
    writing: Writing,
    channel: Arc<Channel>,
    files: Vec<OpenFile>,
    pub usage: Usage,
    pub remote: Option<Remote>,
}

/// A file whose bytes are still coming.
struct OpenFile {
    /// The place of its part.
    index: usize,
    artifact: Option<String>,
    name: Option<String>,
    media_type: Option<String>,
    bytes: Vec<u8>,
}

impl OpenFile {
    fn part(&self) -> Part {
        let (blob, size) = (Digest::of(&self.bytes), self.bytes.len() as u64);
        Part {
            content: Content::File { blob, size },
            artifact: self.artifact.clone(),
            name: self.name.clone(),
            media_type: self.media_type.clone(),
        }
    }
}

impl Speaker {
    pub fn new(writing: Writing, channel: Arc<Channel>) -> Self {
        Self { writing, channel, files: Vec::new(), usage: Usage::default(), remote: None }
    }

    /// The bytes of the files of the answer.
    pub fn file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }

    /// What the answer came to, with its files as they are now.
    pub fn so_far(&self) -> Vec<Part> {
        let files = self.files.iter().map(OpenFile::part);
        self.parts()
            .into_iter()
            .filter(|part| !matches!(part.content, Content::File { .. }))
            .chain(files)
            .collect()
    }

    /// Lets go of the files: they cannot be kept. What is said of each stays.
    pub fn drop_files(&mut self) {
        let mut open = self.writing.lock();
        for file in std::mem::take(&mut self.files) {
            let name = file.name.unwrap_or_else(|| "A file".to_owned());
            open.replace(file.index, Part::text(format!("{name} was not kept.")));
        }
    }

    /// Lets go of what was said: it cannot be kept.
    pub fn forget(&mut self) {
        self.writing.lock().clear();
        self.remote = None;
    }

    /// What is kept of the answer.
    pub fn parts(&self) -> Vec<Part> {
        self.writing.lock().parts()
    }

    /// The files of the answer, whole; their parts now name what they came to.
    pub fn take_files(&mut self) -> Vec<NewBlob> {
        let mut open = self.writing.lock();
        let files = std::mem::take(&mut self.files).into_iter();
        files
            .map(|file| {
                open.replace(file.index, file.part());
                NewBlob::new(file.media_type, file.bytes)
            })
            .collect()
    }

    /// Shows a part that came whole, and answers its place.
    fn show(&self, part: Part) -> usize {
        let mut open = self.writing.lock();
        let message = open.message();
        let index = open.push(part.clone());
        let whole = Box::new(Snapshot::whole(message, index, part));
        self.channel.tell(Frame::new(FrameKind::Snapshot(whole)));
        index
    }

    fn say(&self, artifact: Option<&str>, name: Option<&str>, delta: &str) {
        if delta.is_empty() {
            return;
        }
        let mut open = self.writing.lock();
        let (part, start, closed) = open.append(artifact, name, delta);
        // What it says now is what it does.
        if open.set_status("") && self.channel.is_watched() {
            let message = open.message();
            self.channel.tell(Frame::new(FrameKind::Status { message, line: "".into() }));
        }
        if !self.channel.is_watched() {
            return;
        }
        open.show(part, start, delta, closed, |kind| self.channel.tell(Frame::new(kind)));
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
        self.show(part);
        Ok(())
    }

    fn put(&mut self, place: Option<usize>, part: Part) -> Result<usize, Failure> {
        let Some(place) = place else { return Ok(self.show(part)) };
        let mut open = self.writing.lock();
        let message = open.message();
        open.replace(place, part.clone());
        self.channel.tell(Frame::new(FrameKind::Snapshot(Box::new(Snapshot::whole(message, place, part)))));
        Ok(place)
    }

    /// Shown at once, and kept with the end of the answer.
    fn file(&mut self, file: File) -> Result<(), Failure> {
        let mut of_artifact = self.files.iter_mut().rev().filter(|open| open.artifact == file.artifact);
        if let Some(open) = of_artifact.next().filter(|_| file.continues) {
            open.bytes.extend_from_slice(&file.bytes);
            return Ok(());
        }
        let (artifact, name, media_type) = (file.artifact, label(file.name), label(file.media_type));
        let mut file = OpenFile { index: 0, artifact, name, media_type, bytes: file.bytes.into() };
        file.index = self.show(file.part());
        self.files.push(file);
        Ok(())
    }

    fn remote(&mut self, remote: Remote) {
        self.remote = Some(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.usage = usage;
    }

    fn status(&mut self, line: &str) {
        let line = shorten(&one_line(line), STATUS_CHARS);
        let mut open = self.writing.lock();
        if open.set_status(&line) && self.channel.is_watched() {
            let message = open.message();
            self.channel.tell(Frame::new(FrameKind::Status { message, line: line.into() }));
        }
    }
}

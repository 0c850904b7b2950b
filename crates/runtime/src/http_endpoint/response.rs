//! Parses responses of HTTP endpoints in the configured format, as they stream in.

use plexus_domain::{
    PartBody,
    run::{Failure, FailureClass},
};
use serde_json::Value;

use super::ENDPOINT;
use crate::{
    Output, RunEnd,
    outbound::{quote_foreign_text, subject, words},
    sse::IgnoredBytes,
    suffix_buffer::SuffixBuffer,
};

/// Maximum bytes of a task id. Longer ids are ignored.
const MAX_ID: usize = 256;
/// Event by which many endpoints end a stream.
const DONE: &[u8] = b"[DONE]";

/// Parser of one endpoint's responses: emits their content to an [`Output`].
pub struct EndpointResponse<'a> {
    output: &'a mut dyn Output,
    path: String,
    /// Suffix that marks an answer as a question.
    question: Option<String>,
    tail: SuffixBuffer,
    noise: IgnoredBytes,
    /// Incomplete UTF-8 sequence at the end of the received bytes.
    cut: Vec<u8>,
    /// True if the next text starts a new paragraph.
    is_new_step: bool,
    has_content: bool,
    is_done: bool,
}

impl<'a> EndpointResponse<'a> {
    /// Creates a parser. `path` is the JSON pointer to the answer in each piece.
    pub fn new(output: &'a mut dyn Output, path: &str) -> Self {
        Self {
            output,
            path: path.to_owned(),
            question: None,
            tail: SuffixBuffer::default(),
            noise: IgnoredBytes::default(),
            cut: Vec::new(),
            is_new_step: false,
            has_content: false,
            is_done: false,
        }
    }

    /// Treats an answer that ends with this text as a question to the user.
    #[must_use]
    pub fn with_question_suffix(self, question: Option<&str>) -> Self {
        Self { question: question.map(str::to_owned), ..self }
    }

    /// Returns true if the endpoint has marked the end of the stream.
    pub const fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn count_received(&mut self, bytes: usize) -> Result<(), Failure> {
        self.noise.add(bytes)
    }

    pub fn begin_step(&mut self, number: u32) {
        self.is_new_step = self.has_content;
        self.output.status(&format!("Step {number}"));
    }

    /// Parses a response that is one JSON value, emits its answer and returns the value.
    pub fn whole(&mut self, body: &[u8]) -> Result<Value, Failure> {
        let value = self.parse(body)?;
        match value.pointer(&self.path) {
            Some(found) => self.say(found)?,
            None => {
                self.check_error(&value, body)?;
                let begins = quote_foreign_text(&String::from_utf8_lossy(body));
                let words = format!(
                    "answered without a value at {}. Its answer begins: {begins}",
                    quote_foreign_text(&self.path)
                );
                return Err(self.garbage(&words));
            }
        }
        Ok(value)
    }

    /// Parses the data of one event, or one line. Pieces without a value at the path are skipped.
    pub fn piece(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.is_done {
            return Ok(());
        }
        if data == DONE {
            self.is_done = true;
            return Ok(());
        }
        let value = match (self.parse(data), self.path.is_empty()) {
            (Ok(value), _) => value,
            (Err(_), true) => Value::String(String::from_utf8_lossy(data).into_owned()),
            (Err(failure), false) => return Err(failure),
        };
        match value.pointer(&self.path) {
            Some(found) => self.say(found),
            None => self.check_error(&value, data),
        }
    }

    /// Emits a chunk of plain text, which may be cut inside a character.
    pub fn text(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.cut.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(self.garbage("answered with something that is not UTF-8 text")),
        };
        let rest = self.cut.split_off(whole);
        let bytes = std::mem::replace(&mut self.cut, rest);
        self.speak(&String::from_utf8_lossy(&bytes))
    }

    /// Returns the end of the run once no more data follows.
    pub fn end(&self) -> Result<RunEnd, Failure> {
        if self.has_content && self.cut.is_empty() {
            let asks = self.question.as_ref().is_some_and(|question| self.tail.ends_with(question));
            return Ok(if asks { RunEnd::InputRequired } else { RunEnd::Completed });
        }
        let place = if self.path.is_empty() {
            String::new()
        } else {
            format!(" at {}", quote_foreign_text(&self.path))
        };
        Err(self.garbage(&format!("ended without an answer{place}")))
    }

    fn say(&mut self, value: &Value) -> Result<(), Failure> {
        match value {
            Value::Null => Ok(()),
            Value::String(text) => self.speak(text),
            Value::Bool(_) | Value::Number(_) => self.speak(&value.to_string()),
            Value::Array(_) | Value::Object(_) => {
                self.noise.clear();
                self.has_content = true;
                self.tail = SuffixBuffer::default();
                self.output.part(PartBody::Data { data: value.clone() }.into())
            }
        }
    }

    fn speak(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.noise.clear();
        self.has_content = true;
        if std::mem::take(&mut self.is_new_step) {
            self.output.text("\n\n")?;
        }
        self.tail.push(text);
        self.output.text(text)
    }

    fn parse(&self, data: &[u8]) -> Result<Value, Failure> {
        serde_json::from_slice(data).map_err(|error| {
            let begins = quote_foreign_text(&String::from_utf8_lossy(&data[..data.len().min(200)]));
            self.garbage(&format!("sent what is not JSON ({error}). It begins: {begins}"))
        })
    }

    /// Fails if a piece is an error report in one of the formats that endpoints use.
    fn check_error(&self, value: &Value, data: &[u8]) -> Result<(), Failure> {
        let is_error = value.get("error").is_some_and(|error| !error.is_null());
        let said = words(data).filter(|_| is_error);
        said.map_or(Ok(()), |words| {
            let words = format!("{} reported an error: {words}", subject(ENDPOINT));
            Err(Failure::new(FailureClass::Refused, words))
        })
    }

    fn garbage(&self, what: &str) -> Failure {
        Failure::new(FailureClass::Garbage, format!("{} {what}.", subject(ENDPOINT)))
    }
}

/// Returns the id, a string or number, at a JSON pointer of a response.
pub(super) fn id_at(body: &[u8], path: &str) -> Option<String> {
    let reply: Value = serde_json::from_slice(body).ok()?;
    let id = match reply.pointer(path)? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    (1..=MAX_ID).contains(&id.len()).then_some(id)
}

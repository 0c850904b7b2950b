//! Reads the responses of an endpoint: chat completions with the reader of model servers, other formats by the template.

use plexus_domain::agent::http_endpoint::{EndpointTemplate, ResponseFormat};
use serde_json::Value;

use super::{ENDPOINT, EndpointResponse};
use crate::{
    ConnectorLimits, Output, RunEnd,
    llm::CompletionStream,
    outbound::{HttpResponse, RunInterruption, WaitTimer, subject},
    sse::{LineDecoder, SseDecoder},
};

/// Maximum bytes of an event or line in a streamed response.
const MAX_PIECE_BYTES: usize = 1 << 20;

/// Reader of the responses of one run.
pub(super) struct EndpointReader<'a> {
    format: ResponseFormat,
    parser: Parser<'a>,
}

enum Parser<'a> {
    Completion { stream: Box<CompletionStream<'a>>, question: Option<String> },
    Other(Box<EndpointResponse<'a>>),
}

impl<'a> EndpointReader<'a> {
    pub fn new(output: &'a mut dyn Output, template: &EndpointTemplate, max_bytes: usize) -> Self {
        let (request, question) = (template.request(), template.request().question_suffix.as_deref());
        let parser = match template.is_chat_completion() {
            true => {
                let stream = CompletionStream::new(output, subject(ENDPOINT), max_bytes);
                let stream = Box::new(stream.may_end_unmarked(!template.names_model()));
                Parser::Completion { stream, question: question.map(|suffix| suffix.trim_end().to_owned()) }
            }
            false => {
                let parser = EndpointResponse::new(output, &request.response_path);
                Parser::Other(Box::new(parser.with_question_suffix(question)))
            }
        };
        Self { format: request.response_format, parser }
    }

    /// Begins the next request of an answer that takes several.
    pub fn begin_step(&mut self, number: u32) {
        if let Parser::Other(parser) = &mut self.parser {
            parser.begin_step(number);
        }
    }

    /// Reads a response and emits its content. Returns the response if it is one JSON value.
    pub async fn read(
        &mut self,
        mut reply: HttpResponse,
        limits: &ConnectorLimits,
        pace: &mut WaitTimer<'_>,
    ) -> Result<Option<Value>, RunInterruption> {
        let parser = match &mut self.parser {
            Parser::Completion { stream, .. } => {
                while let Some(bytes) = reply.next(pace).await? {
                    pace.set_limit(limits.idle);
                    stream.push(&bytes)?;
                    if stream.is_done() {
                        reply.finish();
                        break;
                    }
                }
                return Ok(None);
            }
            Parser::Other(parser) => parser,
        };
        if self.format == ResponseFormat::Json {
            let body = reply.body_within(limits, pace).await?;
            return Ok(Some(parser.whole(&body)?));
        }
        let (mut events, mut lines) = (SseDecoder::new(MAX_PIECE_BYTES), LineDecoder::new(MAX_PIECE_BYTES));
        while let Some(bytes) = reply.next(pace).await? {
            pace.set_limit(limits.idle);
            parser.count_received(bytes.len())?;
            match self.format {
                ResponseFormat::Events => events.push(&bytes, |event| parser.piece(event))?,
                ResponseFormat::Lines => lines.push(&bytes, |line| parser.piece(line))?,
                ResponseFormat::Text | ResponseFormat::Json => parser.text(&bytes)?,
            }
            if parser.is_done() {
                reply.finish();
                return Ok(None);
            }
        }
        lines.end(|line| parser.piece(line))?;
        Ok(None)
    }

    /// Returns the end of the run once no more data follows.
    pub fn end(&mut self) -> Result<RunEnd, RunInterruption> {
        match &mut self.parser {
            Parser::Other(parser) => Ok(parser.end()?),
            Parser::Completion { stream, question } => {
                let end = stream.finish()?;
                let asks = question.as_ref().is_some_and(|suffix| stream.said().trim_end().ends_with(suffix));
                Ok(if asks && end == RunEnd::Completed { RunEnd::InputRequired } else { end })
            }
        }
    }
}

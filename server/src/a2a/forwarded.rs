//! What callers send along for the agent: metadata, extensions, referenced tasks, output modes and the trace context.

use std::time::Duration;

use axum::http::HeaderMap;
use plexus_a2a::{
    client,
    wire::{
        Metadata,
        rpc::Error,
        v1::{SendMessageConfiguration, SendMessageRequest},
    },
};
use plexus_domain::{ForwardedAttributes, MessageAttributes, TraceContext};

/// Names of the header that lists extensions, in 1.0 and 0.3.
const EXTENSIONS: [&str; 2] = ["a2a-extensions", "x-a2a-extensions"];
/// Maximum size of all metadata of a request as JSON, in bytes.
const MAX_METADATA_BYTES: usize = 64 << 10;
/// Maximum number of extensions, referenced tasks or output modes, and length of each in bytes.
const MAX_NAMES: usize = 64;
const MAX_NAME_BYTES: usize = 512;

/// Headers of a request that concern the agent.
#[derive(Clone, Debug, Default)]
pub struct ForwardedHeaders {
    extensions: Vec<String>,
    trace: Option<TraceContext>,
}

impl From<&HeaderMap> for ForwardedHeaders {
    fn from(headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let lines = EXTENSIONS.iter().flat_map(|name| headers.get_all(*name));
        let named = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
        let extensions = named.map(str::trim).filter(|uri| !uri.is_empty()).map(str::to_owned).collect();
        let trace = text("traceparent").and_then(|parent| TraceContext::parse(parent, text("tracestate")));
        Self { extensions, trace }
    }
}

pub struct Forwarded {
    pub attributes: ForwardedAttributes,
    /// How long the calling hub waits for the answer.
    pub timeout: Option<Duration>,
}

/// Takes what concerns the agent out of a request. Fails if it exceeds a limit.
pub fn of(request: &mut SendMessageRequest, headers: &ForwardedHeaders) -> Result<Forwarded, Error> {
    let timeout = client::take_caller_timeout(&mut request.message);
    let metadata = request.metadata.take().unwrap_or_default();
    let modes = |given: &mut SendMessageConfiguration| std::mem::take(&mut given.accepted_output_modes);
    let accepted_output_modes = request.configuration.as_mut().map(modes).unwrap_or_default();
    let message = &mut request.message;
    let mut extensions = std::mem::take(&mut message.extensions);
    for uri in &headers.extensions {
        if !extensions.contains(uri) {
            extensions.push(uri.clone());
        }
    }
    let message = MessageAttributes {
        metadata: message.metadata.take().unwrap_or_default(),
        extensions,
        reference_task_ids: std::mem::take(&mut message.reference_task_ids),
        ..MessageAttributes::default()
    };
    check_names("message.extensions", &message.extensions)?;
    check_names("message.referenceTaskIds", &message.reference_task_ids)?;
    check_names("configuration.acceptedOutputModes", &accepted_output_modes)?;
    let of_parts = request.message.parts.iter().filter_map(|part| part.metadata.as_ref());
    let bytes = of_parts.chain([&metadata, &message.metadata]).map(size).sum::<usize>();
    if bytes > MAX_METADATA_BYTES {
        let words =
            format!("All metadata of a message together has at most {} KiB.", MAX_METADATA_BYTES >> 10);
        return Err(Error::invalid_params(&words, &[("message.metadata", &words)]));
    }
    let trace = headers.trace.clone();
    let attributes = ForwardedAttributes { message, metadata, accepted_output_modes, trace };
    Ok(Forwarded { attributes, timeout })
}

fn size(metadata: &Metadata) -> usize {
    serde_json::to_string(metadata).map_or(0, |json| json.len())
}

fn check_names(field: &str, names: &[String]) -> Result<(), Error> {
    if names.len() <= MAX_NAMES && names.iter().all(|name| name.len() <= MAX_NAME_BYTES) {
        return Ok(());
    }
    let words = format!("Send at most {MAX_NAMES} entries of at most {MAX_NAME_BYTES} bytes.");
    Err(Error::invalid_params(&words, &[(field, &words)]))
}

//! Estimate of the tokens of a request: `POST /v1/messages/count_tokens`. The hub has no tokenizer of the agent's model.

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
};
use plexus_domain::{Part, PartBody};
use plexus_hub::calls::CallRequest;
use serde_json::{Value, json};

use super::{call, error::AnthropicError};
use crate::{
    app_state::AppState,
    openai::{self, answer_stream::authorize},
    web::bearer::{ApiKey, InvalidToken},
};

/// Bytes counted as one token, as for agents that report no usage.
const BYTES_PER_TOKEN: usize = 4;
/// Tokens of a file or an image, about those of an image of a megapixel.
const TOKENS_PER_FILE: usize = 1_600;

pub async fn count(
    State(site): State<AppState>,
    caller: Result<ApiKey, InvalidToken>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, AnthropicError> {
    let ApiKey(caller) = caller?;
    let asked = openai::read(&site, &headers, body)?;
    let authorized = authorize(&site, &caller, openai::model(&asked)?).await?;
    let call = call(&asked, &authorized)?;
    Ok(Json(json!({ "input_tokens": tokens(&call) })))
}

fn tokens(call: &CallRequest) -> usize {
    let CallRequest { options, before, parts, .. } = call;
    let instructions = options.system.as_ref().map_or(0, String::len);
    let tools = options.callable_tools();
    let tools =
        if tools.is_empty() { 0 } else { serde_json::to_string(tools).map_or(0, |tools| tools.len()) };
    let said = before.iter().flat_map(|message| &message.parts).chain(parts);
    let (bytes, files) =
        said.fold((instructions + tools, 0), |(bytes, files), part| match text_bytes(part) {
            Some(more) => (bytes + more, files),
            None => (bytes, files + 1),
        });
    bytes.div_ceil(BYTES_PER_TOKEN) + files * TOKENS_PER_FILE
}

/// Returns the bytes of the text of a part, or `None` for a file or link.
fn text_bytes(part: &Part) -> Option<usize> {
    match &part.content {
        PartBody::Text { text } | PartBody::Reasoning { text } => Some(text.len()),
        PartBody::Tool(tool) => {
            let result = tool.result.as_ref().map_or(0, |result| result.to_string().len());
            Some(tool.tool.len() + tool.arguments_text().len() + result)
        }
        PartBody::Data { data } => Some(data.to_string().len()),
        PartBody::Approval { .. } | PartBody::Question { .. } => Some(0),
        PartBody::File { .. } | PartBody::Link { .. } => None,
    }
}

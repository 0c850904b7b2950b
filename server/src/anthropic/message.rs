//! Formats an answer as a message.

use plexus_domain::{part::ToolUse, run::Usage};
use serde_json::{Value, json};

use crate::openai::answer_stream::AnswerStream;

/// Returns the complete message: its thinking if `shows_thinking`, its text, and the calls of the caller's tools.
pub fn of(answering: &AnswerStream, shows_thinking: bool) -> Value {
    let thinking = Some(answering.reasoning()).filter(|text| shows_thinking && !text.is_empty());
    let text = Some(answering.text()).filter(|text| !text.is_empty()).map(text_block);
    let calls = answering.calls().iter().map(|call| {
        let mut block = call_block(call);
        block["input"] = call_input(call);
        block
    });
    let mut message = opening(answering);
    message["content"] = thinking.map(thinking_block).into_iter().chain(text).chain(calls).collect();
    message["stop_reason"] = json!(stop_reason(answering));
    message["usage"] = usage(answering.task.usage);
    message
}

/// Returns the message before its content.
pub fn opening(answering: &AnswerStream) -> Value {
    json!({
        "id": format!("msg_{}", answering.id.uuid().simple()), "type": "message", "role": "assistant",
        "model": answering.model, "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": usage(Usage::default()),
    })
}

pub fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Returns a block of thinking. The hub does not sign it, so its signature is empty.
pub fn thinking_block(text: &str) -> Value {
    json!({ "type": "thinking", "thinking": text, "signature": "" })
}

/// Returns the block of a call, without its arguments.
pub fn call_block(call: &ToolUse) -> Value {
    json!({ "type": "tool_use", "id": call.call_id, "name": call.tool, "input": {} })
}

/// Returns the arguments of a call. What a model wrote that is no JSON object is one member of an object.
pub fn call_input(call: &ToolUse) -> Value {
    if call.arguments.is_object() {
        call.arguments.clone()
    } else {
        json!({ "arguments": call.arguments_text() })
    }
}

pub fn stop_reason(answering: &AnswerStream) -> &'static str {
    if answering.task.is_truncated {
        "max_tokens"
    } else if answering.calls().is_empty() {
        "end_turn"
    } else {
        "tool_use"
    }
}

/// Formats token usage; all zero if the agent reports none.
pub fn usage(usage: Usage) -> Value {
    json!({ "input_tokens": usage.tokens_in, "output_tokens": usage.tokens_out,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 })
}

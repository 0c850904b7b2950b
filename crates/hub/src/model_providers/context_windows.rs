//! Context windows of models, as their servers list them.

use serde_json::Value;

use super::connect::MAX_CONTEXT_TOKENS;

/// Members of a listed model with its context window in tokens: of LM Studio (the loaded one first), vLLM, OpenRouter and
/// Together, Groq, Mistral; and llama.cpp, in `meta`.
const MEMBERS: [&str; 6] = [
    "/loaded_context_length",
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/meta/n_ctx",
];

/// Returns the context window of a listed model in tokens, if its server tells it.
pub(super) fn listed_window(model: &Value) -> Option<usize> {
    let tokens = MEMBERS.iter().find_map(|place| model.pointer(place)?.as_u64())?;
    (512..=MAX_CONTEXT_TOKENS).contains(&tokens).then(|| usize::try_from(tokens).ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn windows_are_read_in_the_words_of_each_server() {
        for (model, expected) in [
            (json!({ "id": "m", "max_model_len": 40_960 }), Some(40_960)),
            (json!({ "id": "m", "context_length": 131_072, "top_provider": {} }), Some(131_072)),
            (
                json!({ "id": "m", "max_context_length": 131_072, "loaded_context_length": 8_192 }),
                Some(8_192),
            ),
            (json!({ "id": "m", "context_window": 200_000 }), Some(200_000)),
            (json!({ "id": "m", "meta": { "n_ctx": 4_096, "n_ctx_train": 131_072 } }), Some(4_096)),
            (json!({ "id": "m", "meta": { "n_ctx_train": 131_072 } }), None),
            (json!({ "id": "m", "context_length": 0 }), None),
            (json!({ "id": "m", "context_length": "many" }), None),
            (json!({ "id": "m" }), None),
        ] {
            assert_eq!(listed_window(&model), expected, "{model}");
        }
    }
}

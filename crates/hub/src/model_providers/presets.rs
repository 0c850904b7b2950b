//! Known model servers and services, for a prefilled form.

/// A known server or service. All of them offer the OpenAI chat completions API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderPreset {
    /// Suggested name of the provider, and id of the preset.
    pub id: &'static str,
    pub title: &'static str,
    /// Base URL; an upper-case word in it is to be replaced by the administrator.
    pub base_url: &'static str,
    pub needs_key: bool,
    /// Port on which a server of this kind usually listens on loopback.
    pub local_port: Option<u16>,
}

const fn local(id: &'static str, title: &'static str, port: u16, base_url: &'static str) -> ProviderPreset {
    ProviderPreset { id, title, base_url, needs_key: false, local_port: Some(port) }
}

const fn service(id: &'static str, title: &'static str, base_url: &'static str) -> ProviderPreset {
    ProviderPreset { id, title, base_url, needs_key: true, local_port: None }
}

/// The known servers: those that run on one's own machine first.
pub const PRESETS: &[ProviderPreset] = &[
    local("ollama", "Ollama", 11_434, "http://127.0.0.1:11434/v1"),
    local("lmstudio", "LM Studio", 1_234, "http://127.0.0.1:1234/v1"),
    local("llamacpp", "llama.cpp", 8_080, "http://127.0.0.1:8080/v1"),
    local("vllm", "vLLM", 8_000, "http://127.0.0.1:8000/v1"),
    service("openai", "OpenAI", "https://api.openai.com/v1"),
    service("anthropic", "Anthropic", "https://api.anthropic.com/v1"),
    service("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    service("mistral", "Mistral", "https://api.mistral.ai/v1"),
    service("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
    service("groq", "Groq", "https://api.groq.com/openai/v1"),
    service("azure", "Azure OpenAI", "https://RESOURCE.openai.azure.com/openai/v1"),
];

impl ProviderPreset {
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.id == id)
    }
}

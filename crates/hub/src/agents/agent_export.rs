//! Export of a model agent: one JSON document, `plexus-agent/1`. It holds no credentials.

use std::{fmt, marker::PhantomData};

use plexus_domain::{
    Error as Refusal,
    agent::{
        AnswerLimits, AnswerLimitsInput, ModelParameters, ModelParametersInput, ToolServerLocation,
        ToolSource,
    },
    sanitized_text::{ellipsize, one_line},
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, SeqAccess, Visitor},
};
use url::Url;

use super::{
    knowledge::{MAX_AGENT_BYTES, MAX_FILES},
    model_agent::ModelAgentForm,
    version_fields::url_without_secrets,
};

/// Format and version of the document.
pub const AGENT_EXPORT_FORMAT: &str = "plexus-agent/1";
/// Maximum size of a document in bytes: JSON may double the size of the files, and the rest is small.
#[expect(clippy::cast_possible_truncation, reason = "8 MiB fit into any usize")]
pub const MAX_AGENT_EXPORT_BYTES: usize = 2 * MAX_AGENT_BYTES as usize + (1 << 20);
/// Maximum number of entries of each list that is read, apart from files.
const MAX_ENTRIES: usize = 64;
const MAX_URL_CHARS: usize = 2_000;
/// Maximum length of the name of a model or a program in characters.
const MAX_NAME_CHARS: usize = 200;
const MAX_REASON_CHARS: usize = 300;
/// Form field that errors name.
const FIELD: &str = "file";

/// Model agent as a document.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentExport {
    /// `plexus-agent/1`.
    pub format: String,
    /// Name in the agent's address.
    pub name: String,
    pub title: String,
    /// One line of text.
    pub summary: String,
    #[serde(default, deserialize_with = "read_list::<_, _, MAX_ENTRIES>")]
    pub tags: Vec<String>,
    /// Example messages.
    #[serde(default, deserialize_with = "read_list::<_, _, MAX_ENTRIES>")]
    pub starters: Vec<String>,
    pub instructions: String,
    pub model: ExportedModel,
    /// Limits for one answer.
    #[serde(default)]
    pub limits: AnswerLimitsInput,
    /// MCP servers.
    #[serde(default, deserialize_with = "read_list::<_, _, MAX_ENTRIES>")]
    pub tools: Vec<ExportedTool>,
    /// Knowledge files.
    #[serde(default, deserialize_with = "read_list::<_, _, MAX_FILES>")]
    pub files: Vec<ExportedFile>,
}

/// Model of an exported agent.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportedModel {
    /// Name of the model on the hub of the export.
    pub name: String,
    /// Whether images in messages are sent to it.
    #[serde(default)]
    pub reads_images: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub parameters: ModelParametersInput,
}

fn is_default(parameters: &ModelParametersInput) -> bool {
    *parameters == ModelParametersInput::default()
}

/// MCP server of an exported agent: either `url` or `program`.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportedTool {
    /// URL without user information, query and fragment, which may hold keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Name of a program that the operator of the hub configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    #[serde(default)]
    pub require_approval: bool,
    /// Whether the hub of the export has credentials for the server.
    #[serde(default)]
    pub needs_credentials: bool,
}

/// Knowledge file of an exported agent.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportedFile {
    pub name: String,
    /// The words of the file; those of a PDF file with a form feed (U+000C) between its pages. Blank lines and the ends of long lines may differ from the file that was added.
    pub text: String,
}

/// Start of any version of the format.
#[derive(Deserialize)]
struct FormatHeader {
    format: Option<String>,
}

impl AgentExport {
    /// Reads a document of at most [`MAX_AGENT_EXPORT_BYTES`].
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.len() > MAX_AGENT_EXPORT_BYTES {
            return Err(export_too_large());
        }
        let unreadable = |error: serde_json::Error| {
            // The error may quote a long piece of the document.
            let reason = ellipsize(&one_line(&error.to_string()), MAX_REASON_CHARS);
            let words = format!("The file is not an exported agent: {reason}. Export the agent again.");
            Refusal::invalid(FIELD, words)
        };
        let header: FormatHeader = serde_json::from_slice(bytes).map_err(unreadable)?;
        if header.format.as_deref() != Some(AGENT_EXPORT_FORMAT) {
            let words = format!(
                "The file is not an exported agent: its “format” is not “{AGENT_EXPORT_FORMAT}”. Choose a file \
                 that “Export agent” saved."
            );
            return Err(Refusal::invalid(FIELD, words));
        }
        serde_json::from_slice(bytes).map_err(unreadable)
    }

    pub(super) fn form(&self) -> Result<ModelAgentForm, Refusal> {
        if self.model.name.chars().count() > MAX_NAME_CHARS {
            return Err(Refusal::invalid(
                "model",
                "The name of the model is too long. Choose a model of this hub.",
            ));
        }
        Ok(ModelAgentForm {
            title: self.title.clone(),
            summary: self.summary.clone(),
            instructions: self.instructions.clone(),
            model: self.model.name.clone(),
            starters: self.starters.clone(),
            tags: self.tags.clone(),
            tools: self.tools.iter().map(ExportedTool::source).collect::<Result<_, _>>()?,
            budget: AnswerLimits::try_from(self.limits)?,
            reads_images: self.model.reads_images,
            parameters: ModelParameters::try_from(self.model.parameters)?,
        })
    }
}

impl ExportedTool {
    pub(super) fn new(source: &ToolSource, needs_credentials: bool) -> Self {
        let (url, program) = match &source.place {
            ToolServerLocation::Url(url) => (Some(url_without_secrets(url)), None),
            ToolServerLocation::Program(name) => (None, Some(name.clone())),
        };
        Self { url, program, require_approval: source.require_approval, needs_credentials }
    }

    pub(super) fn source(&self) -> Result<ToolSource, Refusal> {
        let invalid = |words: String| Refusal::invalid("tools", words);
        let place = match (&self.url, &self.program) {
            (Some(url), None) => {
                let parsed = url.parse::<Url>().ok().filter(|_| url.chars().count() <= MAX_URL_CHARS);
                let is_plain = |url: &Url| {
                    matches!(url.scheme(), "http" | "https")
                        && url.username().is_empty()
                        && url.password().is_none()
                };
                if !parsed.is_some_and(|url| is_plain(&url)) {
                    let words =
                        "An MCP server has no valid address. Use an http or https URL without a password.";
                    return Err(invalid(words.to_owned()));
                }
                ToolServerLocation::Url(url.clone())
            }
            (None, Some(name)) if name.chars().count() <= MAX_NAME_CHARS => {
                ToolServerLocation::Program(name.clone())
            }
            _ => return Err(invalid("An MCP server needs either “url” or “program”.".to_owned())),
        };
        Ok(ToolSource { place, require_approval: self.require_approval })
    }
}

/// Returns the error for a document that is larger than [`MAX_AGENT_EXPORT_BYTES`].
pub fn export_too_large() -> Refusal {
    let words = format!(
        "The file is larger than {} MiB. Export the agent without its files.",
        MAX_AGENT_EXPORT_BYTES >> 20
    );
    Refusal::too_large(words, MAX_AGENT_EXPORT_BYTES as u64)
}

/// Reads a list of at most `MAX` entries, so that a small document cannot fill the memory.
fn read_list<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(BoundedList::<T, MAX>(PhantomData))
}

struct BoundedList<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for BoundedList<T, MAX> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::invalid_length(MAX + 1, &self));
            }
            list.push(entry);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn document() -> Value {
        json!({ "format": "plexus-agent/1", "name": "clerk", "title": "Clerk", "summary": "Answers.",
                "instructions": "Answer.", "model": { "name": "cellar/small" } })
    }

    fn read(document: &Value) -> Result<ModelAgentForm, Refusal> {
        AgentExport::read(document.to_string().as_bytes())?.form()
    }

    #[test]
    fn missing_lists_are_empty() {
        let form = read(&document()).unwrap();
        assert_eq!((form.title.as_str(), form.model.as_str()), ("Clerk", "cellar/small"));
        assert_eq!((form.tools.len(), form.budget), (0, AnswerLimits::default()));
    }

    #[test]
    fn other_documents_are_refused() {
        let with = |member: &str, value: Value| {
            let mut changed = document();
            changed[member] = value;
            changed
        };
        for wrong in [
            json!({}),
            json!([]),
            with("format", json!("plexus-agent/2")),
            with("credentials", json!("s3cret")),
            with("title", json!(7)),
            with("model", json!({})),
            with("limits", json!({ "turns": 0 })),
            with("starters", Value::from(vec![""; MAX_ENTRIES + 1])),
            with("files", Value::from(vec![json!({ "name": "a.md", "text": "a" }); MAX_FILES + 1])),
            with("model", json!({ "name": "x".repeat(MAX_NAME_CHARS + 1) })),
            with(&"long".repeat(10_000), json!(1)),
            with("tools", json!([{}])),
            with("tools", json!([{ "url": "https://a.example", "program": "files" }])),
            with("tools", json!([{ "url": "file:///etc/passwd" }])),
            with("tools", json!([{ "url": "https://ada:s3cret@a.example/mcp" }])),
        ] {
            let refusal = read(&wrong).expect_err(&wrong.to_string());
            assert!(refusal.field().is_some() && refusal.to_string().len() < 1_000, "{wrong}: {refusal}");
        }
        let deep = "[".repeat(100_000);
        AgentExport::read(deep.as_bytes()).unwrap_err();
        let long = vec![b' '; MAX_AGENT_EXPORT_BYTES + 1];
        assert!(matches!(AgentExport::read(&long), Err(Refusal::TooLarge { .. })));
    }
}

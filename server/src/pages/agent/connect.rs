//! Snippets that show how programs call an agent through this hub.

use plexus_app::view_models::agent::Snippet;
use plexus_domain::Address;

const BASH: &str = "bash";
const URL: &str = "address";

pub fn snippets(origin: &str, address: &Address) -> Vec<Snippet> {
    let begin = format!(
        "curl {origin}/api/v1/chats \\\n  -H \"Authorization: Bearer $PLEXUS_TOKEN\" \\\n  \
         -H \"Content-Type: application/json\" \\\n  \
         -d '{{\"id\": \"'$(uuidgen --time-v7)'\", \"to\": \"{address}\", \"text\": \"Hello\"}}'"
    );
    let read = format!("curl {origin}/api/v1/chats/$CHAT -H \"Authorization: Bearer $PLEXUS_TOKEN\"");
    let follow =
        format!("curl -N \"{origin}/api/v1/events?chat=$CHAT\" -H \"Authorization: Bearer $PLEXUS_TOKEN\"");
    let owner = &address.owner;
    let name = match &address.hub {
        Some(hub) => format!("{}@{hub}", address.name),
        None => address.name.to_string(),
    };
    let card = format!("{origin}/a2a/{owner}/{name}/.well-known/agent-card.json");
    let ask = format!(
        "curl {origin}/a2a/{owner}/{name}/ \\\n  -H \"Authorization: Bearer $PLEXUS_TOKEN\" \\\n  \
         -H \"A2A-Version: 1.0\" -H \"Content-Type: application/json\" \\\n  \
         -d '{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"SendMessage\", \"params\": {{\"message\": \
         {{\"messageId\": \"'$(uuidgen)'\", \"role\": \"ROLE_USER\", \"parts\": [{{\"text\": \"Hello\"}}]}}}}}}'"
    );
    let mcp = format!(
        "{{\n  \"mcpServers\": {{\n    \"{name}\": {{\n      \"type\": \"http\",\n      \"url\": \"{origin}/mcp/{owner}/{name}\",\n      \
         \"headers\": {{ \"Authorization\": \"Bearer $PLEXUS_TOKEN\" }}\n    }}\n  }}\n}}"
    );
    let complete = format!(
        "curl {origin}/v1/chat/completions \\\n  -H \"Authorization: Bearer $PLEXUS_TOKEN\" \\\n  \
         -H \"Content-Type: application/json\" \\\n  \
         -d '{{\"model\": \"{owner}/{name}\", \"messages\": [{{\"role\": \"user\", \"content\": \"Hello\"}}]}}'"
    );
    [
        ("OpenAI-compatible: the base URL, for any chat program", URL, format!("{origin}/v1")),
        ("OpenAI-compatible: ask", BASH, complete),
        ("A2A: the agent card, for any A2A client", URL, card),
        ("A2A: ask", BASH, ask),
        ("MCP: in the settings of an MCP client", "json", mcp),
        ("Start a chat", BASH, begin),
        ("Read the chat", BASH, read),
        ("Follow the answer as it is written", BASH, follow),
    ]
    .into_iter()
    // An agent of a remote hub is called at that hub over A2A.
    .filter(|(title, ..)| address.hub.is_none() || !title.starts_with("A2A"))
    .map(|(title, language, code)| Snippet { title: title.to_owned(), language: language.to_owned(), code })
    .collect()
}

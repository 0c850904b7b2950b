//! Fields of an agent version as text, for comparison. Without secrets.

use plexus_a2a::{
    Card,
    card::{Binding, Credential, Interface, SecurityRequirements, Skill},
};
use plexus_domain::agent::{
    AnswerLimits, Connector, ModelParameters, Scheme, ToolServerLocation, ToolSource,
    http_endpoint::EndpointRequestSpec,
};
use url::Url;

/// Label and text of each field.
pub(super) type VersionFields = Vec<(&'static str, String)>;

/// Returns the fields of a card, which everyone who sees the agent may read. Its version is left out: it differs
/// between any two versions.
pub(super) fn card_fields(card: &Card) -> VersionFields {
    let url = |url: &Option<Url>| url.as_ref().map(Url::to_string).unwrap_or_default();
    let provider = card.provider.as_ref().map(|provider| {
        let lines = [provider.organization.clone(), url(&provider.url)];
        lines.join("\n").trim_end().to_owned()
    });
    vec![
        ("Title", card.name.clone()),
        ("Description", card.description.clone()),
        ("Skills", blocks(card.skills.iter().map(|skill| skill_text(skill, card)))),
        ("Input types", card.input_modes.join("\n")),
        ("Output types", card.output_modes.join("\n")),
        ("Addresses", card.interfaces.iter().map(interface_line).collect::<Vec<_>>().join("\n")),
        ("Authentication", authentication(&card.security)),
        ("Capabilities", capabilities(card)),
        ("Provider", provider.unwrap_or_default()),
        ("Documentation", url(&card.documentation_url)),
        ("Icon", url(&card.icon_url)),
    ]
}

/// Returns the settings of a connector, which the managers of the agent may read.
pub(super) fn connector_fields(connector: &Connector) -> VersionFields {
    match connector {
        Connector::A2a { card_url, .. } => vec![("Card address", card_url.clone())],
        Connector::Llm { model, instructions, tools, budget, reads_images, parameters, .. } => vec![
            ("Instructions", instructions.clone()),
            ("Model", model.clone()),
            ("Images in messages", if *reads_images { "The images" } else { "Their names only" }.to_owned()),
            ("MCP servers", tools.iter().map(tool_line).collect::<Vec<_>>().join("\n")),
            ("Limits per answer", limits(*budget)),
            ("Model parameters", parameter_lines(*parameters)),
        ],
        Connector::Http { request } => request_fields(request.request()),
        Connector::Process { program } => vec![("Program", program.clone())],
        Connector::Attached | Connector::Builtin { .. } => Vec::new(),
    }
}

/// Returns a URL without user information, query and fragment, which may hold keys.
pub(super) fn url_without_secrets(text: &str) -> String {
    let Ok(mut url) = text.parse::<Url>() else { return text.to_owned() };
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if is_plain {
        return text.to_owned();
    }
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for URLs that have no host, which have no user information either.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.into()
}

fn blocks(texts: impl Iterator<Item = String>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns the text of a skill, without what the card says already: the cards of this hub repeat the title.
fn skill_text(skill: &Skill, card: &Card) -> String {
    let mut lines = Vec::new();
    let repeats = skill.name == card.name;
    lines.extend((!repeats).then(|| skill.name.clone()));
    let repeats = skill.description == card.description;
    lines.extend(skill.description.lines().filter(|_| !repeats).map(str::to_owned));
    let listed =
        [("Tags", &skill.tags), ("Input types", &skill.input_modes), ("Output types", &skill.output_modes)];
    for (label, list) in listed.iter().filter(|(_, list)| !list.is_empty()) {
        lines.push(format!("{label}: {}", list.join(", ")));
    }
    lines.extend(skill.examples.iter().map(|example| format!("Example: {example}")));
    lines.join("\n")
}

fn interface_line(interface: &Interface) -> String {
    let binding = match &interface.binding {
        Binding::JsonRpc => "JSON-RPC",
        Binding::HttpJson => "HTTP+JSON",
        Binding::Grpc => "gRPC",
        Binding::Other(name) => name,
    };
    format!("{} ({binding}, A2A {})", interface.url, interface.version)
}

fn authentication(security: &SecurityRequirements) -> String {
    let alternatives = match security {
        SecurityRequirements::Open => return String::new(),
        SecurityRequirements::Unserved(names) => return names.join("\n"),
        SecurityRequirements::OneOf(alternatives) => alternatives,
    };
    let line = |credentials: Vec<String>| credentials.join(" and ");
    let lines = alternatives.iter().map(|all| line(all.values().map(credential).collect()));
    lines.collect::<Vec<_>>().join("\n")
}

fn credential(credential: &Credential) -> String {
    match credential {
        Credential::Bearer => "Bearer token".to_owned(),
        Credential::Basic => "User name and password".to_owned(),
        Credential::ApiKey { name, .. } => format!("API key {name}"),
        Credential::Oauth(required) => {
            format!("OAuth 2 {}", required.urls().collect::<Vec<_>>().join(" "))
        }
    }
}

fn capabilities(card: &Card) -> String {
    let declared = &card.capabilities;
    let named = [
        (declared.streaming, "Streaming"),
        (declared.push_notifications, "Push notifications"),
        (declared.extended_card, "Extended card"),
    ];
    let named = named.into_iter().filter(|(has, _)| *has).map(|(_, name)| name);
    named
        .chain(declared.extensions.iter().map(|extension| extension.uri.as_str()))
        .collect::<Vec<_>>()
        .join("\n")
}

fn tool_line(source: &ToolSource) -> String {
    let place = match &source.place {
        ToolServerLocation::Url(url) => url_without_secrets(url),
        ToolServerLocation::Program(name) => name.clone(),
    };
    if source.require_approval { format!("{place} (approval of each call)") } else { place }
}

fn parameter_lines(parameters: ModelParameters) -> String {
    let lines = [
        parameters.temperature().map(|number| format!("Temperature: {number}")),
        parameters.top_p().map(|number| format!("Top P: {number}")),
        parameters.reasoning_effort().map(|effort| format!("Reasoning effort: {}", effort.as_str())),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn limits(limits: AnswerLimits) -> String {
    let mut lines = vec![
        format!("Turns: {}", limits.turns()),
        format!("Tokens: {}", limits.tokens()),
        format!("Seconds: {}", limits.seconds()),
    ];
    let cost = limits.cost_micro().map(plexus_domain::money::format_micros);
    lines.extend(cost.map(|cost| format!("Cost: {cost}")));
    lines.join("\n")
}

/// Returns the fields of a request template. The values of headers are left out: they may be keys.
fn request_fields(request: &EndpointRequestSpec) -> VersionFields {
    let json = |value: &Option<serde_json::Value>| {
        value.as_ref().map(|value| format!("{value:#}")).unwrap_or_default()
    };
    let plain = |url: &Option<String>| url.as_deref().map(url_without_secrets).unwrap_or_default();
    let answer = [
        format!("Format: {}", request.response_format.as_str()),
        format!("Place: {}", request.response_path),
        request.done_path.as_ref().map(|path| format!("End: {path}")).unwrap_or_default(),
        request.question_suffix.as_ref().map(|suffix| format!("Question: {suffix}")).unwrap_or_default(),
    ];
    vec![
        ("Request", format!("{} {}", request.method.as_str(), url_without_secrets(&request.url))),
        ("Headers", request.headers.keys().cloned().collect::<Vec<_>>().join("\n")),
        ("Body", json(&request.body)),
        ("First request", plain(&request.init_url)),
        ("Body of the first request", json(&request.init_body)),
        ("Answer", answer.join("\n").trim_end().to_owned()),
        ("Authentication of the endpoint", request.auth.as_ref().map(scheme).unwrap_or_default()),
    ]
}

fn scheme(scheme: &Scheme) -> String {
    match scheme {
        Scheme::Bearer => "Bearer token".to_owned(),
        Scheme::Basic => "User name and password".to_owned(),
        Scheme::ApiKey { name, .. } => format!("API key {name}"),
        Scheme::Oauth2(required) => format!("OAuth 2 {}", required.urls().collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_what_may_be_a_key() {
        for (url, shown) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("https://a.example/mcp?key=s3cret", "https://a.example/mcp"),
            ("https://ada:s3cret@a.example/mcp#s3cret", "https://a.example/mcp"),
            ("https://a.example/{{task}}", "https://a.example/{{task}}"),
        ] {
            assert_eq!(url_without_secrets(url), shown);
        }
    }

    #[test]
    fn values_of_headers_are_left_out() {
        let request = EndpointRequestSpec {
            url: "https://a.example/ask?key=s3cret".to_owned(),
            headers: [("X-Team".to_owned(), "s3cret".to_owned())].into(),
            ..EndpointRequestSpec::default()
        };
        let fields = request_fields(&request);
        assert!(fields.contains(&("Headers", "X-Team".to_owned())), "{fields:?}");
        assert!(fields.iter().all(|(_, text)| !text.contains("s3cret")), "{fields:?}");
    }
}

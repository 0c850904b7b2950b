//! Card parser tests: real cards, and each kind of problem.

use plexus_a2a::{
    A2aProtocol, Card,
    card::{Binding, CardReport, Credential, KeyPlace, LocalCard, SecurityRequirements, Severity},
    wire::v1::AgentSkill,
};
use plexus_domain::agent::OauthRequirement;
use serde_json::{Value, json};

const V1: &[u8] = include_bytes!("../samples/card-v1.json");
pub const V03: &[u8] = include_bytes!("../samples/card-v03.json");

pub fn read(card: &Value) -> CardReport {
    Card::read(card.to_string().as_bytes())
}

/// Returns a card without problems, with some members replaced.
pub fn card_with(changes: Value) -> Value {
    let mut card: Value = serde_json::from_slice(V1).unwrap();
    for member in ["url", "preferredTransport", "protocolVersion", "security"] {
        card.as_object_mut().unwrap().remove(member);
    }
    let Value::Object(changes) = changes else { panic!("changes are an object") };
    for (member, value) in changes {
        card[member] = value;
    }
    card
}

/// Formats the problems as "severity pointer: message".
fn problems(reading: &CardReport) -> Vec<String> {
    let line = |problem: &plexus_a2a::card::Problem| {
        format!("{:?} {}: {}", problem.severity, problem.pointer, problem.message)
    };
    reading.problems.iter().map(line).collect()
}

fn assert_problem(card: &Value, severity: Severity, pointer: &str, word: &str) {
    let reading = read(card);
    let found = reading.problems.iter().any(|problem| {
        problem.severity == severity && problem.pointer == pointer && problem.message.contains(word)
    });
    assert!(found, "{pointer} {word}: {:#?}", problems(&reading));
    assert_eq!(
        reading.card.is_none(),
        reading.problems.iter().any(|problem| problem.severity == Severity::Error)
    );
}

#[test]
fn real_cards_of_both_versions_are_read_without_a_problem() {
    for (bytes, protocol, port) in [(V1, A2aProtocol::V1, 7801), (V03, A2aProtocol::V03, 7803)] {
        let reading = Card::read(bytes);
        assert_eq!(problems(&reading), [""; 0]);
        let card = reading.card.unwrap();
        assert_eq!((card.name.as_str(), card.version.as_str()), ("Sums", "1.2.0"));
        assert_eq!(card.provider.as_ref().unwrap().organization, "Example");
        assert!(card.capabilities.streaming && !card.capabilities.push_notifications);
        assert_eq!(card.skills[0].examples, ["2 + 2"]);
        assert_eq!(card.input_modes, ["text/plain"]);
        let best = card.best_interface().unwrap();
        assert_eq!((best.protocol(), best.url.port()), (Some(protocol), Some(port)));
        assert_eq!(
            card.origins().iter().map(ToString::to_string).collect::<Vec<_>>(),
            [format!("http://127.0.0.1:{port}")]
        );
        let SecurityRequirements::OneOf(ways) = &card.security else { panic!("{:?}", card.security) };
        assert_eq!(ways[0]["token"], Credential::Bearer);
        assert_eq!(card.source, bytes);
    }
}

#[test]
fn cards_of_other_makers_are_read_without_a_problem() {
    for (bytes, name) in [
        (&include_bytes!("../samples/card-fasta2a.json")[..], "Sums"),
        (&include_bytes!("../samples/card-js.json")[..], "Weaver"),
    ] {
        let reading = Card::read(bytes);
        assert_eq!(problems(&reading), [""; 0]);
        let card = reading.card.unwrap();
        assert_eq!(card.name, name);
        assert_eq!(card.best_interface().unwrap().protocol(), Some(A2aProtocol::V1));
    }
}

#[test]
fn one_document_may_carry_both_shapes() {
    let card = Card::read(V1).card.unwrap();
    let versions: Vec<_> = card.interfaces.iter().map(|interface| interface.version.as_str()).collect();
    assert_eq!(versions, ["1.0", "0.3"], "the old shape repeats an interface that the new one names");
}

#[test]
fn what_is_not_a_card_is_named() {
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(10_000_000));
    for (bytes, word) in [
        ("", "empty"),
        ("<!doctype html><title>404</title>", "HTML"),
        ("not json", "not JSON"),
        ("{\"name\":", "not JSON"),
        ("[]", "found a list"),
        ("\"card\"", "found text"),
        (&deep, "nested"),
        (&large, "bytes"),
    ] {
        let reading = Card::read(bytes.as_bytes());
        assert!(reading.card.is_none());
        assert_eq!(reading.problems.len(), 1);
        let problem = &reading.problems[0];
        assert!(problem.severity == Severity::Error && problem.message.contains(word), "{problem:?}");
    }
}

#[test]
fn every_problem_is_named_not_only_the_first() {
    let reading = read(&json!({
        "name": 5,
        "description": ["x"],
        "supportedInterfaces": [{"url": "javascript:alert(1)", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": "yes"},
        "skills": [{"id": "a", "name": "A", "tags": "one"}, 7],
    }));
    assert!(reading.card.is_none());
    let pointers: Vec<_> = reading.problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(
        pointers,
        [
            "/name",
            "/description",
            "/version",
            "/supportedInterfaces/0/url",
            "/supportedInterfaces",
            "/capabilities/streaming",
            "/skills/0/tags",
            "/skills/1",
            "/defaultInputModes",
            "/defaultOutputModes",
        ]
    );
}

#[test]
fn missing_members_are_errors_only_where_the_hub_cannot_do_without() {
    let reading = read(&json!({
        "name": "Bare",
        "supportedInterfaces": [{"url": "https://a.example/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    }));
    let card = reading.card.unwrap();
    assert_eq!(
        (card.description.as_str(), card.skills.len(), card.security),
        ("", 0, SecurityRequirements::Open)
    );
    assert_eq!(reading.problems.len(), 6);
    assert_problem(&card_with(json!({"name": "\u{200b} "})), Severity::Error, "/name", "empty");
    assert_problem(&card_with(json!({"name": null})), Severity::Error, "/name", "missing");
    assert_problem(
        &json!({"name": "A"}),
        Severity::Error,
        "/supportedInterfaces",
        "where the agent is reached",
    );
}

#[test]
fn urls_that_must_not_be_called_are_refused() {
    for (url, word) in [
        ("javascript:alert(1)", "javascript"),
        ("ftp://a.example/", "ftp"),
        ("https://me:pass@a.example/", "password"),
        ("https://a\u{200b}.example/", "not seen"),
        ("/a2a", "begins with"),
    ] {
        let interfaces = json!([{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]);
        let card = card_with(json!({"supportedInterfaces": interfaces}));
        assert_problem(&card, Severity::Error, "/supportedInterfaces/0/url", word);
        assert_problem(
            &card_with(json!({"documentationUrl": url})),
            Severity::Warning,
            "/documentationUrl",
            word,
        );
    }
}

#[test]
fn text_is_cleaned_and_capped() {
    let card = card_with(json!({
        "name": format!("Su\u{202e}ms {}", "x".repeat(200)),
        "description": format!("a\r\nb\u{0}{}", "y".repeat(5_000)),
        "skills": vec![json!({"id": "s", "name": "S", "tags": vec!["t"; 40], "description": "d"}); 100],
    }));
    let reading = read(&card);
    let read = reading.card.as_ref().unwrap();
    assert!(read.name.starts_with("Sums x") && read.name.chars().count() == 100);
    assert!(read.description.starts_with("a\nby") && read.description.chars().count() == 4_000);
    assert_eq!((read.skills.len(), read.skills[0].tags.len()), (64, 16));
    for (pointer, word) in [
        ("/name", "removed"),
        ("/name", "first 100"),
        ("/description", "first 4000"),
        ("/skills", "first 64"),
        ("/skills/0/tags", "first 16"),
    ] {
        assert_problem(&card, Severity::Warning, pointer, word);
    }
}

#[test]
fn a_flood_of_problems_is_cut_and_still_counts() {
    let card = card_with(json!({"skills": vec![json!({"tags": vec![1; 16]}); 64]}));
    let reading = read(&card);
    assert!(reading.card.is_none());
    assert_eq!(reading.problems.len(), 101);
    assert!(reading.problems[100].message.contains("more problems"));
}

#[test]
fn repeated_members_are_named() {
    let text = card_with(json!({})).to_string().replacen('{', "{\"name\":\"Other\",", 1);
    let reading = Card::read(text.as_bytes());
    assert_eq!(reading.problems.len(), 1);
    assert_eq!(reading.problems[0].pointer, "/name");
    assert_eq!(reading.card.unwrap().name, "Sums");
}

#[test]
fn an_agent_that_speaks_nothing_known_is_refused_with_what_it_offers() {
    let interface = |binding, version| json!({"url": "https://a.example/", "protocolBinding": binding, "protocolVersion": version});
    let card = card_with(
        json!({"supportedInterfaces": [interface("GRPC", "1.0"), interface("JSONRPC", "2.1"), interface("HTTP+JSON", "0.3")]}),
    );
    assert_problem(&card, Severity::Error, "/supportedInterfaces", "GRPC 1.0, JSONRPC 2.1, HTTP+JSON 0.3");
    let old = json!({"name": "A", "url": "a.example:50051", "preferredTransport": "GRPC", "protocolVersion": "0.3.0"});
    assert!(read(&old).card.is_none());
}

#[test]
fn the_best_interface_is_new_before_old_then_the_first() {
    let interface = |url, binding, version| json!({"url": url, "protocolBinding": binding, "protocolVersion": version, "tenant": "t"});
    let card = card_with(json!({"supportedInterfaces": [
        interface("https://a.example/rest", "HTTP+JSON", "1.0"),
        interface("https://a.example/old", "JSONRPC", "0.3.0"),
        interface("https://b.example:8443/new", "JSONRPC", "1.0.1"),
        interface("grpc.example:443", "GRPC", "1.0"),
    ]}));
    let card = read(&card).card.unwrap();
    let best = card.best_interface().unwrap();
    assert_eq!((best.url.path(), best.tenant.as_deref()), ("/rest", Some("t")));
    assert_eq!(best.binding, Binding::HttpJson);
    assert_eq!(card.interfaces.len(), 3);
    let mut other = card.clone();
    other.interfaces.remove(0);
    assert_eq!(other.best_interface().unwrap().url.path(), "/new");
    let origins: Vec<_> = card.origins().iter().map(ToString::to_string).collect();
    assert_eq!(origins, ["https://a.example", "https://b.example:8443"]);
}

#[test]
fn credentials_are_reduced_to_what_the_hub_can_send() {
    let security = |schemes: Value, requirements: Value| {
        let card = card_with(json!({"securitySchemes": schemes, "securityRequirements": requirements}));
        read(&card).card.unwrap().security
    };
    let schemes = json!({
        "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Api-Key"}},
        "query": {"type": "apiKey", "in": "query", "name": "key"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "key"},
        "basic": {"type": "http", "scheme": "Basic"},
        "oauth": {"oauth2SecurityScheme": {"flows": {}}},
        "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://a.example/.well-known/openid-configuration"},
        "mtls": {"type": "mutualTLS"},
    });
    let needs = |names: &[&str]| {
        let schemes: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        json!({ "schemes": schemes })
    };
    let SecurityRequirements::OneOf(ways) =
        security(schemes.clone(), json!([needs(&["oauth"]), needs(&["key", "basic"])]))
    else {
        panic!("one way can be served");
    };
    assert_eq!(ways.len(), 1);
    assert_eq!(ways[0]["key"], Credential::ApiKey { place: KeyPlace::Header, name: "X-Api-Key".into() });
    assert_eq!(ways[0]["basic"], Credential::Basic);
    assert!(matches!(security(schemes.clone(), json!([needs(&["query"])])), SecurityRequirements::OneOf(_)));
    assert_eq!(security(schemes.clone(), json!([needs(&["oauth"]), {}])), SecurityRequirements::Open);
    let openid =
        security(schemes.clone(), json!([{ "schemes": { "oidc": { "list": ["openid", "email"] } } }]));
    let SecurityRequirements::OneOf(ways) = openid else { panic!("OpenID Connect is supported") };
    let expected = OauthRequirement {
        discovery_url: Some("https://a.example/.well-known/openid-configuration".into()),
        scopes: vec!["openid".into(), "email".into()],
        ..OauthRequirement::default()
    };
    assert_eq!(ways[0]["oidc"], Credential::Oauth(expected));
    let unserved = security(schemes, json!([needs(&["oauth"]), needs(&["mtls"]), needs(&["cookie"])]));
    assert_eq!(
        unserved,
        SecurityRequirements::Unserved(vec![
            "OAuth 2".into(),
            "an API key in a cookie".into(),
            "mutual TLS".into(),
        ])
    );
}

fn oauth(flows: &Value, needed: &Value) -> CardReport {
    let card = card_with(json!({
        "securitySchemes": {"o": {"type": "oauth2", "flows": flows}}, "security": [{"o": needed}],
        "securityRequirements": null,
    }));
    read(&card)
}

#[test]
fn a_flow_of_oauth_is_read_in_both_shapes() {
    let client = json!({"tokenUrl": "https://auth.example/token", "refreshUrl": "", "scopes": {"read": ""}});
    let flows =
        json!({"clientCredentials": client, "implicit": {"authorizationUrl": "https://auth.example/"}});
    let asked = |credential: SecurityRequirements| {
        let SecurityRequirements::OneOf(ways) = credential else { panic!("{credential:?}") };
        let Credential::Oauth(oauth) = ways[0]["o"].clone() else { panic!("{ways:?}") };
        oauth
    };
    let old = asked(oauth(&flows, &json!(["read", "a:b"])).card.unwrap().security);
    let expected = OauthRequirement {
        token_url: "https://auth.example/token".into(),
        scopes: vec!["read".into(), "a:b".into()],
        ..OauthRequirement::default()
    };
    assert_eq!(old, expected);
    let new = card_with(json!({
        "securitySchemes": {"o": {"oauth2SecurityScheme": {"flows": flows}}},
        "securityRequirements": [{"schemes": {"o": {"list": ["read", "a:b"]}}}],
    }));
    assert_eq!(asked(read(&new).card.unwrap().security), expected);
    let code = json!({"authorizationCode": {
        "authorizationUrl": "https://auth.example/ask?x=1", "tokenUrl": "https://auth.example/token",
        "refreshUrl": "https://auth.example/again", "scopes": {},
    }, "clientCredentials": client});
    let code = asked(oauth(&code, &json!([])).card.unwrap().security);
    assert_eq!(code.authorization_url.as_deref(), Some("https://auth.example/ask?x=1"));
    assert_eq!((code.refresh_url.as_deref(), code.scopes.len()), (Some("https://auth.example/again"), 0));
}

#[test]
fn what_is_wrong_with_a_flow_is_named() {
    let place = "/securitySchemes/o/flows/authorizationCode";
    let flow = |change: Value| {
        let mut flow =
            json!({"authorizationUrl": "https://auth.example/ask", "tokenUrl": "https://auth.example/token"});
        flow.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        card_with(json!({"securitySchemes": {"o": {"type": "oauth2", "flows": {"authorizationCode": flow}}}}))
    };
    for (change, at, words) in [
        (json!({"tokenUrl": null}), "tokenUrl", "where tokens are given"),
        (json!({"authorizationUrl": null}), "authorizationUrl", "where a person agrees"),
        (json!({"tokenUrl": "javascript:alert(1)"}), "tokenUrl", "Only https and http"),
        (json!({"refreshUrl": "https://auth.example/#x"}), "refreshUrl", "fragment"),
        (json!({"tokenUrl": format!("https://auth.example/{}", "x".repeat(3_000))}), "tokenUrl", "at most"),
    ] {
        assert_problem(&flow(change), Severity::Error, &format!("{place}/{at}"), words);
    }
    let client = json!({"clientCredentials": {"tokenUrl": "https://auth.example/token"}});
    let reading = oauth(&client, &json!(["two words"]));
    assert!(reading.card.is_none());
    for flow in ["implicit", "password"] {
        let reading = oauth(&json!({flow: {"tokenUrl": "https://auth.example/token"}}), &json!([]));
        let unserved = SecurityRequirements::Unserved(vec![format!("OAuth 2 by the flow {flow}")]);
        assert_eq!(reading.card.unwrap().security, unserved);
    }
}

#[test]
fn a_key_may_not_pose_as_another_header() {
    for name in ["Host", "content-length", "X Y", "a\r\nb", ""] {
        let schemes = json!({"key": {"type": "apiKey", "in": "header", "name": name}});
        assert_problem(
            &card_with(json!({"securitySchemes": schemes})),
            Severity::Error,
            "/securitySchemes/key/name",
            "cannot be sent",
        );
    }
}

#[test]
fn a_card_of_our_own_has_no_problem() {
    let own = LocalCard {
        name: "Calc".into(),
        description: "Arithmetic with units.".into(),
        version: "1.0.0".into(),
        base: "https://hub.example/a2a/plexus/calc".parse().unwrap(),
        provider: Some(("Plexus".into(), "https://hub.example/".parse().unwrap())),
        documentation_url: Some("https://hub.example/docs".parse().unwrap()),
        skills: vec![AgentSkill {
            id: "calc".into(),
            name: "Calculate".into(),
            description: "Works out sums.".into(),
            tags: vec!["math".into()],
            ..AgentSkill::default()
        }],
    };
    let bytes = serde_json::to_vec(&own.build()).unwrap();
    let reading = Card::read(&bytes);
    assert_eq!(problems(&reading), [""; 0]);
    assert_eq!(reading.card.unwrap().best_interface().unwrap().url.path(), "/a2a/plexus/calc/");
}

use plexus_app::view_models::{
    Badge, Form, Html, Locale, Pager,
    agent::*,
    agent_query::{AgentsQuery, Facet},
    agent_versions::*,
    agents::{AgentRow, AgentsPage, FacetGroup, FacetValue, StarredPage},
    docs::{DocsLink, DocsPage},
    error::ErrorPage,
    home::{FeaturedRow, HomePage, HubLink},
    live_search::{LiveSearchView, QueriedHub, QueryOutcome, Sources},
    namespace::{OwnerKind, OwnerPage},
    register::{DnsRecord, MissingModel, OriginProof, ProofMethod, ProofState},
};
use plexus_domain::{
    VersionId,
    agent::{AgentAccess, Visibility},
};

use super::{ago, shown, shown_in, shown_to_anybody};

pub fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("home", shown_to_anybody("/", home())),
        ("home-ar", shown_in(Locale::Ar, "/", HomePage { purpose: None, ..home() })),
        ("agents-de", shown_in(Locale::De, "/agents?q=tide", agents("tide", rows()))),
        ("agent-zh", shown_in(Locale::ZhHans, "/@ada/tide-clerk", page(head(), with_missing_model()))),
        (
            "home-empty",
            shown(
                "/",
                HomePage {
                    agents: 0,
                    featured: vec![],
                    answering: vec![],
                    newest: vec![],
                    most_used: vec![],
                    hubs: vec![],
                    ..home()
                },
            ),
        ),
        ("agents", shown("/agents?q=tide", agents("tide", rows()))),
        (
            "agents-askable",
            shown("/agents?q=tide", AgentsPage { others: Some(askable()), ..agents("tide", rows()) }),
        ),
        (
            "agents-asked",
            shown(
                "/agents?q=tide&federated=true",
                AgentsPage { others: Some(asked()), ..agents("tide", rows()) },
            ),
        ),
        (
            "agents-none",
            shown_to_anybody(
                "/agents?q=tied",
                AgentsPage {
                    did_you_mean: Some("tide".into()),
                    ..agents("\"><script>alert(1)</script>", vec![])
                },
            ),
        ),
        ("agent", shown("/@ada/tide-clerk", page(head(), overview()))),
        ("agent-skills", shown("/@ada/tide-clerk/skills", page(head(), AgentTab::Skills(skills())))),
        (
            "agent-visitor-chat",
            shown_to_anybody(
                "/@ada/tide-clerk/chat",
                page(
                    AgentHead { starred: None, can_manage: false, ..head() },
                    AgentTab::Chat(visitor_chat()),
                ),
            ),
        ),
        ("agent-copy", shown("/@ada/tide-clerk/copy", copy())),
        ("agent-versions", shown("/@ada/tide-clerk/versions", page(head(), AgentTab::Versions(versions())))),
        (
            "agent-connect",
            shown_to_anybody(
                "/@ada/tide-clerk/connect",
                page(
                    AgentHead { callable: Callable::SignIn, starred: None, ..head() },
                    AgentTab::Connect(snippets()),
                ),
            ),
        ),
        (
            "agent-starred",
            shown("/@ada/tide-clerk", page(AgentHead { starred: Some(true), ..head() }, overview())),
        ),
        (
            "starred",
            shown(
                "/agents?starred=true",
                StarredPage { rows: rows(), next: Some("/agents?starred=true&after=x".into()) },
            ),
        ),
        ("starred-none", shown("/agents?starred=true", StarredPage { rows: vec![], next: None })),
        ("agent-unverified", shown("/@ada/tide-clerk", page(unverified(), overview()))),
        (
            "agent-paused",
            shown(
                "/@ada/tide-clerk",
                page(
                    AgentHead { callable: Callable::Paused, badges: vec![Badge::Paused], ..head() },
                    overview(),
                ),
            ),
        ),
        (
            "agent-manage",
            shown(
                "/@ada/tide-clerk/manage",
                page(
                    AgentHead {
                        can_manage: true,
                        visibility: Visibility::Private,
                        badges: vec![Badge::Private, Badge::Unverified],
                        ..head()
                    },
                    AgentTab::Manage(manage()),
                ),
            ),
        ),
        (
            "agent-credentials",
            shown(
                "/@ada/tide-clerk/credentials",
                page(
                    AgentHead { callable: Callable::NeedsCredentials, ..head() },
                    AgentTab::Credentials(credentials()),
                ),
            ),
        ),
        (
            "agent-connect",
            shown(
                "/@ada/tide-clerk/credentials",
                page(
                    AgentHead { callable: Callable::NeedsCredentials, ..head() },
                    AgentTab::Credentials(connection(false)),
                ),
            ),
        ),
        (
            "agent-connected",
            shown("/@ada/tide-clerk/credentials", page(head(), AgentTab::Credentials(connection(true)))),
        ),
        (
            "agent-tools",
            shown("/@ada/tide-clerk/credentials", page(head(), AgentTab::ToolCredentials(tools()))),
        ),
        ("owner", shown("/@ada", owner(rows(), true))),
        ("owner-empty", shown("/@ada", owner(vec![], true))),
        ("error-401", shown_to_anybody("/settings/tokens", ErrorPage::new(401, "0199e1a2-7c1e"))),
        ("error-404", shown_to_anybody("/nowhere", ErrorPage::new(404, "0199e1a2-7c1e"))),
        (
            "error-429",
            shown("/chat", ErrorPage { retry_after: Some(40), ..ErrorPage::new(429, "0199e1a2-7c1e") }),
        ),
        ("error-500", shown("/agents", ErrorPage::new(500, "0199e1a2-7c1e"))),
        ("docs", shown_to_anybody("/docs/models", docs())),
    ]
}

pub fn row(
    name: &str,
    address: &str,
    summary: &str,
    tags: &[&str],
    protocol: &str,
    badges: Vec<Badge>,
    answered: u64,
) -> AgentRow {
    AgentRow {
        seed: address.into(),
        name: name.into(),
        address: address.parse().unwrap(),
        summary: summary.into(),
        tags: tags.iter().map(|&tag| tag.into()).collect(),
        protocol: protocol.into(),
        badges,
        last_answered: Some(ago(answered)),
    }
}

pub fn rows() -> Vec<AgentRow> {
    vec![
        row(
            "Calc",
            "@plexus/calc",
            "Arithmetic with units: sums, conversions, percentages, dates. Takes a sheet of many lines and answers line by line.",
            &["arithmetic", "units"],
            "Built in",
            vec![Badge::Online, Badge::BuiltIn],
            40,
        ),
        row(
            "Tide clerk",
            "@ada/tide-clerk",
            "Tide tables for 4,200 harbours, with the sources named.",
            &["tides", "sailing", "weather"],
            "A2A 1.0",
            vec![Badge::Online, Badge::Domain("tides.example.org".into())],
            200,
        ),
        row(
            "Proof reader",
            "@noor/proof-reader",
            "Reads English and Arabic prose and marks what stumbles; it does not rewrite.",
            &["writing"],
            "Model",
            vec![Badge::Online],
            660,
        ),
        row(
            "翻訳係",
            "@kenji/honyaku",
            "日本語と英語のあいだの翻訳。用語集を渡すと、それに従います。",
            &["translation", "日本語"],
            "A2A 0.3",
            vec![Badge::Offline { since: Some(ago(9_000)) }, Badge::Unverified],
            9_000,
        ),
        row(
            "<script>alert(1)</script>",
            "@mallory/x",
            "\"><img src=x onerror=alert(1)> an agent whose card is hostile, and whose summary is long enough to be cut somewhere in the middle of what it wants to say to anybody who reads it.",
            &["<b>"],
            "A2A 1.0",
            vec![Badge::Unverified],
            400_000,
        ),
        row(
            "Guide",
            "@plexus/guide",
            "Finds agents for what you want to do.",
            &["search"],
            "Built in",
            vec![Badge::Online, Badge::BuiltIn],
            10,
        ),
    ]
}

fn featured(row: AgentRow) -> FeaturedRow {
    let starters = vec!["High water in Brest tomorrow?".into(), "month,boats\nMay,12\n<b>June</b>,18".into()];
    FeaturedRow { row, starters }
}

fn home() -> HomePage {
    let mut rows = rows();
    rows.remove(4);
    HomePage {
        purpose: Some("Agents you can ask, from this hub and its neighbours.".into()),
        agents: 1_284,
        index_complete: true,
        setup: None,
        featured: rows[..3].iter().map(|row| featured(row.clone())).collect(),
        answering: rows[..4].to_vec(),
        newest: rows[1..5].to_vec(),
        most_used: rows[..3].to_vec(),
        hubs: vec![
            HubLink { seed: "hub a".into(), name: "hub.example.org".into(), href: "/network/a".into() },
            HubLink { seed: "hub b".into(), name: "agents.uni.example".into(), href: "/network/b".into() },
        ],
    }
}

fn agents(words: &str, rows: Vec<AgentRow>) -> AgentsPage {
    let value = |value: &str, label: &str, count| FacetValue {
        value: value.into(),
        label: label.into(),
        count: Some(count),
    };
    let total = if rows.is_empty() { 0 } else { 137 };
    AgentsPage {
        query: AgentsQuery::from_pairs([("q", words), ("tag", "sailing"), ("online", "true"), ("page", "3")]),
        rows,
        facets: vec![
            FacetGroup { facet: Facet::Online, values: vec![value("true", "Online now", 61)] },
            FacetGroup { facet: Facet::Verified, values: vec![value("true", "Verified", 92)] },
            FacetGroup {
                facet: Facet::Kind,
                values: vec![
                    value("a2a", "Remote, over A2A", 101),
                    value("llm", "Model with instructions", 34),
                    value("builtin", "Built in", 2),
                ],
            },
            FacetGroup {
                facet: Facet::Protocol,
                values: vec![value("1.0", "A2A 1.0", 80), value("0.3", "A2A 0.3", 21)],
            },
            FacetGroup {
                facet: Facet::Tag,
                values: vec![
                    value("sailing", "sailing", 12),
                    value("weather", "weather", 1_009),
                    value(
                        "a-very-long-tag-that-does-not-fit-anywhere",
                        "a-very-long-tag-that-does-not-fit-anywhere",
                        1,
                    ),
                ],
            },
        ],
        pager: Pager::new(3, 20, total),
        did_you_mean: None,
        index_complete: true,
        others: None,
    }
}

fn askable() -> LiveSearchView {
    let of = |path: &str| format!("{path}?q=tide");
    LiveSearchView::Askable {
        page: of("/agents") + "&federated=true",
        stream: of("/agents/live"),
        few: false,
    }
}

fn asked() -> LiveSearchView {
    let from = |address: &str, badges: Vec<Badge>| {
        let hub = Badge::Elsewhere { hub: "far.example".into(), name: Some("Far".into()) };
        let row = row("Tide tables", address, "Tides of the far north.", &["tides"], "A2A 1.0", vec![hub], 0);
        AgentRow { badges: [row.badges.clone(), badges].concat(), last_answered: None, ..row }
    };
    let hub = |name: &str, came| QueriedHub { name: name.into(), came };
    LiveSearchView::Asked {
        rows: vec![
            from("@bob/tides@far.example", vec![]),
            from("@bob/more@far.example", vec![Badge::NotCarried]),
        ],
        sources: Sources {
            local: 3,
            replicated: 41,
            queried_hubs: vec![
                hub("far.example", QueryOutcome::Answer { found: 2, invalid_records: 0 }),
                hub(
                    "12D3KooWJ3Cbu7ZkEoFzeQmKbGsW3pRkJwDXZ5kzvTsWn2F9cQ7r",
                    QueryOutcome::Answer { found: 0, invalid_records: 3 },
                ),
                hub("slow.example", QueryOutcome::Nothing),
            ],
        },
    }
}

fn page(head: AgentHead, tab: AgentTab) -> AgentPage {
    AgentPage { head, tab }
}

fn head() -> AgentHead {
    AgentHead {
        hub_name: None,
        seed: "@ada/tide-clerk".into(),
        name: "Tide clerk".into(),
        address: "@ada/tide-clerk".parse().unwrap(),
        summary: "Tide tables for 4,200 harbours, with the sources named.".into(),
        badges: vec![Badge::Online, Badge::Domain("tides.example.org".into()), Badge::SignedCard],
        callable: Callable::Yes,
        visibility: Visibility::Public,
        can_manage: false,
        can_copy: true,
        protocol: "A2A 1.0, JSON-RPC".into(),
        version: "2.3.0".into(),
        published: Some(ago(40 * 86_400)),
        last_answered: Some(ago(200)),
        uses: 18_204,
        stars: 41,
        starred: Some(false),
        provider: Some("Harbour Data Cooperative".into()),
        links: vec![
            ExternalLink { label: "Documentation".into(), url: "https://tides.example.org/docs".into() },
            ExternalLink { label: "Terms".into(), url: "https://tides.example.org/terms".into() },
        ],
        card_href: "/a2a/ada/tide-clerk/.well-known/agent-card.json".into(),
    }
}

fn unverified() -> AgentHead {
    AgentHead {
        callable: Callable::Unproved { origin: "https://tides.example.org".into() },
        badges: vec![Badge::Offline { since: Some(ago(7_200)) }, Badge::Unverified],
        ..head()
    }
}

pub fn skills() -> Vec<Skill> {
    let skill = |name: &str, description: &str, examples: &[&str]| Skill {
        name: name.into(),
        description: description.into(),
        tags: vec!["tides".into()],
        examples: examples.iter().map(|&text| text.into()).collect(),
        inputs: vec!["text/plain".into()],
        outputs: vec!["text/plain".into(), "application/json".into()],
    };
    vec![
        skill(
            "Tide table",
            "High and low water for a harbour and a day, as a table.",
            &["High water in Brest tomorrow?", "Tides for Husum, next weekend"],
        ),
        skill(
            "Window",
            "When a depth is reached, given a draught and a bar.",
            &["I draw 1.8 m. When can I leave St Peter Port?"],
        ),
    ]
}

fn overview() -> AgentTab {
    AgentTab::Overview(overview_of(None))
}

fn with_missing_model() -> AgentTab {
    let model = MissingModel { name: "cellar/small".into(), nearest: Some("cellar/large".into()) };
    AgentTab::Overview(overview_of(Some(model)))
}

fn overview_of(missing_model: Option<MissingModel>) -> Overview {
    let description = "<p>The clerk answers from the harmonic constants that hydrographic offices publish. It says which office and which year, and it says so when it does not know a harbour.</p><h2 id=\"user-content-limits\">Limits</h2><ul><li>No currents, only heights.</li><li>Predictions, <strong>not</strong> observations: weather moves them by half a metre.</li></ul><pre><code class=\"language-json\">{ \"harbour\": \"Brest\", \"day\": \"2026-11-21\" }</code></pre>";
    Overview {
        missing_model,
        description: Html::from_markup(description.into()),
        starters: vec![
            "High water in Brest tomorrow?".into(),
            "I draw 1.8 m. When can I leave St Peter Port?".into(),
        ],
        skills: skills(),
        tags: vec!["tides".into(), "sailing".into(), "weather".into()],
    }
}

fn copy() -> CopyAgent {
    let form = Form::filled([("name", "tide-clerk")])
        .with_error("name", "You already have an agent with this name.");
    CopyAgent {
        address: "@ada/tide-clerk".parse().unwrap(),
        title: "Tide <clerk>".into(),
        owner: "grace".into(),
        form,
    }
}

fn versions() -> AgentVersions {
    let version = |version: &str, days: u64, yanked: Option<&str>, changes: Changes| VersionRow {
        id: VersionId::new(ago(days * 86_400), &[0; 10]),
        version: version.into(),
        created: ago(days * 86_400),
        protocol: "A2A 1.0".into(),
        card: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
        yanked: yanked.map(Into::into),
        can_restore: days > 3,
        changes,
    };
    let line = |kind, text: &str| DiffLine { kind, text: text.into() };
    let field = |label: &str, omitted, lines| FieldDiff { label: label.into(), lines, omitted };
    let description = vec![
        line(DiffLineKind::Unchanged, "Knows the tides of 600 harbours."),
        line(DiffLineKind::Removed, "Answers in feet."),
        line(DiffLineKind::Added, "Answers in metres <b>and</b> feet."),
        line(DiffLineKind::Gap, ""),
        line(DiffLineKind::Unchanged, "No currents."),
    ];
    let address = vec![line(DiffLineKind::Added, &format!("https://{}.example", "a".repeat(120)))];
    let fields = vec![field("Description", 0, description), field("Addresses", 7, address)];
    AgentVersions {
        compared: 3,
        rows: vec![
            version("2.3.0", 3, None, Changes::Fields(fields)),
            version("2.2.1", 20, Some("answered in feet"), Changes::Fields(Vec::new())),
            version("2.0.0", 90, None, Changes::First),
            version("1.0.0", 200, None, Changes::NotCompared),
        ],
    }
}

fn snippets() -> Vec<Snippet> {
    vec![
        Snippet { title: "A2A, with curl".into(), language: "bash".into(), code: "curl http://127.0.0.1:3000/a2a/ada/tide-clerk/ \\\n  -H 'Authorization: Bearer $PLEXUS_TOKEN' \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"role\":\"ROLE_USER\",\"messageId\":\"1\",\"parts\":[{\"text\":\"High water in Brest?\"}]}}}'".into() },
        Snippet { title: "OpenAI-compatible, with Python".into(), language: "python".into(), code: "from openai import OpenAI\n\nclient = OpenAI(base_url=\"http://127.0.0.1:3000/v1\")\nclient.chat.completions.create(\n    model=\"@ada/tide-clerk\",\n    messages=[{\"role\": \"user\", \"content\": \"High water in Brest?\"}],\n)".into() },
    ]
}

pub fn origins() -> Vec<OriginProof> {
    let proof = |origin: &str, state| OriginProof {
        origin: origin.into(),
        state,
        file_url: format!("{origin}/.well-known/plexus-proof.txt"),
        file_text: "plexus-proof-3v8q1h0t7m2k5x9d".into(),
        dns: Some(DnsRecord {
            name: "_plexus.tides.example.org".into(),
            value: "plexus-proof=3v8q1h0t7m2k5x9d".into(),
        }),
    };
    vec![
        proof("https://tides.example.org", ProofState::Proved { by: ProofMethod::Dns, at: ago(80) }),
        proof(
            "https://backup.example.org:8443",
            ProofState::Failed {
                message: "The file was not found: the server answered 404.".into(),
                at: ago(20),
            },
        ),
    ]
}

fn visitor_chat() -> VisitorChat {
    let turn = |by_agent, html: &str| VisitorTurn { by_agent, html: Html::from_markup(html.to_owned()) };
    VisitorChat {
        turns: vec![
            turn(false, "<p>When is high water in Husum?</p>"),
            turn(true, "<p>At <strong>14:20</strong>, 3.6 m.</p>"),
        ],
        is_running: true,
        form: Form::default(),
    }
}

fn manage() -> Manage {
    Manage {
        visibility: Visibility::Private,
        access: AgentAccess::Listed,
        paused: false,
        can_federate: false,
        editable: true,
        refreshable: true,
        origins: origins(),
        publication_problem: None,
        files: Some(vec![AgentFile {
            name: "harbour-guide.md".into(),
            size: "38.2 KiB".into(),
            added_at: ago(90_000),
        }]),
        vectors: Some(VectorCount { passages: 61, vectors: 48 }),
        allows_copies: true,
        users: vec!["grace".into(), "bob".into()],
        form: Form::default(),
    }
}

fn credentials() -> Credentials {
    Credentials {
        scheme: Scheme::Basic,
        stored: true,
        origin: "https://tides.example.org".into(),
        client: None,
        form: Form::default().with_error("secret", "Enter the password."),
    }
}

fn tools() -> ToolCredentials {
    let server = |url: &str, scheme| ToolServer { url: url.into(), scheme };
    ToolCredentials {
        servers: vec![
            server("https://tides.example.org/mcp", Some(Scheme::ApiKey("X-API-Key".into()))),
            server("https://moon.example.org/mcp", None),
        ],
        form: Form::default().with_error("secret", "Enter the token or key that the server requires."),
    }
}

fn connection(stored: bool) -> Credentials {
    let client = HubAsClient {
        document: "https://hub.example.org/oauth/client.json".into(),
        redirect: "https://hub.example.org/oauth/callback".into(),
    };
    Credentials {
        scheme: Scheme::Connect("https://auth.example.org".into()),
        stored,
        client: stored.then_some(client),
        form: Form::default(),
        ..credentials()
    }
}

fn owner(agents: Vec<AgentRow>, own: bool) -> OwnerPage {
    let total = agents.len() as u64;
    OwnerPage {
        name: "ada".into(),
        kind: OwnerKind::Person,
        since: ago(100 * 86_400),
        own,
        agents,
        pager: Pager::new(1, 20, total),
    }
}

fn docs() -> DocsPage {
    let link = |title: &str, current| DocsLink {
        title: title.into(),
        href: format!("/docs/{title}").to_lowercase(),
        current,
    };
    let body = "<h1>Models</h1><p>A hub runs agents on any server that speaks the <a href=\"https://example.org\">OpenAI-compatible protocol</a>. Set three variables:</p><table><thead><tr><th>Variable</th><th>Meaning</th></tr></thead><tbody><tr><td><code>PLEXUS_LLM_BASE_URL</code></td><td>Where it listens</td></tr><tr><td><code>PLEXUS_LLM_MODEL</code></td><td>Which model</td></tr></tbody></table><blockquote><p>The key is never shown again.</p></blockquote><pre><code class=\"language-bash\">PLEXUS_LLM_BASE_URL=http://127.0.0.1:8080/v1 plexus serve</code></pre>";
    DocsPage {
        title: "Models".into(),
        body: Html::from_markup(body.into()),
        contents: vec![
            link("Start", false),
            link("Agents", false),
            link("Models", true),
            link("Limits", false),
        ],
    }
}

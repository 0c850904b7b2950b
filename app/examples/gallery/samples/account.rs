use plexus_app::view_models::{
    Density, Form, Theme,
    account::{EmailPage, LoginPage, RecoveryPage, ResetPage, SignupMode, SignupPage},
    model_providers::{ModelKeyItem, ModelKeyPolicy, ModelKeysPage},
    model_usage::{OwnUsagePage, UsageReport},
    oauth::{ConsentPage, GrantRow},
    settings::*,
    shared_chat::{ChatImportResult, ShareLinksPage},
    shortcuts::ShortcutsPage,
};
use plexus_domain::{OauthGrantId, TokenId, account::Role};

use super::{ago, frame, now, shown, shown_after, shown_to_anybody};

pub fn pages() -> Vec<(&'static str, String)> {
    let wrong = Form::filled([("name", "ada")]).with_error("", "Incorrect name or password.");
    let tokens = || TokensPage {
        tokens: token_rows(),
        grants: grants(),
        scopes: scopes(),
        created: None,
        form: Form::filled([("scope", "chat")]),
    };
    let compact = plexus_app::view_models::Frame {
        density: Density::Compact,
        theme: Theme::Dark,
        ..frame("/settings/tokens", Some(("ada", Role::User)))
    };
    let consent = ConsentPage {
        client: "Tide Desk".into(),
        host: Some("desk.example.org".into()),
        answer_to: "127.0.0.1".into(),
        resource: "https://hub.example.org/mcp".into(),
        may: vec![
            "Read your chats and agents".into(),
            "Send messages to agents and manage your chats".into(),
        ],
        fields: Vec::new(),
    };
    vec![
        ("shortcuts", shown("/shortcuts", ShortcutsPage { single_keys: true })),
        ("shortcuts-off", shown_to_anybody("/shortcuts", ShortcutsPage { single_keys: false })),
        ("consent", shown("/oauth/authorize", consent)),
        ("login", login("/chat", false, Form::default())),
        ("login-wrong", login("/", true, wrong)),
        ("forgot", recovery(None)),
        ("forgot-sent", recovery(Some("ada@example.org"))),
        ("reset", reset(Some("ada"))),
        ("reset-dead", reset(None)),
        ("email", email(Some(("ada".into(), "ada@example.org".into())))),
        ("email-dead", email(None)),
        ("signup", signup(SignupMode::Open)),
        ("signup-approval", signup(SignupMode::Approval)),
        ("signup-invite", signup(SignupMode::NeedsInvite)),
        ("signup-closed", signup(SignupMode::Closed)),
        ("signup-waiting", signup(SignupMode::Waiting { name: "ada".into() })),
        ("signup-first", signup(SignupMode::FirstAdmin { token: "t".into() })),
        (
            "settings-account",
            shown_after(
                "/settings/account",
                "Password changed. Every other session was signed out.",
                account(),
            ),
        ),
        ("settings-sessions", shown("/settings/sessions", sessions())),
        ("settings-tokens", shown("/settings/tokens", tokens())),
        ("settings-usage", shown("/settings/usage", usage())),
        ("settings-model-keys", shown("/settings/model-keys", model_keys())),
        (
            "settings-tokens-made",
            shown(
                "/settings/tokens",
                TokensPage { created: Some("plx_5Jw2vQm8sY0bT3rK9nH1cX7dF4gL6pZa".into()), ..tokens() },
            ),
        ),
        ("settings-tokens-compact", plexus_app::render::page(compact, tokens())),
        ("settings-chats", shown("/settings/shares", chats(None))),
        ("settings-chats-imported", shown("/settings/shares", chats(Some(imported())))),
        (
            "settings-appearance",
            shown(
                "/settings/appearance",
                AppearancePage {
                    locale: None,
                    theme: Theme::System,
                    density: Density::Comfortable,
                    single_keys: true,
                },
            ),
        ),
    ]
}

fn signup(mode: SignupMode) -> String {
    let next = "/chat?to=@ada/rich".into();
    shown_to_anybody("/signup", SignupPage { mode, next, asks_email: true, form: Form::default() })
}

fn chats(imported: Option<ChatImportResult>) -> ShareLinksPage {
    let words = "The file is empty. Choose the file that you got from the other service.";
    let form = if imported.is_none() { Form::default().with_error("file", words) } else { Form::default() };
    ShareLinksPage { links: Vec::new(), imported, form }
}

fn imported() -> ChatImportResult {
    ChatImportResult {
        service: "ChatGPT".into(),
        imported: 1_204,
        new_messages: 12,
        already_there: 3,
        left_out: vec!["31 images".into(), "1 conversation that could not be read".into()],
        problem: Some("Your account has 50000 of at most 50000 chats. Delete some.".into()),
    }
}

fn login(next: &str, sends_mail: bool, form: Form) -> String {
    shown_to_anybody("/login", LoginPage { next: next.into(), sends_mail, form })
}

fn recovery(requested: Option<&str>) -> String {
    let requested = requested.map(str::to_owned);
    shown_to_anybody("/forgot", RecoveryPage { sends_mail: true, requested, form: Form::default() })
}

fn reset(name: Option<&str>) -> String {
    let name = name.map(str::to_owned);
    shown_to_anybody("/reset", ResetPage { name, token: "t".into(), sends_mail: true, form: Form::default() })
}

fn email(pending: Option<(String, String)>) -> String {
    shown_to_anybody("/email", EmailPage { pending, token: "t".into(), form: Form::default() })
}

fn account() -> AccountPage {
    let delete = Form::filled([("name", "adda")]).with_error("name", "This is not your name.");
    AccountPage {
        name: "ada".into(),
        since: ago(100 * 86_400),
        email: EmailSettings {
            address: Some("ada@example.org".into()),
            sends_mail: true,
            ..EmailSettings::default()
        },
        password: Form::default(),
        delete,
        agents: 2,
        chats: 41,
        asks_before_tools: false,
        usage: vec![
            UsageRow {
                label: "Chats and files".into(),
                used: 870,
                limit: 1_024,
                words: "870 MiB of 1 GiB".into(),
            },
            UsageRow { label: "Agents".into(), used: 2, limit: 100, words: "2 of 100".into() },
        ],
    }
}

fn sessions() -> SessionsPage {
    let session = |id: &str, agent: &str, current| SessionRow {
        id: id.into(),
        agent: agent.into(),
        ip: "203.0.113.7".into(),
        created: ago(900_000),
        seen: ago(if current { 1 } else { 80_000 }),
        current,
    };
    SessionsPage {
        sessions: vec![session("a", "Firefox on Linux", true), session("b", "Safari on iPhone", false)],
    }
}

fn token_rows() -> Vec<TokenRow> {
    let token = |n: u8, name: &str, used| TokenRow {
        id: TokenId::new(now(), &[n; 10]),
        name: name.into(),
        scopes: vec!["chat".into(), "agents:read".into()],
        created: ago(800_000),
        expires: (n == 1).then(|| now() + std::time::Duration::from_secs(70 * 86_400)),
        used,
    };
    vec![token(1, "Nightly report", Some(ago(3_000))), token(2, "Old script", None)]
}

fn grants() -> Vec<GrantRow> {
    vec![GrantRow {
        id: OauthGrantId::new(now(), &[7; 10]),
        client: "Tide Desk".into(),
        host: "desk.example.org".into(),
        scopes: vec!["chat".into(), "read".into()],
        resource: "https://hub.example.org/mcp".into(),
        used: Some(ago(3_600)),
    }]
}

fn scopes() -> Vec<ScopeOption> {
    [
        ("chat", "Read and write your chats"),
        ("agents:read", "See your agents, private ones too"),
        ("agents:write", "Register, change and delete your agents"),
    ]
    .map(|(scope, meaning)| ScopeOption { scope: scope.into(), meaning: meaning.into() })
    .into()
}

fn usage() -> OwnUsagePage {
    let report = UsageReport { accounts: Vec::new(), ..super::admin::usage_report() };
    OwnUsagePage { report, offers_keys: true }
}

fn model_keys() -> ModelKeysPage {
    let item = |provider: &str, host: &str, policy, added_at| ModelKeyItem {
        provider: provider.into(),
        host: host.into(),
        policy,
        added_at,
    };
    ModelKeysPage {
        providers: vec![
            item("anthropic", "api.anthropic.com", ModelKeyPolicy::Required, None),
            item("openrouter", "openrouter.ai", ModelKeyPolicy::Allowed, Some(ago(40_000))),
            item("groq", "api.groq.com", ModelKeyPolicy::Refused, Some(ago(4_000_000))),
        ],
        form: Form::filled([("provider", "openrouter")]).with_error(
            "api_key",
            "The server does not accept the API key (401 Unauthorized). Check the key.",
        ),
    }
}

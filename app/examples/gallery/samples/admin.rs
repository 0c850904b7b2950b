use std::time::Duration;

use plexus_app::view_models::{
    Form, Pager,
    admin::*,
    model_providers::*,
    model_usage::{AdminUsagePage, BudgetItem, UsageBreakdownRow, UsageReport, UsageSums},
    setup::{SetupItem, SetupPage},
};
use plexus_domain::{
    AccountId, AgentId,
    account::{Registration, Role},
    agent::Visibility,
};

use super::{ago, now, shown_to_admin};

pub fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("admin", shown_to_admin("/admin", overview())),
        ("admin-users", shown_to_admin("/admin/users", users())),
        ("admin-agents", shown_to_admin("/admin/agents", agents())),
        ("admin-setup", shown_to_admin("/admin/setup", setup())),
        ("admin-models", shown_to_admin("/admin/models", models())),
        ("admin-model", shown_to_admin("/admin/models/ollama", model_provider())),
        (
            "admin-model-settings",
            shown_to_admin("/admin/models/ollama/model?name=llama3.2", model_settings()),
        ),
        ("admin-usage", shown_to_admin("/admin/usage", usage())),
        ("admin-origins", shown_to_admin("/admin/origins", origins())),
        ("admin-invites", shown_to_admin("/admin/invites", invites())),
        ("admin-audit", shown_to_admin("/admin/audit", audit())),
    ]
}

fn overview() -> AdminOverview {
    AdminOverview {
        version: "0.1.0".into(),
        started: ago(300_000),
        database: "SQLite".into(),
        public_url: "http://127.0.0.1:3000".into(),
        registration: Registration::Approval,
        accounts: 214,
        waiting: 3,
        agents: 1_284,
        unverified: 40,
        running: 7,
        runs_today: 20_418,
        failed_today: 36,
        last_backup: Some(ago(90_000)),
        backups: Some(ScheduledBackups {
            folder: "/var/backups/plexus".to_owned(),
            next_at: ago(90_000) + Duration::from_secs(24 * 3_600),
            hours: 24,
            keep_days: 7,
            keep_weeks: 4,
            archives: [90_000, 176_400, 867_600].map(archive).to_vec(),
        }),
        database_size: "1.2 GiB".into(),
        top: vec![TopAccount { name: "grace".into(), stored: "870 MiB".into(), chats: 1_204, agents: 12 }],
        warnings: vec!["3 people wait for an answer to their request to join.".into()],
    }
}

fn archive(age: u64) -> BackupArchive {
    BackupArchive {
        name: format!("plexus-{}.tar.gz", ago(age).to_file_name()),
        created_at: ago(age),
        size: "412.7 MiB".into(),
    }
}

fn setup() -> SetupPage {
    let step = |title, purpose, label, is_done| SetupItem { title, purpose, label, href: "/", is_done };
    SetupPage {
        hub: "Harbour".into(),
        steps: vec![
            step("Connect a model", "Agents made of instructions run on it.", "Connect a model", true),
            step("Talk to an agent", "Four agents are built in.", "Start chat", true),
            step("Add an agent", "From instructions, an address, or a program.", "Register agent", false),
            step("Invite people", "An invitation is a link for one person.", "Invite people", false),
        ],
        is_dismissed: false,
    }
}

fn models() -> ModelsPage {
    let preset =
        |id: &str, title: &str, is_local| PresetItem { id: id.into(), title: title.into(), is_local };
    ModelsPage {
        providers: vec![
            ProviderItem {
                id: "-".into(),
                name: None,
                base_url: "http://10.0.0.7:8080/v1".into(),
                is_configured: true,
                last_test: None,
                ..provider()
            },
            provider(),
            ProviderItem {
                id: "openai".into(),
                name: Some("openai".into()),
                base_url: "https://api.openai.com/v1".into(),
                has_key: true,
                models: vec!["gpt-5-mini".into(), "gpt-5".into()],
                price: "0.25/2".into(),
                last_test: Some(ProviderTestItem {
                    first_token_ms: None,
                    calls_tools: None,
                    reads_images: None,
                    problem: Some(
                        "The server does not accept the API key (401 Unauthorized). Check the key.".into(),
                    ),
                    ..test()
                }),
                ..provider()
            },
        ],
        local: vec![LocalServerItem {
            id: "lmstudio".into(),
            title: "LM Studio".into(),
            base_url: "http://127.0.0.1:1234/v1".into(),
            models: 4,
        }],
        presets: vec![
            preset("llamacpp", "llama.cpp", true),
            preset("vllm", "vLLM", true),
            preset("openai", "OpenAI", false),
            preset("anthropic", "Anthropic", false),
        ],
    }
}

fn model_provider() -> ProviderPage {
    let form = Form::filled([("base_url", "http://127.0.0.1:11434/v1"), ("context_tokens", "32768")]);
    let model = |name: &str| ModelItem {
        name: name.into(),
        display_name: None,
        is_offered: true,
        is_hidden: false,
        context_tokens: 32_768,
        price: String::new(),
        abilities: vec![],
        access: "All users".into(),
        limits: vec![],
        direct_address: None,
    };
    let models = vec![
        ModelItem {
            display_name: Some("Llama, small".into()),
            context_tokens: 131_072,
            price: "0.15/0.6".into(),
            abilities: vec!["tools".into(), "no images".into()],
            access: "3 named users".into(),
            limits: vec!["20000 tokens a day for each user".into()],
            direct_address: Some("@models/llama-small".into()),
            ..model("llama3.2")
        },
        ModelItem { is_hidden: true, ..model("qwen3:8b") },
        ModelItem { is_offered: false, ..model("hf.co/unsloth/Qwen3-30B-A3B-GGUF:Q4_K_M") },
    ];
    let served = vec!["llama3.2".into(), "qwen3:8b".into()];
    ProviderPage { provider: provider(), served, models, form }
}

fn model_settings() -> ModelSettingsPage {
    let form = Form::filled([
        ("display_name", "Llama, small"),
        ("direct", "yes"),
        ("price", "cheap"),
        ("calls_tools", "yes"),
        ("access", "named"),
        ("users", "kenji\nnoor"),
        ("account_tokens", "20000"),
    ]);
    ModelSettingsPage {
        provider: "ollama".into(),
        provider_title: "ollama".into(),
        name: "llama3.2".into(),
        provider_context_tokens: 32_768,
        provider_price: "0.15/0.6".into(),
        direct_address: Some("@models/llama-small".into()),
        form: form.with_error("price", "Enter two numbers, as in 0.15/0.60."),
    }
}

fn usage() -> AdminUsagePage {
    AdminUsagePage {
        report: usage_report(),
        budget: BudgetItem {
            monthly_micro: Some(50_000_000),
            cost_micro: 41_250_000,
            used_percent: Some(82),
            notice: Some("Models have cost 41.25 this month, 82 % of the budget of 50.".into()),
        },
        form: Form::filled([("amount", "50"), ("alert_percents", "80, 100")]),
    }
}

pub fn usage_report() -> UsageReport {
    let sums = |answers: u64| UsageSums {
        answers,
        tokens_in: answers * 1_204,
        tokens_out: answers * 310,
        cost_micro: answers * 2_300,
    };
    let days: [u64; 30] =
        std::array::from_fn(|day| if day % 7 > 4 { 0 } else { 40 + (day as u64 * 37) % 90 });
    let row = |label: &str, href: Option<&str>, answers| UsageBreakdownRow {
        label: label.into(),
        href: href.map(Into::into),
        sums: sums(answers),
    };
    UsageReport {
        days: 30,
        periods: vec![7, 30, 90],
        total: sums(days.iter().sum()),
        by_day: days.iter().zip(0_u64..).map(|(n, day)| (ago((29 - day) * 86_400), sums(*n))).collect(),
        providers: vec![row("openai", None, 1_400), row("Default", None, 320)],
        models: vec![
            row("openai/gpt-5-mini", None, 1_300),
            row("SmolLM2-135M", None, 320),
            row("openai/gpt-5", None, 100),
        ],
        accounts: vec![
            row("kenji", Some("/admin/users?q=kenji"), 900),
            row("noor", Some("/admin/users?q=noor"), 700),
            row("Callers without an account", None, 120),
        ],
        agents: vec![
            row("@kenji/translator", Some("/@kenji/translator"), 1_500),
            row("Decisions in teams", None, 220),
        ],
    }
}

fn provider() -> ProviderItem {
    ProviderItem {
        id: "ollama".into(),
        name: Some("ollama".into()),
        base_url: "http://127.0.0.1:11434/v1".into(),
        is_configured: false,
        has_key: false,
        models: vec![],
        context_tokens: 32_768,
        price: String::new(),
        is_paused: false,
        own_keys: Some("Used when the user has one"),
        last_test: Some(test()),
    }
}

fn test() -> ProviderTestItem {
    ProviderTestItem {
        tested_at: ago(400),
        listed: Some(2),
        model: Some("llama3.2".into()),
        first_token_ms: Some(342),
        calls_tools: Some(true),
        reads_images: Some(false),
        problem: None,
    }
}

fn users() -> AdminUsers {
    let user = |n: u8, name: &str, role, state, reason: Option<&str>| UserRow {
        id: AccountId::new(now(), &[n; 10]),
        name: name.into(),
        role,
        state,
        reason: reason.map(Into::into),
        since: ago(u64::from(n) * 900_000),
        seen: Some(ago(u64::from(n) * 300)),
        agents: u64::from(n),
        own: n == 1,
    };
    AdminUsers {
        reset: None,
        words: String::new(),
        rows: vec![
            user(1, "grace", Role::Admin, UserState::Active, None),
            user(
                2,
                "kenji",
                Role::User,
                UserState::Waiting,
                Some("I run the translation agents at the library and would like to list them here."),
            ),
            user(3, "noor", Role::Moderator, UserState::Active, None),
            user(4, "mallory", Role::User, UserState::Suspended, None),
            user(5, "rosa", Role::User, UserState::Leaving, None),
        ],
        pager: Pager::new(1, 20, 214),
    }
}

fn agents() -> AdminAgents {
    let agent = |n: u8, name: &str, address: &str, kind: &str, proved| AdminAgentRow {
        id: AgentId::new(now(), &[n; 10]),
        seed: address.into(),
        name: name.into(),
        address: address.parse().unwrap(),
        kind: kind.into(),
        visibility: Visibility::Public,
        paused: n == 3,
        proved,
        last_answered: (n < 3).then(|| ago(u64::from(n) * 80)),
        runs_today: u64::from(n) * 1_700,
        failed_today: u64::from(n),
        can_withdraw: true,
        is_featured: proved,
    };
    AdminAgents {
        words: "e".into(),
        rows: vec![
            agent(1, "Tide clerk", "@ada/tide-clerk", "A2A 1.0", true),
            agent(2, "Proof reader", "@noor/proof-reader", "Model", true),
            agent(3, "翻訳係", "@kenji/honyaku", "A2A 0.3", false),
        ],
        pager: Pager::new(1, 20, 3),
    }
}

fn origins() -> AdminOrigins {
    let row = OriginRow {
        origin: "http://127.0.0.1:9001".into(),
        note: "The tide clerk on this machine".into(),
        by: "grace".into(),
        at: ago(5_000),
        agents: 1,
    };
    AdminOrigins { rows: vec![row], form: Form::default() }
}

fn invites() -> AdminInvites {
    let row = |id: &str, used: Option<&str>| InviteRow {
        id: id.into(),
        by: "grace".into(),
        expires: now() + std::time::Duration::from_secs(400_000),
        used: used.is_some(),
        used_by: used.map(Into::into),
    };
    AdminInvites {
        registration: Registration::Invite,
        rows: vec![row("a", None), row("b", Some("noor"))],
        created: Some("http://127.0.0.1:3000/signup?invite=5Jw2vQm8sY0b".into()),
        form: Form::default(),
    }
}

fn audit() -> AdminAudit {
    let row = |n: u64, action: &str, target: &str, change: &[(&str, &str)]| AuditRow {
        at: ago(n * 4_000),
        actor: "@grace".into(),
        action: action.into(),
        target: target.into(),
        change: change.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        request: "01a1f7fe8f58".into(),
    };
    AdminAudit {
        actor: "grace".into(),
        action: String::new(),
        actions: vec!["account.suspend".into(), "agent.pause".into(), "origin.vouch".into()],
        rows: vec![
            row(1, "agent.pause", "@ada/tide-clerk", &[("reason", "It answers with last year’s tides")]),
            row(2, "account.role", "@noor", &[("from", "user"), ("to", "moderator")]),
            row(9, "account.suspend", "@mallory", &[]),
        ],
        pager: Pager::new(1, 20, 43),
    }
}

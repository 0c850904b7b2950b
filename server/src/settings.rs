//! Settings, in order of precedence: flags, `PLEXUS_*` variables, `plexus.toml`, defaults. One table defines
//! them all.

mod limits;

use std::{collections::BTreeMap, fmt, path::Path, str::FromStr};

use anyhow::{Context as _, anyhow, bail};
use clap::{Arg, ArgMatches, Command};

pub use limits::{quotas, rates};

/// Definition of one setting.
pub struct Setting {
    /// The key in `plexus.toml`. The flag is the same with hyphens.
    pub key: &'static str,
    pub variable: &'static str,
    /// The default as text; a description if it is computed.
    pub default: &'static str,
    /// The value may also be read from a file named by `<variable>_FILE`. It is never printed.
    pub secret: bool,
    pub help: &'static str,
}

const fn setting(
    key: &'static str,
    variable: &'static str,
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting { key, variable, default, secret: false, help }
}

const fn secret(
    key: &'static str,
    variable: &'static str,
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting { key, variable, default, secret: true, help }
}

impl Setting {
    fn flag(&self) -> clap::builder::Str {
        clap::builder::Str::from(self.key.replace('_', "-"))
    }
}

#[rustfmt::skip]
const SETTINGS: &[Setting] = &[
    setting("listen", "PLEXUS_LISTEN", "127.0.0.1:3000", "Address and port that the hub serves on"),
    setting("public_url", "PLEXUS_PUBLIC_URL", "http://<listen>", "The address that people and programs use; behind a proxy, the proxy's"),
    setting("hub_name", "PLEXUS_HUB_NAME", "Plexus", "The name that pages show"),
    setting("data_dir", "PLEXUS_DATA_DIR", "./data", "Folder of the database, the index and the keys"),
    setting("blobs_dir", "PLEXUS_BLOBS_DIR", "<data_dir>/blobs", "Folder of the files that agents and callers sent; one for all processes of a hub"),
    secret("database_url", "DATABASE_URL", "SQLite in the data folder", "postgres://… for Postgres 15 or newer"),
    setting("database_pool", "PLEXUS_DATABASE_POOL", "10", "Connections kept to Postgres"),
    setting("sqlite_durability", "PLEXUS_SQLITE_DURABILITY", "power-cut", "What an accepted message survives on SQLite: power-cut (each commit is synced to the disk), or crash (of the process alone; a power cut loses the last moments)"),
    setting("secret_key_file", "PLEXUS_SECRET_KEY_FILE", "<data_dir>/secret.key", "The key that seals credentials; made at the first start"),
    setting("registration", "PLEXUS_REGISTRATION", "open where only this machine reaches the hub, else invite", "Who may sign up: open, approval, invite or closed"),
    setting("allow_private_networks", "PLEXUS_ALLOW_PRIVATE_NETWORKS", "auto", "Whether agents may be at private addresses: auto (an administrator's own, while only this machine reaches the hub), true, false"),
    setting("insecure_http", "PLEXUS_INSECURE_HTTP", "false", "Serve plain http beyond loopback; passwords then cross the network unprotected"),
    setting("trusted_proxies", "PLEXUS_TRUSTED_PROXIES", "none", "Reverse proxies whose X-Forwarded-For is believed: addresses or networks such as 10.0.0.0/8, separated by commas"),
    setting("mcp_origins", "PLEXUS_MCP_ORIGINS", "none", "Origins of other sites whose pages may call over MCP, separated by commas, as in https://app.example.org"),
    setting("open_launch", "PLEXUS_OPEN_LAUNCH", "false", "Let programs of this machine launch teams without a token, as the first administrator; only while the hub listens on loopback"),
    setting("llm_base_url", "PLEXUS_LLM_BASE_URL", "none", "An OpenAI-compatible server for agents that the hub runs, as in http://127.0.0.1:8080/v1"),
    secret("llm_api_key", "PLEXUS_LLM_API_KEY", "none", "The key for that server"),
    setting("llm_model", "PLEXUS_LLM_MODEL", "none", "The model that new agents use"),
    setting("llm_price", "PLEXUS_LLM_PRICE", "none", "What a million tokens cost, sent and received, as in 0.15/0.60"),
    setting("llm_context_tokens", "PLEXUS_LLM_CONTEXT_TOKENS", "32768", "How much of a conversation its models take at once"),
    setting("team_model", "PLEXUS_TEAM_MODEL", "none", "The model that decides in teams: whom to invite, who works on what, when to conclude; without one, rules do"),
    setting("llm_fallback_base_url", "PLEXUS_LLM_FALLBACK_BASE_URL", "none", "Another such server, which is asked where the first does not answer"),
    secret("llm_fallback_api_key", "PLEXUS_LLM_FALLBACK_API_KEY", "none", "The key for that one"),
    setting("llm_fallback_model", "PLEXUS_LLM_FALLBACK_MODEL", "the same", "The model that is asked there"),
    setting("llm_fallback_price", "PLEXUS_LLM_FALLBACK_PRICE", "none", "What a million tokens cost there"),
    secret("llm_providers", "PLEXUS_LLM_PROVIDERS", "none", "More such servers, whose models agents choose as NAME/MODEL: a table in plexus.toml, one [llm_providers.NAME] for each"),
    setting("p2p_listen", "PLEXUS_P2P_LISTEN", "off", "Where other hubs reach this one, separated by commas: address and port (TCP and QUIC), or multiaddresses such as /ip4/0.0.0.0/tcp/4001; nowhere: it is reached through hubs that lend themselves; without it this hub takes no part in the network of hubs"),
    setting("p2p_bootstrap", "PLEXUS_P2P_BOOTSTRAP", "none", "Ways into the network, separated by commas: multiaddresses of hubs, host and port, or a domain whose record _plexus.DOMAIN names some"),
    setting("p2p_external", "PLEXUS_P2P_EXTERNAL", "where it listens", "Where other hubs reach this one from outside, as multiaddresses separated by commas"),
    setting("p2p_mdns", "PLEXUS_P2P_MDNS", "false", "Look for hubs in the same local network, and be found there"),
    setting("p2p_relay", "PLEXUS_P2P_RELAY", "false", "Lend this hub to hubs that cannot be called: what is said to them passes through it, within bounds"),
    setting("federation_mode", "PLEXUS_FEDERATION_MODE", "probation", "How hubs are treated that no rule names: open (carried in full), probation (within narrow limits until they have proved a domain or a week has passed), allowlist (not at all)"),
    setting("share_rules", "PLEXUS_SHARE_RULES", "false", "Give this hub's rules about other hubs to whoever asks, signed, with their reasons"),
    secret("programs", "PLEXUS_PROGRAMS", "none", "Programs that agents may be made of or use: a table in plexus.toml, one [programs.NAME] for each"),
    setting("programs_at_once", "PLEXUS_PROGRAMS_AT_ONCE", "16", "How many of them run at once, those that wait for a message included"),
    setting("unsafe_processes", "PLEXUS_UNSAFE_PROCESSES", "false", "Start programs as the hub's own user where nothing on this machine can keep them apart from it"),
    setting("metrics_listen", "PLEXUS_METRICS_LISTEN", "off", "Address and port for Prometheus metrics"),
    setting("max_message_bytes", "PLEXUS_MAX_MESSAGE_BYTES", "1048576", "Largest message that a person may send"),
    setting("max_answer_bytes", "PLEXUS_MAX_ANSWER_BYTES", "4194304", "Largest answer that is taken from an agent"),
    setting("max_file_bytes", "PLEXUS_MAX_FILE_BYTES", "16777216", "Largest sum of the files of one answer that is taken from an agent"),
    setting("runs_per_account", "PLEXUS_RUNS_PER_ACCOUNT", "8", "Answers that one account may have in progress at once; more wait for their turn"),
    setting("runs_per_agent", "PLEXUS_RUNS_PER_AGENT", "64", "Answers that one agent may have in progress at once; more wait, and callers take turns"),
    setting("waiting_per_account", "PLEXUS_WAITING_PER_ACCOUNT", "64", "Answers that may wait for their turn, of one account; more are refused"),
    setting(
        "runs_of_strangers",
        "PLEXUS_RUNS_OF_STRANGERS",
        "16",
        "Answers in progress at once for all callers without an account together",
    ),
    setting("run_seconds", "PLEXUS_RUN_SECONDS", "1800", "Longest time an agent may work on one answer"),
    setting("idle_seconds", "PLEXUS_IDLE_SECONDS", "120", "Longest silence of an agent in the middle of an answer"),
    setting("limits_scale", "PLEXUS_LIMITS_SCALE", "1", "Multiplies every limit of how often a thing is done; raised by load tests"),
    setting("dns_server", "PLEXUS_DNS_SERVER", "the system's", "Address and port of the DNS server that names of agents are looked up at"),
    setting("security_contact", "PLEXUS_SECURITY_CONTACT", "the page /docs/security", "Whom /.well-known/security.txt names: a mail address, or an https address"),
    setting("log", "PLEXUS_LOG", "info", "What is logged, as in info,plexus_hub=debug"),
    setting("log_format", "PLEXUS_LOG_FORMAT", "text", "text or json"),
];

/// Iterates over all settings.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().chain(limits::LIMITS).chain(limits::QUOTAS)
}

/// Source of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Flag,
    Variable,
    File,
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "flag",
            Self::Variable => "variable",
            Self::File => "plexus.toml",
            Self::Default => "default",
        })
    }
}

/// The configured values by key. A missing key has its default.
#[derive(Default)]
pub struct Settings(BTreeMap<&'static str, (String, Source)>);

impl Settings {
    /// Adds a flag for every setting to a command.
    pub fn flags(command: Command) -> Command {
        all().fold(command, |command, setting| {
            let help = format!("{} [{}] [default: {}]", setting.help, setting.variable, setting.default);
            let arg = Arg::new(setting.key).long(setting.flag()).value_name("VALUE").help(help);
            command.arg(arg.help_heading("Settings"))
        })
    }

    /// Reads all sources. `variable` looks up environment variables; `file` is the path of `plexus.toml`,
    /// which may not exist.
    pub fn read(
        flags: &ArgMatches,
        variable: impl Fn(&str) -> Option<String>,
        file: &Path,
    ) -> anyhow::Result<Self> {
        let file = read_file(file)?;
        let mut values = BTreeMap::new();
        for setting in all() {
            let flag = flags.try_get_one::<String>(setting.key).ok().flatten().cloned();
            let value = match flag {
                Some(value) => Some((value, Source::Flag)),
                None => match from_environment(setting, &variable)? {
                    Some(value) => Some((value, Source::Variable)),
                    None => file.get(setting.key).map(|value| (value.clone(), Source::File)),
                },
            };
            // Compose files and shells use an empty value for "not set".
            if let Some(value) = value.filter(|(value, _)| !value.is_empty()) {
                values.insert(setting.key, value);
            }
        }
        Ok(Self(values))
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|(value, _)| value.as_str())
    }

    /// Parses the value of `key`, or returns `default` if it is not set. An error names the setting, its
    /// value and its source.
    pub fn parse<T: FromStr>(&self, key: &str, default: T) -> anyhow::Result<T>
    where
        T::Err: fmt::Display,
    {
        let Some((value, source)) = self.0.get(key) else { return Ok(default) };
        value.parse().map_err(|error| {
            anyhow::anyhow!("{key} = \"{value}\" (from the {source}) is not usable: {error}")
        })
    }

    /// Returns each setting with its value and source, as printed by `plexus config`. Secrets are redacted.
    pub fn table(&self) -> Vec<(&'static Setting, String, Source)> {
        let row = |setting: &'static Setting| match self.0.get(setting.key) {
            Some((_, source)) if setting.secret => (setting, "(set, not shown)".to_owned(), *source),
            Some((value, source)) => (setting, value.clone(), *source),
            None => (setting, setting.default.to_owned(), Source::Default),
        };
        all().map(row).collect()
    }
}

fn from_environment(
    setting: &Setting,
    variable: &impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<String>> {
    if let Some(value) = variable(setting.variable) {
        return Ok(Some(value));
    }
    let name = format!("{}_FILE", setting.variable);
    let Some(path) = setting.secret.then(|| variable(&name)).flatten() else { return Ok(None) };
    let value = std::fs::read_to_string(&path).with_context(|| format!("reading {path}, named by {name}"))?;
    Ok(Some(value.trim_end().to_owned()))
}

fn read_file(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    // The full error quotes the line, which may contain a secret.
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        anyhow!("reading {}, line {}: {}", path.display(), line_of(&text, &error), error.message())
    })?;
    let mut values = BTreeMap::new();
    for (key, value) in limits::flat(table) {
        if !all().any(|setting| setting.key == key) {
            bail!("{} sets \"{key}\", which is no setting; `plexus config` lists them", path.display());
        }
        let value = match value {
            toml::Value::String(text) => text,
            other => other.to_string(),
        };
        values.insert(key, value);
    }
    Ok(values)
}

/// Returns the line number of a parse error.
fn line_of(text: &str, error: &toml::de::Error) -> usize {
    let before = error.span().and_then(|span| text.get(..span.start));
    before.map_or(1, |before| before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flags: &[&str], variables: &[(&str, &str)], file: &str) -> anyhow::Result<Settings> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("plexus.toml");
        std::fs::write(&path, file)?;
        let matches =
            Settings::flags(Command::new("plexus")).try_get_matches_from([&["plexus"], flags].concat())?;
        let variable =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Settings::read(&matches, variable, &path)
    }

    #[test]
    fn a_flag_beats_a_variable_beats_the_file_beats_the_default() {
        let file = "listen = \"127.0.0.1:1\"\ndatabase_pool = 3\nhub_name = \"File\"";
        let given = [("PLEXUS_LISTEN", "127.0.0.1:2"), ("PLEXUS_HUB_NAME", "Variable")];
        let settings = read(&["--listen", "127.0.0.1:3"], &given, file).unwrap();
        assert_eq!(settings.text("listen"), Some("127.0.0.1:3"));
        assert_eq!(settings.text("hub_name"), Some("Variable"));
        assert_eq!(settings.parse("database_pool", 10).unwrap(), 3);
        assert_eq!(settings.parse("limits_scale", 1).unwrap(), 1);
        assert_eq!(settings.text("registration"), None);
    }

    #[test]
    fn mistakes_are_named_and_secrets_are_not_shown() {
        let error = read(&[], &[], "lisen = \"x\"").err().unwrap();
        assert!(error.to_string().contains("\"lisen\", which is no setting"), "{error}");
        let settings =
            read(&[], &[("PLEXUS_DATABASE_POOL", "many"), ("PLEXUS_LLM_API_KEY", "sk-1")], "").unwrap();
        let error = settings.parse("database_pool", 10).unwrap_err().to_string();
        assert!(error.contains("database_pool = \"many\" (from the variable)"), "{error}");
        assert!(settings.table().iter().all(|(_, value, _)| !value.contains("sk-1")));
        let torn = "listen = \"127.0.0.1:1\"\nllm_api_key = \"sk-1\n";
        let error = format!("{:#}", read(&[], &[], torn).err().unwrap());
        assert!(error.contains("plexus.toml, line 2: ") && !error.contains("sk-1"), "{error}");
    }

    #[test]
    fn a_secret_may_come_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "sk-2\n").unwrap();
        let settings = read(&[], &[("PLEXUS_LLM_API_KEY_FILE", file.to_str().unwrap())], "").unwrap();
        assert_eq!(settings.text("llm_api_key"), Some("sk-2"));
    }
}

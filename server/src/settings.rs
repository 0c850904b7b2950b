//! Settings, in order of precedence: flags, `PLEXUS_*` variables, `plexus.toml`, defaults. One table defines
//! them all.

mod environment;
mod errors;
mod expansion;
mod limits;
mod reader;

use std::{collections::BTreeMap, fmt, path::Path, str::FromStr};

use anyhow::{Context as _, anyhow, ensure};
use clap::{Arg, ArgMatches, Command};

pub use environment::unknown_variables;
pub use errors::SettingErrors;
pub use limits::{quotas, rates};
pub use reader::SettingReader;

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
    setting("public_url", "PLEXUS_PUBLIC_URL", "http://<listen>", "Public URL of the hub; behind a proxy, \
        the proxy's"),
    setting("hub_name", "PLEXUS_HUB_NAME", "Plexus", "Name of the hub on its pages"),
    setting("hub_description", "PLEXUS_HUB_DESCRIPTION", "", "What this hub is good for: the headline of its home page"),
    setting("data_dir", "PLEXUS_DATA_DIR", "./data", "Folder of the database, the index and the keys"),
    setting("files_dir", "PLEXUS_FILES_DIR", "<data_dir>/blobs", "Folder of uploaded files; shared by all \
        instances of a hub"),
    secret("database_url", "DATABASE_URL", "SQLite in the data folder", "postgres://… for Postgres 15 or \
        newer"),
    setting("database_pool_size", "PLEXUS_DATABASE_POOL_SIZE", "10", "Size of the Postgres connection pool"),
    setting("sqlite_durability", "PLEXUS_SQLITE_DURABILITY", "power-cut", "Durability of commits on SQLite: \
        power-cut (each commit is synced to the disk), or crash (survives a crash of the process; a power \
        cut loses the last moments)"),
    setting("secret_key_file", "PLEXUS_SECRET_KEY_FILE", "<data_dir>/secret.key", "File of the key that \
        encrypts credentials; created at the first start"),
    setting("backup_dir", "PLEXUS_BACKUP_DIR", "none", "Folder of scheduled backups; unset: backups only by the \
        backup command"),
    setting("backup_hours", "PLEXUS_BACKUP_HOURS", "24", "Hours between scheduled backups"),
    setting("backup_keep_days", "PLEXUS_BACKUP_KEEP_DAYS", "7", "Number of days of which the newest scheduled \
        backup is kept"),
    setting("backup_keep_weeks", "PLEXUS_BACKUP_KEEP_WEEKS", "4", "Number of weeks of which the newest scheduled \
        backup is kept"),
    setting("registration", "PLEXUS_REGISTRATION", "open if the hub listens on loopback, else \
        invite", "Registration mode: open, approval, invite or closed"),
    setting("allow_private_networks", "PLEXUS_ALLOW_PRIVATE_NETWORKS", "auto", "Allow agents at private \
        addresses: auto (agents of administrators, while the hub listens on loopback), true, false"),
    setting("allow_insecure_http", "PLEXUS_ALLOW_INSECURE_HTTP", "false", "Serve plain http beyond loopback; \
        passwords are then sent unencrypted"),
    setting("trusted_proxies", "PLEXUS_TRUSTED_PROXIES", "none", "Reverse proxies whose X-Forwarded-For is \
        trusted: addresses or networks such as 10.0.0.0/8, separated by commas"),
    setting("mcp_allowed_origins", "PLEXUS_MCP_ALLOWED_ORIGINS", "none", "Other origins whose pages may call \
        over MCP, separated by commas, as in https://app.example.org"),
    setting("launch_goal_without_token", "PLEXUS_LAUNCH_GOAL_WITHOUT_TOKEN", "false", "Let programs on this \
        machine launch teams without a token, as the first administrator; requires a hub on loopback"),
    secret("smtp_url", "PLEXUS_SMTP_URL", "none", "Mail server, as in smtps://user:password@mail.example.org (TLS) \
        or smtp://user:password@mail.example.org:587 (STARTTLS); unset: the hub sends no e-mail"),
    setting("mail_from", "PLEXUS_MAIL_FROM", "none", "Sender of e-mails, as in Plexus <plexus@example.org>; \
        required with smtp_url"),
    setting("llm_base_url", "PLEXUS_LLM_BASE_URL", "none", "OpenAI-compatible model server for agents that \
        the hub runs, as in http://127.0.0.1:8080/v1"),
    secret("llm_api_key", "PLEXUS_LLM_API_KEY", "none", "API key of that server"),
    setting("llm_model", "PLEXUS_LLM_MODEL", "none", "Default model of new agents"),
    setting("llm_price_per_mtok", "PLEXUS_LLM_PRICE_PER_MTOK", "none", "Price of a million tokens, \
        input/output, as in 0.15/0.60"),
    setting("llm_context_tokens", "PLEXUS_LLM_CONTEXT_TOKENS", "32768", "Context window of the models, in \
        tokens"),
    setting("team_model", "PLEXUS_TEAM_MODEL", "none", "Model that decides in teams: whom to invite, who \
        works on what, when to conclude; unset: built-in rules decide"),
    setting("title_model", "PLEXUS_TITLE_MODEL", "none", "Model that names chats; it reads the first message and \
        answer of each chat, whichever agent wrote it. Unset: the title is the beginning of the first message"),
    setting("embeddings_model", "PLEXUS_EMBEDDINGS_MODEL", "none", "Model that embeds the passages of knowledge files and \
        the messages to their agents; unset: passages are found by their words"),
    setting("llm_fallback_base_url", "PLEXUS_LLM_FALLBACK_BASE_URL", "none", "Fallback model server, used \
        when the first fails"),
    secret("llm_fallback_api_key", "PLEXUS_LLM_FALLBACK_API_KEY", "none", "API key of the fallback server"),
    setting("llm_fallback_model", "PLEXUS_LLM_FALLBACK_MODEL", "the same", "Model of the fallback server"),
    setting("llm_fallback_price_per_mtok", "PLEXUS_LLM_FALLBACK_PRICE_PER_MTOK", "none", "Price of a million \
        tokens there, input/output"),
    secret("llm_providers", "PLEXUS_LLM_PROVIDERS", "none", "Further model servers, whose models are named \
        NAME/MODEL: a table in plexus.toml, one [llm_providers.NAME] for each"),
    setting("p2p_listen", "PLEXUS_P2P_LISTEN", "off", "Listen addresses for federation, separated by commas: \
        host:port (TCP and QUIC), or multiaddrs such as /ip4/0.0.0.0/tcp/4001; dial-only: outgoing connections \
        only, reachable via relays; unset: federation disabled"),
    setting("p2p_bootstrap", "PLEXUS_P2P_BOOTSTRAP", "none", "Bootstrap peers, separated by commas: \
        multiaddrs, host:port, or a domain with a TXT record _plexus.DOMAIN"),
    setting("p2p_external_addresses", "PLEXUS_P2P_EXTERNAL_ADDRESSES", "the listen \
        addresses", "Public addresses of this hub for \
        federation, as multiaddrs separated by commas"),
    setting("p2p_mdns", "PLEXUS_P2P_MDNS", "false", "Discover hubs in the local network, and announce this \
        hub there"),
    setting("p2p_relay", "PLEXUS_P2P_RELAY", "false", "Act as a circuit relay for hubs behind NAT, within \
        fixed budgets"),
    setting("federation_mode", "PLEXUS_FEDERATION_MODE", "probation", "Default for hubs without a rule: open \
        (full quota), probation (reduced quota until a domain is verified or a week has passed), allowlist \
        (blocked)"),
    setting("publish_federation_rules", "PLEXUS_PUBLISH_FEDERATION_RULES", "false", "Publish this hub's \
        federation rules with their reasons as a signed rule list"),
    secret("programs", "PLEXUS_PROGRAMS", "none", "Programs that agents may run or use: a table in \
        plexus.toml, one [programs.NAME] for each"),
    setting("max_programs", "PLEXUS_MAX_PROGRAMS", "16", "Maximum number of running programs, idle \
        ones included"),
    setting("allow_unsandboxed_programs", "PLEXUS_ALLOW_UNSANDBOXED_PROGRAMS", "false", "Run programs \
        unsandboxed if no sandbox is available"),
    setting("drain_seconds", "PLEXUS_DRAIN_SECONDS", "4; 0 on loopback", "How long the hub serves on after SIGTERM \
        while /readyz answers 503, so that a load balancer can send requests elsewhere"),
    setting("metrics_listen", "PLEXUS_METRICS_LISTEN", "off", "Address and port for Prometheus metrics"),
    setting("temporary_chat_hours", "PLEXUS_TEMPORARY_CHAT_HOURS", "24", "Hours after its last message at which a \
        temporary chat is deleted, at most 65535"),
    setting("max_message_bytes", "PLEXUS_MAX_MESSAGE_BYTES", "1048576", "Largest message that a user may \
        send"),
    setting("max_answer_bytes", "PLEXUS_MAX_ANSWER_BYTES", "4194304", "Largest answer accepted from an \
        agent"),
    setting("max_file_bytes", "PLEXUS_MAX_FILE_BYTES", "16777216", "Largest total size of the files of one \
        message or answer"),
    setting("max_runs_per_account", "PLEXUS_MAX_RUNS_PER_ACCOUNT", "8", "Maximum concurrent runs per account; \
        further runs are queued"),
    setting("max_runs_per_agent", "PLEXUS_MAX_RUNS_PER_AGENT", "64", "Maximum concurrent runs per agent; \
        further runs are queued fairly"),
    setting("max_queued_runs_per_account", "PLEXUS_MAX_QUEUED_RUNS_PER_ACCOUNT", "64", "Maximum queued runs \
        per account; further runs are refused"),
    setting(
        "max_runs_anonymous",
        "PLEXUS_MAX_RUNS_ANONYMOUS",
        "16",
        "Maximum concurrent runs of all anonymous callers together",
    ),
    setting("run_timeout_seconds", "PLEXUS_RUN_TIMEOUT_SECONDS", "1800", "Timeout of one answer"),
    setting("run_idle_timeout_seconds", "PLEXUS_RUN_IDLE_TIMEOUT_SECONDS", "120", "Idle timeout of an agent \
        during an answer, from its first byte"),
    setting("rate_limit_scale", "PLEXUS_RATE_LIMIT_SCALE", "1", "Multiplies every rate limit; raised by load \
        tests"),
    setting("dns_server", "PLEXUS_DNS_SERVER", "the system's", "Address and port of the DNS server for agent \
        host names"),
    setting("security_contact", "PLEXUS_SECURITY_CONTACT", "the page /docs/security", "Contact in \
        /.well-known/security.txt: a mail address or an https URL"),
    setting("log", "PLEXUS_LOG", "info", "Log filter, as in info,plexus_hub=debug"),
    setting("log_format", "PLEXUS_LOG_FORMAT", "text", "text or json"),
];

/// Settings whose value is a table. A file with one is a configuration file, in which variables are expanded.
const TABLES: [&str; 2] = ["llm_providers", "programs"];

/// Settings that were renamed: the old key, which is refused, and the key that replaces it.
#[rustfmt::skip]
const RENAMED: &[(&str, &str)] = &[
    ("blobs_dir", "files_dir"),
    ("database_pool", "database_pool_size"),
    ("insecure_http", "allow_insecure_http"),
    ("mcp_origins", "mcp_allowed_origins"),
    ("open_launch", "launch_goal_without_token"),
    ("llm_price", "llm_price_per_mtok"),
    ("llm_fallback_price", "llm_fallback_price_per_mtok"),
    ("p2p_external", "p2p_external_addresses"),
    ("share_rules", "publish_federation_rules"),
    ("programs_at_once", "max_programs"),
    ("unsafe_processes", "allow_unsandboxed_programs"),
    ("runs_per_account", "max_runs_per_account"),
    ("runs_per_agent", "max_runs_per_agent"),
    ("waiting_per_account", "max_queued_runs_per_account"),
    ("runs_of_strangers", "max_runs_anonymous"),
    ("run_seconds", "run_timeout_seconds"),
    ("idle_seconds", "run_idle_timeout_seconds"),
    ("limits_scale", "rate_limit_scale"),
    ("limit_trials", "limit_test_messages"),
    ("limit_searches_of_strangers", "limit_searches_anonymous"),
    ("limit_searches_of_all_strangers", "limit_searches_anonymous_total"),
    ("limit_network_searches_of_strangers", "limit_network_searches_anonymous_total"),
    ("limit_wrong_tokens", "limit_invalid_tokens"),
    ("limit_wrong_grants", "limit_invalid_grants"),
    ("limit_registrations_of_hub", "limit_registrations_total"),
    ("limit_calls", "limit_rpc_calls"),
    ("limit_calls_per_connection", "limit_rpc_calls_per_connection"),
    ("limit_shares", "limit_shared_links"),
    ("limit_guest_messages", "limit_messages_per_hub"),
    ("limit_hub_requests", "limit_requests_per_hub"),
    ("limit_changes", "limit_agent_changes"),
    ("quota_agents_of_hub", "quota_agents_total"),
    ("quota_bytes_of_hub", "quota_bytes_total"),
    ("quota_bytes_of_strangers", "quota_bytes_anonymous"),
    ("quota_bytes_of_peers", "quota_bytes_per_hub"),
    ("quota_push", "quota_webhooks"),
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
    /// Adds a flag for every setting to a command, and a hidden one for each old name, which
    /// [`Self::read`] refuses. The help of a command with subcommands lists only the data folder, since its
    /// subcommands would be lost among the settings.
    pub fn flags(command: Command) -> Command {
        let is_group = command.has_subcommands();
        let command = RENAMED.iter().fold(command, |command, (old, _)| {
            command.arg(Arg::new(*old).long(old.replace('_', "-")).hide(true))
        });
        all().fold(command, |command, setting| {
            let help = format!("{} [{}] [default: {}]", setting.help, setting.variable, setting.default);
            let arg = Arg::new(setting.key).long(setting.flag()).value_name("VALUE").help(help);
            command.arg(arg.help_heading("Settings").hide(is_group && setting.key != "data_dir"))
        })
    }

    /// Reads all sources. `variable` looks up environment variables; `file` is the path of `plexus.toml`,
    /// which may not exist. An old name of a setting is an error that names the new one. All mistakes are
    /// reported at once, as [`SettingErrors`].
    pub fn read(
        flags: &ArgMatches,
        variable: impl Fn(&str) -> Option<String>,
        file: &Path,
    ) -> anyhow::Result<Self> {
        let mut errors = SettingErrors::default();
        refuse_renamed(flags, &variable, &mut errors);
        let file = errors.or_default(read_file(file, &variable));
        let mut values = BTreeMap::new();
        for setting in all() {
            let flag = flags.try_get_one::<String>(setting.key).ok().flatten().cloned();
            let value = match flag {
                Some(value) => Some((value, Source::Flag)),
                None => match errors.or_default(from_environment(setting, &variable)) {
                    Some(value) => Some((value, Source::Variable)),
                    None => file.get(setting.key).map(|value| (value.clone(), Source::File)),
                },
            };
            // Compose files and shells use an empty value for "not set".
            if let Some(value) = value.filter(|(value, _)| !value.is_empty()) {
                values.insert(setting.key, value);
            }
        }
        errors.finish()?;
        Ok(Self(values))
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|(value, _)| value.as_str())
    }

    /// Returns whether the value of `key` is given, by a flag, a variable or the file.
    pub fn is_given(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Parses the value of `key`, or returns `default` if it is not set. An error names the setting, its
    /// value and its source.
    pub fn parse<T: FromStr>(&self, key: &str, default: T) -> anyhow::Result<T>
    where
        T::Err: fmt::Display,
    {
        let Some((value, source)) = self.0.get(key) else { return Ok(default) };
        value
            .parse()
            .map_err(|error| anyhow::anyhow!("{key} = \"{value}\" (from the {source}) is invalid: {error}"))
    }

    /// Parses a number for which 0 would stop the hub from working.
    pub fn parse_positive<T: FromStr + PartialEq + Default>(&self, key: &str, default: T) -> anyhow::Result<T>
    where
        T::Err: fmt::Display,
    {
        let value = self.parse(key, default)?;
        let source = self.0.get(key).map_or(Source::Default, |(_, source)| *source);
        ensure!(value != T::default(), "{key} = \"0\" (from the {source}) is invalid: it must be at least 1");
        Ok(value)
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

/// Adds an error for each flag or variable that has the old name of a setting.
fn refuse_renamed(
    flags: &ArgMatches,
    variable: &impl Fn(&str) -> Option<String>,
    errors: &mut SettingErrors,
) {
    for (old, new) in RENAMED {
        if flags.try_get_one::<String>(old).ok().flatten().is_some() {
            errors.add(format!("--{} is now --{}", old.replace('_', "-"), new.replace('_', "-")));
        }
        let [old, new] = [old, new].map(|key| format!("PLEXUS_{}", key.to_uppercase()));
        if variable(&old).is_some_and(|value| !value.is_empty()) {
            errors.add(format!("the variable {old} is now {new}"));
        }
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
    if TABLES.contains(&setting.key)
        && let Ok(table) = value.parse::<toml::Table>()
    {
        let mut errors = SettingErrors::default();
        let table = expansion::expand(setting.key, toml::Value::Table(table), variable, &mut errors);
        errors.finish()?;
        return Ok(table.as_table().map(toml::Table::to_string));
    }
    Ok(Some(value.trim_end().to_owned()))
}

fn read_file(
    path: &Path,
    variable: &impl Fn(&str) -> Option<String>,
) -> anyhow::Result<BTreeMap<String, String>> {
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
    let mut errors = SettingErrors::default();
    for (key, value) in limits::flat(table) {
        if let Some((old, new)) = RENAMED.iter().find(|(old, _)| *old == key) {
            errors.add(format!("{} sets \"{old}\", which is now \"{new}\"", path.display()));
            continue;
        }
        if !all().any(|setting| setting.key == key) {
            let advice = match environment::nearest(&key, all().map(|setting| setting.key)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "`plexus config` lists all settings".to_owned(),
            };
            errors.add(format!("{} sets the unknown setting \"{key}\"; {advice}", path.display()));
            continue;
        }
        let value = match expansion::expand(&key, value, variable, &mut errors) {
            toml::Value::String(text) => text,
            other => other.to_string(),
        };
        values.insert(key, value);
    }
    errors.finish()?;
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
        let file = "listen = \"127.0.0.1:1\"\ndatabase_pool_size = 3\nhub_name = \"File\"";
        let given = [("PLEXUS_LISTEN", "127.0.0.1:2"), ("PLEXUS_HUB_NAME", "Variable")];
        let settings = read(&["--listen", "127.0.0.1:3"], &given, file).unwrap();
        assert_eq!(settings.text("listen"), Some("127.0.0.1:3"));
        assert_eq!(settings.text("hub_name"), Some("Variable"));
        assert_eq!(settings.parse("database_pool_size", 10).unwrap(), 3);
        assert_eq!(settings.parse("rate_limit_scale", 1).unwrap(), 1);
        assert_eq!(settings.text("registration"), None);
    }

    #[test]
    fn mistakes_are_named_and_secrets_are_not_shown() {
        let error = read(&[], &[], "lisen = \"x\"").err().unwrap();
        assert!(error.to_string().contains("unknown setting \"lisen\""), "{error}");
        let settings =
            read(&[], &[("PLEXUS_DATABASE_POOL_SIZE", "many"), ("PLEXUS_LLM_API_KEY", "sk-1")], "").unwrap();
        let error = settings.parse("database_pool_size", 10).unwrap_err().to_string();
        assert!(error.contains("database_pool_size = \"many\" (from the variable)"), "{error}");
        assert!(settings.table().iter().all(|(_, value, _)| !value.contains("sk-1")));
        let torn = "listen = \"127.0.0.1:1\"\nllm_api_key = \"sk-1\n";
        let error = format!("{:#}", read(&[], &[], torn).err().unwrap());
        assert!(error.contains("plexus.toml, line 2: ") && !error.contains("sk-1"), "{error}");
    }

    #[test]
    fn an_old_name_is_refused_with_the_new_one() {
        for (old, new) in RENAMED {
            assert!(all().any(|setting| setting.key == *new), "{new}");
            assert!(all().all(|setting| setting.key != *old), "{old}");
            let [old_flag, new_flag] = [old, new].map(|key| format!("--{}", key.replace('_', "-")));
            let [old_variable, new_variable] = [old, new].map(|key| format!("PLEXUS_{}", key.to_uppercase()));
            let by_flag = read(&[&old_flag, "1"], &[], "").err().unwrap().to_string();
            assert_eq!(by_flag, format!("{old_flag} is now {new_flag}"));
            let by_variable = read(&[], &[(&old_variable, "1")], "").err().unwrap().to_string();
            assert_eq!(by_variable, format!("the variable {old_variable} is now {new_variable}"));
            let by_file = read(&[], &[], &format!("{old} = 1")).err().unwrap().to_string();
            assert!(by_file.ends_with(&format!("sets \"{old}\", which is now \"{new}\"")), "{by_file}");
        }
        let in_table = read(&[], &[], "[quotas]\npush = 3").err().unwrap().to_string();
        assert!(in_table.contains("\"quota_push\", which is now \"quota_webhooks\""), "{in_table}");
    }

    #[test]
    fn variables_are_expanded_in_files_only() {
        let given = [("KEY", "sk-3"), ("PLEXUS_HUB_NAME", "${KEY}")];
        let file = "llm_api_key = \"${KEY}\"\nhub_description = \"$${KEY}\"\n\
                    [llm_providers.groq]\napi_key = \"${KEY}\"\n[programs.poet]\nargs = [\"${KEY}\"]\n";
        let settings = read(&["--mail-from", "${KEY}"], &given, file).unwrap();
        for (key, value) in [
            ("llm_api_key", "sk-3"),
            ("hub_description", "${KEY}"),
            ("hub_name", "${KEY}"),
            ("mail_from", "${KEY}"),
        ] {
            assert_eq!(settings.text(key), Some(value), "{key}");
        }
        for key in TABLES {
            assert!(settings.text(key).unwrap().contains("\"sk-3\""), "{key}");
        }
        let error = read(&[], &[], file).err().map(|error| format!("{error:#}")).unwrap();
        assert!(error.contains("llm_providers.groq.api_key") && error.contains("KEY"), "{error}");

        let folder = tempfile::tempdir().unwrap();
        let (table, key) = (folder.path().join("groq.toml"), folder.path().join("key"));
        std::fs::write(&table, "[groq]\napi_key = \"${KEY}\"\n").unwrap();
        std::fs::write(&key, "a${KEY}b\n").unwrap();
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let (table, key) = (path(&table), path(&key));
        let given = [
            ("KEY", "sk-3"),
            ("PLEXUS_LLM_PROVIDERS_FILE", table.as_str()),
            ("PLEXUS_LLM_API_KEY_FILE", key.as_str()),
        ];
        let settings = read(&[], &given, "").unwrap();
        assert!(settings.text("llm_providers").unwrap().contains("[groq]"), "still one table for each");
        assert!(settings.text("llm_providers").unwrap().contains("\"sk-3\""));
        assert_eq!(settings.text("llm_api_key"), Some("a${KEY}b"), "a secret is no configuration");
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

//! Converts settings to the hub's configuration. Rejects every unsafe combination and names the setting.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, anyhow, bail, ensure};
use ipnet::IpNet;
use plexus_domain::account::Registration;
use plexus_hub::config::{
    ArchiveFolder, BackupRetention, BackupSchedule, Durability, HubConfig, MailServer, PrivateNetworks,
    RateLimitScale, RunLimits, Secret, is_loopback,
};
use url::Url;

use crate::{
    federation_config,
    program_config::{self, ProtectedPaths},
    providers,
    settings::{self, SettingReader, Settings},
    telemetry,
    web::client_address::parse_network,
};

/// Default drain time of a hub that other machines reach: two health checks of a usual load balancer would be 10 s,
/// but Docker ends a container 10 s after SIGTERM, and the hub needs some for its own shutdown.
const DRAIN_SECONDS: u64 = 4;

/// The running program. The kernel resolves it to the same file even after an upgrade has replaced it.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// Configuration of `plexus serve`: listen addresses and the hub.
pub struct ServeConfig {
    pub listen: SocketAddr,
    pub metrics_listen: Option<SocketAddr>,
    /// How long the hub serves on after SIGTERM, while `/readyz` answers 503.
    pub drain_time: Duration,
    pub hub: HubConfig,
}

impl ServeConfig {
    pub fn from_settings(settings: &Settings) -> anyhow::Result<Self> {
        const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3000);
        let mut reader = SettingReader::new(settings);
        let listen = reader.or(address(settings, "listen"), None).unwrap_or(DEFAULT_LISTEN);
        let hub = hub(&mut reader, listen);
        if !hub.on_loopback
            && hub.public_url.scheme() != "https"
            && !reader.parse("allow_insecure_http", false)
        {
            reader.add(format!(
                "listening on {listen} with the plain http URL {} would send passwords unencrypted; set \
                 PLEXUS_PUBLIC_URL=https://… (with a proxy in front), or PLEXUS_ALLOW_INSECURE_HTTP=true",
                hub.public_url
            ));
        }
        let metrics_listen = match settings.text("metrics_listen") {
            Some("off") => None,
            _ => reader.or(address(settings, "metrics_listen"), None),
        };
        let drain_default = if hub.on_loopback { 0 } else { DRAIN_SECONDS };
        let drain_time = Duration::from_secs(reader.parse("drain_seconds", drain_default));
        let log_format = settings.text("log_format").unwrap_or("text");
        reader.or_default(telemetry::check(settings.text("log").unwrap_or("info"), log_format));
        reader.finish()?;
        Ok(Self { listen, metrics_listen, drain_time, hub })
    }

    /// Returns the configuration for a command that opens the data folder itself. Such a command does not
    /// listen. Port 0, which `plexus serve` resolves at startup, is therefore removed from the public URL.
    pub fn folder(settings: &Settings) -> anyhow::Result<HubConfig> {
        let mut hub = Self::from_settings(settings)?.hub;
        if hub.public_url.port() == Some(0) {
            hub.public_url.set_port(None).ok().context("a public URL without a port")?;
        }
        Ok(hub)
    }
}

/// Resolves the address and port in the setting `key`; none if it is not set.
fn address(settings: &Settings, key: &str) -> anyhow::Result<Option<SocketAddr>> {
    let Some(text) = settings.text(key) else { return Ok(None) };
    let mut found = text
        .to_socket_addrs()
        .with_context(|| format!("{key} = \"{text}\" is not an address and a port such as 127.0.0.1:3000"))?;
    found.next().map(Some).with_context(|| format!("{key} = \"{text}\" resolves to no address"))
}

/// Reads the URL at which clients reach the hub; without the setting it is the listen address.
fn public_url(settings: &Settings, listen: SocketAddr) -> anyhow::Result<Url> {
    let text = settings.text("public_url").map_or_else(|| format!("http://{listen}"), str::to_owned);
    let advice = || format!("public_url = \"{text}\" is not a URL such as https://hub.example.org");
    let url: Url = text.parse().with_context(advice)?;
    ensure!(matches!(url.scheme(), "http" | "https") && url.has_host(), advice());
    Ok(url)
}

/// Reads the schedule of backups; none without a folder.
fn backup_schedule(reader: &mut SettingReader<'_>) -> Option<BackupSchedule> {
    const HOUR: Duration = Duration::from_secs(3_600);
    let hours: u32 = reader.positive("backup_hours", 24);
    let retention = BackupRetention {
        days: reader.parse("backup_keep_days", 7),
        weeks: reader.parse("backup_keep_weeks", 4),
    };
    let folder = ArchiveFolder(reader.settings.text("backup_dir")?.into());
    Some(BackupSchedule { folder, interval: HOUR * hours, retention })
}

/// Reads the hub's settings. In the place of an invalid value, the result has a default.
fn hub(reader: &mut SettingReader<'_>, listen: SocketAddr) -> HubConfig {
    let settings = reader.settings;
    let data_dir = PathBuf::from(settings.text("data_dir").unwrap_or("./data"));
    let files_dir = settings.text("files_dir").map_or_else(|| data_dir.join("blobs"), PathBuf::from);
    let secret_key_file =
        settings.text("secret_key_file").map_or_else(|| data_dir.join("secret.key"), PathBuf::from);
    #[expect(clippy::expect_used, reason = "the text is a constant")]
    let local = Url::parse("http://127.0.0.1/").expect("a URL");
    let public_url = reader.or(public_url(settings, listen), local);
    // A loopback listener with a public URL that is not loopback is behind a reverse proxy: treat it as a
    // public hub.
    let on_loopback = listen.ip().is_loopback() && is_loopback(&public_url);
    let hidden = ProtectedPaths {
        data_dir: &data_dir,
        files_dir: &files_dir,
        key_file: &secret_key_file,
        backup_dir: settings.text("backup_dir").map(Path::new),
    };
    let programs = reader.or_default(program_config::read(settings.text("programs"), &hidden));
    let registration = registration(settings.text("registration"), on_loopback);
    let private_networks = private_networks(settings.text("allow_private_networks"));
    let backups = backup_schedule(reader);
    HubConfig {
        hub_description: settings.text("hub_description").map(str::to_owned),
        hub_name: settings.text("hub_name").unwrap_or("Plexus").to_owned(),
        public_url,
        listen: vec![listen],
        dns_server: reader.or(address(settings, "dns_server"), None),
        security_contact: reader.or(settings.text("security_contact").map(contact).transpose(), None),
        data_dir,
        files_dir,
        database_url: reader.or(settings.text("database_url").map(database_url).transpose(), None),
        database_pool_size: reader.positive("database_pool_size", 10),
        durability: reader.or(durability(settings.text("sqlite_durability")), Durability::PowerCut),
        secret_key_file,
        backups,
        registration: reader.or(registration, Registration::Closed),
        private_networks: reader.or(private_networks, PrivateNetworks::Refused),
        on_loopback,
        mcp_allowed_origins: reader.or_default(origins(settings.text("mcp_allowed_origins"))),
        launch_goal_without_token: reader.parse("launch_goal_without_token", false),
        conformance: false,
        trusted_proxies: reader.or_default(proxies(settings.text("trusted_proxies"))),
        models: reader.or_default(providers::models(settings)),
        mail: reader.or_default(mail_server(settings)),
        federation: reader.or_default(federation_config::federation(settings)),
        programs,
        max_programs: reader.positive("max_programs", 16),
        allow_unsandboxed_programs: reader.parse("allow_unsandboxed_programs", false),
        extractor_program: THIS_PROGRAM.into(),
        temporary_chat_ttl: temporary_chat_ttl(reader),
        limits: run_limits(reader),
        quotas: reader.or_default(settings::quotas(settings)),
        rates: reader.or_default(settings::rates(settings)),
        scale: RateLimitScale(reader.positive("rate_limit_scale", 1)),
    }
}

/// Reads how long temporary chats are kept. The type bounds the number of hours.
fn temporary_chat_ttl(reader: &mut SettingReader<'_>) -> Duration {
    let hours: u16 = reader.positive("temporary_chat_hours", 24);
    Duration::from_hours(hours.into())
}

/// Reads the mail server; none if this hub sends no e-mail.
fn mail_server(settings: &Settings) -> anyhow::Result<Option<MailServer>> {
    let Some(url) = settings.text("smtp_url") else { return Ok(None) };
    Ok(Some(MailServer::parse(url, settings.text("mail_from").unwrap_or_default())?))
}

fn run_limits(reader: &mut SettingReader<'_>) -> RunLimits {
    let default = RunLimits::default();
    RunLimits {
        max_message_bytes: reader.positive("max_message_bytes", default.max_message_bytes),
        max_answer_bytes: reader.positive("max_answer_bytes", default.max_answer_bytes),
        max_file_bytes: reader.positive("max_file_bytes", default.max_file_bytes),
        max_runs_per_account: reader.positive("max_runs_per_account", default.max_runs_per_account),
        max_runs_anonymous: reader.positive("max_runs_anonymous", default.max_runs_anonymous),
        max_runs_per_agent: reader.positive("max_runs_per_agent", default.max_runs_per_agent),
        max_queued_runs_per_account: reader
            .parse("max_queued_runs_per_account", default.max_queued_runs_per_account),
        whole: Duration::from_secs(reader.positive("run_timeout_seconds", default.whole.as_secs())),
        idle: Duration::from_secs(reader.positive("run_idle_timeout_seconds", default.idle.as_secs())),
    }
}

/// Checks the form of a Postgres URL. The value is not quoted: it may hold a password.
fn database_url(text: &str) -> anyhow::Result<Secret> {
    const ADVICE: &str = "DATABASE_URL is not a URL such as postgres://user:password@host:5432/plexus; in the \
                          password, write %40 for @, %2F for /, %23 for # and %3F for ?";
    let url: Url = text.parse().map_err(|_| anyhow!(ADVICE))?;
    // An unescaped `/`, `?` or `#` ends the host inside the password, so that the `@` comes after it.
    let after_host = [Some(url.path()), url.query(), url.fragment()];
    let is_plain = after_host.into_iter().flatten().all(|part| !part.contains('@'));
    ensure!(matches!(url.scheme(), "postgres" | "postgresql") && is_plain, ADVICE);
    Ok(Secret::new(text.to_owned()))
}

/// Parses a security contact URI (RFC 9116). A plain mail address becomes a `mailto:` URI.
fn contact(text: &str) -> anyhow::Result<Url> {
    let uri =
        if text.contains(':') || !text.contains('@') { text.to_owned() } else { format!("mailto:{text}") };
    let contact: Url = uri.parse().with_context(|| format!("security_contact = \"{text}\""))?;
    if !matches!(contact.scheme(), "mailto" | "https" | "tel") {
        bail!("security_contact = \"{text}\" is not a mail address, https URL or tel: number");
    }
    Ok(contact)
}

fn durability(text: Option<&str>) -> anyhow::Result<Durability> {
    Ok(match text {
        None | Some("power-cut") => Durability::PowerCut,
        Some("crash") => Durability::Crash,
        Some(other) => bail!("sqlite_durability = \"{other}\" is neither power-cut nor crash"),
    })
}

fn registration(text: Option<&str>, on_loopback: bool) -> anyhow::Result<Registration> {
    Ok(match text {
        None if on_loopback => Registration::Open,
        None | Some("invite") => Registration::Invite,
        Some("open") => Registration::Open,
        Some("approval") => Registration::Approval,
        Some("closed") => Registration::Closed,
        Some(other) => bail!("registration = \"{other}\" is none of open, approval, invite, closed"),
    })
}

fn private_networks(text: Option<&str>) -> anyhow::Result<PrivateNetworks> {
    Ok(match text {
        None | Some("auto") => PrivateNetworks::Auto,
        Some("true") => PrivateNetworks::Allowed,
        Some("false") => PrivateNetworks::Refused,
        Some(other) => bail!("allow_private_networks = \"{other}\" is none of auto, true, false"),
    })
}

fn proxies(text: Option<&str>) -> anyhow::Result<Vec<IpNet>> {
    let parse = |word: &str| {
        let unreadable = || {
            format!(
                "trusted_proxies has \"{word}\", which is neither an address nor a network such as 10.0.0.0/8"
            )
        };
        parse_network(word).with_context(unreadable)
    };
    list(text).map(parse).collect()
}

/// Parses origins as browsers send them: scheme, host and port, without a trailing slash.
fn origins(text: Option<&str>) -> anyhow::Result<Vec<String>> {
    let parse = |word: &str| {
        let origin = word.trim_end_matches('/');
        match origin.split_once("://") {
            Some((scheme, host)) if !scheme.is_empty() && !host.is_empty() && !host.contains('/') => {
                Ok(origin.to_owned())
            }
            _ => bail!(
                "mcp_allowed_origins has \"{word}\", which is not an origin such as https://app.example.org"
            ),
        }
    };
    list(text).map(parse).collect()
}

fn list(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.into_iter().flat_map(|text| text.split(',')).map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    fn serve(flags: &[&str]) -> anyhow::Result<ServeConfig> {
        let matches =
            Settings::flags(Command::new("plexus")).try_get_matches_from([&["plexus"], flags].concat())?;
        let folder = tempfile::tempdir()?;
        ServeConfig::from_settings(&Settings::read(&matches, |_| None, &folder.path().join("plexus.toml"))?)
    }

    #[test]
    fn defaults_are_a_hub_for_this_machine() {
        let serve = serve(&[]).unwrap();
        assert_eq!(serve.hub.public_url.as_str(), "http://127.0.0.1:3000/");
        assert_eq!(serve.hub.registration, Registration::Open);
        assert_eq!(serve.hub.secret_key_file, PathBuf::from("./data/secret.key"));
    }

    #[test]
    fn every_setting_that_cannot_work_is_named_at_once() {
        let wrong = [
            ("listen", "3000"),
            ("public-url", "hub.example.org"),
            ("llm-base-url", "localhost:8080/v1"),
            ("llm-fallback-base-url", "ftp://127.0.0.1/v1"),
            ("database-url", "postgres://u:p/w@127.0.0.1/plexus"),
            ("max-runs-per-account", "0"),
            ("max-message-bytes", "0"),
            ("run-timeout-seconds", "0"),
            ("temporary-chat-hours", "0"),
            ("rate-limit-scale", "0"),
            ("limit-sign-ins", "0/1s"),
            ("metrics-listen", "nowhere"),
            ("log", ",=="),
            ("log-format", "xml"),
            ("dns-server", "1.1.1.1"),
            ("registration", "maybe"),
        ];
        let flags: Vec<String> =
            wrong.iter().flat_map(|(key, value)| [format!("--{key}"), (*value).to_owned()]).collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let errors = serve(&flags).err().unwrap().downcast::<settings::SettingErrors>().unwrap();
        for (key, _) in wrong {
            let names = [key.replace('-', "_"), key.replace('-', "_").to_uppercase()];
            assert!(
                errors.iter().any(|error| names.iter().any(|name| error.contains(name))),
                "{key}: {errors}"
            );
        }
        assert_eq!(errors.iter().count(), wrong.len(), "{errors}");
        assert!(!errors.to_string().contains("p/w"), "{errors}");
    }

    #[test]
    fn plain_http_beyond_loopback_must_be_asked_for() {
        assert!(serve(&["--listen", "0.0.0.0:3000"]).is_err());
        assert!(serve(&["--listen", "0.0.0.0:3000", "--allow-insecure-http", "true"]).is_ok());
        let public = serve(&["--listen", "0.0.0.0:3000", "--public-url", "https://hub.example"]).unwrap();
        assert_eq!(public.hub.registration, Registration::Invite);
    }
}

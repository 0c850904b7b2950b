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
use url::{Host, Url};

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

/// Ports that browsers refuse to open (Fetch standard, "bad port").
const BLOCKED_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Reads the URL at which clients reach the hub; without the setting it is the listen address.
fn public_url(settings: &Settings, listen: SocketAddr) -> anyhow::Result<Url> {
    let Some(text) = settings.text("public_url") else { return Ok(format!("http://{listen}").parse()?) };
    let mut url: Url = text.trim().parse::<Url>().map_err(|error| {
        // The value may hold a password.
        anyhow!(
            "public_url is not a URL such as https://hub.example.org ({error}); set PLEXUS_PUBLIC_URL to one"
        )
    })?;
    if let Some(fault) = public_url_fault(&url) {
        let origin = url.origin().ascii_serialization();
        let example = if fault.keeps_origin { origin.as_str() } else { "https://hub.example.org" };
        bail!("public_url {}; set PLEXUS_PUBLIC_URL to a URL such as {example}", fault.words);
    }
    url.set_path("/");
    Ok(url)
}

/// Why a URL cannot be that of a hub.
struct PublicUrlFault {
    /// Rest of a sentence about the URL.
    words: String,
    /// Its scheme, host and port are usable.
    keeps_origin: bool,
}

fn public_url_fault(url: &Url) -> Option<PublicUrlFault> {
    let fault = |words: String, keeps_origin| Some(PublicUrlFault { words, keeps_origin });
    let is_unspecified = match url.host() {
        Some(Host::Ipv4(ip)) => ip.octets()[0] == 0,
        Some(Host::Ipv6(ip)) => ip.to_canonical().is_unspecified(),
        Some(Host::Domain(_)) | None => false,
    };
    match url.port() {
        _ if !matches!(url.scheme(), "http" | "https") => {
            fault(format!("has the scheme {}, and a hub is reached by https or http", url.scheme()), false)
        }
        _ if !url.has_host() => fault("names no host".to_owned(), false),
        _ if is_unspecified => {
            let host = url.host_str().unwrap_or_default();
            fault(format!("names {host}, which is no address that clients can open"), false)
        }
        Some(port) if BLOCKED_PORTS.contains(&port) => {
            fault(format!("has the port {port}, which browsers do not open"), false)
        }
        _ if !url.username().is_empty() || url.password().is_some() => {
            fault("has a user name or a password, which every user would see".to_owned(), true)
        }
        _ if url.query().is_some() => fault("has a query".to_owned(), true),
        _ if url.fragment().is_some() => fault("has a fragment (#…)".to_owned(), true),
        _ if !url.path().trim_matches('/').is_empty() => {
            let words = format!(
                "has the path {}, and a hub is served at the root of its host, so give it a host name or a port of its own",
                url.path()
            );
            fault(words, true)
        }
        _ => None,
    }
}

/// Returns the host name of this machine or container.
fn machine_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_ascii_lowercase();
    (!name.is_empty()).then_some(name)
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
        machine_name: machine_name(),
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
    fn a_public_url_is_the_root_of_a_host() {
        for (text, words) in [
            ("https://hub.example/plexus", "has the path /plexus"),
            ("https://hub.example/a/", "https://hub.example"),
            ("https://hub.example/?a=b", "has a query"),
            ("https://hub.example?", "has a query"),
            ("https://hub.example/#top", "has a fragment"),
            ("https://hub.example#", "has a fragment"),
            ("https://ada@hub.example", "has a user name"),
            ("https://ada:secret@hub.example", "set PLEXUS_PUBLIC_URL to a URL such as https://hub.example"),
            ("https://:secret@hub.example", "a password"),
            ("ftp://hub.example", "has the scheme ftp"),
            ("ws://hub.example", "has the scheme ws"),
            ("localhost:3000", "has the scheme localhost"),
            ("hub.example.org", "is not a URL"),
            ("//hub.example", "is not a URL"),
            ("https://", "is not a URL"),
            ("https://ada:secret@hub.example:99999", "is not a URL"),
            ("https://hub.example:-1", "is not a URL"),
            ("https://hub.example:0", "has the port 0"),
            ("https://hub.example:22", "has the port 22"),
            ("http://hub.example:6000", "has the port 6000"),
            ("http://0.0.0.0:3000", "names 0.0.0.0"),
            ("http://0:3000", "names 0.0.0.0"),
            ("http://[::]:3000", "names [::]"),
            ("data:text/plain,x", "has the scheme data"),
        ] {
            let flags = ["--public-url", text, "--allow-insecure-http", "true"];
            let errors = serve(&flags).err().unwrap_or_else(|| panic!("{text}"));
            let errors = errors.downcast::<settings::SettingErrors>().unwrap();
            let error = errors.iter().find(|error| error.contains("PLEXUS_PUBLIC_URL")).unwrap();
            assert!(error.contains(words), "{text}: {error}");
            assert!(!error.contains("secret"), "{text}: {error}");
        }
        for (text, expected) in [
            ("https://hub.example", "https://hub.example/"),
            ("https://hub.example/", "https://hub.example/"),
            ("https://hub.example//", "https://hub.example/"),
            (" https://HUB.example:443/ ", "https://hub.example/"),
            ("https://hub.example:8443", "https://hub.example:8443/"),
            ("https://[2606:4700::1]/", "https://[2606:4700::1]/"),
        ] {
            assert_eq!(serve(&["--public-url", text]).unwrap().hub.public_url.as_str(), expected);
        }
    }

    #[test]
    fn a_hub_has_the_names_that_its_configuration_implies() {
        let own = |listen: &str, public: &str, url: &str| {
            let flags = ["--listen", listen, "--public-url", public, "--allow-insecure-http", "true"];
            let mut hub = serve(&flags).unwrap().hub;
            hub.machine_name = Some("hub".to_owned());
            hub.is_own_origin(&url.parse().unwrap())
        };
        for (listen, public, url, expected) in [
            // docker-compose.yml: the port of the container is published on loopback.
            ("0.0.0.0:3000", "http://localhost:3000", "http://127.0.0.1:3000", true),
            ("0.0.0.0:3000", "http://localhost:3000", "http://localhost.:3000", true),
            ("0.0.0.0:3000", "http://localhost:3000", "http://[::1]:3000", true),
            ("0.0.0.0:3000", "http://localhost:3000", "http://hub:3000", true),
            ("[::]:3000", "http://localhost:3000", "http://HUB:3000", true),
            ("0.0.0.0:3000", "http://localhost:8080", "http://127.0.0.1:8080", true),
            ("0.0.0.0:3000", "http://localhost:8080", "http://hub:3000", true),
            ("192.0.2.7:3000", "http://hub.example:3000", "http://192.0.2.7:3000", true),
            ("0.0.0.0:3000", "https://hub.example", "https://hub.example.", true),
            // Names of others, and names without the encryption that users expect.
            ("0.0.0.0:3000", "http://localhost:3000", "http://evil.example:3000", false),
            ("0.0.0.0:3000", "http://localhost:3000", "http://hub.evil.example:3000", false),
            ("0.0.0.0:3000", "http://localhost:3000", "http://0.0.0.0:3000", false),
            ("0.0.0.0:3000", "http://localhost:3000", "http://192.0.2.7:3000", false),
            ("0.0.0.0:3000", "http://localhost:3000", "http://127.0.0.1:3001", false),
            ("0.0.0.0:3000", "http://hub.example:3000", "http://127.0.0.1:3000", false),
            ("127.0.0.1:3000", "http://127.0.0.1:3000", "http://hub:3000", false),
            ("192.0.2.7:3000", "https://hub.example", "http://192.0.2.7:3000", false),
            ("0.0.0.0:3000", "https://hub.example", "http://hub:3000", false),
        ] {
            assert_eq!(own(listen, public, url), expected, "{listen} {public} {url}");
        }
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

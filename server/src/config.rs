//! Converts settings to the hub's configuration. Rejects every unsafe combination and names the setting.

use std::{
    net::{SocketAddr, ToSocketAddrs as _},
    path::PathBuf,
    time::Duration,
};

use anyhow::{Context as _, bail};
use ipnet::IpNet;
use plexus_domain::account::Registration;
use plexus_hub::config::{
    Durability, HubConfig, PrivateNetworks, RateLimitScale, RunLimits, Secret, is_loopback,
};
use url::Url;

use crate::{
    federation_config,
    program_config::{self, ProtectedPaths},
    providers,
    settings::{self, Settings},
    web::client_address::parse_network,
};

/// Configuration of `plexus serve`: listen addresses and the hub.
pub struct ServeConfig {
    pub listen: SocketAddr,
    pub metrics_listen: Option<SocketAddr>,
    pub hub: HubConfig,
}

impl ServeConfig {
    pub fn from_settings(settings: &Settings) -> anyhow::Result<Self> {
        let listen = address(settings.text("listen").unwrap_or("127.0.0.1:3000"))?;
        let hub = hub(settings, listen)?;
        let insecure = settings.parse("allow_insecure_http", false)?;
        if !hub.on_loopback && hub.public_url.scheme() != "https" && !insecure {
            bail!(
                "listening on {listen} with the plain http URL {} would send passwords unencrypted; set \
                 PLEXUS_PUBLIC_URL=https://… (with a proxy in front), or PLEXUS_ALLOW_INSECURE_HTTP=true",
                hub.public_url
            );
        }
        let metrics_listen =
            settings.text("metrics_listen").filter(|&text| text != "off").map(address).transpose()?;
        Ok(Self { listen, metrics_listen, hub })
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

fn address(text: &str) -> anyhow::Result<SocketAddr> {
    let mut found =
        text.to_socket_addrs().with_context(|| format!("\"{text}\" is not an address and a port"))?;
    found.next().with_context(|| format!("\"{text}\" resolves to no address"))
}

fn hub(settings: &Settings, listen: SocketAddr) -> anyhow::Result<HubConfig> {
    let data_dir = PathBuf::from(settings.text("data_dir").unwrap_or("./data"));
    let files_dir = settings.text("files_dir").map_or_else(|| data_dir.join("blobs"), PathBuf::from);
    let secret_key_file =
        settings.text("secret_key_file").map_or_else(|| data_dir.join("secret.key"), PathBuf::from);
    let public_url = settings.text("public_url").map_or_else(|| format!("http://{listen}"), str::to_owned);
    let public_url: Url = public_url.parse().with_context(|| format!("public_url = \"{public_url}\""))?;
    // A loopback listener with a public URL that is not loopback is behind a reverse proxy: treat it as a
    // public hub.
    let on_loopback = listen.ip().is_loopback() && is_loopback(&public_url);
    let defaults = RunLimits::default();
    let hidden = ProtectedPaths { data_dir: &data_dir, files_dir: &files_dir, key_file: &secret_key_file };
    let programs = program_config::read(settings.text("programs"), &hidden)?;
    Ok(HubConfig {
        hub_name: settings.text("hub_name").unwrap_or("Plexus").to_owned(),
        public_url,
        listen: vec![listen],
        dns_server: settings.text("dns_server").map(address).transpose()?,
        security_contact: settings.text("security_contact").map(contact).transpose()?,
        data_dir,
        files_dir,
        database_url: settings.text("database_url").map(|url| Secret::new(url.to_owned())),
        database_pool_size: settings.parse("database_pool_size", 10)?,
        durability: durability(settings.text("sqlite_durability"))?,
        secret_key_file,
        registration: registration(settings.text("registration"), on_loopback)?,
        private_networks: private_networks(settings.text("allow_private_networks"))?,
        on_loopback,
        mcp_allowed_origins: origins(settings.text("mcp_allowed_origins"))?,
        launch_goal_without_token: settings.parse("launch_goal_without_token", false)?,
        conformance: false,
        trusted_proxies: proxies(settings.text("trusted_proxies"))?,
        models: providers::models(settings)?,
        federation: federation_config::federation(settings)?,
        programs,
        max_programs: settings.parse("max_programs", 16)?,
        allow_unsandboxed_programs: settings.parse("allow_unsandboxed_programs", false)?,
        limits: RunLimits {
            max_message_bytes: settings.parse("max_message_bytes", defaults.max_message_bytes)?,
            max_answer_bytes: settings.parse("max_answer_bytes", defaults.max_answer_bytes)?,
            max_file_bytes: settings.parse("max_file_bytes", defaults.max_file_bytes)?,
            max_runs_per_account: settings.parse("max_runs_per_account", defaults.max_runs_per_account)?,
            max_runs_anonymous: settings.parse("max_runs_anonymous", defaults.max_runs_anonymous)?,
            max_runs_per_agent: settings.parse("max_runs_per_agent", defaults.max_runs_per_agent)?,
            max_queued_runs_per_account: settings
                .parse("max_queued_runs_per_account", defaults.max_queued_runs_per_account)?,
            whole: Duration::from_secs(settings.parse("run_timeout_seconds", defaults.whole.as_secs())?),
            idle: Duration::from_secs(settings.parse("run_idle_timeout_seconds", defaults.idle.as_secs())?),
        },
        quotas: settings::quotas(settings)?,
        rates: settings::rates(settings)?,
        scale: RateLimitScale(settings.parse("rate_limit_scale", 1)?),
    })
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
    fn plain_http_beyond_loopback_must_be_asked_for() {
        assert!(serve(&["--listen", "0.0.0.0:3000"]).is_err());
        assert!(serve(&["--listen", "0.0.0.0:3000", "--allow-insecure-http", "true"]).is_ok());
        let public = serve(&["--listen", "0.0.0.0:3000", "--public-url", "https://hub.example"]).unwrap();
        assert_eq!(public.hub.registration, Registration::Invite);
    }
}

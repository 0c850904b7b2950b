//! `plexus doctor`: checks whether this hub can run, and how to fix what is wrong.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_hub::{
    ClockRng, Hub, agents,
    config::{Federation, HubConfig, Models, Provider, Sandbox},
    permissions,
    vault::Vault,
};
use url::Url;

use super::{api_client::HubClient, is_new};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let liveness = Arg::new("liveness").long("liveness").action(ArgAction::SetTrue);
    let liveness = liveness.help("Only check that a hub answers on the listen address (for health checks)");
    Command::new("doctor")
        .about("Check the settings, the folders, the store and the model servers")
        .arg(liveness)
}

/// Runs the checks. The exit code is 0 if all pass, else 1.
pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let serve = ServeConfig::from_settings(settings)?;
    if arguments.get_flag("liveness") {
        anyhow::ensure!(
            serve.listen.port() != 0,
            "PLEXUS_LISTEN={} uses a random port at each start, so the hub cannot be found; set a fixed port",
            serve.listen
        );
        return Ok(u8::from(!answers(&serve)));
    }
    let mut report = Report::default();
    report.add("settings", Ok("every value is valid".to_owned()));
    for warning in warnings(&serve).await? {
        report.add("settings", Err(warning));
    }
    report.add("data folder", data_folder(&serve.hub.data_dir));
    report.add("permissions", permissions(&serve.hub));
    report.add("key file", key_file(&serve.hub.secret_key_file, &serve.hub.data_dir));
    if !serve.hub.programs.is_empty() {
        let sandbox = Sandbox::find(serve.hub.allow_unsandboxed_programs);
        report.add("programs", sandbox.describe());
    }
    for (setting, provider) in serve.hub.models.iter().flat_map(providers) {
        let named = |words: String| format!("{setting}: {words}");
        let tried = agents::try_provider(&serve.hub, provider).await;
        report.add("models", tried.map(named).map_err(named));
    }
    if let Some(config) = &serve.hub.federation {
        report.add("network", Ok(network(config, &serve.hub.public_url)));
        if let Some(hub) = HubClient::serving(&serve.hub.data_dir, None)? {
            report.add("reached", Ok(reached(&hub).await));
        }
    }
    if answers(&serve) {
        report.add("hub", Ok(format!("answers on {}", serve.listen)));
    } else if HubClient::serving(&serve.hub.data_dir, None)?.is_some() {
        report.add("hub", Ok(format!("serves {}, on another address", serve.hub.data_dir.display())));
    } else if is_new(&serve.hub) {
        report.add("store", Ok("not created yet; `plexus serve` creates it".to_owned()));
    } else {
        report.add("store", store(ServeConfig::folder(settings)?).await);
    }
    report.print()
}

#[derive(Default)]
struct Report(Vec<(&'static str, Result<String, String>)>);

impl Report {
    fn add(&mut self, what: &'static str, found: Result<String, String>) {
        self.0.push((what, found));
    }

    fn print(self) -> anyhow::Result<u8> {
        let mut out = std::io::stdout().lock();
        for (what, found) in &self.0 {
            let (mark, words) = match found {
                Ok(words) => ("ok  ", words),
                Err(words) => ("FAIL", words),
            };
            writeln!(out, "{mark}  {what:<12}  {words}")?;
        }
        Ok(u8::from(self.0.iter().any(|(_, found)| found.is_err())))
    }
}

/// Returns whether a hub responds on the listening address. A hub that still builds its index responds too.
fn answers(serve: &ServeConfig) -> bool {
    ask(serve).is_ok_and(|answer| answer.starts_with("HTTP/1.") && answer.get(9..12) == Some("200"))
}

fn ask(serve: &ServeConfig) -> std::io::Result<String> {
    const TIMEOUT: Duration = Duration::from_secs(2);
    const STATUS_LINE: u64 = 64;
    let mut listen = serve.listen;
    if listen.ip().is_unspecified() {
        listen.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let mut stream = TcpStream::connect_timeout(&listen, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", serve.listen)?;
    let mut answer = String::new();
    stream.take(STATUS_LINE).read_to_string(&mut answer)?;
    Ok(answer)
}

/// Returns the warnings of the running hub, which also covers its proxies, or else those of the settings.
async fn warnings(serve: &ServeConfig) -> anyhow::Result<Vec<String>> {
    let Some(hub) = HubClient::serving(&serve.hub.data_dir, None)? else { return Ok(serve.hub.warnings()) };
    let found = hub.get("operator/warnings").await?;
    let words = found["warnings"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
    Ok(words.map(str::to_owned).collect())
}

/// Checks that other users cannot read the hub's files. A hub fixes their permissions when it starts.
fn permissions(config: &HubConfig) -> Result<String, String> {
    let folder = &config.data_dir;
    let files =
        ["plexus.sqlite3", "plexus.sqlite3-wal", "index", "plexus.sock"].map(|name| folder.join(name));
    let all = files.iter().chain([&config.files_dir, &config.secret_key_file]);
    let open: Vec<String> =
        all.filter(|path| permissions::is_open(path)).map(|path| path.display().to_string()).collect();
    match open.is_empty() {
        true => Ok("not readable by other users of this machine".to_owned()),
        false => Err(format!(
            "other users of this machine may read {}; start the hub as their owner, which closes them, or run chmod go-rwx",
            open.join(", ")
        )),
    }
}

/// Checks that the data folder can be written. It does not create the folder.
fn data_folder(folder: &Path) -> Result<String, String> {
    if !folder.exists() {
        return Ok(format!("{} does not exist yet; `plexus serve` creates it", folder.display()));
    }
    let probe = folder.join(".plexus-doctor");
    let written = std::fs::write(&probe, b"x");
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => Ok(format!("{} is writable", folder.display())),
        Err(error) => Err(format!(
            "{} is not writable: {error}; choose another folder with PLEXUS_DATA_DIR",
            folder.display()
        )),
    }
}

/// Describes the federation settings. Whether remote hubs can call agents here depends on the public URL.
fn network(config: &Federation, public_url: &Url) -> String {
    let listens: Vec<String> = config.listen.iter().map(ToString::to_string).collect();
    let ways = config.bootstrap.len() + config.domains.len();
    let api = match public_url.scheme() {
        "https" => "",
        _ => "; PLEXUS_PUBLIC_URL is not https, so only hubs that may call it can chat with agents here",
    };
    let listens = if listens.is_empty() {
        "dial-only".to_owned()
    } else {
        format!("listens on {}", listens.join(", "))
    };
    format!("{listens}, {ways} bootstrap peers{api}")
}

/// Iterates over the model servers, each with the setting that names it.
fn providers(models: &Models) -> impl Iterator<Item = (String, &Provider)> {
    let setting = |name: Option<&str>| {
        name.map_or_else(|| "llm_base_url".to_owned(), |name| format!("llm_providers.{name}"))
    };
    let fallback = models.fallback.iter().map(|provider| ("llm_fallback_base_url".to_owned(), provider));
    models.all().map(move |(name, provider)| (setting(name), provider)).chain(fallback)
}

/// Returns how remote hubs reach the running hub, as it reports.
async fn reached(hub: &HubClient) -> String {
    match hub.get("hubs").await {
        Ok(found) => {
            found["local"]["reachability_text"].as_str().unwrap_or("unknown (hub is starting)").to_owned()
        }
        Err(error) => format!("unknown: {error:#}"),
    }
}

fn key_file(file: &Path, folder: &Path) -> Result<String, String> {
    if !file.exists() {
        return Ok(format!("{} will be created at the first start", file.display()));
    }
    Vault::open(file, &ClockRng::system()).map_err(|error| format!("{error:#}"))?;
    let beside = if file.starts_with(folder) { "; back it up separately from the database" } else { "" };
    Ok(format!("{} is readable{beside}", file.display()))
}

async fn store(config: HubConfig) -> Result<String, String> {
    let hub = Hub::open(config, ClockRng::system()).await.map_err(|error| format!("{error:#}"))?;
    let found =
        hub.check_store().await.map(|()| "available".to_owned()).map_err(|error| format!("{error:#}"));
    hub.close().await;
    found
}

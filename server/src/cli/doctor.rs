//! `plexus doctor`: checks whether this hub can run, and how to fix what is wrong.

mod report;

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_hub::{
    ClockRng, Hub, backups,
    config::{Federation, HubConfig, Models, ProgramConfig, Provider, Sandbox, SandboxedCommand},
    model_providers, permissions,
    quotas::in_units,
    readiness,
    vault::Vault,
};
use url::Url;

use self::report::Report;
use super::{api_client::HubClient, is_new, variable_names};
use crate::{
    config::ServeConfig,
    settings::{Settings, unknown_variables},
};

/// Container health checks give up soon.
const LIVENESS_TIMEOUT: Duration = Duration::from_secs(2);
/// The hub tests a read and a write before it answers.
const READINESS_TIMEOUT: Duration = Duration::from_secs(10);

pub fn command() -> Command {
    let liveness = Arg::new("liveness").long("liveness").action(ArgAction::SetTrue);
    let liveness = liveness.help("Only check that a hub answers on the listen address (for health checks)");
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the results as JSON");
    Command::new("doctor")
        .about("Check the settings, the folders, the store, the programs and the model servers")
        .args([liveness, json])
}

/// Runs the checks. The exit code is 0 if all pass, else 1.
pub async fn run(settings: anyhow::Result<Settings>, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let read = settings.and_then(|settings| Ok((ServeConfig::from_settings(&settings)?, settings)));
    if arguments.get_flag("liveness") {
        let (serve, _) = read?;
        anyhow::ensure!(
            serve.listen.port() != 0,
            "PLEXUS_LISTEN={} uses a random port at each start, so the hub cannot be found; set a fixed port",
            serve.listen
        );
        return Ok(u8::from(!answers(&serve)));
    }
    let mut report = Report::default();
    for warning in unknown_variables(variable_names()) {
        report.add("settings", Err(warning));
    }
    match read {
        Ok((serve, settings)) => check(&mut report, &settings, &serve).await?,
        Err(error) => report.add_errors(&error),
    }
    report.print(arguments.get_flag("json"))
}

async fn check(report: &mut Report, settings: &Settings, serve: &ServeConfig) -> anyhow::Result<()> {
    let running = HubClient::serving(&serve.hub.data_dir, None)?;
    report.add("settings", Ok("every value is valid".to_owned()));
    for warning in warnings(&serve.hub, running.as_ref()).await? {
        report.add("settings", Err(warning));
    }
    report.add("data folder", folder("PLEXUS_DATA_DIR", &serve.hub.data_dir));
    if !serve.hub.files_dir.starts_with(&serve.hub.data_dir) {
        report.add("files folder", folder("PLEXUS_FILES_DIR", &serve.hub.files_dir));
    }
    if let Some(schedule) = &serve.hub.backups {
        report.add("backup folder", folder("PLEXUS_BACKUP_DIR", &schedule.folder.0));
    }
    for place in [&serve.hub.data_dir, &serve.hub.files_dir] {
        report.add("disk", disk(place));
        if serve.hub.files_dir == serve.hub.data_dir || serve.hub.files_dir.starts_with(&serve.hub.data_dir) {
            break;
        }
    }
    if let Some(server) = &serve.hub.mail {
        let host = serve.hub.public_url.host_str().unwrap_or_default();
        let checked = server.check(host).await;
        let answers = |()| format!("{} answers", server.address());
        let failed = |error| format!("{}: {error}; see PLEXUS_SMTP_URL", server.address());
        report.add("mail", checked.map(answers).map_err(failed));
    }
    report.add("permissions", permissions(&serve.hub));
    report.add("leftovers", leftovers(&serve.hub, running.is_some()));
    report.add("key file", key_file(&serve.hub.secret_key_file, &serve.hub.data_dir));
    if !serve.hub.programs.is_empty() {
        let sandbox = Sandbox::find(serve.hub.allow_unsandboxed_programs);
        report.add("programs", sandbox.describe());
    }
    for program in &serve.hub.programs {
        report.add("programs", command_of(program));
    }
    for (setting, provider) in providers(&serve.hub.models) {
        let named = |words: String| format!("{setting}: {words}");
        let tried = model_providers::check_configured(&serve.hub, provider).await;
        report.add("models", tried.map(named).map_err(named));
    }
    if let Some(config) = &serve.hub.federation {
        report.add("network", Ok(network(config, &serve.hub.public_url)));
        if let Some(hub) = &running {
            report.add("reached", Ok(reached(hub).await));
        }
    }
    match (answers(serve), running) {
        (true, Some(_)) => report.add("hub", readiness(serve)),
        (false, Some(_)) => {
            let folder = serve.hub.data_dir.display();
            report.add("hub", Ok(format!("serves {folder}, on another address")));
        }
        (answers, None) => {
            report.add("address", listen_address(serve, answers));
            if is_new(&serve.hub) {
                report.add("store", Ok("not created yet; `plexus serve` creates it".to_owned()));
            } else {
                report.add("store", store(ServeConfig::folder(settings)?).await);
            }
        }
    }
    Ok(())
}

/// Checks that the listen address is free. A hub answers there that does not serve the data folder, if
/// `answers`.
fn listen_address(serve: &ServeConfig, answers: bool) -> Result<String, String> {
    let listen = serve.listen;
    if answers {
        return Err(format!(
            "another hub answers on {listen}, not one on {}; choose another address with PLEXUS_LISTEN",
            serve.hub.data_dir.display()
        ));
    }
    match std::net::TcpListener::bind(listen) {
        Ok(_) => Ok(format!("{listen} is free")),
        Err(error) => {
            Err(format!("listening on {listen} failed: {error}; choose another with PLEXUS_LISTEN"))
        }
    }
}

/// Returns whether a hub responds on the listening address. A hub that still builds its index responds too.
fn answers(serve: &ServeConfig) -> bool {
    ask(serve, "/healthz", LIVENESS_TIMEOUT)
        .is_ok_and(|answer| answer.starts_with("HTTP/1.") && answer.get(9..12) == Some("200"))
}

/// Returns what the running hub says about itself at `/readyz`.
fn readiness(serve: &ServeConfig) -> Result<String, String> {
    let answer = ask(serve, "/readyz", READINESS_TIMEOUT).map_err(|error| format!("/readyz: {error}"))?;
    if answer.get(9..12) == Some("200") {
        return Ok(format!("answers on {}, ready", serve.listen));
    }
    let reason = answer.rsplit_once("\r\n\r\n").map_or("no reason given", |(_, reason)| reason.trim());
    Err(format!("answers on {}, not ready: {reason}", serve.listen))
}

/// Checks the room on the disk of a folder.
fn disk(folder: &Path) -> Result<String, String> {
    match readiness::check_disk(folder) {
        Ok(Some(free)) => Ok(format!("{} free for {}", in_units(free), folder.display())),
        Ok(None) => Ok(format!("{} does not exist yet", folder.display())),
        Err(free) => Err(format!("{} free for {}: the disk is full", in_units(free), folder.display())),
    }
}

fn ask(serve: &ServeConfig, path: &str, patience: Duration) -> std::io::Result<String> {
    const MAX_BYTES: u64 = 4 << 10;
    let mut listen = serve.listen;
    if listen.ip().is_unspecified() {
        listen.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let mut stream = TcpStream::connect_timeout(&listen, patience)?;
    stream.set_read_timeout(Some(patience))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", serve.listen)?;
    let mut answer = String::new();
    stream.take(MAX_BYTES).read_to_string(&mut answer)?;
    Ok(answer)
}

/// Returns the warnings of the running hub, which also covers its proxies, or else those of the settings.
async fn warnings(config: &HubConfig, running: Option<&HubClient>) -> anyhow::Result<Vec<String>> {
    let Some(hub) = running else { return Ok(config.warnings()) };
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

/// Checks that no interrupted backup or restore left a copy of the database.
fn leftovers(config: &HubConfig, is_running: bool) -> Result<String, String> {
    let found = backups::leftovers(config).map_err(|error| format!("cannot be listed: {error}"))?;
    if found.is_empty() {
        return Ok("no copies of the database of interrupted backups".to_owned());
    }
    let paths: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    let cure = match is_running {
        true => "its next backup deletes them, if none is being made now",
        false => "the next start of the hub deletes them",
    };
    Err(format!("interrupted backups or restores left {}; {cure}", paths.join(", ")))
}

/// Checks that the folder can be written, or created. It does not create the folder.
fn folder(variable: &str, folder: &Path) -> Result<String, String> {
    let absolute = std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let existing = absolute.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    match tempfile::Builder::new().prefix(".plexus-doctor").tempfile_in(existing) {
        Ok(_) if existing == absolute => Ok(format!("{} is writable", folder.display())),
        Ok(_) => Ok(format!("{} does not exist yet; `plexus serve` creates it", folder.display())),
        Err(error) => Err(format!(
            "{} is not writable: {error}; choose another folder for {} with {variable}",
            existing.display(),
            folder.display(),
        )),
    }
}

/// Checks that the command of a program exists.
fn command_of(program: &ProgramConfig) -> Result<String, String> {
    let SandboxedCommand { name, command, .. } = &program.program;
    match find_command(command) {
        Some(path) => Ok(format!("{name} is {}", path.display())),
        None => Err(format!(
            "programs.{name}: the command {command} is neither a file that can be run nor in PATH"
        )),
    }
}

fn find_command(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|path| is_executable(path));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(command)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
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
    let found = match hub.check_store().await {
        Ok(()) => clocks(&hub).await,
        Err(error) => Err(format!("{error:#}")),
    };
    hub.close().await;
    found
}

/// Compares the clock of this machine with that of the database server.
async fn clocks(hub: &Hub) -> Result<String, String> {
    const MAX_SECONDS: u64 = 2;
    let offset = hub.database_clock_offset().await.map_err(|error| format!("{error:#}"))?;
    match offset.filter(|seconds| seconds.unsigned_abs() > MAX_SECONDS) {
        None => Ok("available".to_owned()),
        Some(seconds) => {
            let direction = if seconds > 0 { "ahead of" } else { "behind" };
            Err(format!(
                "the clock of this machine is {} s {direction} the database's; synchronise both by NTP",
                seconds.unsigned_abs()
            ))
        }
    }
}

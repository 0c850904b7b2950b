//! Backend of `plexus agent run`: a child process, or a server that this machine can reach, wrapped as a
//! connector.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::Command,
    sync::Arc,
};

use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, builder::NonEmptyStringValueParser, value_parser};
use plexus_domain::agent::http_endpoint::{EndpointRequestSpec, EndpointTemplate, Preset};
use plexus_runtime::{
    Connector,
    a2a::{A2aConnector, Endpoint},
    acp::{AcpConnector, AcpSessionPool},
    child_process::ProcessSpec,
    http_endpoint::HttpConnector,
    outbound::{HttpClients, OutboundClient, OutboundPolicy},
    stdio::{Lines, ProgramSpec, TextProgram},
};
use url::Url;

/// Maximum number of concurrent ACP processes: one per conversation that can still be continued.
const SESSIONS: usize = 16;

/// A connector, with the title and summary from the agent's own card if it has one.
pub struct AgentBackend {
    pub connector: Arc<dyn Connector>,
    pub title: Option<String>,
    pub summary: Option<String>,
}

pub fn arguments() -> [Arg; 6] {
    let option = |id: &'static str, value: &'static str| Arg::new(id).long(id).value_name(value);
    [
        option("protocol", "PROTOCOL").value_parser(["text", "jsonl", "acp"]).default_value("text").help(
            "Protocol of the program: text (plain text in and out), jsonl (JSON Lines), acp (the Agent \
             Client Protocol)",
        ),
        option("question-suffix", "TEXT")
            .action(ArgAction::Append)
            .value_parser(NonEmptyStringValueParser::new())
            .help("Output suffix that marks a question to the user (repeatable)"),
        option("url", "URL").value_parser(value_parser!(Url)).conflicts_with("program").help(
            "URL of a server that this machine can reach, instead of a program; A2A unless another option \
             says otherwise",
        ),
        option("preset", "SOFTWARE")
            .value_parser(Preset::ALL.map(Preset::as_str))
            .requires("url")
            .conflicts_with("request-template")
            .help("Use the request template of this software"),
        option("request-template", "FILE")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with("program")
            .help("JSON file with the request template"),
        Arg::new("program")
            .required_unless_present_any(["url", "request-template"])
            .last(true)
            .num_args(1..)
            .value_name("PROGRAM")
            .value_parser(value_parser!(OsString))
            .help("The program and its arguments"),
    ]
}

impl AgentBackend {
    pub async fn of(arguments: &ArgMatches) -> anyhow::Result<Self> {
        if let Some(line) = arguments.get_many::<OsString>("program") {
            return program(arguments, line.cloned());
        }
        let url: Option<&Url> = arguments.get_one("url");
        let preset = arguments.get_one::<String>("preset").and_then(|name| Preset::parse(name));
        match (url, preset, arguments.get_one::<PathBuf>("request-template")) {
            (url, None, Some(file)) => server(described(file, url)?),
            (Some(url), Some(preset), None) => {
                // Presets may ask for credentials; the owner of a local server needs none.
                server(EndpointRequestSpec { auth: None, ..preset.request(url.as_str()) })
            }
            (Some(url), ..) => agent(url).await,
            _ => bail!("name a program after --, or a server with --url"),
        }
    }
}

fn program(arguments: &ArgMatches, line: impl Iterator<Item = OsString>) -> anyhow::Result<AgentBackend> {
    let line: Vec<OsString> = line.collect();
    let suffixes = arguments.get_many("question-suffix").into_iter().flatten();
    let question_suffixes: Vec<String> = suffixes.cloned().collect();
    let protocol = arguments.get_one::<String>("protocol").map_or("text", String::as_str);
    if protocol != "text" && !question_suffixes.is_empty() {
        bail!("--question-suffix requires --protocol text");
    }
    let program = ProgramSpec::new(line.clone()).context("name the program after --")?;
    let connector: Arc<dyn Connector> = match protocol {
        "jsonl" => Arc::new(Lines::new(program)),
        "acp" => Arc::new(acp(line)?),
        _ => Arc::new(TextProgram::new(program, question_suffixes)),
    };
    Ok(AgentBackend { connector, title: None, summary: None })
}

/// Starts one ACP process per conversation, in the current folder.
fn acp(line: Vec<OsString>) -> anyhow::Result<AcpConnector> {
    let folder = std::env::current_dir().context("the current folder does not exist")?;
    let launcher = move || {
        let mut words = line.iter();
        let mut command = Command::new(words.next().map_or(OsStr::new(""), OsString::as_os_str));
        command.args(words).current_dir(&folder);
        Ok(ProcessSpec::new(command, &folder))
    };
    Ok(AcpConnector::new(AcpSessionPool::new(SESSIONS), "run", Arc::new(launcher)))
}

fn described(file: &PathBuf, url: Option<&Url>) -> anyhow::Result<EndpointRequestSpec> {
    let text = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
    let request: EndpointRequestSpec =
        serde_json::from_slice(&text).with_context(|| format!("{} describes no request", file.display()))?;
    Ok(match url {
        Some(url) if request.url.is_empty() => EndpointRequestSpec { url: url.to_string(), ..request },
        _ => request,
    })
}

fn server(request: EndpointRequestSpec) -> anyhow::Result<AgentBackend> {
    let connector = Arc::new(HttpConnector::new(outbound()?, EndpointTemplate::try_from(request)?)?);
    Ok(AgentBackend { connector, title: None, summary: None })
}

async fn agent(url: &Url) -> anyhow::Result<AgentBackend> {
    let outbound = outbound()?;
    let found = outbound.fetch_card(url).await?;
    let reading = plexus_a2a::Card::read(&found.body);
    let Some(card) = reading.card else {
        let words: Vec<String> = reading.problems.into_iter().map(|problem| problem.message).collect();
        bail!("the card at {} cannot be used: {}", found.url, words.join(" "));
    };
    let endpoint = Endpoint::of(&card).context("its card names no address that can be called")?;
    let connector = Arc::new(A2aConnector::new(outbound, endpoint)?);
    let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(AgentBackend { connector, title: said(&card.name), summary: said(&card.description) })
}

/// Returns an HTTP client without SSRF protection: the user of this command chose the address.
fn outbound() -> anyhow::Result<OutboundClient> {
    Ok(HttpClients::new()?.for_untrusted(OutboundPolicy { allow_private: true, ports: None }))
}

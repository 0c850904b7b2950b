//! `plexus conformance`: serves a hub for test kits until it is stopped. Its data is temporary.

use std::net::SocketAddr;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command};

use crate::{conformance, serve, telemetry};

pub fn command() -> Command {
    let listen = Arg::new("listen")
        .long("listen")
        .value_name("ADDRESS")
        .default_value("127.0.0.1:3001")
        .help("Address on loopback and port to serve on");
    let log = Arg::new("log").long("log").value_name("LEVEL").default_value("warn").help("Log filter");
    Command::new("conformance")
        .about("Serve a hub for conformance test kits: temporary data, loopback only, no sign-in")
        .arg(listen)
        .arg(log)
}

#[expect(clippy::print_stdout, reason = "this is what whoever starts a kit waits for")]
pub async fn run(arguments: &ArgMatches) -> anyhow::Result<u8> {
    let given = |name: &str| arguments.get_one::<String>(name).map_or("", String::as_str);
    telemetry::start(given("log"), "text")?;
    let listen: SocketAddr = given("listen")
        .parse()
        .with_context(|| format!("\"{}\" is not an address and a port", given("listen")))?;
    let folder = tempfile::tempdir().context("making a temporary folder")?;
    let running = serve::start(conformance::serve(listen, folder.path())?).await?;
    println!("Plexus serves on {}", running.hub.config().public_url);
    println!("A2A kits find their agent at {}a2a/test/tck/", running.hub.config().public_url);
    running.run_until_signal().await?;
    running.stop().await?;
    Ok(0)
}

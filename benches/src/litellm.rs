//! Comparison with LiteLLM: the same load on the hub and its alternatives in turn, with the same model
//! server.

use std::{
    net::{SocketAddr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use hyper::header;
use tempfile::TempDir;

use crate::{
    client::{Client, Target},
    concurrent_load::{self, Load, Round},
    model_relay,
    model_relay::Scene,
    model_server::{MODEL, Script, Upstream},
    print,
    stats::median,
};

const KEY: &str = "sk-bench";
/// A Python proxy starts slowly on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(3);
const STREAMS: [usize; 3] = [1, 64, 512];

/// Unpaced scripts with their number of tokens, and how many questions each of the [`CROWD`] clients asks.
const SATURATED: [(Script, usize); 2] =
    [(Script { tokens: 1, every: Duration::ZERO }, 20), (Script { tokens: 100, every: Duration::ZERO }, 4)];
const CROWD: usize = 64;
const WAYS: [&str; 5] = ["direct", "bare relay", "hub, a chat", "hub, `/v1/chat/completions`", "LiteLLM"];

/// Compares the hub with the LiteLLM proxy; `litellm` is the path of its program.
pub async fn run(litellm: &Path, rounds: usize) -> anyhow::Result<()> {
    let scene = Scene::new(STREAMS[2]).await?;
    let proxy = LiteLlm::start(litellm, &scene.upstream).await?;
    paced(&scene, &proxy, rounds).await?;
    saturated(&scene, &proxy, rounds).await
}

async fn paced(scene: &Scene, proxy: &LiteLlm, rounds: usize) -> anyhow::Result<()> {
    print(&format!(
        "\nThe same relay through LiteLLM's proxy, one worker, no database; medians of {rounds} rounds (best)"
    ));
    print(model_relay::HEAD);
    print(model_relay::RULE);
    for streams in STREAMS {
        let measured = measure(scene, proxy, rounds, model_relay::paced(streams)).await?;
        for (way, rounds) in WAYS.into_iter().zip(&measured) {
            model_relay::row(streams, way, rounds);
        }
        let cpu = |way: usize| median(measured[way].iter().map(Round::cpu_micros_per_token));
        let first = |way: usize| median(measured[way].iter().map(|round| round.percentiles()[0]));
        let to = |way: usize| (cpu(4) / cpu(way), (first(4) - first(0)) / (first(way) - first(0)));
        let ((chat, _), (edge, added)) = (to(2), to(3));
        print(&format!(
            "| {streams} | LiteLLM to hub | added {added:.0} to 1 (API) | | | | {chat:.1} to 1 (chat), {edge:.1} (API) |"
        ));
    }
    Ok(())
}

async fn saturated(scene: &Scene, proxy: &LiteLlm, rounds: usize) -> anyhow::Result<()> {
    print(&format!("\n{CROWD} at once, no pause between tokens; medians of {rounds} rounds"));
    print("| tokens an answer | way | streams/s | tokens/s | µs of processor a token |");
    print("|---|---|---|---|---|");
    for (script, each) in SATURATED {
        let measured = measure(scene, proxy, rounds, Load { streams: CROWD, each, script }).await?;
        for (way, rounds) in WAYS.into_iter().zip(&measured) {
            let rate = median(rounds.iter().map(Round::tokens_per_second));
            let cpu = median(rounds.iter().map(Round::cpu_micros_per_token));
            let streams = rate / script.tokens as f64;
            print(&format!("| {} | {way} | {streams:.0} | {rate:.0} | {cpu:.1} |", script.tokens));
        }
    }
    Ok(())
}

/// Measures the same load on each of the [`WAYS`] in turn. Returns the rounds by way.
async fn measure(
    scene: &Scene,
    proxy: &LiteLlm,
    rounds: usize,
    load: Load,
) -> anyhow::Result<[Vec<Round>; WAYS.len()]> {
    let mut measured: [Vec<Round>; WAYS.len()] = Default::default();
    for _ in 0..rounds {
        let [direct, floor, chat] = scene.round(load).await?;
        let (edge, peer) = (scene.edge(load).await?, proxy.ask(load).await?);
        for (rounds, round) in measured.iter_mut().zip([direct, floor, chat, edge, peer]) {
            rounds.push(round);
        }
    }
    Ok(measured)
}

/// The LiteLLM proxy as a child process.
struct LiteLlm {
    target: Target,
    process: Child,
    _folder: TempDir,
}

impl LiteLlm {
    async fn start(program: &Path, upstream: &Upstream) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("config.yaml");
        std::fs::write(&config, configuration(upstream))?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let process = Command::new(std::path::absolute(program)?)
            .args(["--host", "127.0.0.1", "--port", &address.port().to_string(), "--num_workers", "1"])
            .arg("--config")
            .arg(&config)
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("LITELLM_LOG", "ERROR")
            .env("LITELLM_MODE", "PRODUCTION")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let target = Target { address, credential: Some((header::AUTHORIZATION, format!("Bearer {KEY}"))) };
        let mut proxy = Self { target, process, _folder: folder };
        proxy.wait(address).await?;
        Ok(proxy)
    }

    async fn wait(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait()? {
                anyhow::bail!("LiteLLM ended with {status} before it served");
            }
            if let Ok(mut client) = Client::open(address).await
                && client.call(self.target.get("/health/liveliness")?).await.is_ok()
            {
                return Ok(());
            }
            anyhow::ensure!(
                begun.elapsed() < TIMEOUT,
                "LiteLLM did not serve within {} s",
                TIMEOUT.as_secs()
            );
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn ask(&self, load: Load) -> anyhow::Result<Round> {
        let lines = model_relay::completions(&self.target, MODEL, load.streams).await?;
        concurrent_load::ask(lines, load, self.process.id()).await
    }
}

impl Drop for LiteLlm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn configuration(upstream: &Upstream) -> String {
    format!(
        "model_list:\n  - model_name: {MODEL}\n    litellm_params:\n      model: openai/{MODEL}\n      \
         api_base: {}\n      api_key: none\ngeneral_settings:\n  master_key: {KEY}\n",
        upstream.base()
    )
}

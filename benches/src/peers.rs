//! The same load on the hub and on what people would put in its place, in turn, over the same model server.

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
    crowd::{self, Load, Round},
    print, relay,
    relay::Scene,
    stats::median,
    upstream::{MODEL, Upstream},
};

const KEY: &str = "sk-bench";
/// A proxy in Python takes long to start on a busy machine.
const PATIENCE: Duration = Duration::from_mins(3);
const STREAMS: [usize; 3] = [1, 64, 512];

/// Compares with LiteLLM's proxy, the program at `litellm`.
pub async fn run(litellm: &Path, rounds: usize) -> anyhow::Result<()> {
    let scene = Scene::new(STREAMS[2]).await?;
    let proxy = LiteLlm::start(litellm, &scene.upstream).await?;
    print(&format!(
        "\nThe same relay through LiteLLM's proxy, one worker, no database; medians of {rounds} rounds (best)"
    ));
    print(relay::HEAD);
    print(relay::RULE);
    for streams in STREAMS {
        let load = relay::paced(streams);
        let mut measured: [Vec<Round>; 4] = Default::default();
        for _ in 0..rounds {
            let [direct, floor, hub] = scene.round(load).await?;
            let peer = proxy.ask(load).await?;
            for (rounds, round) in measured.iter_mut().zip([direct, floor, hub, peer]) {
                rounds.push(round);
            }
        }
        for (way, rounds) in relay::WAYS.into_iter().chain(["LiteLLM"]).zip(&measured) {
            relay::row(streams, way, rounds);
        }
        let [_, _, hub, peer] = &measured;
        let cpu = |rounds: &[Round]| median(rounds.iter().map(Round::cpu_micros_per_token));
        print(&format!(
            "| {streams} | LiteLLM to hub, processor | | | | | {:.1} to 1 |",
            cpu(peer) / cpu(hub)
        ));
    }
    Ok(())
}

/// The proxy as a process of its own.
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
                begun.elapsed() < PATIENCE,
                "LiteLLM did not serve within {} s",
                PATIENCE.as_secs()
            );
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn ask(&self, load: Load) -> anyhow::Result<Round> {
        let lines = relay::completions(&self.target, load.streams).await?;
        crowd::ask(lines, load, self.process.id()).await
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

//! Relay benchmark: signed-in chats with a model through the hub, through a bare relay, and directly, in
//! turn.

use std::time::Duration;

use crate::{
    background_writes::Writer,
    baseline_proxy::Floor,
    client::Target,
    concurrent_load::{self, Load, Round},
    hub::Hub,
    model_server::{MODEL, Script, Upstream},
    print,
    stats::median,
    token_client::{Chat, Completions, Line},
    users,
};

const PACED: Script = Script { tokens: 100, every: Duration::from_millis(40) };
/// Short and long answers, and how many of them each stream requests.
const SATURATED: [(Script, usize); 2] = [
    (Script { tokens: 100, every: Duration::ZERO }, 20),
    (Script { tokens: 2_000, every: Duration::ZERO }, 4),
];
const STREAMS: [usize; 3] = [1, 64, 512];
/// First answer of each chat, not measured.
const WARM: Script = Script { tokens: 1, every: Duration::ZERO };

/// A hub with an agent on the model server, and its users.
pub struct Scene {
    pub upstream: Upstream,
    floor: Floor,
    hub: Hub,
    agent: String,
    people: Vec<Target>,
}

/// Ways from the client to the model, in the order in which they are measured.
pub const WAYS: [&str; 3] = ["direct", "bare relay", "hub"];

pub async fn run(rounds: usize) -> anyhow::Result<()> {
    let scene = Scene::new(STREAMS[2]).await?;
    measure(&scene, rounds, "nothing beside it").await?;
    let writer = Writer::start(&scene.people[0], &scene.agent).await?;
    measure(&scene, rounds, "a writer beside it").await?;
    print(&format!("\nThe writer beside it wrote {:.0} rows/s.", writer.rows_per_second()));
    drop(writer);
    saturated(&scene, rounds).await
}

impl Scene {
    pub async fn new(people: usize) -> anyhow::Result<Self> {
        let upstream = Upstream::start()?;
        let hub = Hub::with_settings(tempfile::tempdir()?, settings(&upstream)).await?;
        let people = users::sign_up(&hub, people).await?;
        let agent = users::publish_agent(&people[0]).await?;
        let floor = Floor::start(&upstream)?;
        Ok(Self { upstream, floor, hub, agent, people })
    }

    /// Starts a chat for each of `count` users and reads its first answer.
    async fn chats(&self, count: usize) -> anyhow::Result<Vec<Line>> {
        let mut chats = Vec::new();
        for person in &self.people[..count] {
            let mut chat = Chat::begin(person.clone(), &self.agent, WARM).await?;
            chat.hear(0).await?;
            chats.push(Line::Chat(chat));
        }
        Ok(chats)
    }

    /// Measures the same load on each of the [`WAYS`] in turn.
    pub async fn round(&self, load: Load) -> anyhow::Result<[Round; 3]> {
        let to = Target { address: self.upstream.address(), credential: None };
        let direct =
            concurrent_load::ask(completions(&to, MODEL, load.streams).await?, load, self.upstream.id())
                .await?;
        let floor = self.floor.ask(load).await?;
        let hub = concurrent_load::ask(self.chats(load.streams).await?, load, self.hub.id()).await?;
        Ok([direct, floor, hub])
    }

    /// Measures the same load on the OpenAI-compatible API of the hub, by one program with an API token.
    pub async fn edge(&self, load: Load) -> anyhow::Result<Round> {
        let program = users::with_token(&self.people[0]).await?;
        concurrent_load::ask(completions(&program, &self.agent, load.streams).await?, load, self.hub.id())
            .await
    }

    /// Measures `count` rounds of the same load. Returns the rounds by way.
    async fn rounds(&self, count: usize, load: Load) -> anyhow::Result<[Vec<Round>; 3]> {
        let mut measured: [Vec<Round>; 3] = Default::default();
        for _ in 0..count {
            for (rounds, round) in measured.iter_mut().zip(self.round(load).await?) {
                rounds.push(round);
            }
        }
        Ok(measured)
    }
}

/// Returns the settings with which a hub uses the model server.
pub fn settings(upstream: &Upstream) -> Vec<crate::hub::Setting> {
    vec![("PLEXUS_LLM_BASE_URL", upstream.base()), ("PLEXUS_LLM_MODEL", MODEL.to_owned())]
}

/// Opens `count` connections to a completions API.
pub async fn completions(to: &Target, model: &str, count: usize) -> anyhow::Result<Vec<Line>> {
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.push(Line::Completions(Completions::open(to.clone(), model).await?));
    }
    Ok(lines)
}

/// Prints the latency that one way adds to another.
fn print_added(streams: usize, what: &str, less: &[Round], more: &[Round]) {
    let added = |(less, more): (&Round, &Round)| {
        let (less, more) = (less.percentiles(), more.percentiles());
        std::array::from_fn(|at| more[at] - less[at])
    };
    print_row(streams, what, less.iter().zip(more).map(added), "");
}

/// Returns a load of 25 tokens per second and stream.
pub fn paced(streams: usize) -> Load {
    Load { streams, each: if streams == 1 { 10 } else { 2 }, script: PACED }
}

async fn measure(scene: &Scene, rounds: usize, beside: &str) -> anyhow::Result<()> {
    let (tokens, every) = (PACED.tokens, PACED.every.as_millis());
    print(&format!(
        "\nRelay, {tokens} tokens, one every {every} ms, {beside}; medians of {rounds} rounds (best)"
    ));
    print(HEAD);
    print(RULE);
    for streams in STREAMS {
        let measured = scene.rounds(rounds, paced(streams)).await?;
        for (way, rounds) in WAYS.into_iter().zip(&measured) {
            row(streams, way, rounds);
        }
        let [direct, floor, hub] = &measured;
        print_added(streams, "added by the bare relay", direct, floor);
        print_added(streams, "added by the hub", direct, hub);
    }
    Ok(())
}

pub const HEAD: &str =
    "| streams | way | first token ms p50 | p99 | later tokens ms p50 | p99 | µs of processor a token |";
pub const RULE: &str = "|---|---|---|---|---|---|---|";

pub fn row(streams: usize, way: &str, rounds: &[Round]) {
    let cpu = median(rounds.iter().map(Round::cpu_micros_per_token));
    print_row(streams, way, rounds.iter().map(Round::percentiles), &format!("{cpu:.0}"));
}

/// Prints a row with the median and the minimum of the rounds for each column.
fn print_row(streams: usize, way: &str, rounds: impl Iterator<Item = [f64; 4]>, cpu: &str) {
    let rounds: Vec<[f64; 4]> = rounds.collect();
    let cell = |at: usize| {
        let column = rounds.iter().map(|round| round[at]);
        format!("{:.2} ({:.2})", median(column.clone()), column.fold(f64::INFINITY, f64::min))
    };
    print(&format!("| {streams} | {way} | {} | {} | {} | {} | {cpu} |", cell(0), cell(1), cell(2), cell(3)));
}

async fn saturated(scene: &Scene, rounds: usize) -> anyhow::Result<()> {
    let streams = STREAMS[1];
    print(&format!("\nRelay, {streams} streams, no pause between tokens; medians of {rounds} rounds"));
    print("| tokens an answer | way | tokens/s | µs of processor a token |");
    print("|---|---|---|---|");
    for (script, each) in SATURATED {
        let load = Load { streams, each, script };
        let measured = scene.rounds(rounds, load).await?;
        for (way, rounds) in WAYS.into_iter().zip(&measured) {
            let rate = median(rounds.iter().map(Round::tokens_per_second));
            let cpu = median(rounds.iter().map(Round::cpu_micros_per_token));
            print(&format!("| {} | {way} | {rate:.0} | {cpu:.1} |", script.tokens));
        }
    }
    Ok(())
}

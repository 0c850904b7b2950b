//! Test helper: hubs in child processes, controlled by JSON lines. A thousand hubs need more connections than
//! one process may open.

use std::{
    collections::HashMap,
    env,
    io::stdin,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use libp2p::Multiaddr;
use plexus_federation::net::actor_api::NetStatus;
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::{Mutex, mpsc, oneshot},
    task::spawn_blocking,
};

use crate::{
    fixtures,
    measure::{memory_of, say},
    single_listing_hub::{self, Lone, tag_of},
};

/// Hubs per process. Each has at most about a hundred connections; a process may usually open about ten
/// thousand files.
const OF_A_PROCESS: usize = 100;
/// Environment variable that marks a child process.
const HIRED: &str = "PLEXUS_TEST_HUB_PROCESS";

/// A command to a child process.
#[derive(Serialize, Deserialize)]
struct Errand {
    id: u64,
    /// Number of the target hub.
    hub: u16,
    what: What,
}

#[derive(Serialize, Deserialize)]
enum What {
    Start {
        bootstrap: Vec<Multiaddr>,
    },
    Announce,
    Count,
    FindHub(u16),
    /// Find a hub with the tag of this hub.
    FindTag(u16),
    Stop,
}

#[derive(Serialize, Deserialize)]
struct Report {
    id: u64,
    said: Said,
}

#[derive(Debug, Serialize, Deserialize)]
enum Said {
    At(Multiaddr),
    Done,
    Counts(Counts),
    Outcome(Outcome),
}

impl Said {
    fn of(outcome: single_listing_hub::Outcome) -> Self {
        Self::Outcome(outcome.map_err(str::to_owned))
    }
}

/// Result of a lookup, with the reason of a failure.
pub type Outcome = Result<(), String>;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Peers in its DHT routing table.
    pub table: usize,
    pub announcements: usize,
    pub dht_lookups: u64,
    /// DHT requests of all its lookups.
    pub requests: u64,
}

impl Counts {
    const fn of(status: &NetStatus) -> Self {
        Self {
            table: status.table,
            announcements: status.announcements,
            dht_lookups: status.dht_lookups,
            requests: status.requests,
        }
    }
}

/// Child processes, started on demand and killed on drop.
#[derive(Default)]
pub struct Crew {
    processes: Vec<Arc<Process>>,
    hubs: usize,
}

impl Crew {
    pub async fn start(&mut self, n: u16, bootstrap: Vec<Multiaddr>) -> Hub {
        if self.hubs.is_multiple_of(OF_A_PROCESS) {
            self.processes.push(Arc::new(Process::start()));
        }
        self.hubs += 1;
        let process = self.processes.last().unwrap().clone();
        let Said::At(address) = process.ask(n, What::Start { bootstrap }).await else { panic!("no address") };
        Hub { n, address, process }
    }

    /// Returns the memory of all child processes, in MiB.
    pub fn memory(&self) -> usize {
        self.processes.iter().map(|process| memory_of(&process.pid.to_string())).sum()
    }
}

/// A hub in a child process.
pub struct Hub {
    pub n: u16,
    pub address: Multiaddr,
    process: Arc<Process>,
}

impl Hub {
    pub async fn announce(&self) {
        self.process.ask(self.n, What::Announce).await;
    }

    pub async fn counts(&self) -> Counts {
        let Said::Counts(counts) = self.process.ask(self.n, What::Count).await else { panic!("no counts") };
        counts
    }

    pub async fn find_hub(&self, other: &Self) -> Outcome {
        self.outcome(What::FindHub(other.n)).await
    }

    pub async fn find_tag(&self, other: &Self) -> Outcome {
        self.outcome(What::FindTag(other.n)).await
    }

    pub fn has_tag_of(&self, other: &Self) -> bool {
        tag_of(self.n) == tag_of(other.n)
    }

    /// Stops the hub without closing its connections, like a killed process.
    pub async fn stop(self) {
        self.process.ask(self.n, What::Stop).await;
    }

    async fn outcome(&self, what: What) -> Outcome {
        let Said::Outcome(outcome) = self.process.ask(self.n, what).await else { panic!("no outcome") };
        outcome
    }
}

struct Process {
    pid: u32,
    input: Mutex<ChildStdin>,
    last: AtomicU64,
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<Said>>>>,
    _child: Child,
}

impl Process {
    fn start() -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--ignored", "--exact", "hub_processes::hubs_of_one_process", "--nocapture"])
            .env(HIRED, "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let waiting = Arc::default();
        tokio::spawn(listen(BufReader::new(output).lines(), Arc::clone(&waiting)));
        Self {
            pid: child.id().unwrap(),
            input: Mutex::new(input),
            last: AtomicU64::new(0),
            waiting,
            _child: child,
        }
    }

    async fn ask(&self, hub: u16, what: What) -> Said {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = oneshot::channel();
        self.waiting.lock().await.insert(id, tell);
        let line = serde_json::to_string(&Errand { id, hub, what }).unwrap() + "\n";
        self.input.lock().await.write_all(line.as_bytes()).await.unwrap();
        told.await.unwrap()
    }
}

async fn listen(
    mut lines: Lines<BufReader<ChildStdout>>,
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<Said>>>>,
) {
    while let Ok(Some(line)) = lines.next_line().await {
        // The test harness prints text of its own, even on the line of the first response.
        let answer = line.find('{').and_then(|at| serde_json::from_str::<Report>(&line[at..]).ok());
        if let Some(Report { id, said }) = answer
            && let Some(tell) = waiting.lock().await.remove(&id)
        {
            _ = tell.send(said);
        }
    }
    waiting.lock().await.clear();
}

/// Main loop of a child process, until its standard input closes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "other tests start it"]
async fn hubs_of_one_process() {
    if env::var_os(HIRED).is_none() {
        return;
    }
    let (read, mut lines) = mpsc::channel(1);
    spawn_blocking(move || {
        let mut lines = stdin().lines().map_while(Result::ok);
        lines.all(|line| read.blocking_send(line).is_ok())
    });
    let hubs = Arc::default();
    while let Some(line) = lines.recv().await {
        let (errand, hubs) = (serde_json::from_str(&line).unwrap(), Arc::clone(&hubs));
        tokio::spawn(async move { say(&serde_json::to_string(&run(errand, &hubs).await).unwrap()) });
    }
}

async fn run(Errand { id, hub: n, what }: Errand, hubs: &Mutex<HashMap<u16, Arc<Lone>>>) -> Report {
    let hub = async || hubs.lock().await[&n].clone();
    let said = match what {
        What::Start { bootstrap } => {
            let hub = Lone::start(n, bootstrap).await;
            let at = Said::At(hub.address.clone());
            hubs.lock().await.insert(n, Arc::new(hub));
            at
        }
        What::Announce => {
            hub().await.announce().await;
            Said::Done
        }
        What::Count => Said::Counts(Counts::of(&hub().await.status().await)),
        What::FindHub(other) => Said::of(hub().await.find_hub(fixtures::hub(other)).await),
        What::FindTag(other) => Said::of(hub().await.find_tag(&tag_of(other)).await),
        What::Stop => {
            hubs.lock().await.remove(&n);
            Said::Done
        }
    };
    Report { id, said }
}

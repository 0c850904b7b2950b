//! Teams benchmark with scripted members: overhead of the hub per turn, five hundred concurrent teams, two
//! teams with the same members, and the savings of repeat suppression.

use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::sleep};

use crate::{
    client::{Client, Target},
    hub::Hub,
    model_server::MODEL,
    print,
    repetition::{self, Cost},
    scripted_model::{Scripted, goal},
    stats::{percentile, sorted},
    streams::Memory,
    users,
};

const MEMBERS: usize = 4;
/// Consecutive teams whose turns are timed.
const TIMED: usize = 50;
/// Concurrent teams: users, and the maximum number of teams that a hub allows per user.
const PEOPLE: usize = 25;
const TEAMS_EACH: usize = 20;
const AT_ONCE: usize = PEOPLE * TEAMS_EACH;
/// Duration of a member's answer while all teams run.
const WORKS: Duration = Duration::from_secs(5);
const LOOKS: Duration = Duration::from_millis(100);
const TIMEOUT: Duration = Duration::from_secs(300);

struct Scene {
    scripted: Scripted,
    hub: Hub,
    people: Vec<Target>,
    agents: Vec<String>,
    /// Number of goals so far, for unique goals.
    goals: usize,
}

pub async fn run() -> anyhow::Result<()> {
    let mut scene = Scene::new().await?;
    scene.turns().await?;
    scene.at_once().await?;
    scene.sharing().await?;
    repeats()
}

impl Scene {
    async fn new() -> anyhow::Result<Self> {
        let scripted = Scripted::start().await?;
        let most = (AT_ONCE * MEMBERS).to_string();
        let settings = vec![
            ("PLEXUS_LLM_BASE_URL", scripted.base()),
            ("PLEXUS_LLM_MODEL", MODEL.to_owned()),
            ("PLEXUS_MAX_RUNS_PER_ACCOUNT", most.clone()),
            ("PLEXUS_MAX_QUEUED_RUNS_PER_ACCOUNT", most),
        ];
        let hub = Hub::with_settings(tempfile::tempdir()?, settings).await?;
        let people = users::sign_up(&hub, PEOPLE).await?;
        let mut agents = Vec::new();
        for n in 0..MEMBERS {
            agents.push(users::publish_named(&people[0], &format!("member-{n}")).await?);
        }
        Ok(Self { scripted, hub, people, agents, goals: 0 })
    }

    fn goal(&mut self, takes: Duration) -> String {
        self.goals += 1;
        goal(self.goals, takes)
    }

    /// Measures teams with sequential turns, and a client that makes the same number of calls without a hub.
    async fn turns(&mut self) -> anyhow::Result<()> {
        let person = self.people[0].clone();
        let mut client = Client::open(person.address).await?;
        for _ in 0..TIMED {
            let goal = self.goal(Duration::ZERO);
            launch(&mut client, &person, &goal, &self.agents, "round_robin").await?;
            until_ended(&mut client, &person).await?;
        }
        let hub = sorted(self.scripted.between());
        self.ask_directly(hub.len()).await?;
        let floor = sorted(self.scripted.between());
        print(&format!(
            "\nTeams, {} turns of {TIMED} teams of {MEMBERS}; from one answer to the next call",
            hub.len()
        ));
        print("| way | ms p50 | ms p99 |");
        print("|---|---|---|");
        for (way, times) in [("direct", &floor), ("hub", &hub)] {
            print(&format!("| {way} | {:.2} | {:.2} |", percentile(times, 50.0), percentile(times, 99.0)));
        }
        let added = |percent| percentile(&hub, percent) - percentile(&floor, percent);
        print(&format!("| added by the hub | {:.2} | {:.2} |", added(50.0), added(99.0)));
        Ok(())
    }

    async fn ask_directly(&mut self, turns: usize) -> anyhow::Result<()> {
        let goal = self.goal(Duration::ZERO);
        let to = Target { address: self.scripted.address, credential: None };
        let mut client = Client::open(to.address).await?;
        for _ in 0..=turns {
            ask(&mut client, &to, &goal).await?;
        }
        Ok(())
    }

    /// Runs all teams at once, and the same number of calls without a hub.
    async fn at_once(&mut self) -> anyhow::Result<()> {
        let calls = AT_ONCE * MEMBERS;
        print(&format!(
            "\nTeams, {AT_ONCE} of {MEMBERS} at once, each member at work for {} s",
            WORKS.as_secs()
        ));
        print("| way | s | without an answer | MiB at most |");
        print("|---|---|---|---|");
        let (direct, failed) = self.directly_at_once(calls).await?;
        print(&format!("| {calls} calls, direct | {:.1} | {failed} | |", direct.as_secs_f64()));
        let memory = Memory::watch(self.hub.id())?;
        let (took, failed) = self.teams_at_once(AT_ONCE / PEOPLE, WORKS).await?;
        let most = memory.most_mib();
        print(&format!("| {AT_ONCE} teams, hub | {:.1} | {failed} | {most:.0} |", took.as_secs_f64()));
        anyhow::ensure!(failed == 0, "{failed} teams came to no answer");
        Ok(())
    }

    async fn directly_at_once(&mut self, calls: usize) -> anyhow::Result<(Duration, usize)> {
        let goal = self.goal(WORKS);
        let to = Target { address: self.scripted.address, credential: None };
        let (begun, mut asking) = (Instant::now(), JoinSet::new());
        for _ in 0..calls {
            let (to, goal) = (to.clone(), goal.clone());
            asking.spawn(async move { ask(&mut Client::open(to.address).await?, &to, &goal).await });
        }
        let failed = asking.join_all().await.into_iter().filter(Result::is_err).count();
        Ok((begun.elapsed(), failed))
    }

    /// Launches `each` teams per user. Returns the duration and the number of teams without an answer.
    async fn teams_at_once(&mut self, each: usize, takes: Duration) -> anyhow::Result<(Duration, usize)> {
        let (begun, mut going) = (Instant::now(), JoinSet::new());
        for person in self.people.clone() {
            let (goals, agents): (Vec<String>, _) =
                ((0..each).map(|_| self.goal(takes)).collect(), self.agents.clone());
            going.spawn(async move {
                let mut client = Client::open(person.address).await?;
                let mut own = Vec::new();
                for goal in goals {
                    own.push(launch(&mut client, &person, &goal, &agents, "plan_and_delegate").await?);
                }
                let teams = until_ended(&mut client, &person).await?;
                let failed = |team: &&Value| own.contains(&team["id"]) && team["state"] != "closed";
                anyhow::Ok(teams.iter().filter(failed).count())
            });
        }
        let mut failed = 0;
        for ended in going.join_all().await {
            failed += ended?;
        }
        Ok((begun.elapsed(), failed))
    }

    /// Runs one team, then two at once with the same members.
    async fn sharing(&mut self) -> anyhow::Result<()> {
        self.people.truncate(1);
        print(&format!("\nTeams with the same {MEMBERS} members, each at work for {} s", WORKS.as_secs()));
        print("| teams at once | s |");
        print("|---|---|");
        for teams in [1, 2] {
            let (took, failed) = self.teams_at_once(teams, WORKS).await?;
            anyhow::ensure!(failed == 0, "{failed} teams came to no answer");
            print(&format!("| {teams} | {:.1} |", took.as_secs_f64()));
        }
        Ok(())
    }
}

/// Launches a team and returns its id.
async fn launch(
    client: &mut Client,
    person: &Target,
    goal: &str,
    members: &[String],
    pattern: &str,
) -> anyhow::Result<Value> {
    let new = json!({ "goal": goal, "members": members, "pattern": pattern });
    Ok(client.call(person.json(Method::POST, "/api/v1/teams", &new)?).await?["id"].clone())
}

/// Polls until all teams of the user have ended, and returns them.
async fn until_ended(client: &mut Client, person: &Target) -> anyhow::Result<Vec<Value>> {
    let begun = Instant::now();
    loop {
        let listed = client.call(person.get("/api/v1/teams")?).await?;
        let teams = listed["items"].as_array().cloned().unwrap_or_default();
        let goes_on = |team: &Value| team["state"] == "forming" || team["state"] == "working";
        if !teams.iter().any(goes_on) {
            return Ok(teams);
        }
        anyhow::ensure!(begun.elapsed() < TIMEOUT, "the teams did not end");
        sleep(LOOKS).await;
    }
}

/// Calls the model server once and reads the answer to its end.
async fn ask(client: &mut Client, to: &Target, goal: &str) -> anyhow::Result<()> {
    let body = json!({ "model": MODEL, "stream": true, "messages": [{ "role": "user", "content": goal }] });
    let mut events = client.stream(to.json(Method::POST, "/v1/chat/completions", &body)?).await?;
    while events.next().await?.is_some() {}
    Ok(())
}

fn repeats() -> anyhow::Result<()> {
    let (all, without) = (repetition::play(false)?, repetition::play(true)?);
    print("\nA talk of four members who go on repeating their two points");
    print("| repeats | turns | messages that others read | tokens |");
    print("|---|---|---|---|");
    let row = |what: &str, Cost { turns, messages, tokens }: Cost| {
        print(&format!("| {what} | {turns} | {messages} | {tokens} |"));
    };
    row("are read by all", all);
    row("are kept from the others", without);
    let less = |with: f64, without: f64| (1.0 - without / with) * 100.0;
    let messages = less(all.messages.into(), without.messages.into());
    print(&format!("| less | | {messages:.0} % | {:.0} % |", less(all.tokens as f64, without.tokens as f64)));
    Ok(())
}

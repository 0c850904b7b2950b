//! Test users of a hub, and agents for them.

use std::sync::Arc;

use anyhow::Context as _;
use http_body_util::BodyExt as _;
use hyper::{Method, StatusCode, header};
use plexus_domain::{MessageId, Timestamp};
use serde_json::json;
use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    client::{Client, Target},
    hub::Hub,
    listings::Words,
    tokens,
};

/// Concurrent sign-ups. Each hashes a password, which is CPU-bound.
const AT_ONCE: usize = 4;
const PASSWORD: &str = "correct+horse+battery+staple";

/// Signs up `count` users.
pub async fn sign_up(hub: &Hub, count: usize) -> anyhow::Result<Vec<Target>> {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut signing = JoinSet::new();
    for n in 0..count {
        let (turns, to) = (Arc::clone(&turns), Target { address: hub.address, credential: None });
        signing.spawn(async move {
            let _turn = turns.acquire().await?;
            sign_up_one(to, n).await
        });
    }
    let mut people = Vec::new();
    while let Some(signed) = signing.join_next().await {
        people.push(signed??);
    }
    Ok(people)
}

async fn sign_up_one(to: Target, n: usize) -> anyhow::Result<Target> {
    let form = to.form("/signup", format!("name=person{n}&password={PASSWORD}"))?;
    let answer = Client::open(to.address).await?.send(form).await?;
    anyhow::ensure!(answer.status() == StatusCode::SEE_OTHER, "signing up answered {}", answer.status());
    let cookie = answer.headers().get(header::SET_COOKIE).context("no session")?.to_str()?;
    let session = cookie.split(';').next().unwrap_or_default().to_owned();
    Ok(Target { credential: Some((header::COOKIE, session)), ..to })
}

/// Creates an API token for a user, for the APIs that do not accept sessions.
pub async fn with_token(person: &Target) -> anyhow::Result<Target> {
    let form = "name=bench&scope=read&scope=chat&days=1".to_owned();
    let answer = Client::open(person.address).await?.send(person.form("/settings/tokens", form)?).await?;
    let page = answer.into_body().collect().await?.to_bytes();
    let page = String::from_utf8_lossy(&page);
    let token = page.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    let token = token.into_iter().find(|word| word.starts_with("plx_")).context("the page shows no token")?;
    Ok(Target { credential: Some((header::AUTHORIZATION, format!("Bearer {token}"))), ..person.clone() })
}

/// Publishes an agent with a model and instructions, and returns its address.
pub async fn publish_agent(owner: &Target) -> anyhow::Result<String> {
    publish_named(owner, "relay").await
}

/// [`publish_agent`] with a given name.
pub async fn publish_named(owner: &Target, name: &str) -> anyhow::Result<String> {
    let agent =
        json!({ "name": name, "summary": "Answers.", "instructions": "Answer.", "visibility": "public" });
    let mut client = Client::open(owner.address).await?;
    let made = client.call(owner.json(Method::POST, "/api/v1/agents", &agent)?).await?;
    Ok(made["address"].as_str().context("an agent without an address")?.to_owned())
}

/// Returns a new message id, as a page generates it.
pub fn message_id() -> MessageId {
    use std::sync::atomic::{AtomicU64, Ordering};
    static MADE: AtomicU64 = AtomicU64::new(1);
    let millis = i64::try_from(tokens::now() / 1_000).unwrap_or(i64::MAX);
    MessageId::new(
        Timestamp::from_millis(millis),
        &Words::new(MADE.fetch_add(1, Ordering::Relaxed)).entropy(),
    )
}

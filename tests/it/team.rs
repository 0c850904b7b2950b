//! Fixture: launches teams and follows them.

use reqwest::{Method, StatusCode};
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    client::{Client, text_of},
    events::{Events, TIMEOUT},
};

/// Launches a team and returns its id.
pub async fn launch(client: &Client, new: &Value) -> String {
    text_of(&client.call(Method::POST, "/teams", new).await.expect(StatusCode::CREATED).json()["id"])
}

/// Follows the team's events until a condition holds, and returns the team.
pub async fn until(client: &Client, team: &str, done: impl Fn(&Value) -> bool) -> Value {
    let mut events = Events::open(client, team, 0).await;
    let reading = async {
        loop {
            let now = client.api(&format!("/teams/{team}")).await;
            if done(&now) {
                return now;
            }
            events.next().await.expect("the stream goes on");
        }
    };
    match timeout(TIMEOUT, reading).await {
        Ok(shown) => shown,
        Err(_) => panic!("it does not come to that: {:#}", client.api(&format!("/teams/{team}")).await),
    }
}

/// Returns the team once it has ended.
pub async fn ended(client: &Client, team: &str) -> Value {
    until(client, team, |team| !team["ended"].is_null()).await
}

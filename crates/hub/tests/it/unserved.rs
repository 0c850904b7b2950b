//! Team deadlines that pass while no instance of the hub runs: they are extended by that time.

use std::{path::Path, time::Duration};

use plexus_domain::{Timestamp, account::Role};
use plexus_hub::{
    ClockRng, Hub, accounts,
    config::Secret,
    teams::{self, LaunchRequest, TeamState},
};
use plexus_store::{
    StoreUrl,
    testing::{Database, prepare_sqlite},
};
use tokio::{task::yield_now, time::timeout};

use crate::common;

const START: Timestamp = Timestamp::from_millis(1_795_132_800_000);
/// Longer than any deadline of a team.
const AWAY: Duration = Duration::from_hours(24 * 3);
const TIMEOUT: Duration = Duration::from_secs(60);

async fn open(folder: &Path, database: Option<&Database>, env: ClockRng) -> Hub {
    let mut config = common::config(folder);
    config.database_url = database.map(|database| match database.url() {
        StoreUrl::Postgres { url } => Secret::new(url.to_string()),
        StoreUrl::Sqlite { .. } => unreachable!("a test database is on Postgres"),
    });
    if database.is_none() {
        prepare_sqlite(folder).await;
    }
    Hub::open(config, env).await.unwrap()
}

/// Launches a team whose orchestrator never processes its invitations before the hub stops.
///
/// After a restart past the deadline, the team must finish, with its deadline extended by the downtime.
async fn a_team_is_given_back_the_time(database: Option<Database>) {
    let folder = tempfile::tempdir().unwrap();
    let (env, _) = ClockRng::fixed(START, 1 << 32);
    env.faults().inject("team conductor");
    let hub = open(folder.path(), database.as_ref(), env).await;
    let password = "correct horse battery staple".to_owned();
    accounts::create_by_operator(&hub, "ada", password, Role::User).await.unwrap();
    let ada = accounts::impersonate(&hub, Some("ada")).await.unwrap();
    let members = vec!["@plexus/calc".parse().unwrap()];
    let team =
        teams::launch(&hub, &ada, LaunchRequest { members, ..LaunchRequest::of("17 * 23") }).await.unwrap();
    let founded = teams::get(&hub, &ada, team).await.unwrap();
    assert_eq!(founded.state, TeamState::Forming);
    hub.close().await;
    drop(hub);

    let (env, _) = ClockRng::fixed(START + AWAY, 2 << 32);
    let hub = open(folder.path(), database.as_ref(), env).await;
    let ended = async {
        loop {
            let view = teams::get(&hub, &ada, team).await.unwrap();
            if !matches!(view.state, TeamState::Forming | TeamState::Working) {
                return view;
            }
            yield_now().await;
        }
    };
    let view = timeout(TIMEOUT, ended).await.unwrap();
    assert_eq!(view.state, TeamState::Closed, "{:?}", view.failure);
    assert_eq!(view.deadline, founded.deadline + AWAY);
    hub.close().await;
    if let Some(database) = database {
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_goes_on_after_its_deadline_passed_while_no_process_served_sqlite() {
    a_team_is_given_back_the_time(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_goes_on_after_its_deadline_passed_while_no_process_served_postgres() {
    let Some(database) = Database::new().await else { return };
    a_team_is_given_back_the_time(Some(database)).await;
}

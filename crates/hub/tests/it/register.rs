use axum::{Router, http::header, routing::get};
use plexus_domain::{
    Error as Refusal,
    agent::{AgentAccess, Visibility},
};
use plexus_hub::{
    Error,
    agents::{
        self, AgentState, CallableState, Problem, manage,
        manage::CardRefresh,
        register_a2a::{self, CardFetchOutcome},
    },
};
use serde_json::json;

use super::common::{Echo, World, choice, refusal, serve};

#[tokio::test]
async fn an_agent_is_registered_step_by_step_and_answers() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let draft = world.begin(admin, &echo.url).await;
    assert_eq!(world.begin(admin, &echo.url).await, draft, "the form was sent twice");
    let found = register_a2a::card(hub, admin, draft).await.unwrap();
    assert_eq!((found.card.name.as_str(), found.name.as_str()), ("Echo clerk", "echo-clerk"));
    assert!(matches!(
        refusal(register_a2a::continue_unverified(hub, admin, draft).await),
        Refusal::Conflict { .. }
    ));

    register_a2a::save_choices(hub, admin, draft, choice("clerk")).await.unwrap();
    let origins = register_a2a::origins(hub, admin, draft).await.unwrap();
    echo.set_proof(format!("# proofs\n{}\n", origins[0].token));
    register_a2a::verify_origins(hub, admin, draft).await.unwrap();
    assert!(register_a2a::origins(hub, admin, draft).await.unwrap()[0].status.is_verified());
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    let publish = || agents::publish(hub, admin, draft, Visibility::Public, AgentAccess::Accounts);
    let address = publish().await.unwrap();
    assert_eq!(publish().await.unwrap(), address, "the form was sent twice");
    assert_eq!(address.to_string(), "@grace/clerk");
    let done = agents::done(hub, admin, draft).await.unwrap();
    assert!(done.proved);
    assert_eq!(done.seed, found.seed, "its mark was the same before it was published");
    assert!(register_a2a::list(hub, admin).await.unwrap().is_empty());

    let view = agents::get(hub, &world.bob, &address).await.unwrap().unwrap();
    assert!(view.summary.verified && view.is_online);
    assert_eq!((view.callable, view.versions[0].semver.as_str()), (CallableState::Yes, "1.2.0"));
    assert!(view.agent.listing_id.unwrap().starts_with("pl1"));
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
}

#[tokio::test]
async fn a_private_address_is_for_the_administrator_only() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let refused = refusal(register_a2a::begin(&world.hub, &world.ada, &echo.url).await);
    assert_eq!(refused.field(), Some("url"));
    assert!(refused.to_string().contains("private"), "{refused}");
    assert!(echo.shown().is_empty());
    assert!(!register_a2a::allows_private(&world.hub, &world.ada));
    assert!(register_a2a::allows_private(&world.hub, &world.admin));
}

#[tokio::test]
async fn an_unverified_agent_answers_its_owner_only() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let address = world.register(&world.admin, &echo.url, false).await;
    assert_eq!(world.answer(&world.admin, &address, "mine").await, "Echo: mine");
    let refused = refusal(world.ask(&world.bob, &address, "not mine").await);
    assert!(
        matches!(refused, Refusal::Forbidden { .. }) && refused.to_string().contains("unverified"),
        "{refused}"
    );
    assert_eq!(echo.shown().len(), 1);
    let view = agents::get(&world.hub, &world.bob, &address).await.unwrap().unwrap();
    assert!(matches!(view.callable, CallableState::Unproved { .. }));
}

#[tokio::test]
async fn a_name_is_given_once() {
    let (world, echo, other) = (World::new().await, Echo::start().await, Echo::start().await);
    let address = world.register(&world.admin, &echo.url, true).await;
    let draft = world.begin(&world.admin, &other.url).await;
    for name in ["echo", "ECHO", "", "a b", "-x"] {
        let refused =
            refusal(register_a2a::save_choices(&world.hub, &world.admin, draft, choice(name)).await);
        assert_eq!(refused.field(), Some("name"), "{name}");
    }
    manage::delete(&world.hub, &world.admin, &address).await.unwrap();
    let refused = refusal(register_a2a::save_choices(&world.hub, &world.admin, draft, choice("echo")).await);
    assert_eq!(refused.field(), Some("name"), "a deleted agent's name stays taken");
    assert!(agents::get(&world.hub, &world.admin, &address).await.unwrap().is_none());
}

/// Serves an agent card with this body.
async fn card(body: impl Into<String>) -> String {
    let body = body.into();
    let json = [(header::CONTENT_TYPE, "application/json")];
    serve(Router::new().route("/.well-known/agent-card.json", get(async move || (json, body)))).await
}

async fn begin(world: &World, url: &str) -> Result<Vec<Problem>, Error> {
    match register_a2a::begin(&world.hub, &world.admin, url).await? {
        CardFetchOutcome::Broken { problems, .. } => Ok(problems),
        CardFetchOutcome::Draft(_) => panic!("a draft was begun for {url}"),
    }
}

#[tokio::test]
async fn what_is_no_card_is_refused_with_the_place_named() {
    let world = World::new().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (body, words) in [
        ("<html>hello</html>".to_owned(), "not a JSON"),
        (" ".repeat(10 << 20), "262144 bytes"),
        (deep, "not a JSON"),
        ("{\"name\": \"x\"}".to_owned(), "not an agent card"),
    ] {
        let url = card(body).await;
        let refused = refusal(begin(&world, &url).await);
        assert_eq!(refused.field(), Some("url"));
        assert!(refused.to_string().contains(words), "{words}: {refused}");
    }
    let nobody = refusal(begin(&world, "http://127.0.0.1:1/").await);
    assert!(nobody.to_string().contains("No connection to 127.0.0.1:1"), "{nobody}");
}

#[tokio::test]
async fn a_hostile_card_is_shown_with_every_problem() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let mut hostile = echo.card();
    hostile["supportedInterfaces"][0]["url"] = json!("javascript:alert(1)");
    hostile["name"] = json!(7);
    let problems = begin(&world, &card(hostile.to_string()).await).await.unwrap();
    let all = format!("{problems:?}");
    assert!(all.contains("javascript") && problems.iter().any(|problem| problem.pointer == "/name"), "{all}");
    assert!(register_a2a::list(&world.hub, &world.admin).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_changed_card_is_a_version_and_a_new_origin_is_unproved() {
    let (world, echo, moved) = (World::new().await, Echo::start().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let address = world.register(admin, &echo.url, true).await;
    assert_eq!(manage::refresh(hub, admin, &address).await.unwrap(), CardRefresh::Same);
    let mut card = echo.card();
    card["supportedInterfaces"][0]["url"] = json!(moved.url);
    echo.set_card(card);
    assert_eq!(manage::refresh(hub, admin, &address).await.unwrap(), CardRefresh::NewVersion);
    let view = agents::get(hub, admin, &address).await.unwrap().unwrap();
    assert!(!view.summary.verified);
    let numbers: Vec<&str> = view.versions.iter().map(|version| version.semver.as_str()).collect();
    assert_eq!(numbers, ["1.2.1", "1.2.0"]);
    assert!(world.ask(&world.bob, &address, "hello").await.is_err());
    assert_eq!(world.answer(admin, &address, "hello").await, "Echo: hello");
    assert_eq!((echo.shown().len(), moved.shown().len()), (0, 1));
}

#[tokio::test]
async fn only_its_owner_changes_an_agent() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let address = world.register(admin, &echo.url, true).await;
    for result in [
        manage::delete(hub, &world.bob, &address).await,
        manage::set_paused(hub, &world.bob, &address, true).await,
        manage::set_visibility_and_access(hub, &world.bob, &address, Some(Visibility::Private), None).await,
        manage::trust_origin(hub, &world.bob, &address, "http://127.0.0.1:1").await,
    ] {
        assert!(matches!(refusal(result), Refusal::Forbidden { .. }));
    }
    manage::set_paused(hub, admin, &address, true).await.unwrap();
    assert!(matches!(refusal(world.ask(&world.bob, &address, "?").await), Refusal::Conflict { .. }));
    manage::set_paused(hub, admin, &address, false).await.unwrap();
    // Other hubs call the agent through this hub, so its private address does not matter.
    manage::set_visibility_and_access(hub, admin, &address, Some(Visibility::Federated), None).await.unwrap();
    let federated = agents::get(hub, admin, &address).await.unwrap().unwrap();
    assert_eq!(federated.agent.visibility, Visibility::Federated);
    manage::set_visibility_and_access(
        hub,
        admin,
        &address,
        Some(Visibility::Private),
        Some(AgentAccess::Owner),
    )
    .await
    .unwrap();
    assert!(agents::get(hub, &world.bob, &address).await.unwrap().is_none());
    let missing = refusal(manage::delete(hub, &world.bob, &address).await);
    assert!(matches!(missing, Refusal::NotFound { .. }));
    let view = agents::get(hub, admin, &address).await.unwrap().unwrap();
    assert_eq!(view.agent.state, AgentState::Active);
}

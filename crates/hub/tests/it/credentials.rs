use plexus_domain::{
    Address, Error as Refusal,
    agent::{AgentAccess, Visibility},
};
use plexus_hub::agents::{
    self, CallableState,
    credentials::{self, CredentialInput, Scheme},
    manage,
    register_a2a::{self, RegistrationChoices},
};
use serde_json::json;

use super::common::{Echo, World, refusal};

const SECRET: &str = "swordfish-0123456789";

fn given(secret: &str) -> CredentialInput {
    CredentialInput { user: String::new(), secret: secret.to_owned() }
}

/// Registers an agent at a trusted origin, with credentials of its owner.
async fn register(world: &World, echo: &Echo, shared: bool, secret: &str) -> Address {
    let (hub, admin) = (&world.hub, &world.admin);
    let draft = world.begin(admin, &echo.url).await;
    let choice = RegistrationChoices { name: "guarded".to_owned(), shared, given: given(secret) };
    register_a2a::save_choices(hub, admin, draft, choice).await.unwrap();
    let origin = echo.url.trim_end_matches('/');
    register_a2a::trust_origin(hub, admin, draft, origin).await.unwrap();
    register_a2a::continue_unverified(hub, admin, draft).await.unwrap();
    agents::publish(hub, admin, draft, Visibility::Public, AgentAccess::Accounts).await.unwrap()
}

fn bearer(secret: &str) -> Option<String> {
    Some(format!("Bearer {secret}"))
}

#[tokio::test]
async fn each_person_gives_their_own() {
    let (world, echo) = (World::new().await, Echo::guarded().await);
    let (hub, bob) = (&world.hub, &world.bob);
    let address = register(&world, &echo, false, "").await;
    let refused = refusal(world.ask(bob, &address, "hello").await);
    assert!(refused.to_string().contains(&format!("/{address}/credentials")), "{refused}");
    let view = agents::get(hub, bob, &address).await.unwrap().unwrap();
    assert_eq!(view.callable, CallableState::NeedsCredentials);
    let asked = credentials::credential_status(hub, bob, &address).await.unwrap().unwrap();
    assert_eq!((asked.scheme, asked.stored), (Scheme::Bearer, false));

    credentials::set_credentials(hub, bob, &address, given(SECRET)).await.unwrap();
    assert_eq!(world.answer(bob, &address, "hello").await, "Echo: hello");
    assert_eq!(echo.shown(), [bearer(SECRET)]);
    assert!(world.ask(&world.ada, &address, "hello").await.is_err(), "what bob gave is bob's");
    credentials::set_credentials(hub, bob, &address, given("another")).await.unwrap();
    world.answer(bob, &address, "again").await;
    assert_eq!(echo.shown().last().unwrap(), &bearer("another"));
    credentials::delete_credentials(hub, bob, &address).await.unwrap();
    assert!(world.ask(bob, &address, "hello").await.is_err());
}

#[tokio::test]
async fn the_owners_are_used_for_everybody_and_lie_sealed() {
    let (world, echo) = (World::new().await, Echo::guarded().await);
    let address = register(&world, &echo, true, SECRET).await;
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
    assert_eq!(echo.shown(), [bearer(SECRET)]);
    assert!(credentials::credential_status(&world.hub, &world.bob, &address).await.unwrap().is_none());
    let refused =
        refusal(credentials::set_credentials(&world.hub, &world.bob, &address, given("mine")).await);
    assert!(matches!(refused, Refusal::Conflict { .. }));
    for file in std::fs::read_dir(world.folder()).unwrap() {
        let path = file.unwrap().path();
        let found = path.is_file() && contains(&std::fs::read(&path).unwrap(), SECRET.as_bytes());
        assert!(!found, "{} holds the secret", path.display());
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[tokio::test]
async fn they_are_sent_to_the_proved_origin_only() {
    let (world, echo, thief) = (World::new().await, Echo::guarded().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let address = register(&world, &echo, true, SECRET).await;
    let mut card = echo.card();
    card["supportedInterfaces"][0]["url"] = json!(thief.url);
    echo.set_card(card);
    manage::refresh(hub, admin, &address).await.unwrap();
    let origin = thief.url.trim_end_matches('/');
    let refused = refusal(world.ask(admin, &address, "hello").await);
    assert!(
        refused.to_string().contains("credentials"),
        "the old ones are not for the new address: {refused}"
    );
    credentials::set_credentials(hub, admin, &address, given(SECRET)).await.unwrap();
    let answer = world.answer(admin, &address, "hello").await;
    assert!(answer.contains(origin) && answer.contains("unverified"), "{answer}");
    assert!(thief.shown().is_empty());
    manage::trust_origin(hub, admin, &address, origin).await.unwrap();
    assert_eq!(world.answer(admin, &address, "hello").await, "Echo: hello");
    assert_eq!(thief.shown(), [bearer(SECRET)]);
}

#[tokio::test]
async fn what_cannot_be_a_credential_is_refused_at_its_field() {
    let (world, echo) = (World::new().await, Echo::guarded().await);
    let address = register(&world, &echo, false, "").await;
    for secret in ["", "two\r\nlines", &"x".repeat(9_000)] {
        let refused =
            refusal(credentials::set_credentials(&world.hub, &world.bob, &address, given(secret)).await);
        assert_eq!(refused.field(), Some("secret"));
    }
}

use plexus_hub::{
    admin,
    agents::{
        self, manage,
        origin_verification::{VerificationMethod, VerificationStatus},
        register_a2a,
    },
};
use plexus_testing::Dns;

use super::common::{Echo, World, choice, refusal};

#[tokio::test]
async fn the_proof_of_one_agent_is_worth_nothing_for_another() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, grace) = (&world.hub, &world.admin);
    let first = world.register(grace, &echo.url, false).await;
    let token = manage::managed(hub, grace, &first).await.unwrap().origins[0].token.clone();
    echo.set_proof(token.clone());
    let draft = world.begin(grace, &echo.url).await;
    register_a2a::save_choices(hub, grace, draft, choice("another")).await.unwrap();
    register_a2a::verify_origins(hub, grace, draft).await.unwrap();
    let other = register_a2a::origins(hub, grace, draft).await.unwrap().remove(0);
    assert!(other.token != token);
    let VerificationStatus::Failed { message, .. } = other.status else { panic!("proved by another's text") };
    assert!(message.contains("does not contain the verification text"), "{message}");
}

#[tokio::test]
async fn control_is_proved_later_and_lost_when_the_file_is_gone() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, grace) = (&world.hub, &world.admin);
    let address = world.register(grace, &echo.url, false).await;
    let found = manage::verify_origins(hub, grace, &address).await.unwrap();
    assert!(
        matches!(&found[0].status, VerificationStatus::Failed { message, .. } if message.contains("404")),
        "{found:?}"
    );
    echo.set_proof(found[0].token.clone());
    let found = manage::verify_origins(hub, grace, &address).await.unwrap();
    assert!(matches!(found[0].status, VerificationStatus::Verified { method: VerificationMethod::File, .. }));
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
    echo.set_proof(String::new());
    manage::verify_origins(hub, grace, &address).await.unwrap();
    assert!(!agents::get(hub, grace, &address).await.unwrap().unwrap().summary.verified);
    assert!(world.ask(&world.bob, &address, "hello").await.is_err());
}

#[tokio::test]
async fn an_administrator_trusts_what_the_card_names() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, grace) = (&world.hub, &world.admin);
    let address = world.register(grace, &echo.url, false).await;
    let unknown = manage::trust_origin(hub, grace, &address, "https://elsewhere.example").await;
    assert_eq!(refusal(unknown).field(), Some("origin"));
    let origin = echo.url.trim_end_matches('/');
    manage::trust_origin(hub, grace, &address, origin).await.unwrap();
    let kept = manage::verify_origins(hub, grace, &address).await.unwrap();
    assert!(
        matches!(kept[0].status, VerificationStatus::Verified { method: VerificationMethod::Trusted, .. }),
        "a check does not undo it"
    );
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
}

#[tokio::test]
async fn control_is_proved_by_a_record_of_the_name() {
    let (dns, echo) = (Dns::start().await, Echo::start().await);
    let world = World::with(|config| config.dns_server = Some(dns.address)).await;
    let (hub, grace) = (&world.hub, &world.admin);
    let url = echo.url.replace("127.0.0.1", "clerk.example");
    let mut card = echo.card();
    card["supportedInterfaces"][0]["url"] = url.as_str().into();
    echo.set_card(card);
    let address = world.register(grace, &url, false).await;
    let found = manage::verify_origins(hub, grace, &address).await.unwrap().remove(0);
    assert_eq!(found.dns_record.as_deref(), Some("_plexus.clerk.example"));
    let VerificationStatus::Failed { message, .. } = found.status else { panic!("proved by nothing") };
    assert!(message.contains("_plexus.clerk.example does not exist"), "{message}");

    dns.set_text("plexus-agent-proof=of-another".to_owned());
    let found = manage::verify_origins(hub, grace, &address).await.unwrap().remove(0);
    assert!(
        matches!(&found.status, VerificationStatus::Failed { message, .. } if message.contains("does not \
            contain")),
        "{found:?}"
    );
    dns.set_text(found.token);
    let found = manage::verify_origins(hub, grace, &address).await.unwrap().remove(0);
    assert!(
        matches!(found.status, VerificationStatus::Verified { method: VerificationMethod::Dns, .. }),
        "{found:?}"
    );
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
}

#[tokio::test]
async fn a_word_for_an_origin_covers_agents_that_come_later() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, grace) = (&world.hub, &world.admin);
    let origin = echo.url.trim_end_matches('/');
    assert_eq!(admin::trust_origin(hub, grace, origin, "", "").await.unwrap(), 0);
    let draft = world.begin(grace, &echo.url).await;
    register_a2a::save_choices(hub, grace, draft, choice("early")).await.unwrap();
    let shown = register_a2a::origins(hub, grace, draft).await.unwrap();
    assert!(
        matches!(shown[0].status, VerificationStatus::Verified { method: VerificationMethod::Trusted, .. }),
        "{shown:?}"
    );

    let address = world.register(grace, &echo.url, false).await;
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
    assert!(agents::get(hub, grace, &address).await.unwrap().unwrap().summary.verified);
    admin::untrust_origin(hub, grace, origin, "").await.unwrap();
    assert!(world.ask(&world.bob, &address, "hello").await.is_err());
    assert!(!agents::get(hub, grace, &address).await.unwrap().unwrap().summary.verified);
}

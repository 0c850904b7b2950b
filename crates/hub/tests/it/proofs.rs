use plexus_hub::agents::{
    self, manage,
    proofs::{By, Check},
    register,
};

use super::common::{Echo, World, choice, refusal};

#[tokio::test]
async fn the_proof_of_one_agent_is_worth_nothing_for_another() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let first = world.register(admin, &echo.url, false).await;
    let token = manage::managed(hub, admin, &first).await.unwrap().origins[0].token.clone();
    echo.set_proof(token.clone());
    let draft = world.begin(admin, &echo.url).await;
    register::choose(hub, admin, draft, choice("another")).await.unwrap();
    register::check_origins(hub, admin, draft).await.unwrap();
    let other = register::origins(hub, admin, draft).await.unwrap().remove(0);
    assert!(other.token != token);
    let Check::Failed { message, .. } = other.check else { panic!("proved by another's text") };
    assert!(message.contains("does not hold the text"), "{message}");
}

#[tokio::test]
async fn control_is_proved_later_and_lost_when_the_file_is_gone() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let address = world.register(admin, &echo.url, false).await;
    let found = manage::check_proofs(hub, admin, &address).await.unwrap();
    assert!(matches!(&found[0].check, Check::Failed { message, .. } if message.contains("404")), "{found:?}");
    echo.set_proof(found[0].token.clone());
    let found = manage::check_proofs(hub, admin, &address).await.unwrap();
    assert!(matches!(found[0].check, Check::Proved { by: By::File, .. }));
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
    echo.set_proof(String::new());
    manage::check_proofs(hub, admin, &address).await.unwrap();
    assert!(!agents::look(hub, admin, &address).await.unwrap().unwrap().summary.verified);
    assert!(world.ask(&world.bob, &address, "hello").await.is_err());
}

#[tokio::test]
async fn an_administrator_vouches_for_what_the_card_names() {
    let (world, echo) = (World::new().await, Echo::start().await);
    let (hub, admin) = (&world.hub, &world.admin);
    let address = world.register(admin, &echo.url, false).await;
    let unknown = manage::vouch(hub, admin, &address, "https://elsewhere.example").await;
    assert_eq!(refusal(unknown).field(), Some("origin"));
    let origin = echo.url.trim_end_matches('/');
    manage::vouch(hub, admin, &address, origin).await.unwrap();
    let kept = manage::check_proofs(hub, admin, &address).await.unwrap();
    assert!(matches!(kept[0].check, Check::Proved { by: By::Voucher, .. }), "a check does not undo it");
    assert_eq!(world.answer(&world.bob, &address, "hello").await, "Echo: hello");
}

//! Tests of the queries of the administration pages.

use std::time::Duration;

use plexus_domain::{Digest, HubRowId, ProofId, account::Role};
use plexus_store::{
    accounts::{self, AccountState},
    admin::{self, RowRange},
    agents::{self, AgentState},
    invites::{self, Invite},
    on_both,
    origin_verifications::{self, Proof, ProofMethod},
    testing::World,
    trusted_origins::{self, NewTrustedOrigin},
};

const ALL: RowRange = RowRange { skip: 0, take: 100 };

on_both! {
    async fn counts_know_who_waits_what_runs_and_what_is_unproved(store: Store) {
        let mut world = World::new(store);
        let (ada, eve) = (world.person("Ada").await, world.person("Eve").await);
        let agent = world.agent(&ada, "@ada/tide").await;
        let elsewhere = world.agent_of(HubRowId::SELF, Some(ada.namespace), "@ada/far").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let request = world.say(chat, ada.principal, None, "hello").await;
        world.run(&ada, &agent, chat, request, 1).await;
        let (id, now) = (world.id(ProofId::new), world.now());
        let proof = Proof {
            id,
            agent: elsewhere.agent,
            origin: "https://a.example".to_owned(),
            method: ProofMethod::WellKnown,
            verified_at: None,
            failed_at: None,
        };
        let mut tx = world.write().await;
        accounts::set_state(&mut tx, eve.account, AccountState::Pending).await.unwrap();
        origin_verifications::put(&mut tx, &proof).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let counts = admin::counts(&mut conn, now - Duration::from_secs(60)).await.unwrap();
        assert_eq!((counts.accounts, counts.waiting), (2, 1));
        assert_eq!((counts.agents, counts.unverified), (2, 1));
        assert_eq!((counts.running, counts.runs, counts.failed), (1, 1, 0));
        let later = admin::counts(&mut conn, now + Duration::from_secs(60)).await.unwrap();
        assert_eq!((later.running, later.runs), (1, 0));
        let version = admin::database(&mut conn).await.unwrap();
        assert!(version.starts_with("SQLite 3.") || version.starts_with("Postgres 1"), "{version}");
    }

    async fn people_are_found_by_any_part_of_a_name_and_those_who_wait_come_first(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("Ada_L").await;
        for name in ["adam", "eve"] {
            world.person(name).await;
        }
        world.agent(&ada, "@ada_l/tide").await;
        let mut tx = world.write().await;
        accounts::set_state(&mut tx, ada.account, AccountState::Pending).await.unwrap();
        accounts::set_role(&mut tx, ada.account, Role::Moderator).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let found = admin::people(&mut conn, "aDa", ALL).await.unwrap();
        let names: Vec<&str> = found.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["Ada_L", "adam"]);
        assert_eq!((found[0].agents, found[0].role, found[0].last_seen_at), (1, Role::Moderator, None));
        assert_eq!(admin::count_people(&mut conn, "ada").await.unwrap(), 2);
        assert_eq!(admin::count_people(&mut conn, "a_l").await.unwrap(), 1, "_ is a letter like any other");
        for nobody in ["a%a", "'", "!", "\0ada\0x"] {
            assert_eq!(admin::count_people(&mut conn, nobody).await.unwrap(), 0, "{nobody:?}");
        }
        let second = admin::people(&mut conn, "", RowRange { skip: 1, take: 1 }).await.unwrap();
        assert_eq!(second[0].name.as_str(), "eve");
    }

    async fn agents_are_found_by_their_address_with_their_runs(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let tide = world.agent(&ada, "@ada/Tide").await;
        let gone = world.agent(&ada, "@ada/tide-old").await;
        let chat = world.chat(&ada, &[&tide]).await;
        let request = world.say(chat, ada.principal, None, "hello").await;
        world.run(&ada, &tide, chat, request, 1).await;
        let now = world.now();
        let mut tx = world.write().await;
        agents::set_state(&mut tx, gone.agent, AgentState::Deleted).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let since = now - Duration::from_secs(60);
        let found = admin::agents(&mut conn, "@Ada/tide", since, ALL).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].id, found[0].runs, found[0].failed, found[0].unproved), (tide.agent, 1, 0, 0));
        assert!(found[0].connector.is_some() && found[0].summary.is_none());
        assert_eq!(admin::count_agents(&mut conn, "tide").await.unwrap(), 1);
        assert_eq!(admin::count_agents(&mut conn, "weaver").await.unwrap(), 0);
    }

    async fn a_word_for_an_origin_is_a_proof_of_every_agent_there(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agents = [world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await];
        let since = world.now();
        let ids = [world.id(ProofId::new), world.id(ProofId::new)];
        let mut tx = world.write().await;
        for (id, agent) in ids.into_iter().zip(&agents) {
            let origin = "https://a.example".to_owned();
            let (method, failed_at) = (ProofMethod::WellKnown, Some(since));
            let proof = Proof { id, agent: agent.agent, origin, method, verified_at: None, failed_at };
            origin_verifications::put(&mut tx, &proof).await.unwrap();
        }
        agents::set_state(&mut tx, agents[1].agent, AgentState::Deleted).await.unwrap();
        let new = NewTrustedOrigin { origin: "https://a.example", by: None, note: "Ours.", at: since };
        assert!(trusted_origins::insert(&mut tx, new).await.unwrap());
        assert!(!trusted_origins::insert(&mut tx, new).await.unwrap());
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let trusted = admin::trusted_origins(&mut conn, 10).await.unwrap();
        assert_eq!((trusted.len(), trusted[0].agents, trusted[0].trusted_at), (1, 1, since));
        let there = origin_verifications::list_by_origin(&mut conn, "https://a.example").await.unwrap();
        assert_eq!(there.iter().map(|proof| proof.agent).collect::<Vec<_>>(), [agents[0].agent]);
        assert!(there[0].holds() && there[0].method == ProofMethod::TrustedOrigin && there[0].verified_at == Some(since));
        assert!(origin_verifications::list_by_origin(&mut conn, "https://b.example").await.unwrap().is_empty());
        assert_eq!(admin::counts(&mut conn, since).await.unwrap().unverified, 0);
        drop(conn);

        let mut tx = world.write().await;
        let later = Proof { method: ProofMethod::Dns, verified_at: Some(since), failed_at: None, ..there[0].clone() };
        origin_verifications::put(&mut tx, &later).await.unwrap();
        let own = origin_verifications::list_by_agent(&mut tx, agents[0].agent).await.unwrap();
        assert_eq!(own[0].method, ProofMethod::Dns, "a proof of its own is stronger");
        assert!(trusted_origins::delete(&mut tx, "https://a.example").await.unwrap());
        assert!(!origin_verifications::list_by_agent(&mut tx, agents[1].agent).await.unwrap()[0].holds());
        tx.commit().await.unwrap();
    }

    async fn invitations_name_who_made_them(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let now = world.now();
        let mut tx = world.write().await;
        for (word, by) in [("one", Some(ada.account)), ("first administrator", None)] {
            let expires_at = now + Duration::from_secs(60);
            let invite = Invite { hash: Digest::of(word), invited_by: by, role: Role::User, expires_at, used_at: None };
            invites::insert(&mut tx, &invite).await.unwrap();
        }
        tx.commit().await.unwrap();
        let found = admin::invites(&mut world.store.read().await.unwrap(), 10).await.unwrap();
        assert_eq!((found.len(), found[0].invited_by.as_str(), found[0].hash), (1, "ada", Digest::of("one")));
    }
}

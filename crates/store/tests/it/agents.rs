//! Tests of agents and their dependent rows.

use plexus_domain::{
    AccountId, DraftId, HubRowId, KeyId, Principal, PrincipalId, ProofId, SecretId, VersionId,
    agent::{AgentAccess, Builtin, Connector, Visibility},
    page::PageSize,
};
use plexus_store::{
    agent_credentials,
    agent_versions::{self, Version},
    agents,
    agents::{Agent, AgentState},
    cards, grants,
    hubs::{self, Hub, HubState},
    keys::{self, Key, KeyKind},
    on_both,
    origin_verifications::{self, Proof, ProofMethod},
    principals, registration_drafts,
    registration_drafts::Draft,
    secrets::{self, Secret},
    testing::{Person, World},
};
use serde_json::json;

async fn hub(world: &mut World, domain: &str) -> HubRowId {
    let id = world.id(HubRowId::new);
    let new = Hub {
        id,
        domain: Some(domain.to_owned()),
        state: HubState::Probation,
        record: None,
        head_seq: 0,
        last_seen_at: world.now(),
        hub_key: None,
        head: None,
        first_seen_at: None,
    };
    let mut tx = world.write().await;
    hubs::insert(&mut tx, &new).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn secret(world: &mut World, owner: &Person) -> SecretId {
    let id = world.id(SecretId::new);
    let new = Secret {
        id,
        namespace: owner.namespace,
        kind: "bearer".to_owned(),
        ciphertext: vec![0, 1, 2],
        key_version: 1,
    };
    let mut tx = world.write().await;
    secrets::insert(&mut tx, &new).await.unwrap();
    tx.commit().await.unwrap();
    id
}

on_both! {
    async fn an_address_is_taken_on_its_hub_only(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let here = world.agent(&ada, "@ada/Calc").await;
        let other = hub(&mut world, "hub.example").await;
        let there = world.agent_of(other, None, "@ada/calc").await;

        let mut tx = world.write().await;
        let (owner, name) = ("ADA".parse().unwrap(), "calc".parse().unwrap());
        let found = agents::by_address(&mut tx, HubRowId::SELF, &owner, &name).await.unwrap().unwrap();
        assert_eq!((found.id, found.name.as_str()), (here.agent, "Calc"));
        assert_eq!(agents::by_address(&mut tx, other, &owner, &name).await.unwrap().unwrap().id, there.agent);
        assert_eq!(agents::list(&mut tx, &[here.agent, there.agent]).await.unwrap().len(), 2);
        assert_eq!(agents::list(&mut tx, &[]).await.unwrap(), []);
        let again = Agent { id: there.agent, listing_id: None, ..found };
        assert!(agents::insert(&mut tx, &again).await.unwrap_err().is_conflict());
    }

    async fn a_deleted_agent_stays_deleted_and_out_of_its_owners_list(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let mut tx = world.write().await;
        assert!(agents::set_visibility(&mut tx, one.agent, Visibility::Federated).await.unwrap());
        assert!(agents::set_access(&mut tx, one.agent, AgentAccess::Open).await.unwrap());
        assert!(agents::set_allows_copies(&mut tx, one.agent, true).await.unwrap());
        assert!(agents::allows_copies(&mut tx, one.agent).await.unwrap());
        assert!(!agents::allows_copies(&mut tx, two.agent).await.unwrap(), "the default is off");
        assert!(agents::set_state(&mut tx, two.agent, AgentState::Deleted).await.unwrap());
        assert!(!agents::set_state(&mut tx, two.agent, AgentState::Active).await.unwrap());
        let owned = agents::list_by_namespace(&mut tx, ada.namespace).await.unwrap();
        assert_eq!(owned.len(), 1);
        assert_eq!((owned[0].visibility, owned[0].access), (Visibility::Federated, AgentAccess::Open));
        let listing_id = owned[0].listing_id.clone().unwrap();
        assert_eq!(agents::by_listing_id(&mut tx, &listing_id).await.unwrap().unwrap().id, one.agent);
    }

    async fn an_owners_agents_come_page_by_page(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let mut made = Vec::new();
        for n in 0..5 {
            made.push(world.agent(&ada, &format!("@ada/agent-{n}")).await.agent);
            world.agent(&bob, &format!("@bob/agent-{n}")).await;
        }
        made.reverse();
        let mut tx = world.write().await;
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let size = PageSize::new(2).unwrap();
            let page = agents::page_by_namespace(&mut tx, ada.namespace, after, size).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            seen.push(page.iter().map(|agent| agent.id).collect::<Vec<_>>());
        }
        assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!(seen.concat(), made);
    }

    async fn new_runs_use_the_newest_version_that_was_not_yanked(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let second = Version {
            id: world.id(VersionId::new),
            agent: agent.agent,
            semver: "1.1.0".to_owned(),
            card: agent.card,
            connector: Connector::Builtin { program: Builtin::Guide },
            secret: None,
            created_at: world.now(),
            yanked_reason: None,
        };
        let mut tx = world.write().await;
        agent_versions::insert(&mut tx, &second).await.unwrap();
        assert_eq!(agent_versions::current(&mut tx, agent.agent).await.unwrap().as_ref(), Some(&second));
        assert!(agent_versions::yank(&mut tx, second.id, "It lies.").await.unwrap());
        assert_eq!(agent_versions::current(&mut tx, agent.agent).await.unwrap().unwrap().id, agent.version);
        let all = agent_versions::list_by_agent(&mut tx, agent.agent).await.unwrap();
        assert_eq!(all.iter().map(|one| one.id).collect::<Vec<_>>(), [second.id, agent.version]);
        assert_eq!(agent_versions::find(&mut tx, second.id).await.unwrap().unwrap().yanked_reason.as_deref(), Some("It lies."));
        let again = Version { id: world.id(VersionId::new), ..second };
        assert!(agent_versions::insert(&mut tx, &again).await.unwrap_err().is_conflict());
    }

    async fn a_card_is_kept_once_to_the_byte(store: Store) {
        let world = World::new(store);
        let body = b"{ \"name\":\t\"\xff\" }";
        let mut tx = world.write().await;
        let digest = cards::insert(&mut tx, body).await.unwrap();
        assert_eq!(cards::insert(&mut tx, body).await.unwrap(), digest);
        assert_eq!(cards::find(&mut tx, &digest).await.unwrap().as_deref(), Some(body.as_slice()));
    }

    async fn whoever_acts_is_known_by_one_id(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let far = hub(&mut world, "hub.example").await;
        let mut tx = world.write().await;
        let everybody = [
            Principal::Account { account: ada.account },
            Principal::Remote { hub: far, pseudonym: "p1".to_owned() },
            Principal::Remote { hub: far, pseudonym: "p2".to_owned() },
            Principal::Anonymous,
        ];
        let mut ids = Vec::new();
        for principal in &everybody {
            let id = principals::ensure(&mut tx, principal, world.id(PrincipalId::new)).await.unwrap();
            assert_eq!(principals::ensure(&mut tx, principal, world.id(PrincipalId::new)).await.unwrap(), id);
            assert_eq!(principals::id_of(&mut tx, principal).await.unwrap(), Some(id));
            assert_eq!(principals::find(&mut tx, id).await.unwrap().as_ref(), Some(principal));
            ids.push(id);
        }
        assert_eq!(ids[0], ada.principal);
        let mut listed = principals::list(&mut tx, &ids).await.unwrap();
        listed.sort_by_key(|(id, _)| ids.iter().position(|one| one == id));
        assert_eq!(listed.into_iter().map(|(_, principal)| principal).collect::<Vec<_>>(), everybody);
    }

    async fn a_grant_is_for_one_principal(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let agent = world.agent(&ada, "@ada/calc").await;
        let target = agent.agent;
        let mut tx = world.write().await;
        assert!(grants::insert(&mut tx, target, bob.principal, world.now()).await.unwrap());
        assert!(!grants::insert(&mut tx, target, bob.principal, world.now()).await.unwrap());
        assert!(grants::exists(&mut tx, target, bob.principal).await.unwrap());
        assert!(!grants::exists(&mut tx, target, ada.principal).await.unwrap());
        assert_eq!(grants::list_by_agent(&mut tx, target).await.unwrap(), [bob.principal]);
        assert!(grants::delete(&mut tx, target, bob.principal).await.unwrap());
        assert!(!grants::delete(&mut tx, target, bob.principal).await.unwrap());
    }

    async fn a_secret_in_use_is_not_deleted(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let (old, new) = (secret(&mut world, &ada).await, secret(&mut world, &ada).await);
        let mut tx = world.write().await;
        agent_credentials::set(&mut tx, agent.agent, ada.account, old).await.unwrap();
        agent_credentials::set(&mut tx, agent.agent, ada.account, new).await.unwrap();
        assert_eq!(agent_credentials::find(&mut tx, agent.agent, ada.account).await.unwrap(), Some(new));
        assert!(secrets::delete(&mut tx, old).await.unwrap());
        assert!(secrets::set_ciphertext(&mut tx, new, &[9], 2).await.unwrap());
        assert_eq!(secrets::list_sealed_before(&mut tx, 2, 10).await.unwrap(), []);
        assert_eq!(secrets::find(&mut tx, new).await.unwrap().unwrap().ciphertext, [9]);
        tx.commit().await.unwrap();

        let mut tx = world.write().await;
        assert!(secrets::delete(&mut tx, new).await.unwrap_err().is_conflict());
        drop(tx);
        let mut tx = world.write().await;
        assert!(agent_credentials::delete(&mut tx, agent.agent, ada.account).await.unwrap());
        assert!(secrets::delete(&mut tx, new).await.unwrap());
    }

    async fn a_public_key_is_known_once(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let key = Key {
            id: world.id(KeyId::new),
            kind: KeyKind::Agent,
            agent: Some(agent.agent),
            hub: None,
            public: vec![1; 32],
            secret: None,
            created_at: world.now(),
            retired_at: None,
        };
        let newer = Key { id: world.id(KeyId::new), public: vec![2; 32], created_at: world.now(), ..key.clone() };
        let of_hub = Key {
            id: world.id(KeyId::new),
            kind: KeyKind::Hub,
            agent: None,
            hub: Some(HubRowId::SELF),
            public: vec![3; 32],
            ..key.clone()
        };
        let mut tx = world.write().await;
        for one in [&key, &newer, &of_hub] {
            keys::insert(&mut tx, one).await.unwrap();
        }
        assert!(keys::retire(&mut tx, newer.id, world.now()).await.unwrap());
        let listed = keys::list_by_agent(&mut tx, agent.agent).await.unwrap();
        assert_eq!(listed.iter().map(|one| one.id).collect::<Vec<_>>(), [key.id, newer.id]);
        assert_eq!(keys::list_by_hub(&mut tx, HubRowId::SELF).await.unwrap(), [of_hub]);
        assert_eq!(keys::by_public(&mut tx, &[1; 32]).await.unwrap().as_ref(), Some(&key));
        let again = Key { id: world.id(KeyId::new), ..key };
        assert!(keys::insert(&mut tx, &again).await.unwrap_err().is_conflict());
    }

    async fn a_proof_holds_until_it_is_refuted(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let proof = Proof {
            id: world.id(ProofId::new),
            agent: agent.agent,
            origin: "https://a.example".to_owned(),
            method: ProofMethod::Dns,
            verified_at: Some(world.now()),
            failed_at: None,
        };
        let mut tx = world.write().await;
        origin_verifications::put(&mut tx, &proof).await.unwrap();
        assert!(origin_verifications::find(&mut tx, agent.agent, &proof.origin).await.unwrap().unwrap().holds());
        let refuted = Proof { id: world.id(ProofId::new), failed_at: Some(world.now()), ..proof.clone() };
        origin_verifications::put(&mut tx, &refuted).await.unwrap();
        let listed = origin_verifications::list_by_agent(&mut tx, agent.agent).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].id, listed[0].holds()), (proof.id, false));
        assert!(origin_verifications::delete(&mut tx, agent.agent, &proof.origin).await.unwrap());
    }

    async fn a_draft_is_seen_by_its_account_alone(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let stranger = world.id(AccountId::new);
        let mut draft = Draft {
            id: world.id(DraftId::new),
            account: ada.account,
            step: "card".to_owned(),
            data: json!({}),
            expires_at: world.now(),
        };
        let mut tx = world.write().await;
        registration_drafts::insert(&mut tx, &draft).await.unwrap();
        draft.step = "proof".to_owned();
        draft.data = json!({ "nul": "\0" });
        assert!(registration_drafts::set_step(&mut tx, &draft).await.unwrap());
        assert_eq!(registration_drafts::find(&mut tx, ada.account, draft.id).await.unwrap().as_ref(), Some(&draft));
        assert_eq!(registration_drafts::find(&mut tx, stranger, draft.id).await.unwrap(), None);
        assert!(!registration_drafts::delete(&mut tx, stranger, draft.id).await.unwrap());
        assert_eq!(registration_drafts::list_by_account(&mut tx, ada.account).await.unwrap().len(), 1);
        assert_eq!(registration_drafts::delete_expired(&mut tx, draft.expires_at).await.unwrap(), 1);
    }

    async fn this_hub_is_row_zero_and_others_come_and_go(store: Store) {
        let mut world = World::new(store);
        let far = hub(&mut world, "hub.example").await;
        let mut tx = world.write().await;
        assert_eq!(hubs::find(&mut tx, HubRowId::SELF).await.unwrap().unwrap().state, HubState::Itself);
        let mut row = hubs::by_domain(&mut tx, "hub.example").await.unwrap().unwrap();
        row.record = Some(vec![1]);
        row.head_seq = 7;
        assert!(hubs::set(&mut tx, &row).await.unwrap());
        assert_eq!(hubs::list_others(&mut tx).await.unwrap(), [row]);
        assert!(hubs::find(&mut tx, far).await.unwrap().is_some());
    }
}

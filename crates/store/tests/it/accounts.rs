//! Tests of accounts and their credentials.

use plexus_domain::{AccountId, CredentialId, Digest, NamespaceId, TokenId, account::Role, page::PageSize};
use plexus_store::{
    account_erasure,
    accounts::{self, AccountState},
    api_tokens::{self, Token},
    caller_contexts,
    invites::{self, Invite},
    login_credentials::{self, Credential, CredentialKind},
    namespaces::{self, Namespace, NamespaceKind, NamespaceRole},
    on_both, principals,
    sessions::{self, Session},
    testing::{Person, World},
};
use serde_json::json;

fn session(world: &mut World, person: &Person, cookie: &str) -> Session {
    let created_at = world.now();
    Session {
        hash: Digest::of(cookie),
        account: person.account,
        created_at,
        last_seen_at: created_at,
        sudo_until: None,
        user_agent: "Firefox\0".to_owned(),
        ip: "::1".to_owned(),
    }
}

on_both! {
    async fn a_name_is_taken_whatever_its_case_and_for_ever(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("Ada").await;
        let again = Namespace {
            id: world.id(NamespaceId::new),
            name: "aDA".parse().unwrap(),
            kind: NamespaceKind::Org,
            created_at: world.now(),
            retired_at: None,
        };
        let mut tx = world.write().await;
        assert!(namespaces::retire(&mut tx, ada.namespace, world.now()).await.unwrap());
        assert!(!namespaces::retire(&mut tx, ada.namespace, world.now()).await.unwrap());
        tx.commit().await.unwrap();

        let mut tx = world.write().await;
        assert!(namespaces::insert(&mut tx, &again).await.unwrap_err().is_conflict());
        assert!(tx.commit().await.is_err(), "nothing is kept of a transaction in which a statement failed");

        let mut conn = world.store.read().await.unwrap();
        let found = namespaces::by_name(&mut conn, &again.name).await.unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.id), ("Ada", ada.namespace));
        assert_eq!(accounts::by_name(&mut conn, &again.name).await.unwrap().unwrap().id, ada.account);
    }

    async fn an_account_is_found_changed_and_listed(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let mut tx = world.write().await;
        assert!(accounts::set_role(&mut tx, ada.account, Role::Admin).await.unwrap());
        assert!(accounts::set_email(&mut tx, ada.account, Some("ada@a.example")).await.unwrap());
        assert!(accounts::set_prefs(&mut tx, ada.account, &json!({ "theme": "dark" })).await.unwrap());
        assert!(accounts::set_state(&mut tx, bob.account, AccountState::Suspended).await.unwrap());
        assert!(!accounts::set_role(&mut tx, world.id(AccountId::new), Role::Admin).await.unwrap());
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let found = accounts::by_email(&mut conn, "ada@a.example").await.unwrap().unwrap();
        assert_eq!((found.role, found.prefs), (Role::Admin, json!({ "theme": "dark" })));
        assert_eq!(accounts::by_namespace(&mut conn, bob.namespace).await.unwrap().unwrap().id, bob.account);
        assert_eq!(accounts::count_active(&mut conn, Role::Admin).await.unwrap(), 1);
        assert_eq!(accounts::count_active(&mut conn, Role::User).await.unwrap(), 0);
        let page = PageSize::new(1).unwrap();
        let first = accounts::list(&mut conn, None, page).await.unwrap();
        let second = accounts::list(&mut conn, Some(first[0].id), page).await.unwrap();
        assert_eq!((first[0].id, second[0].id), (ada.account, bob.account));
    }

    async fn an_email_belongs_to_one_account(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let mut tx = world.write().await;
        accounts::set_email(&mut tx, ada.account, Some("a@a.example")).await.unwrap();
        assert!(accounts::set_email(&mut tx, bob.account, Some("a@a.example")).await.unwrap_err().is_conflict());
    }

    async fn an_erased_account_leaves_only_what_others_point_at(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let session = session(&mut world, &ada, "cookie");
        let mut tx = world.write().await;
        sessions::insert(&mut tx, &session).await.unwrap();
        accounts::set_email(&mut tx, ada.account, Some("a@a.example")).await.unwrap();
        namespaces::set_role(&mut tx, ada.namespace, ada.account, NamespaceRole::Owner).await.unwrap();
        account_erasure::delete_rows(&mut tx, ada.account).await.unwrap();
        assert!(!accounts::set_state(&mut tx, ada.account, AccountState::Active).await.unwrap());
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let left = accounts::find(&mut conn, ada.account).await.unwrap().unwrap();
        assert_eq!((left.state, left.email_folded), (AccountState::Deleted, None));
        assert_eq!(sessions::find(&mut conn, &session.hash).await.unwrap(), None);
        assert_eq!(namespaces::role_of(&mut conn, ada.namespace, ada.account).await.unwrap(), None);
        assert!(principals::find(&mut conn, ada.principal).await.unwrap().is_some());
    }

    async fn who_may_act_for_a_namespace(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let mut tx = world.write().await;
        for (namespace, role) in
            [(ada.namespace, NamespaceRole::Owner), (bob.namespace, NamespaceRole::Owner), (bob.namespace, NamespaceRole::Member)]
        {
            namespaces::set_role(&mut tx, namespace, ada.account, role).await.unwrap();
        }
        let of_ada = namespaces::list_by_account(&mut tx, ada.account).await.unwrap();
        assert_eq!(of_ada.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["ada", "bob"]);
        let role = namespaces::role_of(&mut tx, bob.namespace, ada.account).await.unwrap();
        assert_eq!(role, Some(NamespaceRole::Member));
        assert!(namespaces::remove_member(&mut tx, bob.namespace, ada.account).await.unwrap());
        assert!(!namespaces::remove_member(&mut tx, bob.namespace, ada.account).await.unwrap());
    }

    async fn sessions_are_listed_and_ended(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let [old, mid, new] = ["old", "mid", "new"].map(|cookie| session(&mut world, &ada, cookie));
        let mut tx = world.write().await;
        for one in [&old, &mid, &new] {
            sessions::insert(&mut tx, one).await.unwrap();
        }
        let later = world.now();
        assert!(sessions::set_last_seen(&mut tx, &mid.hash, later).await.unwrap());
        assert!(!sessions::set_last_seen(&mut tx, &mid.hash, old.last_seen_at).await.unwrap(), "time goes forward");
        assert!(sessions::set_sudo(&mut tx, &new.hash, Some(later)).await.unwrap());
        let listed = sessions::list_by_account(&mut tx, ada.account).await.unwrap();
        assert_eq!(listed.iter().map(|one| one.hash).collect::<Vec<_>>(), [mid.hash, new.hash, old.hash]);
        assert_eq!((listed[1].sudo_until, listed[1].user_agent.as_str()), (Some(later), "Firefox"));
        assert_eq!(sessions::delete_expired(&mut tx, mid.created_at, mid.created_at).await.unwrap(), 1);
        assert_eq!(sessions::delete_by_account(&mut tx, ada.account, Some(&new.hash)).await.unwrap(), 1);
        assert!(sessions::delete(&mut tx, &new.hash).await.unwrap());
        assert_eq!(sessions::delete_by_account(&mut tx, ada.account, None).await.unwrap(), 0);
    }

    async fn tokens_belong_to_an_account_and_expire(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let token = Token {
            id: world.id(TokenId::new),
            hash: Digest::of("plx_…"),
            account: ada.account,
            name: "laptop".to_owned(),
            scopes: vec!["chat".to_owned()],
            audience: "api".to_owned(),
            created_at: world.now(),
            expires_at: world.now(),
            last_used_at: None,
        };
        let mut tx = world.write().await;
        api_tokens::insert(&mut tx, &token).await.unwrap();
        assert_eq!(api_tokens::by_hash(&mut tx, &token.hash).await.unwrap().as_ref(), Some(&token));
        assert!(!api_tokens::delete(&mut tx, bob.account, token.id).await.unwrap(), "it is not Bob's");
        assert!(api_tokens::set_used(&mut tx, token.id, token.created_at).await.unwrap());
        assert_eq!(api_tokens::list_by_account(&mut tx, ada.account).await.unwrap()[0].last_used_at, Some(token.created_at));
        assert_eq!(api_tokens::delete_expired(&mut tx, token.created_at).await.unwrap(), 0);
        assert_eq!(api_tokens::delete_expired(&mut tx, token.expires_at).await.unwrap(), 1);
    }

    async fn of_several_credentials_of_a_kind_the_newest_counts(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let mut tx = world.write().await;
        let mut ids = Vec::new();
        for kind in [CredentialKind::Password, CredentialKind::Password, CredentialKind::Recovery] {
            let id = world.id(CredentialId::new);
            ids.push(id);
            let created_at = world.now();
            let new = Credential { id, account: ada.account, kind, data: "…".to_owned(), created_at, last_used_at: None };
            login_credentials::insert(&mut tx, &new).await.unwrap();
        }
        let found = login_credentials::by_kind(&mut tx, ada.account, CredentialKind::Password).await.unwrap().unwrap();
        assert_eq!(found.id, ids[1]);
        assert!(login_credentials::by_kind(&mut tx, ada.account, CredentialKind::Totp).await.unwrap().is_none());
        assert!(login_credentials::set_data(&mut tx, ids[1], "new").await.unwrap());
        assert!(login_credentials::set_used(&mut tx, ids[1], found.created_at).await.unwrap());
        assert!(login_credentials::delete(&mut tx, ids[0]).await.unwrap());
        let left = login_credentials::list_by_account(&mut tx, ada.account).await.unwrap();
        assert_eq!(left.iter().map(|one| one.id).collect::<Vec<_>>(), ids[1..]);
        assert_eq!((left[0].data.as_str(), left[0].last_used_at), ("new", Some(found.created_at)));
    }

    async fn an_invitation_is_taken_once(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let expires_at = world.now();
        let early = plexus_domain::Timestamp::from_millis(expires_at.millis() - 1);
        let mut tx = world.write().await;
        for (link, invited_by) in [("first", None), ("friend", Some(ada.account))] {
            let new = Invite { hash: Digest::of(link), invited_by, role: Role::Admin, expires_at, used_at: None };
            invites::insert(&mut tx, &new).await.unwrap();
        }
        let first = Digest::of("first");
        assert_eq!(invites::redeem(&mut tx, &first, expires_at).await.unwrap(), None, "it has expired");
        assert_eq!(invites::redeem(&mut tx, &first, early).await.unwrap().unwrap().used_at, Some(early));
        assert_eq!(invites::redeem(&mut tx, &first, early).await.unwrap(), None, "it is used up");
        assert_eq!(invites::redeem(&mut tx, &Digest::of("other"), early).await.unwrap(), None);
        assert_eq!(invites::list_by_account(&mut tx, ada.account).await.unwrap().len(), 1);
        assert_eq!(invites::delete_bootstrap(&mut tx).await.unwrap(), 1);
        assert_eq!(invites::find(&mut tx, &first).await.unwrap(), None);
        assert_eq!(invites::delete_expired(&mut tx, expires_at).await.unwrap(), 1);
    }

    async fn a_context_name_belongs_to_its_caller_and_agent(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let chats = [world.chat(&ada, &[&one]).await, world.chat(&bob, &[&one]).await, world.chat(&ada, &[&two]).await];
        let mut tx = world.write().await;
        caller_contexts::insert(&mut tx, ada.principal, one.agent, "same", chats[0]).await.unwrap();
        caller_contexts::insert(&mut tx, bob.principal, one.agent, "same", chats[1]).await.unwrap();
        caller_contexts::insert(&mut tx, ada.principal, two.agent, "same", chats[2]).await.unwrap();
        tx.commit().await.unwrap();

        let mut tx = world.write().await;
        for (caller, agent, chat) in
            [(&ada, &one, chats[0]), (&bob, &one, chats[1]), (&ada, &two, chats[2])]
        {
            let found = caller_contexts::find(&mut tx, caller.principal, agent.agent, "same").await.unwrap();
            assert_eq!(found, Some(chat));
            let name = caller_contexts::name_of(&mut tx, caller.principal, agent.agent, chat).await.unwrap();
            assert_eq!(name.as_deref(), Some("same"));
        }
        assert_eq!(caller_contexts::find(&mut tx, bob.principal, two.agent, "same").await.unwrap(), None);
        let again = caller_contexts::insert(&mut tx, ada.principal, one.agent, "same", chats[2]).await;
        assert!(again.unwrap_err().is_conflict());
    }
}

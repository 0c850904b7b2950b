//! Tests of remote users, on both databases.

use std::net::{IpAddr, Ipv4Addr};

use plexus_a2a::{
    http_signature::{self, CONTENT_DIGEST, SIGNATURE, SIGNATURE_INPUT, SignableRequest, content_digest},
    keys::SecretKey,
};
use plexus_domain::{
    Address, Digest, Error as Refusal, Part, Principal, RunState,
    account::Role,
    agent::{AgentAccess, Visibility},
    page::PageSize,
};
use plexus_federation::{
    engine::{Effect, policy::AdmissionMode},
    net::driver::EngineStore as _,
    record::{HUB_RECORD_TTL, HubRecord, Seq, Signed},
};
use plexus_store::{agents as rows, on_both, principals};

use super::{
    authenticate,
    engine_store::SqlEngineStore,
    listing_publisher,
    remote_users::PERSON,
    rules::{Ruled, block, unblock},
    tests::{far, key, open, open_in},
};
use crate::{
    Caller, Error, Hub, Result, accounts, agents,
    agents::AgentProfile,
    blobs::NewBlob,
    caller::{QuotaSubject, RemoteUser},
    calls::{
        self, AuthorizedAgent, CallRequest, Origin, SignedLinkParams, SubscriptionScope, Task, TaskFilter,
    },
};

const IP: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const BODY: &[u8] = b"{}";
const ONE: &str = "onepersonofthathub";
const OTHER: &str = "otherpersonofthathub";

/// Stores the record of the remote hub in this hub.
async fn meet(hub: &Hub) {
    let seq = Seq::next(None, hub.env().now());
    let record = HubRecord {
        hub: far(),
        seq,
        expires: seq.issued() + HUB_RECORD_TTL,
        name: "Far".into(),
        software: "plexus/0".into(),
        domain: None,
        api: None,
        policy: None,
        addresses: Vec::new(),
        relay: false,
    };
    let record = Signed::sign(record, &key(9)).unwrap();
    SqlEngineStore::new(hub.clone()).perform(vec![Effect::StoreHub(Box::new(record))]).await.unwrap();
}

fn request(hub: &Hub, by: &SecretKey, who: &str, nonce: &str) -> SignableRequest<'static> {
    let fields = [(CONTENT_DIGEST, content_digest(BODY)), (PERSON, who.to_owned())];
    let request = SignableRequest {
        method: "POST",
        authority: "near.example",
        path: "/a2a/ada/clerk/",
        query: None,
        fields: fields.map(|(name, value)| (name.to_owned(), value)).into(),
    };
    let (input, signature) = http_signature::sign(by, &request, hub.env().now(), nonce);
    let made = [(SIGNATURE_INPUT.to_owned(), input), (SIGNATURE.to_owned(), signature)];
    SignableRequest { fields: request.fields.into_iter().chain(made).collect(), ..request }
}

async fn come(hub: &Hub, who: &str, nonce: &str) -> Result<Caller> {
    authenticate(hub, &request(hub, &key(9), who, nonce), BODY, IP).await
}

/// Returns an administrator of this hub.
pub(super) async fn boss(hub: &Hub) -> Caller {
    let password = "correct horse battery staple".to_owned();
    accounts::create_by_operator(hub, "boss", password, Role::Admin).await.unwrap();
    accounts::impersonate(hub, Some("boss")).await.unwrap()
}

pub(super) fn words<T>(outcome: Result<T>) -> String {
    match outcome {
        Err(Error::Refused(refusal)) => refusal.to_string(),
        Err(error) => panic!("a fault: {error}"),
        Ok(_) => panic!("it was let in"),
    }
}

fn calc() -> Address {
    "@plexus/calc".parse().unwrap()
}

/// Splits a file link into its path and its access key.
fn pass_of(link: &str) -> (&str, SignedLinkParams) {
    let (path, query) = link.split_once("?until=").unwrap();
    let (until, key) = query.split_once("&key=").unwrap();
    (path, SignedLinkParams { until: until.parse().unwrap(), key: key.to_owned() })
}

fn call(text: &str) -> CallRequest {
    CallRequest::new(Origin::A2a, vec![Part::text(text)])
}

async fn ask(hub: &Hub, authorized: &AuthorizedAgent, call: CallRequest) -> Task {
    let (task, following) = calls::start(hub, authorized, call, SubscriptionScope::Settled).await.unwrap();
    following.wait_settled(task).await.unwrap()
}

on_both! {
    async fn who_is_not_let_in_is_told_why(store: Store) {
        let (hub, _, _folder) = open(&store).await;
        let boss = boss(&hub).await;
        let unknown = words(come(&hub, ONE, "1").await);
        assert!(unknown.contains(&format!("The signing hub {}", far())), "{unknown}");
        meet(&hub).await;
        come(&hub, ONE, "1").await.unwrap();
        assert!(words(come(&hub, ONE, "1").await).contains("Replayed"));
        assert!(words(come(&hub, OTHER, "1").await).contains("Replayed"), "a nonce is the hub's");
        come(&hub, ONE, "2").await.unwrap();
        assert!(words(come(&hub, "short", "3").await).contains(PERSON));
        assert!(words(come(&hub, "with some white space", "3").await).contains(PERSON));

        let mut changed = request(&hub, &key(9), ONE, "4");
        changed.path = "/a2a/ada/other/";
        assert!(words(authenticate(&hub, &changed, BODY, IP).await).contains("does not match the request"));
        let forged = request(&hub, &key(8), ONE, "4");
        assert!(words(authenticate(&hub, &forged, BODY, IP).await).contains("The signing hub"));

        for subject in [far().to_string(), format!("hub:{}", far())] {
            block(&hub, &boss, &subject, Ruled::Block, "It is a test.", "r").await.unwrap();
            assert!(words(come(&hub, ONE, "5").await).contains("is blocked by the operator"));
            unblock(&hub, &boss, &subject, "r").await.unwrap();
        }
        come(&hub, ONE, "5").await.unwrap();
        hub.close().await;
    }

    async fn who_is_turned_away_leaves_nothing(store: Store) {
        let (hub, _, _folder) = open(&store).await;
        meet(&hub).await;
        let caller = come(&hub, ONE, "1").await.unwrap();
        let Some(RemoteUser { hub: home, pseudonym, .. }) = caller.remote_user().cloned() else { panic!("no guest") };
        let who = Principal::Remote { hub: home, pseudonym };
        let is_known = async || {
            principals::id_of(&mut hub.store().read().await.unwrap(), &who).await.unwrap().is_some()
        };
        assert!(calls::authorize(&hub, &caller, &"@no/such".parse().unwrap()).await.is_err());
        assert!(!is_known().await);
        calls::authorize(&hub, &caller, &calc()).await.unwrap();
        assert!(is_known().await);
        hub.close().await;
    }

    async fn hubs_on_probation_are_counted_together(store: Store) {
        let (hub, _, _folder) = open_in(&store, AdmissionMode::Probation).await;
        let boss = boss(&hub).await;
        meet(&hub).await;
        let caller = come(&hub, ONE, "1").await.unwrap();
        assert_eq!(caller.remote_user().unwrap().counted_as(), "newcomers");
        let authorized = calls::authorize(&hub, &caller, &calc()).await.unwrap();
        assert_eq!(authorized.requester.who(), QuotaSubject::Newcomers);
        block(&hub, &boss, &far().to_string(), Ruled::Allow, "We know them.", "r").await.unwrap();
        let caller = come(&hub, ONE, "2").await.unwrap();
        let home = caller.remote_user().unwrap().hub;
        assert_ne!(caller.remote_user().unwrap().counted_as(), "newcomers");
        let authorized = calls::authorize(&hub, &caller, &calc()).await.unwrap();
        assert_eq!(authorized.requester.who(), QuotaSubject::Hub(home));
        hub.close().await;
    }

    async fn two_people_of_a_hub_are_two_callers_here(store: Store) {
        let (hub, _, _folder) = open(&store).await;
        meet(&hub).await;
        let one = calls::authorize(&hub, &come(&hub, ONE, "1").await.unwrap(), &calc()).await.unwrap();
        let again = calls::authorize(&hub, &come(&hub, ONE, "2").await.unwrap(), &calc()).await.unwrap();
        let other = calls::authorize(&hub, &come(&hub, OTHER, "3").await.unwrap(), &calc()).await.unwrap();
        let anonymous = calls::authorize(&hub, &Caller::anonymous(IP), &calc()).await.unwrap();
        let named = |text: &str| CallRequest { context: Some("ours".into()), ..call(text) };
        let task = ask(&hub, &one, named("1 + 1")).await;
        assert_eq!(task.state, RunState::Completed);
        let same = calls::get(&hub, &again, task.id).await.unwrap();
        assert_eq!(same.id, task.id, "it is the same person");
        let more = ask(&hub, &again, named("2 + 2")).await;
        assert_eq!(more.messages[0].parent, Some(task.messages[1].id), "and the same conversation");
        let theirs = ask(&hub, &other, named("3 + 3")).await;
        assert_eq!(theirs.messages[0].parent, None);
        for authorized in [&other, &anonymous] {
            let refused = calls::get(&hub, authorized, task.id).await;
            assert!(matches!(refused, Err(Error::Refused(Refusal::NotFound { .. }))));
        }
        let count = async |authorized: &AuthorizedAgent| {
            calls::list(&hub, authorized, &TaskFilter::default(), None, PageSize::DEFAULT).await.unwrap().total
        };
        assert_eq!((count(&one).await, count(&other).await, count(&anonymous).await), (2, 1, 0));
        hub.close().await;
    }

    async fn a_guests_file_opens_by_its_link_alone(store: Store) {
        let (hub, _, _folder) = open(&store).await;
        meet(&hub).await;
        let authorized = calls::authorize(&hub, &come(&hub, ONE, "1").await.unwrap(), &calc()).await.unwrap();
        let file = NewBlob::new(Some("text/plain".into()), b"4, 9".to_vec());
        let (part, mut call) = (file.part(Some("tide.txt".into())), call("1 + 1"));
        call.parts.push(part);
        call.files.push(file);
        let task = ask(&hub, &authorized, call).await;
        let blob = Digest::of(b"4, 9");
        let link = authorized.file_url(&hub, task.id, &blob);
        let (path, pass) = pass_of(&link);
        assert!(path.ends_with(&format!("/files/{}/{blob}", task.id)), "{path}");
        let fetch = async |blob: &Digest, pass: &SignedLinkParams| {
            calls::file_by_link(&hub, IP, task.id, &blob.to_string(), pass).await.map(drop)
        };
        fetch(&blob, &pass).await.unwrap();
        assert_eq!(authorized.file_url(&hub, task.id, &blob), link, "it is the same all day");
        let gone = async |blob: &Digest, pass: SignedLinkParams| {
            words(fetch(blob, &pass).await).contains("File not found")
        };
        assert!(gone(&blob, SignedLinkParams { key: "0".into(), ..pass.clone() }).await);
        assert!(gone(&Digest::of(b"0, 0"), pass.clone()).await);
        let (boss, subject) = (boss(&hub).await, far().to_string());
        block(&hub, &boss, &subject, Ruled::Block, "It is a test.", "r").await.unwrap();
        assert!(words(fetch(&blob, &pass).await).contains("is blocked by the operator"));
        unblock(&hub, &boss, &subject, "r").await.unwrap();
        fetch(&blob, &pass).await.unwrap();
        let anonymous = calls::authorize(&hub, &Caller::anonymous(IP), &calc()).await.unwrap();
        assert!(!anonymous.file_url(&hub, task.id, &blob).contains("key="));
        hub.close().await;
    }

    async fn an_agent_for_accounts_takes_guests_where_other_hubs_may_carry_it(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        meet(&hub).await;
        let about = AgentProfile { title: "Clerk".into(), summary: "Answers.".into(), ..AgentProfile::default() };
        let draft = agents::attached::describe(&hub, &ada, "clerk", &about).await.unwrap();
        let at = agents::publish(&hub, &ada, draft, Visibility::Public, AgentAccess::Accounts).await.unwrap();
        let remote_user = come(&hub, ONE, "1").await.unwrap();
        assert!(words(calls::authorize(&hub, &remote_user, &at).await).contains("requires an account"));
        agents::manage::set_visibility_and_access(&hub, &ada, &at, Some(Visibility::Federated), None).await.unwrap();
        let id = rows::at(&mut hub.store().read().await.unwrap(), &at).await.unwrap().unwrap().id;
        assert!(listing_publisher::publish(&hub, id).await.unwrap().is_some(), "other hubs may carry it");
        calls::authorize(&hub, &remote_user, &at).await.unwrap();
        assert!(calls::authorize(&hub, &Caller::anonymous(IP), &at).await.is_err(), "strangers stay outside");
        agents::manage::set_visibility_and_access(&hub, &ada, &at, None, Some(AgentAccess::Owner)).await.unwrap();
        assert!(calls::authorize(&hub, &remote_user, &at).await.is_err());
        hub.close().await;
    }

    async fn a_hub_that_is_blocked_is_cut_off_at_once(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        meet(&hub).await;
        let authorized = calls::authorize(&hub, &come(&hub, ONE, "1").await.unwrap(), &calc()).await.unwrap();
        let adas = calls::authorize(&hub, &ada, &calc()).await.unwrap();
        let long: String = (0..20_000).map(|line| format!("{line} * 3 km in m\n")).collect();
        let (task, mut following) = calls::start(&hub, &authorized, call(&long), SubscriptionScope::Ended).await.unwrap();
        let (kept, others) = calls::start(&hub, &adas, call(&long), SubscriptionScope::Settled).await.unwrap();
        let (boss, subject) = (boss(&hub).await, far().to_string());
        block(&hub, &boss, &subject, Ruled::Block, "It is a test.", "r").await.unwrap();
        let refused = loop {
            match following.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it was read to its end"),
                Err(error) => break error,
            }
        };
        assert!(refused.to_string().contains("is blocked by the operator"), "{refused}");
        unblock(&hub, &boss, &subject, "r").await.unwrap();
        let (ended, following) = calls::subscribe(&hub, &authorized, task.id, SubscriptionScope::Settled).await.unwrap();
        assert_eq!(following.wait_settled(ended).await.unwrap().state, RunState::Stopped);
        assert_eq!(others.wait_settled(kept).await.unwrap().state, RunState::Completed, "others go on");
        hub.close().await;
    }
}

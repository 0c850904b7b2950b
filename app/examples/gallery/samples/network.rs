//! Samples of the federation pages.

use plexus_app::view_models::{
    Form, Pager,
    admin::{AdminNetwork, NetworkRuleRow, RuleListRow},
    network::*,
};

use super::{ago, now, shown, shown_to_admin};

const NAMES: [&str; 6] = [
    "hub.example.org",
    "agents.uni.example",
    "Island",
    "A hub with a name that goes on",
    "网络的网络的网络",
    "Harbour",
];

pub fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("network", shown("/network", network(5))),
        ("network-crowd", shown("/network", network(60))),
        ("network-one", shown("/network", network(1))),
        ("network-hub", shown("/network/h", hub(false))),
        ("network-hub-admin", shown_to_admin("/network/h", hub(true))),
        ("admin-network", shown_to_admin("/admin/network", admin())),
    ]
}

fn row(n: usize) -> HubRow {
    let name = NAMES[n % NAMES.len()];
    let is_domain = name.contains('.');
    let states = [HubState::Fresh, HubState::Fresh, HubState::Stale, HubState::Silent, HubState::Blocked];
    let state = states[n % states.len()];
    HubRow {
        id: format!("12D3KooW{n:02}dpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"),
        name: (!is_domain).then(|| name.to_owned()),
        domain: is_domain.then(|| name.to_owned()),
        state,
        connected: matches!(state, HubState::Fresh) && n != 6,
        agents: if state == HubState::Blocked { 0 } else { 17 * n as u64 % 311 },
        last_seen: ago(61 * n as u64),
        sync_progress: (n == 1).then_some(SyncProgress { fetched: 1_200, total: 5_000 }),
    }
}

fn network(hubs: usize) -> NetworkPage {
    let figures = |median, p99, samples| Figures { median, p99, samples, since: ago(7_300) };
    NetworkPage {
        id: "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp".into(),
        name: "Plexus".into(),
        addresses: vec![
            "/ip4/192.0.2.7/tcp/4001/p2p/12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp".into(),
        ],
        reachability_text: Some(
            "directly, confirmed by 12D3KooW04dpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN; relay (hubs: 3, \
             circuits: 1)"
                .into(),
        ),
        agents: 12,
        mode: Some(NetworkMode::Probation),
        hubs: (0..hubs).map(row).collect(),
        latencies: Latencies {
            propagation: Some(figures(84, 1_430, 20_511)),
            dht_lookup: Some(figures(310, 4_200, 87)),
            sync: None,
        },
    }
}

fn hub(is_admin: bool) -> HubPage {
    let admin = HubAdmin {
        addresses: vec!["/ip4/192.0.2.8/tcp/4001".into(), "/ip4/192.0.2.8/udp/4001/quic-v1".into()],
        rule: Some(HubRuleOrigin {
            reason: "Old friends.".into(),
            created: ago(90_000),
            made: RuleMaker::Here("grace".into()),
        }),
        form: Form::default(),
    };
    let subject = "domain:agents.uni.example".to_owned();
    HubPage {
        hub: row(1),
        software: Some("plexus/0.1.0".into()),
        claimed: None,
        api: Some("https://agents.uni.example/".into()),
        first_seen: Some(ago(900_000)),
        last_head_at: Some(ago(180)),
        replication: Some(Replication {
            tier: ReplicationTier::Probation(now()),
            replicated: 1_200,
            announced: Some(5_000),
            partial: true,
        }),
        rule: is_admin.then_some(HubRule { subject, allows: true, expires: Some(now()) }),
        violations: vec![ViolationRow {
            what: "Its inventory omits listings that it was offered or claims to have",
            about_hub: Some(row(3).id),
            count: 3,
            first_seen: ago(90_000),
            last_seen: ago(700),
        }],
        agents: super::agents::rows(),
        pager: Pager::new(2, 20, 170),
        admin: is_admin.then_some(admin),
    }
}

fn admin() -> AdminNetwork {
    AdminNetwork {
        warnings: vec!["Another process signs with the key of this hub.".into()],
        syncing: vec![row(1)],
        rows: vec![NetworkRuleRow {
            subject: format!("hub:{}", row(4).id),
            allows: false,
            reason: "It sends what nobody asked for.".into(),
            by: "grace".into(),
            at: ago(7_000),
            expires: None,
        }],
        lists: vec![RuleListRow {
            url: "https://hub.example.org/.well-known/plexus-rules".into(),
            name: "Hub of the harbour".into(),
            signer: row(0).id,
            rules: 112,
            by: "grace".into(),
            last_fetch_at: ago(40_000),
            last_error: Some("https://hub.example.org/.well-known/plexus-rules answered 503.".into()),
        }],
        imported: None,
        form: Form::default(),
    }
}

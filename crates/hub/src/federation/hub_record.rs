//! Signs and publishes this hub's record, and verifies the domains that remote hubs claim.

use std::time::Duration;

use plexus_domain::sanitized_text;
use plexus_federation::{
    HubId,
    engine::Event,
    net::{Multiaddr, Protocol, actor_api::NetStatus, reachability::Reachability},
    record::{HUB_RECORD_TTL, HubRecord, Seq, Signed},
};
use serde::Deserialize;
use url::{Host, Url};

use super::hub_rows;
use crate::{Error, Hub, Result, config::Federation, keys};

/// Renewal interval of the record: a quarter of its validity.
const DESCRIBE_INTERVAL: Duration = Duration::from_secs(12 * 3_600);
/// Poll interval for changed addresses of this hub.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// Poll interval while the hub has no address yet.
const LOOK_FIRST: Duration = Duration::from_millis(250);
/// Limits of the record format: this many addresses, each of at most 256 bytes.
const MAX_ADDRESSES: usize = 8;
const MAX_ADDRESS: usize = 256;
const MAX_NAME: usize = 80;
/// Size limit of `/.well-known/plexus.json`.
const MAX_FILE_BYTES: usize = 16 << 10;

/// Signs the hub's record when it changes or after a quarter of its validity.
/// Runs until the future is dropped.
pub(super) async fn describe_until_dropped(hub: &Hub, config: &Federation) {
    let mut last = None;
    loop {
        let place = HubAddresses::of(hub, config).await;
        let due = last
            .as_ref()
            .is_none_or(|(said, at)| *said != place || hub.env().now().since(*at) >= DESCRIBE_INTERVAL);
        let pause = if place.addresses.is_empty() { LOOK_FIRST } else { POLL_INTERVAL };
        if due && !place.addresses.is_empty() {
            match describe(hub, &place).await {
                Ok(()) => last = Some((place, hub.env().now())),
                Err(error) => tracing::warn!(%error, "hub record: signing failed"),
            }
        }
        tokio::time::sleep(pause).await;
    }
}

/// Parts of the hub record that change at runtime.
#[derive(PartialEq)]
struct HubAddresses {
    addresses: Vec<Multiaddr>,
    relays: bool,
}

impl HubAddresses {
    async fn of(hub: &Hub, config: &Federation) -> Self {
        let status = status(hub).await;
        let relays = status.relay_usage.is_some() && status.reachability != Reachability::No;
        Self { addresses: addresses(&status, config), relays }
    }
}

/// Returns the network status of this hub; the default status while the federation is not running.
pub(super) async fn status(hub: &Hub) -> NetStatus {
    match hub.federation().running() {
        Some(running) => running.net.status().await.unwrap_or_default(),
        None => NetStatus::default(),
    }
}

/// Returns the addresses where other hubs reach this hub.
pub(super) fn addresses(status: &NetStatus, config: &Federation) -> Vec<Multiaddr> {
    let mut addresses = match config.external.as_slice() {
        [] => status.addresses.clone(),
        external => external.to_vec(),
    };
    addresses.retain(|address| address.to_string().len() <= MAX_ADDRESS);
    addresses.truncate(MAX_ADDRESSES);
    addresses
}

/// Returns the address that other operators enter as bootstrap address: the domain of the public URL with the
/// TCP port of federation. `None` if external addresses are configured, which are printed instead.
pub(super) fn bootstrap_address(public_url: &Url, config: &Federation) -> Option<Multiaddr> {
    let domain = domain(public_url).filter(|_| config.external.is_empty())?;
    let port = config.listen.iter().find_map(public_tcp_port)?;
    format!("/dns4/{domain}/tcp/{port}").parse().ok()
}

/// Returns the fixed TCP port of a listen address that is not on loopback.
fn public_tcp_port(address: &Multiaddr) -> Option<u16> {
    let mut parts = address.iter();
    let is_loopback = match parts.next()? {
        Protocol::Ip4(ip) => ip.is_loopback(),
        Protocol::Ip6(ip) => ip.is_loopback(),
        _ => return None,
    };
    match parts.next()? {
        Protocol::Tcp(port) if port != 0 && !is_loopback => Some(port),
        _ => None,
    }
}

async fn describe(hub: &Hub, place: &HubAddresses) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    let (_, key) = keys::hub_seed(hub, &mut tx).await?;
    let now = hub.env().now();
    let own = plexus_store::hubs::find(&mut tx, plexus_domain::HubRowId::SELF).await?;
    let before = own.and_then(|row| Signed::<HubRecord>::parse(&row.record?).ok());
    let before = before.map(|record| plexus_federation::record::HubPayload::seq(record.claims()));
    let seq = Seq::next(before, now);
    let public = public(&hub.config().public_url);
    let name = sanitized_text::ellipsize(&sanitized_text::one_line(&hub.config().hub_name), MAX_NAME);
    let record = HubRecord {
        hub: key.public().into(),
        seq,
        expires: seq.issued() + HUB_RECORD_TTL,
        name: if name.is_empty() { "Plexus".to_owned() } else { name },
        software: concat!("plexus/", env!("CARGO_PKG_VERSION")).to_owned(),
        domain: public.and_then(domain),
        api: public.map(Url::to_string),
        policy: None,
        addresses: place.addresses.iter().map(ToString::to_string).collect(),
        relay: place.relays,
    };
    let record = Signed::sign(record, &key).map_err(Error::fault)?;
    hub_rows::store_record(hub, &mut tx, &record).await?;
    tx.commit().await?;
    hub.federation().tell(Event::Described(Box::new(record))).await;
    Ok(())
}

/// Stores the domain of this hub, by which full addresses of its own agents are resolved.
pub(crate) async fn record_own_domain(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    let own = domain(&hub.config().public_url);
    plexus_store::hubs::set_own_domain(&mut tx, own.as_deref()).await?;
    Ok(tx.commit().await?)
}

/// Returns the URL if it uses HTTPS. Only such API addresses are published.
fn public(url: &Url) -> Option<&Url> {
    (url.scheme() == "https").then_some(url)
}

fn domain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) if name.contains('.') => Some(name.to_lowercase()),
        _ => None,
    }
}

/// Content of `/.well-known/plexus.json` of a domain.
#[derive(Deserialize)]
struct DomainDocument {
    hub: HubId,
}

/// Checks in the background whether a domain names the hub. A success is reported to the engine; after a
/// failure the hub has no verified domain.
pub(super) fn prove_domain(hub: &Hub, id: HubId, domain: String) {
    let hub = hub.clone();
    hub.clone().spawn_once("domain proof", async move {
        // Over the concurrency limit, skip the check. The hub claims its domain again with its next record.
        let Ok(_turn) = hub.federation().proving.try_acquire() else { return };
        let stop = hub.stop().clone();
        let asked = stop.run_until_cancelled(names(&hub, id, &domain)).await;
        match asked {
            Some(Ok(true)) => hub.federation().tell(Event::DomainProved { hub: id, domain }).await,
            Some(Ok(false)) => {
                tracing::info!(hub = %id, domain, "domain verification refused: no matching record");
            }
            Some(Err(error)) => {
                tracing::info!(hub = %id, domain, %error, "domain verification failed: DNS lookup failed");
            }
            None => {}
        }
    });
}

async fn names(hub: &Hub, id: HubId, domain: &str) -> Result<bool> {
    let url: Url = format!("https://{domain}/.well-known/plexus.json").parse().map_err(Error::fault)?;
    let fetched = hub.outbound().anyone(false).fetch(&url, MAX_FILE_BYTES).await;
    let fetched = fetched.map_err(|failure| Error::Fault(anyhow::anyhow!(failure.message)))?;
    let found: DomainDocument = serde_json::from_slice(&fetched.body).map_err(Error::fault)?;
    if found.hub != id || fetched.url.host_str() != Some(domain) {
        return Ok(false);
    }
    hub_rows::prove(hub, id, domain).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use plexus_federation::engine::policy::AdmissionMode;

    use super::*;

    #[test]
    fn the_address_that_others_enter_is_that_of_the_domain() {
        let entered = |url: &str, listen: &[&str], external: &[&str]| {
            let all = |list: &[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
            let config = Federation {
                listen: all(listen),
                bootstrap: Vec::new(),
                domains: Vec::new(),
                external: all(external),
                mdns: false,
                relay: false,
                mode: AdmissionMode::Open,
                publish_federation_rules: false,
            };
            bootstrap_address(&url.parse().unwrap(), &config).map(|address| address.to_string())
        };
        let url = "https://hub.example.org/";
        let anywhere = ["/ip4/0.0.0.0/tcp/4001", "/ip4/0.0.0.0/udp/4001/quic-v1"];
        assert_eq!(entered(url, &anywhere, &[]).as_deref(), Some("/dns4/hub.example.org/tcp/4001"));
        assert_eq!(entered(url, &anywhere, &["/ip4/192.0.2.1/tcp/1"]), None, "the operator named another");
        assert_eq!(entered("http://192.0.2.1/", &anywhere, &[]), None, "no domain");
        for not_from_outside in ["/ip4/127.0.0.1/tcp/4001", "/ip4/0.0.0.0/tcp/0"] {
            assert_eq!(entered(url, &[not_from_outside], &[]), None, "{not_from_outside}");
        }
    }
}

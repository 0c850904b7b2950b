//! Federation settings (`PLEXUS_P2P_*`).

use std::net::{IpAddr, SocketAddr};

use anyhow::{Context as _, bail};
use plexus_hub::config::{AdmissionMode, Federation, Multiaddr};

use crate::settings::Settings;

/// Value of `p2p_listen` for outgoing connections only: the hub is then reachable through relays.
const DIAL_ONLY: &str = "dial-only";

/// Returns the federation configuration, or `None` if federation is disabled.
pub fn federation(settings: &Settings) -> anyhow::Result<Option<Federation>> {
    let Some(listen) = settings.text("p2p_listen").filter(|&text| text != "off") else {
        if settings.text("p2p_bootstrap").is_some_and(|text| !list(Some(text)).is_empty()) {
            bail!(
                "p2p_bootstrap has no effect while p2p_listen is off; set p2p_listen to an address and a port such as \
                 0.0.0.0:4001, or to \"{DIAL_ONLY}\" if other hubs cannot call this one"
            );
        }
        return Ok(None);
    };
    // The former name of that value.
    if listen == "nowhere" {
        bail!("p2p_listen = \"nowhere\" is unknown; write \"{DIAL_ONLY}\" for outgoing connections only");
    }
    let listen = Some(listen).filter(|&text| text != DIAL_ONLY);
    let (domains, ways): (Vec<&str>, Vec<&str>) =
        list(settings.text("p2p_bootstrap")).into_iter().partition(|word| is_domain(word));
    Ok(Some(Federation {
        listen: all("p2p_listen", list(listen), places)?,
        bootstrap: all("p2p_bootstrap", ways, ways_in)?,
        domains: domains.into_iter().map(str::to_owned).collect(),
        external: all("p2p_external_addresses", list(settings.text("p2p_external_addresses")), |word| {
            Ok(vec![word.parse()?])
        })?,
        mdns: settings.parse("p2p_mdns", false)?,
        relay: settings.parse("p2p_relay", false)?,
        mode: mode(settings.text("federation_mode"))?,
        publish_federation_rules: settings.parse("publish_federation_rules", false)?,
    }))
}

fn list(text: Option<&str>) -> Vec<&str> {
    let words = text.into_iter().flat_map(|text| text.split(','));
    words.map(str::trim).filter(|word| !word.is_empty()).collect()
}

fn all(
    key: &str,
    words: Vec<&str>,
    read: impl Fn(&str) -> anyhow::Result<Vec<Multiaddr>>,
) -> anyhow::Result<Vec<Multiaddr>> {
    let mut found = Vec::new();
    for word in words {
        found.extend(read(word).with_context(|| {
            format!("{key} has \"{word}\"; write an address and a port, or a multiaddress such as /ip4/192.0.2.1/tcp/4001")
        })?);
    }
    Ok(found)
}

/// Parses a listen address. An address with a port yields a TCP and a QUIC multiaddr.
fn places(word: &str) -> anyhow::Result<Vec<Multiaddr>> {
    if word.starts_with('/') {
        return Ok(vec![word.parse()?]);
    }
    let address: SocketAddr = word.parse()?;
    let (kind, ip, port) = parts(address);
    Ok(vec![format!("/{kind}/{ip}/tcp/{port}").parse()?, format!("/{kind}/{ip}/udp/{port}/quic-v1").parse()?])
}

/// Parses a bootstrap address: a multiaddr, or a host and a port.
fn ways_in(word: &str) -> anyhow::Result<Vec<Multiaddr>> {
    if word.starts_with('/') || word.parse::<SocketAddr>().is_ok() {
        return places(word);
    }
    let (host, port) = word.rsplit_once(':').context("missing port")?;
    let port: u16 = port.parse()?;
    Ok(vec![format!("/dns/{host}/tcp/{port}").parse()?, format!("/dns/{host}/udp/{port}/quic-v1").parse()?])
}

const fn parts(address: SocketAddr) -> (&'static str, IpAddr, u16) {
    let kind = if address.is_ipv4() { "ip4" } else { "ip6" };
    (kind, address.ip(), address.port())
}

/// Returns whether the word is a domain name without a port.
fn is_domain(word: &str) -> bool {
    !word.starts_with('/') && !word.contains(':') && word.contains('.')
}

fn mode(text: Option<&str>) -> anyhow::Result<AdmissionMode> {
    Ok(match text {
        None | Some("probation") => AdmissionMode::Probation,
        Some("open") => AdmissionMode::Open,
        Some("allowlist") => AdmissionMode::Allowlist,
        Some(other) => bail!("federation_mode = \"{other}\" is none of open, probation, allowlist"),
    })
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    fn read(flags: &[&str]) -> anyhow::Result<Option<Federation>> {
        let matches =
            Settings::flags(Command::new("plexus")).try_get_matches_from([&["plexus"], flags].concat())?;
        let folder = tempfile::tempdir()?;
        federation(&Settings::read(&matches, |_| None, &folder.path().join("plexus.toml"))?)
    }

    fn texts(addresses: &[Multiaddr]) -> Vec<String> {
        addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn without_a_place_to_listen_there_is_no_network() {
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&["--p2p-listen", "off", "--federation-mode", "king"]).unwrap().is_none());
    }

    #[test]
    fn bootstrap_addresses_without_a_listen_address_are_refused() {
        for flags in [&["--p2p-listen", "off"][..], &[]] {
            let flags = [flags, &["--p2p-bootstrap", "192.0.2.1:4001"]].concat();
            let error = read(&flags).err().unwrap().to_string();
            assert!(error.contains("p2p_listen") && error.contains("dial-only"), "{error}");
        }
    }

    #[test]
    fn a_hub_may_only_dial_and_another_lend_itself() {
        let hidden = read(&["--p2p-listen", "dial-only"]).unwrap().unwrap();
        assert!(hidden.listen.is_empty() && !hidden.relay);
        assert!(read(&["--p2p-listen", "127.0.0.1:0", "--p2p-relay", "true"]).unwrap().unwrap().relay);
    }

    #[test]
    fn the_former_word_for_dial_only_is_refused_with_the_new_one() {
        let error = read(&["--p2p-listen", "nowhere"]).err().unwrap().to_string();
        assert!(error.contains("\"nowhere\"") && error.contains("\"dial-only\""), "{error}");
    }

    #[test]
    fn addresses_are_written_in_either_way() {
        let flags = ["--p2p-listen", "127.0.0.1:4001, /ip6/::1/tcp/4002", "--p2p-bootstrap"];
        let ways = "hub.example,far.example:4001,/ip4/192.0.2.1/tcp/1";
        let found = read(&[&flags[..], &[ways]].concat()).unwrap().unwrap();
        let expected = ["/ip4/127.0.0.1/tcp/4001", "/ip4/127.0.0.1/udp/4001/quic-v1", "/ip6/::1/tcp/4002"];
        assert_eq!(texts(&found.listen), expected);
        assert_eq!(found.domains, ["hub.example"]);
        let expected =
            ["/dns/far.example/tcp/4001", "/dns/far.example/udp/4001/quic-v1", "/ip4/192.0.2.1/tcp/1"];
        assert_eq!(texts(&found.bootstrap), expected);
        assert_eq!((found.mode, found.mdns), (AdmissionMode::Probation, false));
    }

    #[test]
    fn mistakes_are_named() {
        let listen = ["--p2p-listen", "127.0.0.1:0"];
        for (before, flag, wrong) in [
            (&[][..], "--p2p-listen", "here"),
            (&listen[..], "--p2p-bootstrap", "hub:x"),
            (&listen[..], "--p2p-external-addresses", "192.0.2.1:1"),
        ] {
            let error = read(&[before, &[flag, wrong]].concat()).err().unwrap();
            assert!(format!("{error:#}").contains(wrong), "{error:#}");
        }
        assert!(read(&["--p2p-listen", "127.0.0.1:0", "--federation-mode", "king"]).is_err());
    }
}

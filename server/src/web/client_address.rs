//! The client's IP address, resolved through the reverse proxies that the operator trusts.

use std::{
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicBool, Ordering},
};

use axum::{
    extract::ConnectInfo,
    http::{HeaderMap, request::Parts},
};
use ipnet::IpNet;

use crate::app_state::AppState;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Headers that only a proxy adds. Only `X-Forwarded-For` is evaluated; the others reveal an untrusted proxy.
const PROXY_HEADERS: [&str; 4] = [FORWARDED_FOR, "forwarded", "x-forwarded-proto", "x-real-ip"];

/// Whether an untrusted proxy was logged. The warning is logged once per process, not once per request.
static IS_PROXY_REPORTED: AtomicBool = AtomicBool::new(false);

/// Returns the client's address: the peer's, or behind trusted proxies the last hop that is not a trusted
/// proxy.
pub fn client_ip(parts: &Parts, site: &AppState) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
    let peer = peer.unwrap_or(IpAddr::from([127, 0, 0, 1]));
    let proxies = &site.hub.config().trusted_proxies;
    if !is_trusted(proxies, peer) {
        report_untrusted_proxy(&parts.headers, peer);
        return peer;
    }
    behind_proxies(&parts.headers, proxies, peer)
}

/// Evaluates `X-Forwarded-For` from its end. An invalid hop stops the search at the trusted hop behind it,
/// since the client may have forged everything before it.
fn behind_proxies(headers: &HeaderMap, proxies: &[IpNet], peer: IpAddr) -> IpAddr {
    let lines: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().map(|line| line.to_str().unwrap_or_default()).collect();
    let hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
    let mut nearest = peer;
    for hop in hops {
        let Some(ip) = hop_address(hop) else { break };
        nearest = ip;
        if !is_trusted(proxies, ip) {
            break;
        }
    }
    nearest
}

fn is_trusted(proxies: &[IpNet], ip: IpAddr) -> bool {
    proxies.iter().any(|network| network.contains(&ip))
}

/// Parses one hop in any form that proxies write: plain, with a port, IPv6 with or without brackets, quoted.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim().trim_matches('"');
    let alone = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || hop.parse().ok().map(|address: SocketAddr| address.ip());
    let ip: Option<IpAddr> = hop.parse().ok().or_else(with_port).or_else(alone);
    ip.map(|ip| ip.to_canonical())
}

/// Returns a warning for the operator if a request came through an untrusted proxy since the process started.
pub fn proxy_warning() -> Option<String> {
    let words = "Requests come through a proxy that is not trusted: all its clients count as one address and share its rate limits. \
                 Set PLEXUS_TRUSTED_PROXIES to the proxy's address.";
    IS_PROXY_REPORTED.load(Ordering::Relaxed).then(|| words.to_owned())
}

/// Logs an untrusted proxy. All its clients share one rate limit: ten wrong passwords then lock all of them
/// out.
fn report_untrusted_proxy(headers: &HeaderMap, peer: IpAddr) {
    let Some(header) = PROXY_HEADERS.into_iter().find(|name| headers.contains_key(*name)) else { return };
    if !IS_PROXY_REPORTED.swap(true, Ordering::Relaxed) {
        tracing::warn!(%peer, header, "untrusted proxy: its clients count as one; add it to PLEXUS_TRUSTED_PROXIES");
    }
}

/// Parses an IP address or a network in CIDR notation, such as `10.0.0.0/8`.
pub fn parse_network(text: &str) -> Option<IpNet> {
    let network = text.parse().ok().or_else(|| text.parse().ok().map(|ip: IpAddr| IpNet::from(ip)))?;
    Some(canonical(network))
}

/// Converts an IPv4-mapped IPv6 network (`::ffff:10.0.0.0/104`) to IPv4.
fn canonical(network: IpNet) -> IpNet {
    const MAPPED_PREFIX: u8 = 96;
    let IpNet::V6(v6) = network else { return network };
    let mapped = v6.addr().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(MAPPED_PREFIX));
    let v4 = mapped.and_then(|(ip, prefix)| ipnet::Ipv4Net::new(ip, prefix).ok());
    v4.map_or(network, IpNet::V4)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn found(lines: &[&'static str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
        }
        let proxies = ["10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.1", "::ffff:172.16.0.0/108"];
        let proxies: Vec<IpNet> = proxies.into_iter().map(|text| parse_network(text).unwrap()).collect();
        behind_proxies(&headers, &proxies, IpAddr::from([10, 0, 0, 1])).to_string()
    }

    #[test]
    fn the_client_is_the_last_hop_that_is_not_trusted() {
        assert_eq!(found(&[]), "10.0.0.1");
        assert_eq!(found(&["198.51.100.7"]), "198.51.100.7");
        assert_eq!(found(&["203.0.113.9, 198.51.100.7, 10.2.3.4"]), "198.51.100.7");
        assert_eq!(found(&["203.0.113.9", "198.51.100.7", "10.2.3.4, 192.0.2.1"]), "198.51.100.7");
        assert_eq!(found(&["10.9.9.9"]), "10.9.9.9");
    }

    #[test]
    fn hops_are_read_in_every_form_that_proxies_write() {
        for hop in [
            "198.51.100.7:1234",
            "\"198.51.100.7:1234\"",
            " 198.51.100.7 ",
            "::ffff:198.51.100.7",
            "[::ffff:198.51.100.7]:80",
        ] {
            assert_eq!(hop_address(hop).unwrap().to_string(), "198.51.100.7", "{hop}");
        }
        for hop in ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "\"[2001:db8::1]:443\""] {
            assert_eq!(hop_address(hop).unwrap().to_string(), "2001:db8::1", "{hop}");
        }
        assert_eq!(
            found(&["198.51.100.7, [2001:db8:ffff::2]:443, ::ffff:10.0.0.4, 172.16.4.4"]),
            "198.51.100.7"
        );
    }

    #[test]
    fn an_unreadable_hop_ends_the_search() {
        for hop in ["unknown", "_hidden", "198.51.100.11:99999", "", "198.51.100", "a b", "fe80::1%eth0"] {
            let line: &'static str = Box::leak(format!("203.0.113.9, {hop}").into_boxed_str());
            assert_eq!(found(&[line]), "10.0.0.1", "{hop}");
        }
        assert_eq!(found(&["203.0.113.9, unknown, 10.2.3.4"]), "10.2.3.4");
    }

    #[test]
    fn networks_are_addresses_or_cidr() {
        for (text, written) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("10.0.0.1", "10.0.0.1/32"),
            ("fd00::/8", "fd00::/8"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::1", "::1/128"),
        ] {
            assert_eq!(parse_network(text).unwrap().to_string(), written);
        }
        for text in ["10.0.0.0/33", "proxy", "", "10.0.0.0/", "10.0.0.1:80"] {
            assert!(parse_network(text).is_none(), "{text}");
        }
    }
}

//! Self-call guard: recognises the hub's own addresses. An agent registered there would make the hub call
//! itself as its own user, in an endless loop.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use url::{Host, Url};

/// Addresses of this hub.
#[derive(Clone, Debug)]
pub struct SelfCallGuard {
    public: Url,
    listen: Vec<SocketAddr>,
}

impl SelfCallGuard {
    /// `listen` are the socket addresses that the hub has bound.
    pub const fn new(public: Url, listen: Vec<SocketAddr>) -> Self {
        Self { public, listen }
    }

    pub fn is_at(&self, url: &Url) -> bool {
        let port = url.port_or_known_default();
        let name = |url: &Url| url.host_str().map(|host| host.trim_end_matches('.').to_owned());
        let is_public = name(url) == name(&self.public) && port == self.public.port_or_known_default();
        is_public || self.listen.iter().any(|own| port == Some(own.port()) && leads_to(url, own.ip()))
    }
}

/// Returns true if the host of `url` is the local address `own`. Host names other than `localhost` are not
/// resolved.
fn leads_to(url: &Url, own: IpAddr) -> bool {
    let named = match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::from(address),
        Some(Host::Ipv6(address)) => address.to_canonical(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            if name != "localhost" && !name.ends_with(".localhost") {
                return false;
            }
            Ipv4Addr::LOCALHOST.into()
        }
        None => return false,
    };
    let is_this_machine = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    named == own || (is_this_machine(named) && is_this_machine(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hub_is_known_in_every_spelling() {
        let is_at = |listen: &str, url: &str| {
            let own =
                SelfCallGuard::new("https://hub.example/".parse().unwrap(), vec![listen.parse().unwrap()]);
            own.is_at(&url.parse().unwrap())
        };
        for url in ["https://hub.example/a2a/x", "https://HUB.example.:443/", "http://127.0.0.1:3000/"] {
            assert!(is_at("127.0.0.1:3000", url), "{url}");
        }
        for url in [
            "http://localhost:3000/",
            "http://[::1]:3000/",
            "http://[::ffff:127.0.0.1]:3000/",
            "http://0:3000/",
            "http://localhost.:3000/",
            "http://hub.localhost.:3000/",
        ] {
            assert!(is_at("0.0.0.0:3000", url), "{url}");
        }
        for url in ["https://hub.example:8443/", "http://127.0.0.1:3001/", "https://agents.example:3000/"] {
            assert!(!is_at("127.0.0.1:3000", url), "{url}");
        }
        assert!(is_at("192.0.2.7:3000", "http://192.0.2.7:3000/"));
        assert!(!is_at("192.0.2.7:3000", "http://127.0.0.1:3000/"));
    }
}

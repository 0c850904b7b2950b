//! DNS bootstrap: TXT records of `_plexus.<domain>`, each `plexus=` followed by a multiaddress.

use libp2p::Multiaddr;

/// Returns the name of the TXT records of a configured domain.
pub fn txt_name(domain: &str) -> String {
    format!("_plexus.{}", domain.trim_end_matches('.'))
}

const PREFIX: &str = "plexus=";
/// Maximum addresses of one domain.
pub const MAX_BOOTSTRAP: usize = 16;
const MAX_TEXT: usize = 256;

/// Parses the addresses among `texts`. Other texts are ignored: the domain may have unrelated records there.
pub fn parse_bootstrap_records<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Multiaddr> {
    let short = texts.into_iter().filter(|text| text.len() <= MAX_TEXT);
    let addresses = short.filter_map(|text| text.strip_prefix(PREFIX)?.trim().parse().ok());
    addresses.filter(|address: &Multiaddr| !address.is_empty()).take(MAX_BOOTSTRAP).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_names_bootstrap_addresses() {
        assert_eq!(txt_name("hubs.example."), "_plexus.hubs.example");
        let long = format!("plexus=/dns4/{}/tcp/1", "a".repeat(300));
        let texts = ["v=spf1 -all", "plexus=/dns4/hub.example/tcp/4001", "plexus=", "plexus=http://x", &long];
        let bootstrap = parse_bootstrap_records(texts);
        assert_eq!(
            bootstrap.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["/dns4/hub.example/tcp/4001"]
        );
        assert_eq!(parse_bootstrap_records(["plexus=/ip4/192.0.2.1/tcp/1"; 40]).len(), MAX_BOOTSTRAP);
    }
}

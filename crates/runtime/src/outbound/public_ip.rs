//! Classifies IP addresses as public or special-purpose (SSRF protection).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IANA IPv4 Special-Purpose Address Registry, multicast and reserved space. Ranges contained in a listed one
/// are omitted.
const SPECIAL_V4: [(Ipv4Addr, u32); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private use
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared address space (carrier-grade NAT)
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private use
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // IETF protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 31, 196, 0), 24), // AS112
    (Ipv4Addr::new(192, 52, 193, 0), 24), // AMT
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private use
    (Ipv4Addr::new(192, 175, 48, 0), 24), // AS112
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, limited broadcast
];

/// The only block that IANA allocates as global unicast. Loopback, mapped and translated IPv4, discard-only,
/// SRv6, unique local, link-local and multicast addresses are outside it.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// IANA IPv6 Special-Purpose Address Registry, limited to the global unicast block.
const SPECIAL_V6: [(Ipv6Addr, u32); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // IETF assignments: Teredo, benchmarking, ORCHID …
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48), // AS112
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Returns true if `address` is in no special-purpose range, so it belongs to the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|&range| contains_v4(range, address)),
        IpAddr::V6(address) => {
            contains_v6(GLOBAL_V6, address) && !SPECIAL_V6.iter().any(|&range| contains_v6(range, address))
        }
    }
}

/// Returns true if no host can be called at `address`, or if only a disguise leads to one: unspecified, link-local,
/// multicast and reserved addresses, and IPv6 addresses that translate to a special-purpose IPv4 address.
pub fn is_never_called(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.octets()[0] == 0
                || address.is_link_local()
                || address.is_multicast()
                || address.octets()[0] >= 240
        }
        IpAddr::V6(address) if address.is_loopback() => false,
        IpAddr::V6(address) => {
            address.is_unspecified()
                || address.is_multicast()
                || address.is_unicast_link_local()
                || embedded_v4(address).is_some_and(|inner| !is_public(inner.into()))
        }
    }
}

/// Returns the IPv4 address to which an IPv6 address translates: IPv4-mapped, IPv4-compatible, NAT64 (RFC 6052 and
/// RFC 8215), 6to4 or Teredo.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0 | 0xffff] | [0, 0, 0, 0, 0xffff, 0] | [0x64, 0xff9b, 0, 0, 0, 0] => Some(of(g, h)),
        [0x64, 0xff9b, 1, ..] => Some(of(g, h)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        [0x2001, 0, ..] => Some(of(!g, !h)),
        _ => None,
    }
}

fn contains_v4((network, prefix): (Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    (network.to_bits() ^ address.to_bits()).leading_zeros() >= prefix
}

fn contains_v6((network, prefix): (Ipv6Addr, u32), address: Ipv6Addr) -> bool {
    (network.to_bits() ^ address.to_bits()).leading_zeros() >= prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every entry of both registries (read 2026-11), and the blocks outside global unicast. Each has its
    /// first and last address, and whether the addresses before and after it are public.
    const SPECIAL: &[(&str, &str, bool, bool)] = &[
        ("0.0.0.0", "0.255.255.255", false, true),
        ("10.0.0.0", "10.255.255.255", true, true),
        ("100.64.0.0", "100.127.255.255", true, true),
        ("127.0.0.0", "127.255.255.255", true, true),
        ("169.254.0.0", "169.254.255.255", true, true),
        ("172.16.0.0", "172.31.255.255", true, true),
        ("192.0.0.0", "192.0.0.255", true, true),
        ("192.0.0.0", "192.0.0.7", true, false),
        ("192.0.0.8", "192.0.0.8", false, false),
        ("192.0.0.9", "192.0.0.9", false, false),
        ("192.0.0.10", "192.0.0.10", false, false),
        ("192.0.0.170", "192.0.0.171", false, false),
        ("192.0.2.0", "192.0.2.255", true, true),
        ("192.31.196.0", "192.31.196.255", true, true),
        ("192.52.193.0", "192.52.193.255", true, true),
        ("192.88.99.0", "192.88.99.255", true, true),
        ("192.168.0.0", "192.168.255.255", true, true),
        ("192.175.48.0", "192.175.48.255", true, true),
        ("198.18.0.0", "198.19.255.255", true, true),
        ("198.51.100.0", "198.51.100.255", true, true),
        ("203.0.113.0", "203.0.113.255", true, true),
        ("224.0.0.0", "239.255.255.255", true, false),
        ("240.0.0.0", "255.255.255.255", false, false),
        ("255.255.255.255", "255.255.255.255", false, false),
        ("::", "::", false, false),
        ("::1", "::1", false, false),
        ("::ffff:0:0", "::ffff:ffff:ffff", false, false),
        ("64:ff9b::", "64:ff9b::ffff:ffff", false, false),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", false, false),
        ("100::", "100::ffff:ffff:ffff:ffff", false, false),
        ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", false, false),
        ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, true),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", true, false),
        ("2001:1::1", "2001:1::3", false, false),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", false, false),
        ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", false, false),
        ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", true, true),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true, false),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false),
    ];

    fn step(address: IpAddr, by: i8) -> Option<IpAddr> {
        match address {
            IpAddr::V4(v4) => {
                v4.to_bits().checked_add_signed(by.into()).map(|bits| Ipv4Addr::from_bits(bits).into())
            }
            IpAddr::V6(v6) => {
                v6.to_bits().checked_add_signed(by.into()).map(|bits| Ipv6Addr::from_bits(bits).into())
            }
        }
    }

    #[test]
    fn every_special_range_is_closed_from_edge_to_edge() {
        for &(first, last, before_is_public, after_is_public) in SPECIAL {
            let (first, last): (IpAddr, IpAddr) = (first.parse().unwrap(), last.parse().unwrap());
            assert!(!is_public(first) && !is_public(last), "{first} to {last}");
            assert_eq!(step(first, -1).is_some_and(is_public), before_is_public, "before {first}");
            assert_eq!(step(last, 1).is_some_and(is_public), after_is_public, "after {last}");
        }
    }

    #[test]
    fn addresses_that_nothing_answers_at_are_never_called() {
        for (address, expected) in [
            ("0.0.0.0", true),
            ("0.1.2.3", true),
            ("169.254.169.254", true),
            ("224.0.0.1", true),
            ("240.0.0.1", true),
            ("255.255.255.255", true),
            ("::", true),
            ("ff02::1", true),
            ("fe80::1", true),
            ("::ffff:0.0.0.0", true),
            ("::ffff:127.0.0.1", true),
            ("::127.0.0.1", true),
            ("::ffff:0:127.0.0.1", true),
            ("64:ff9b::7f00:1", true),
            ("64:ff9b:1::a00:1", true),
            ("2002:7f00:1::1", true),
            ("2002:a00:1::", true),
            ("2001:0:1::80ff:fffe", true),
            ("127.0.0.1", false),
            ("127.0.0.2", false),
            ("::1", false),
            ("10.0.0.1", false),
            ("192.168.1.1", false),
            ("fd00::1", false),
            ("1.1.1.1", false),
            ("2606:4700:4700::1111", false),
            ("64:ff9b::101:101", false),
        ] {
            assert_eq!(is_never_called(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn ordinary_addresses_are_public() {
        for address in
            ["1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"]
        {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        assert!(!is_public("::ffff:8.8.8.8".parse().unwrap()));
        assert!(!is_public("64:ff9b::8.8.8.8".parse().unwrap()));
    }
}

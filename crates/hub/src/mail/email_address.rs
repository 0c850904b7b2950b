//! E-mail addresses of accounts.

use std::{fmt, str::FromStr};

use plexus_domain::Error as Refusal;
use serde::{Deserialize, Serialize};
use url::Host;

/// An e-mail address in lower case, whose local part is a dot-atom (RFC 5322, section 3.2.3) and whose domain has a dot.
///
/// Quoted local parts, comments, address literals and local parts with characters beyond ASCII are refused: mail servers
/// rarely accept them, and two spellings of an address could belong to two accounts. An internationalized domain is
/// stored as its A-labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Bytes of an address (RFC 5321, section 4.5.3.1.3, without the angle brackets).
    pub const MAX: usize = 254;
    /// Bytes of a local part (RFC 5321, section 4.5.3.1.1).
    const MAX_LOCAL: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let invalid = || Refusal::invalid("email", "Enter an e-mail address such as name@example.org.");
        let text = text.trim();
        if text.len() > Self::MAX {
            return Err(invalid());
        }
        let (local, domain) = text.rsplit_once('@').ok_or_else(invalid)?;
        let is_atom = |atom: &str| !atom.is_empty() && atom.bytes().all(is_atom_byte);
        if local.len() > Self::MAX_LOCAL || !local.split('.').all(is_atom) {
            return Err(invalid());
        }
        let Ok(Host::Domain(domain)) = Host::parse(domain) else { return Err(invalid()) };
        let labels = domain.split('.').collect::<Vec<_>>();
        if labels.len() < 2 || !labels.iter().copied().all(is_label) {
            return Err(invalid());
        }
        let address = format!("{}@{domain}", local.to_ascii_lowercase());
        if address.len() > Self::MAX { Err(invalid()) } else { Ok(Self(address)) }
    }
}

const fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'/'
                | b'='
                | b'?'
                | b'^'
                | b'_'
                | b'`'
                | b'{'
                | b'|'
                | b'}'
                | b'~'
        )
}

fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label.len() <= 63
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for EmailAddress {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        text.parse()
    }
}

impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> Self {
        address.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_stored_in_one_spelling() {
        for (text, stored) in [
            (" Ada.Lovelace@Example.ORG ", "ada.lovelace@example.org"),
            ("a+b@mail.example.org", "a+b@mail.example.org"),
            ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ] {
            assert_eq!(text.parse::<EmailAddress>().unwrap().as_str(), stored);
        }
    }

    #[test]
    fn what_a_mail_server_would_refuse_is_refused() {
        let long_local = format!("{}@example.org", "a".repeat(65));
        let long_domain = format!("a@{}.org", "b".repeat(64));
        let long = format!("a@{}org", "b.".repeat(130));
        for text in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "ada@localhost",
            "ada@127.0.0.1",
            "ada@[::1]",
            "a b@example.org",
            "ada@exa mple.org",
            "ada..l@example.org",
            ".ada@example.org",
            "\"ada\"@example.org",
            "ada@example.org\r\nBcc: eve@example.org",
            "ädä@example.org",
            "ada@-example.org",
            "ada@example..org",
            "ada@example.org.",
            "ada@example.org, eve@example.org",
            "ada@ex_ample.org",
            &long_local,
            &long_domain,
            &long,
        ] {
            assert!(text.parse::<EmailAddress>().is_err(), "{text}");
        }
    }
}

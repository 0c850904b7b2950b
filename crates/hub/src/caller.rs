//! Who asks, and what they may do: the one place for permission checks.

use std::net::{IpAddr, Ipv6Addr};

use plexus_domain::{AccountId, Digest, Error, HubRowId, Name, NamespaceId, PrincipalId, account::Role};

#[derive(Clone, Debug)]
pub struct Caller {
    pub person: Option<Person>,
    pub via: Via,
    pub ip: IpAddr,
}

/// Somebody who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub account: AccountId,
    pub principal: PrincipalId,
    pub namespace: NamespaceId,
    pub name: Name,
    pub role: Role,
}

/// Somebody of another hub, which vouches for them and tells who they are by a pseudonym.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    pub hub: HubRowId,
    pub pseudonym: String,
    /// Their hub is on probation still: it may be one of many that somebody made up.
    pub is_newcomer: bool,
}

impl Guest {
    /// What limits of whole hubs count by. Keys cost nothing, so all newcomers share one bucket.
    pub fn counted_as(&self) -> String {
        if self.is_newcomer { "newcomers".to_owned() } else { format!("hub {}", self.hub) }
    }
}

/// Whoever asks an agent for something: a person, a guest, or somebody of whom nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asker {
    pub principal: PrincipalId,
    pub person: Option<Person>,
    pub guest: Option<Guest>,
}

impl Asker {
    /// Somebody of whom nothing is known.
    pub const fn stranger(principal: PrincipalId) -> Self {
        Self { principal, person: None, guest: None }
    }

    pub const fn guest(principal: PrincipalId, guest: Guest) -> Self {
        Self { principal, person: None, guest: Some(guest) }
    }

    /// The hub at which a guest is at home.
    pub fn home(&self) -> Option<HubRowId> {
        self.guest.as_ref().map(|guest| guest.hub)
    }

    pub const fn is_stranger(&self) -> bool {
        self.person.is_none() && self.guest.is_none()
    }

    pub fn account(&self) -> Option<AccountId> {
        self.person.as_ref().map(|person| person.account)
    }

    pub fn who(&self) -> Who {
        match (&self.person, &self.guest) {
            (Some(person), _) => Who::Account(person.account),
            (None, Some(guest)) if guest.is_newcomer => Who::Newcomers,
            (None, Some(guest)) => Who::Hub(guest.hub),
            (None, None) => Who::Nobody,
        }
    }
}

/// As whom somebody is counted where there is a share for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    Account(AccountId),
    /// All people of another hub together: it may invent as many as it likes.
    Hub(HubRowId),
    /// All people of hubs on probation together: hubs can be invented, too.
    Newcomers,
    /// All strangers together.
    Nobody,
}

impl From<&Person> for Asker {
    fn from(person: &Person) -> Self {
        Self { principal: person.principal, person: Some(person.clone()), guest: None }
    }
}

/// How the caller proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// A browser's cookie, by the digest that is kept of it.
    Session(Digest),
    /// A program's, by the digest that is kept of it.
    Token {
        hash: Digest,
        scopes: Vec<Scope>,
    },
    /// The command line on the hub's own machine.
    Operator,
    /// Another hub's signature.
    Hub(Guest),
    Nobody,
}

/// What a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Read,
    Chat,
    Agents,
    Team,
    Admin,
}

impl Scope {
    pub const ALL: [Self; 5] = [Self::Read, Self::Chat, Self::Agents, Self::Team, Self::Admin];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Chat => "chat",
            Self::Agents => "agents",
            Self::Team => "team",
            Self::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

impl Caller {
    pub const fn nobody(ip: IpAddr) -> Self {
        Self { person: None, via: Via::Nobody, ip }
    }

    pub fn person(&self) -> Result<&Person, Error> {
        self.person.as_ref().ok_or_else(|| Error::unauthenticated("Sign in to do this."))
    }

    /// The person, if what they came with is good for `scope`. A session is good for everything they may do.
    pub fn may(&self, scope: Scope) -> Result<&Person, Error> {
        let person = self.person()?;
        if self.lacks(scope) {
            let words = format!("This token does not have the scope \"{}\".", scope.as_str());
            return Err(Error::forbidden(words));
        }
        Ok(person)
    }

    /// Whether they came with a token that is not good for `scope`.
    pub fn lacks(&self, scope: Scope) -> bool {
        matches!(&self.via, Via::Token { scopes, .. } if !scopes.contains(&scope))
    }

    pub fn require(&self, role: Role) -> Result<&Person, Error> {
        let person = self.may(Scope::Admin)?;
        if person.role >= role {
            return Ok(person);
        }
        Err(Error::forbidden(format!("Only an account with the role {} may do this.", role.as_str())))
    }

    /// The session that asks, when it is one.
    pub const fn session(&self) -> Option<&Digest> {
        match &self.via {
            Via::Session(hash) => Some(hash),
            _ => None,
        }
    }

    /// Somebody whom another hub vouches for.
    pub const fn guest(&self) -> Option<&Guest> {
        match &self.via {
            Via::Hub(guest) => Some(guest),
            _ => None,
        }
    }

    /// What rate limits count by: the account or the person of another hub, else the address.
    pub fn key(&self) -> String {
        match (&self.person, self.guest()) {
            (Some(person), _) => person.account.to_string(),
            (None, Some(guest)) => format!("{}/{}", guest.hub, guest.pseudonym),
            (None, None) => source(self.ip),
        }
    }
}

/// An address as rate limits count it. Whoever has one of IPv6 has a whole /64 of them (RFC 6177, section 2).
pub(crate) fn source(ip: IpAddr) -> String {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("{}/64", Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_cost_nothing_count_as_one() {
        let count = |ip: &str| source(ip.parse().unwrap());
        assert_eq!(count("2001:db8:1:2::7"), "2001:db8:1:2::/64");
        assert_eq!(count("2001:db8:1:2:ffff::1"), count("2001:db8:1:2::7"));
        assert_ne!(count("2001:db8:1:3::7"), count("2001:db8:1:2::7"));
        assert_eq!((count("192.0.2.7"), count("::ffff:192.0.2.7")), ("192.0.2.7".into(), "192.0.2.7".into()));
    }
}

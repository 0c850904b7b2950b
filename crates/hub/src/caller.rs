//! The authenticated caller of a use case, and the permission checks on it.

use std::net::{IpAddr, Ipv6Addr};

use plexus_domain::{AccountId, Digest, Error, HubRowId, Name, NamespaceId, PrincipalId, account::Role};
use plexus_store::{
    Conn,
    accounts::{self, AccountIdentity, AccountState},
};

/// The authenticated side of one request.
#[derive(Clone, Debug)]
pub struct Caller {
    pub person: Option<Person>,
    pub via: AuthMethod,
    pub ip: IpAddr,
}

/// A signed-in account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub account: AccountId,
    pub principal: PrincipalId,
    pub namespace: NamespaceId,
    pub name: Name,
    pub role: Role,
}

/// A user of a remote hub, identified by that hub under a pseudonym.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUser {
    pub hub: HubRowId,
    pub pseudonym: String,
    /// The remote hub is on probation, so it may be one of many that one operator created (Sybil attack).
    pub is_newcomer: bool,
}

impl RemoteUser {
    /// Returns the rate-limit key of the remote hub. Hub keys are free to create, so all hubs on probation
    /// share one.
    pub fn counted_as(&self) -> String {
        if self.is_newcomer { "newcomers".to_owned() } else { format!("hub {}", self.hub) }
    }
}

/// The principal that a run works for: an account, a remote user or an anonymous caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requester {
    pub principal: PrincipalId,
    pub person: Option<Person>,
    pub remote_user: Option<RemoteUser>,
}

impl Requester {
    /// Creates a requester without identity.
    pub const fn anonymous(principal: PrincipalId) -> Self {
        Self { principal, person: None, remote_user: None }
    }

    /// Creates a requester who is a user of a remote hub.
    pub const fn remote_user(principal: PrincipalId, remote_user: RemoteUser) -> Self {
        Self { principal, person: None, remote_user: Some(remote_user) }
    }

    /// Returns the remote hub of a remote user.
    pub fn home(&self) -> Option<HubRowId> {
        self.remote_user.as_ref().map(|remote_user| remote_user.hub)
    }

    /// Returns whether the requester is anonymous.
    pub const fn is_anonymous(&self) -> bool {
        self.person.is_none() && self.remote_user.is_none()
    }

    pub fn account(&self) -> Option<AccountId> {
        self.person.as_ref().map(|person| person.account)
    }

    /// Returns the key under which quotas and queue shares count this requester.
    pub fn who(&self) -> QuotaSubject {
        match (&self.person, &self.remote_user) {
            (Some(person), _) => QuotaSubject::Account(person.account),
            (None, Some(remote_user)) if remote_user.is_newcomer => QuotaSubject::Newcomers,
            (None, Some(remote_user)) => QuotaSubject::Hub(remote_user.hub),
            (None, None) => QuotaSubject::Anonymous,
        }
    }
}

/// The subject that quotas and queue shares are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuotaSubject {
    Account(AccountId),
    /// All users of one remote hub together: a hub can invent any number of users.
    Hub(HubRowId),
    /// All users of hubs on probation together: hubs can be invented, too.
    Newcomers,
    /// All anonymous callers together.
    Anonymous,
}

impl From<&Person> for Requester {
    fn from(person: &Person) -> Self {
        Self { principal: person.principal, person: Some(person.clone()), remote_user: None }
    }
}

/// How the caller was authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthMethod {
    /// A browser's session cookie; holds the digest that is stored for it.
    Session(Digest),
    /// An API token of a program; holds the digest that is stored for it.
    Token {
        hash: Digest,
        scopes: Vec<Scope>,
    },
    /// The command line on the hub's own machine.
    Operator,
    /// An HTTP message signature or a libp2p connection of a remote hub.
    Hub(RemoteUser),
    Anonymous,
}

/// A permission that an API token grants.
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
    /// Returns a caller without identity.
    pub const fn anonymous(ip: IpAddr) -> Self {
        Self { person: None, via: AuthMethod::Anonymous, ip }
    }

    /// Returns the account; an anonymous caller or a remote user gets 401.
    pub fn person(&self) -> Result<&Person, Error> {
        self.person.as_ref().ok_or_else(|| Error::unauthenticated("Sign in to do this."))
    }

    /// Returns the account if its credential grants `scope`. Sessions have every scope.
    pub fn may(&self, scope: Scope) -> Result<&Person, Error> {
        let person = self.person()?;
        if self.lacks(scope) {
            let words = format!("This token does not have the scope \"{}\".", scope.as_str());
            return Err(Error::forbidden(words));
        }
        Ok(person)
    }

    /// Returns whether the caller authenticated by an API token without `scope`.
    pub fn lacks(&self, scope: Scope) -> bool {
        matches!(&self.via, AuthMethod::Token { scopes, .. } if !scopes.contains(&scope))
    }

    /// Returns the account if it has at least `role` and its credential has the admin scope.
    pub fn require(&self, role: Role) -> Result<&Person, Error> {
        let person = self.may(Scope::Admin)?;
        if person.role >= role {
            return Ok(person);
        }
        Err(Error::forbidden(format!("This requires the role {}.", role.as_str())))
    }

    /// Returns the digest of the session, if the caller authenticated by a session.
    pub const fn session(&self) -> Option<&Digest> {
        match &self.via {
            AuthMethod::Session(hash) => Some(hash),
            _ => None,
        }
    }

    /// Returns the remote user, if a remote hub authenticated one.
    pub const fn remote_user(&self) -> Option<&RemoteUser> {
        match &self.via {
            AuthMethod::Hub(remote_user) => Some(remote_user),
            _ => None,
        }
    }

    /// Returns the rate-limit key: the account, the remote user, else the IP address or IPv6 prefix.
    pub fn key(&self) -> String {
        match (&self.person, self.remote_user()) {
            (Some(person), _) => person.account.to_string(),
            (None, Some(remote_user)) => format!("{}/{}", remote_user.hub, remote_user.pseudonym),
            (None, None) => source(self.ip),
        }
    }
}

/// Returns an IP address as rate limits count it. An IPv6 client has a whole /64 (RFC 6177, section 2).
pub(crate) fn source(ip: IpAddr) -> String {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("{}/64", Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
    }
}

/// Returns an account as a person, if it is active.
pub(crate) async fn find_person(conn: &mut Conn, account: AccountId) -> crate::Result<Option<Person>> {
    let known = accounts::identity(conn, account).await?;
    Ok(known.filter(|known| known.state == AccountState::Active).map(Person::from))
}

impl From<AccountIdentity> for Person {
    fn from(known: AccountIdentity) -> Self {
        let AccountIdentity { account, role, principal, namespace, name, .. } = known;
        Self { account, principal, namespace, name, role }
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

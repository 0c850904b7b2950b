//! Impersonation: lets the command line on the hub's machine act as an account.

use std::net::{IpAddr, Ipv4Addr};

use plexus_domain::{AccountId, Error as Refusal, account::Role, page::PageSize};
use plexus_store::{
    Conn, accounts,
    accounts::{Account, AccountState},
};

use crate::{
    Hub, Result,
    caller::{AuthMethod, Caller, find_person},
};

/// Returns the account `name` as a caller with all its permissions. No name selects the oldest administrator.
pub async fn impersonate(hub: &Hub, name: Option<&str>) -> Result<Caller> {
    let mut conn = hub.store().read().await?;
    let found = match name {
        Some(name) => accounts::by_name(&mut conn, &name.parse()?).await?,
        None => first_administrator(&mut conn).await?,
    };
    let missing = || match name {
        Some(name) => Refusal::not_found(format!("Account {name} not found.")),
        None => Refusal::not_found(
            "This hub has no administrator yet. Create one with `plexus user create NAME --role admin`.",
        ),
    };
    let person = match found {
        Some(account) => find_person(&mut conn, account.id).await?,
        None => None,
    };
    let person = person.ok_or_else(missing)?;
    Ok(Caller { person: Some(person), via: AuthMethod::Operator, ip: IpAddr::from(Ipv4Addr::LOCALHOST) })
}

async fn first_administrator(conn: &mut Conn) -> Result<Option<Account>> {
    let size = PageSize::new(PageSize::MAX)?;
    let mut after: Option<AccountId> = None;
    loop {
        let page = accounts::list(conn, after, size).await?;
        let Some(last) = page.last().map(|account| account.id) else { return Ok(None) };
        let is_admin =
            |account: &Account| account.role == Role::Admin && account.state == AccountState::Active;
        if let Some(found) = page.into_iter().find(is_admin) {
            return Ok(Some(found));
        }
        after = Some(last);
    }
}

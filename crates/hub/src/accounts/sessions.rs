//! Browser sessions: a random token in a cookie, of which only the digest is stored.

use std::{net::IpAddr, time::Duration};

use plexus_domain::{AccountId, Digest, Error as Refusal, Timestamp, account::Role};
use plexus_store::{
    Conn, Tx,
    accounts::AccountState,
    sessions,
    sessions::{Session, SessionIdentity},
};

use super::{ClientInfo, SignedIn, api_tokens, random_token};
use crate::{
    Hub, Result,
    bus::AccessChange,
    caller::{AuthMethod, Caller, Person},
};

const IDLE: Duration = Duration::from_secs(14 * 24 * 3_600);
const ABSOLUTE: Duration = Duration::from_secs(30 * 24 * 3_600);
const ADMIN_IDLE: Duration = Duration::from_secs(12 * 3_600);
/// Minimum interval between updates of "last seen", so that not every request causes a write.
const LAST_SEEN_INTERVAL: Duration = Duration::from_secs(60);
const AGENT_MAX: usize = 200;

/// A session in the list of its account.
pub struct SessionRow {
    pub hash: Digest,
    pub created: Timestamp,
    pub seen: Timestamp,
    pub agent: String,
    pub ip: String,
    /// The session of this request.
    pub current: bool,
}

/// Returns the caller of a session cookie; anonymous if the session is not valid.
pub async fn authenticate(hub: &Hub, cookie: &str, ip: IpAddr) -> Result<Caller> {
    let (hash, now) = (Digest::of(cookie), hub.env().now());
    let mut conn = hub.store().read_short().await?;
    let Some((session, person)) = valid_session(&mut conn, &hash, now).await? else {
        return Ok(Caller::anonymous(ip));
    };
    drop(conn);
    if now.since(session.last_seen_at) > LAST_SEEN_INTERVAL
        && let Err(error) = note_seen(hub, &hash, now).await
    {
        // Best effort: requests must succeed while the store is read-only.
        tracing::warn!(%error, "session: last use not recorded");
    }
    Ok(Caller { person: Some(person), via: AuthMethod::Session(hash), ip })
}

/// Returns the session and its account, if the session is not expired and the account is active.
async fn valid_session(conn: &mut Conn, hash: &Digest, now: Timestamp) -> Result<Option<(Session, Person)>> {
    let Some(SessionIdentity { session, identity }) = sessions::visit(conn, hash).await? else {
        return Ok(None);
    };
    let lets_in = identity.state == AccountState::Active && !is_over(&session, identity.role, now);
    Ok(lets_in.then(|| (session, Person::from(identity))))
}

/// Re-checks the credential of a caller who is already authenticated.
pub(crate) async fn still_lets_in(hub: &Hub, conn: &mut Conn, caller: &Caller) -> Result<bool> {
    let now = hub.env().now();
    Ok(match &caller.via {
        AuthMethod::Session(hash) => valid_session(conn, hash, now).await?.is_some(),
        AuthMethod::Token { hash, .. } => api_tokens::good(conn, hash, now).await?.is_some(),
        AuthMethod::Operator => true,
        // Callers with an account never use these methods.
        AuthMethod::Hub(_) | AuthMethod::Anonymous => false,
    })
}

async fn note_seen(hub: &Hub, hash: &Digest, now: Timestamp) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    sessions::set_last_seen(&mut tx, hash, now).await?;
    Ok(tx.commit().await?)
}

fn is_over(session: &Session, role: Role, now: Timestamp) -> bool {
    let idle = if role == Role::Admin { ADMIN_IDLE } else { IDLE };
    now.since(session.last_seen_at) > idle || now.since(session.created_at) > ABSOLUTE
}

/// Creates a session for an account.
pub(super) async fn create(
    hub: &Hub,
    tx: &mut Tx,
    account: AccountId,
    device: &ClientInfo,
) -> Result<SignedIn> {
    let cookie = random_token(hub);
    let now = hub.env().now();
    let user_agent = plexus_domain::sanitized_text::ellipsize(
        &plexus_domain::sanitized_text::one_line(&device.agent),
        AGENT_MAX,
    );
    let hash = Digest::of(&cookie);
    let ip = device.ip.to_string();
    let (created_at, last_seen_at) = (now, now);
    let session = Session { hash, account, created_at, last_seen_at, sudo_until: None, user_agent, ip };
    sessions::insert(tx, &session).await?;
    Ok(SignedIn { account, cookie, came_back: false })
}

/// Ends the session of the caller. Has no effect for other credentials.
pub async fn sign_out(hub: &Hub, caller: &Caller) -> Result<()> {
    let AuthMethod::Session(hash) = &caller.via else { return Ok(()) };
    let mut tx = hub.store().write().await?;
    sessions::delete(&mut tx, hash).await?;
    tx.commit().await?;
    ended(hub, caller);
    Ok(())
}

/// Makes open streams of the account re-check their access.
fn ended(hub: &Hub, caller: &Caller) {
    if let Some(person) = &caller.person {
        hub.live().access.notify(AccessChange::Account(person.account));
    }
}

/// Lists the caller's sessions, the most recently used first.
pub async fn list_sessions(hub: &Hub, caller: &Caller) -> Result<Vec<SessionRow>> {
    let person = caller.person()?;
    let mut rows = sessions::list_by_account(&mut hub.store().read().await?, person.account).await?;
    rows.sort_by_key(|row| std::cmp::Reverse(row.last_seen_at));
    let row = |row: Session| SessionRow {
        current: caller.via == AuthMethod::Session(row.hash),
        hash: row.hash,
        created: row.created_at,
        seen: row.last_seen_at,
        agent: row.user_agent,
        ip: row.ip,
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Ends one of the caller's sessions, given the hexadecimal digest from the list.
pub async fn revoke_session(hub: &Hub, caller: &Caller, named: &str) -> Result<()> {
    let person = caller.person()?;
    let mut tx = hub.store().write().await?;
    let mine = sessions::list_by_account(&mut tx, person.account).await?;
    let session = mine.into_iter().find(|session| session.hash.to_string() == named);
    let session = session.ok_or_else(|| Refusal::not_found("This session has already ended."))?;
    sessions::delete(&mut tx, &session.hash).await?;
    tx.commit().await?;
    ended(hub, caller);
    Ok(())
}

/// Ends all sessions of the caller except the current one. Returns how many.
pub async fn revoke_other_sessions(hub: &Hub, caller: &Caller) -> Result<u64> {
    let person = caller.person()?;
    let mut tx = hub.store().write().await?;
    let count = sessions::delete_by_account(&mut tx, person.account, caller.session()).await?;
    tx.commit().await?;
    ended(hub, caller);
    Ok(count)
}

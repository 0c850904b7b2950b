//! Signed, expiring links to files of a task, for callers whose browsers cannot authenticate: remote users, and
//! users of programs that show an answer.

use std::{fmt, net::IpAddr};

use plexus_domain::{Address, Digest, Error as Refusal, Principal, RunId, Timestamp};
use plexus_store::{
    Conn,
    accounts::{self, AccountState},
    members, principals, runs,
};

use super::file::{gone, shown};
use crate::{Hub, Result, blobs::Download, caller::source, calls::task, federation, keys, limits::Rate};

/// Lifetime in days beyond the current day. The expiry is rounded to days, so that repeated requests get the
/// same link.
const DAYS: i64 = 7;
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// The query parameters of a signed link: expiry and MAC.
#[derive(Clone, Debug)]
pub struct SignedLinkParams {
    /// Expiry, in milliseconds since 1970.
    pub until: i64,
    pub key: String,
}

/// Key for link MACs, derived from the hub's own key: links survive restarts and nothing is stored.
#[derive(Clone)]
pub(crate) struct LinkSigner(Digest);

impl LinkSigner {
    pub async fn load(hub: &Hub) -> Result<Self> {
        Self::read(hub, &mut hub.store().read().await?).await
    }

    /// As [`Self::load`], for a use case that holds a connection already.
    pub async fn read(hub: &Hub, conn: &mut Conn) -> Result<Self> {
        let (seed, _) = keys::hub_seed(hub, conn).await?;
        Ok(Self(Digest::of([b"plexus links to files 2\n", seed.as_slice()].concat())))
    }

    /// Appends expiry and MAC to `url`.
    pub fn sign(&self, url: &str, run: RunId, blob: &Digest, now: Timestamp) -> String {
        let until = (now.millis() / DAY + 1 + DAYS) * DAY;
        format!("{url}?until={until}&key={}", self.key(run, blob, until))
    }

    /// Returns the link to a file of a run.
    pub fn file_url(&self, hub: &Hub, agent: &Address, run: RunId, blob: &Digest) -> String {
        self.sign(&task::file_url(hub, agent, run, blob), run, blob, hub.env().now())
    }

    fn check(
        &self,
        pass: &SignedLinkParams,
        run: RunId,
        blob: &Digest,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if self.key(run, blob, pass.until).to_string() != pass.key {
            return Err(gone());
        }
        if now.millis() >= pass.until {
            let words = "This link has expired. Reload the conversation for a new one.";
            return Err(Refusal::not_found(words));
        }
        Ok(())
    }

    fn key(&self, run: RunId, blob: &Digest, until: i64) -> Digest {
        let (run, until) = (run.uuid(), until.to_be_bytes());
        Digest::of([self.0.as_bytes().as_slice(), run.as_bytes(), blob.as_bytes(), &until].concat())
    }
}

impl fmt::Debug for LinkSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Links(…)")
    }
}

/// Opens a file for the holder of a signed link, while its user has access: the user's remote hub is not blocked,
/// or the user's account is active and a member of the chat.
pub async fn file_by_link(
    hub: &Hub,
    ip: IpAddr,
    id: RunId,
    sha256: &str,
    pass: &SignedLinkParams,
) -> Result<Download> {
    hub.limits().take(Rate::SharedLinks, &source(ip))?;
    let blob: Digest = sha256.parse().map_err(|_| gone())?;
    LinkSigner::load(hub).await?.check(pass, id, &blob, hub.env().now())?;
    let mut conn = hub.store().snapshot().await?;
    check_user(hub, &mut conn, id).await?;
    let task = task::reload(hub, &mut conn, id).await?;
    drop(conn);
    shown(hub, &task, &blob).await
}

async fn check_user(hub: &Hub, conn: &mut Conn, id: RunId) -> Result<()> {
    let run = runs::find(conn, id).await?.ok_or_else(gone)?;
    match principals::find(conn, run.caller).await? {
        Some(Principal::Remote { hub: home, .. }) => federation::ensure_not_blocked(hub, conn, home).await,
        Some(Principal::Account { account }) => {
            let account = accounts::find(conn, account).await?;
            let is_active = account.is_some_and(|account| account.state == AccountState::Active);
            let member = members::find(conn, run.chat, run.caller).await?;
            let is_member = member.is_some_and(|member| member.left_at.is_none());
            if is_active && is_member { Ok(()) } else { Err(gone().into()) }
        }
        _ => Err(gone().into()),
    }
}

/// Removes the signatures of links from a text. They differ from day to day.
pub(super) fn without_signatures(text: &str) -> String {
    let mut rest = text;
    let mut whole = String::with_capacity(text.len());
    while let Some((before, signed)) = rest.split_once("?until=") {
        whole.push_str(before);
        rest = match after_signature(signed) {
            Some(after) => after,
            None => {
                whole.push_str("?until=");
                signed
            }
        };
    }
    whole + rest
}

/// Returns the text after an expiry and a MAC.
fn after_signature(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix("&key=").filter(|_| digits > 0)?;
    let (key, after) = rest.split_at_checked(2 * size_of::<Digest>())?;
    key.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_one_file_of_one_task_for_a_week() {
        let links = LinkSigner(Digest::of(b"the hub's own"));
        let run = |n| RunId::new(Timestamp::from_millis(n), &[0; 10]);
        let (file, other) = (Digest::of(b"4, 9"), Digest::of(b"0, 0"));
        let day = |n: i64| Timestamp::from_millis(n * DAY + 1);
        let url = links.sign("https://near.example/f", run(1), &file, day(20_000));
        let (until, key) = url.split_once("?until=").unwrap().1.split_once("&key=").unwrap();
        let pass = SignedLinkParams { until: until.parse().unwrap(), key: key.to_owned() };
        assert!(links.check(&pass, run(1), &file, day(20_007)).is_ok());
        assert!(
            links.check(&pass, run(1), &file, day(20_008)).unwrap_err().to_string().contains("has expired")
        );
        assert!(links.check(&pass, run(2), &file, day(20_000)).is_err());
        assert!(links.check(&pass, run(1), &other, day(20_000)).is_err());
        let longer = SignedLinkParams { until: pass.until + 1, ..pass };
        assert!(links.check(&longer, run(1), &file, day(20_000)).is_err());
    }

    #[test]
    fn signatures_of_links_are_removed_and_nothing_else() {
        let links = LinkSigner(Digest::of(b"the hub's own"));
        let run = RunId::new(Timestamp::from_millis(1), &[0; 10]);
        let sign = |day: i64| {
            links.sign("https://a.example/f", run, &Digest::of(b"1"), Timestamp::from_millis(day * DAY))
        };
        let text =
            |one: &str, two: &str| format!("See [a]({one}) and ![b]({two}), ?until= now?until=7&key=x");
        let plain = text("https://a.example/f", "https://a.example/f");
        assert_eq!(without_signatures(&text(&sign(1), &sign(900))), plain);
        assert_eq!(without_signatures(&plain), plain);
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn signatures_are_removed_in_linear_time() {
        plexus_testing::cost::assert_linear("signatures", without_signatures);
        plexus_testing::cost::assert_linear("begun signatures", |text| {
            without_signatures(&text.replace(|c: char| !c.is_alphanumeric(), "?until="))
        });
        plexus_testing::cost::assert_linear("long signatures", |text| {
            without_signatures(&format!("?until={}&key=", text.replace(' ', "?until=1")))
        });
    }
}

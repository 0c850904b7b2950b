//! Quotas of chats and stored bytes, per account, per group of remote or anonymous callers, and for the hub.

use plexus_domain::{ChatId, Error as Refusal, Part, PartBody, Principal, PrincipalId};
use plexus_store::{
    Conn, chats,
    messages::ROW_BYTES,
    principals,
    usage::{self as rows, Holder, Stored},
};

use super::{ledger::Whose, over};
use crate::{
    Caller, Error, Hub, Result,
    caller::{self, QuotaSubject, Requester},
    limits::Rate,
};

/// Checks that the requester may create another chat.
pub(crate) async fn check_chat(hub: &Hub, conn: &mut Conn, requester: &Requester) -> Result<()> {
    check(hub, conn, requester, Stored { chats: 1, bytes: 0 }).await
}

/// Checks that the requester may store a message of these parts in one of its chats.
pub(crate) async fn check_bytes(
    hub: &Hub,
    conn: &mut Conn,
    requester: &Requester,
    parts: &[Part],
) -> Result<()> {
    check(hub, conn, requester, Stored { chats: 0, bytes: size(parts) }).await
}

/// Checks that the requester may store a message of these parts in a chat that `creator` owns. Messages in a room count
/// for its owner.
pub(crate) async fn check_message(
    hub: &Hub,
    conn: &mut Conn,
    requester: &Requester,
    creator: PrincipalId,
    parts: &[Part],
) -> Result<()> {
    if creator == requester.principal {
        return check_bytes(hub, conn, requester, parts).await;
    }
    let Some(Principal::Account { account }) = principals::find(conn, creator).await? else { return Ok(()) };
    let Some(owner) = caller::find_person(conn, account).await? else { return Ok(()) };
    match check_bytes(hub, conn, &Requester::from(&owner), parts).await {
        Err(Error::Refused(Refusal::OverQuota { quota, used, limit, .. })) => {
            let message = "The owner of this chat has no storage left for its messages. Ask the owner to delete \
                           chats permanently.";
            Err(Refusal::OverQuota { message: message.to_owned(), quota, used, limit }.into())
        }
        checked => checked,
    }
}

/// Checks that an answer to the requester may be stored in the chat: against the quota of its owner. A chat that was
/// deleted meanwhile stores nothing.
pub(crate) async fn check_answer(
    hub: &Hub,
    requester: &Requester,
    chat: ChatId,
    parts: &[Part],
) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let Some(chat) = chats::find(&mut conn, chat).await? else { return Ok(()) };
    check_message(hub, &mut conn, requester, chat.creator, parts).await
}

/// Checks that the requester may store files without sending them. `own` and `all` are the bytes of its unsent files and
/// of all unsent files. They are not part of the cached sums, which count chats.
pub(crate) async fn check_unsent(
    hub: &Hub,
    conn: &mut Conn,
    requester: &Requester,
    own: u64,
    all: u64,
) -> Result<()> {
    let quotas = &hub.config().quotas;
    let limit = quotas.bytes;
    let fits = |stored: Stored| stored.bytes.saturating_add(own) <= limit;
    let stored = self::stored(hub, conn, Whose::Holder(holder(requester)), fits).await?;
    if !fits(stored) {
        let used = stored.bytes.saturating_add(own);
        return Err(over("bytes", stored.bytes, limit, full(requester, used.min(limit), limit)).into());
    }
    let Some(limit) = quotas.bytes_total else { return Ok(()) };
    let fits = |stored: Stored| stored.bytes.saturating_add(all) <= limit;
    let stored = self::stored(hub, conn, Whose::Hub, fits).await?;
    if fits(stored) {
        return Ok(());
    }
    Err(over("bytes_total", stored.bytes, limit, full_hub(stored.bytes, limit)).into())
}

/// Checks before a body is read that the caller's account has room for `incoming` bytes more. Stored files are checked
/// again when they are stored, as are those of callers without an account.
pub async fn check_room(hub: &Hub, caller: &Caller, incoming: u64) -> Result<()> {
    let Some(person) = &caller.person else { return Ok(()) };
    let (limit, requester) = (hub.config().quotas.bytes, Requester::from(person));
    let fits = |stored: Stored| stored.bytes.saturating_add(incoming) <= limit;
    let mut conn = hub.store().read().await?;
    let stored = self::stored(hub, &mut conn, Whose::Holder(holder(&requester)), fits).await?;
    if fits(stored) {
        return Ok(());
    }
    Err(over("bytes", stored.bytes, limit, full(&requester, stored.bytes, limit)).into())
}

/// Counts bytes of files against the rate limit of the requester.
pub(crate) fn check_files(hub: &Hub, requester: &Requester, bytes: u64) -> Result<(), Refusal> {
    let key = match requester.who() {
        QuotaSubject::Account(account) => account.to_string(),
        QuotaSubject::Hub(hub) => format!("hub {hub}"),
        QuotaSubject::Newcomers => "newcomers".to_owned(),
        QuotaSubject::Anonymous => "strangers".to_owned(),
    };
    hub.limits().take_many(Rate::FileKib, &key, bytes.div_ceil(KIB))
}

/// Invalidates the cached sums of the requester and of the hub, after a deletion.
pub(crate) fn forget(hub: &Hub, requester: &Requester) {
    hub.ledger().forget(Whose::Holder(holder(requester)));
    hub.ledger().forget(Whose::Hub);
}

/// Estimates the stored size of a message. Escaping may make its text slightly larger.
fn size(parts: &[Part]) -> u64 {
    let of = |part: &Part| match &part.content {
        PartBody::Text { text } | PartBody::Reasoning { text } => text.len() as u64,
        PartBody::File { size, .. } => *size,
        PartBody::Link { url } => url.len() as u64,
        other => serde_json::to_vec(other).map_or(0, |json| json.len() as u64),
    };
    parts.iter().map(of).fold(ROW_BYTES.unsigned_abs(), u64::saturating_add)
}

fn holder(requester: &Requester) -> Holder {
    match requester.who() {
        QuotaSubject::Account(_) | QuotaSubject::Anonymous => Holder::Principal(requester.principal),
        QuotaSubject::Hub(hub) => Holder::Hub(hub),
        QuotaSubject::Newcomers => Holder::Probation,
    }
}

async fn check(hub: &Hub, conn: &mut Conn, requester: &Requester, added: Stored) -> Result<()> {
    let quotas = &hub.config().quotas;
    let (quota, limit) = match requester.who() {
        QuotaSubject::Account(_) => ("bytes", quotas.bytes),
        QuotaSubject::Anonymous => ("bytes_anonymous", quotas.bytes_anonymous),
        QuotaSubject::Hub(_) | QuotaSubject::Newcomers => ("bytes_per_hub", quotas.bytes_per_hub),
    };
    let whose = Whose::Holder(holder(requester));
    let fits = |stored: Stored| {
        stored.bytes.saturating_add(added.bytes) <= limit && stored.chats + added.chats <= quotas.chats
    };
    let stored = stored(hub, conn, whose, fits).await?;
    if stored.bytes.saturating_add(added.bytes) > limit {
        return Err(over(quota, stored.bytes, limit, full(requester, stored.bytes, limit)).into());
    }
    if stored.chats + added.chats > quotas.chats {
        return Err(
            over("chats", stored.chats, quotas.chats, many(requester, stored.chats, quotas.chats)).into()
        );
    }
    if let Some(limit) = quotas.bytes_total {
        let fits = |stored: Stored| stored.bytes.saturating_add(added.bytes) <= limit;
        let stored = self::stored(hub, conn, Whose::Hub, fits).await?;
        if !fits(stored) {
            return Err(over("bytes_total", stored.bytes, limit, full_hub(stored.bytes, limit)).into());
        }
        hub.ledger().add(Whose::Hub, added);
    }
    hub.ledger().add(whose, added);
    Ok(())
}

async fn stored(hub: &Hub, conn: &mut Conn, whose: Whose, fits: impl Fn(Stored) -> bool) -> Result<Stored> {
    let now = hub.env().now();
    if let Some(known) = hub.ledger().known(whose, now, fits) {
        return Ok(known);
    }
    let stored = match whose {
        Whose::Holder(holder) => rows::stored(conn, holder).await?,
        Whose::Hub => rows::total(conn).await?,
    };
    hub.ledger().keep(whose, stored, now);
    Ok(stored)
}

fn full(requester: &Requester, used: u64, limit: u64) -> String {
    let (used, limit) = (in_units(used), in_units(limit));
    match requester.who() {
        QuotaSubject::Account(_) => format!(
            "The chats of your account use {used} of {limit}. Delete chats permanently, or ask an administrator \
             of this hub for more."
        ),
        QuotaSubject::Anonymous => format!(
            "Anonymous callers use {used} of {limit} on this hub. Sign in, or try again later: their chats \
             are deleted one hour after the last message."
        ),
        QuotaSubject::Hub(_) | QuotaSubject::Newcomers => format!(
            "Users of your hub use {used} of {limit} here. Try again later: their chats are deleted 30 days \
             after the last message."
        ),
    }
}

fn many(requester: &Requester, used: u64, limit: u64) -> String {
    let (whose, remedy) = match requester.who() {
        QuotaSubject::Account(_) => {
            ("Your account has", "Delete some permanently, or ask an administrator of this hub for more.")
        }
        QuotaSubject::Anonymous => ("Anonymous callers have", "Sign in, or try again later."),
        QuotaSubject::Hub(_) | QuotaSubject::Newcomers => ("Users of your hub have", "Try again later."),
    };
    format!("{whose} {used} of at most {limit} chats here. {remedy}")
}

fn full_hub(used: u64, limit: u64) -> String {
    let (used, limit) = (in_units(used), in_units(limit));
    format!("The chats of this hub use {used} of {limit}. Contact its administrators.")
}

const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
const KIB: u64 = 1_024;

/// Formats bytes for display, as in `1.5 GiB`.
pub fn in_units(bytes: u64) -> String {
    let (mut whole, mut tenths, mut unit) = (bytes, 0, 0);
    while whole >= KIB && unit + 1 < UNITS.len() {
        tenths = (whole % KIB) * 10 / KIB;
        whole /= KIB;
        unit += 1;
    }
    let unit = UNITS[unit];
    if tenths == 0 { format!("{whole} {unit}") } else { format!("{whole}.{tenths} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_in_the_largest_unit() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1 KiB"),
            (1_536, "1.5 KiB"),
            (1 << 30, "1 GiB"),
            ((1 << 30) - 1, "1023.9 MiB"),
            (u64::MAX, "16777215.9 TiB"),
        ] {
            assert_eq!(in_units(bytes), words);
        }
    }
}

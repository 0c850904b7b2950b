//! Rate limit and quota settings. In `plexus.toml` they may also be in the tables `[limits]` and `[quotas]`,
//! without the prefix `limit_` or `quota_`.

use std::{fmt, str::FromStr};

use plexus_hub::{
    limits::{Rate, Rates},
    quotas::Quotas,
};
use toml::{Table, Value};

use super::{Setting, Settings, setting};

/// The tables of `plexus.toml`, and the key prefix of each.
const TABLES: [(&str, &str); 2] = [("limits", "limit_"), ("quotas", "quota_")];

#[rustfmt::skip]
pub const LIMITS: &[Setting] = &[
    setting("limit_sign_ins", "PLEXUS_LIMIT_SIGN_INS", "10/20s", "Sign-in attempts per client address"),
    setting("limit_sign_ins_per_account", "PLEXUS_LIMIT_SIGN_INS_PER_ACCOUNT", "1800/2s", "Sign-in attempts \
        and password changes per account"),
    setting("limit_sign_ups", "PLEXUS_LIMIT_SIGN_UPS", "5/1250s", "New accounts per client address"),
    setting("limit_emails", "PLEXUS_LIMIT_EMAILS", "5/300s", "E-mails with a link per account"),
    setting("limit_recoveries", "PLEXUS_LIMIT_RECOVERIES", "10/60s", "Requests for a link to a new password \
        per client address"),
    setting("limit_requests", "PLEXUS_LIMIT_REQUESTS", "1200/20ms", "Requests of any kind per account or, \
        without one, per client address"),
    setting("limit_messages", "PLEXUS_LIMIT_MESSAGES", "60/1s", "Messages and team actions per account or \
        client address"),
    setting("limit_fetches", "PLEXUS_LIMIT_FETCHES", "20/6s", "Calls to URLs that an account enters, per \
        account"),
    setting("limit_test_messages", "PLEXUS_LIMIT_TEST_MESSAGES", "5/60s", "Test messages to unverified \
        endpoints, per account"),
    setting("limit_registrations", "PLEXUS_LIMIT_REGISTRATIONS", "30/60s", "New agents per account"),
    setting("limit_registrations_total", "PLEXUS_LIMIT_REGISTRATIONS_TOTAL", "300/1s", "New agents of all \
        accounts together"),
    setting("limit_agent_changes", "PLEXUS_LIMIT_AGENT_CHANGES", "60/2s", "Changes of agents (visibility, \
        access, pausing, versions, deletion) per account"),
    setting("limit_stars", "PLEXUS_LIMIT_STARS", "60/1s", "Stars added and removed per account"),
    setting("limit_searches", "PLEXUS_LIMIT_SEARCHES", "120/100ms", "Agent searches per account"),
    setting("limit_searches_anonymous", "PLEXUS_LIMIT_SEARCHES_ANONYMOUS", "60/250ms", "Anonymous \
        agent searches per client address"),
    setting("limit_searches_anonymous_total", "PLEXUS_LIMIT_SEARCHES_ANONYMOUS_TOTAL", "600/10ms",
        "Anonymous agent searches of all client addresses together"),
    setting("limit_catalogs", "PLEXUS_LIMIT_CATALOGS", "60/500ms", "Catalog requests per account or client \
        address"),
    setting("limit_network_searches", "PLEXUS_LIMIT_NETWORK_SEARCHES", "20/2s", "Live searches on remote \
        hubs per account or client address"),
    setting("limit_network_searches_anonymous_total", "PLEXUS_LIMIT_NETWORK_SEARCHES_ANONYMOUS_TOTAL", "40/1s",
        "Live searches on remote hubs of all anonymous callers together"),
    setting("limit_invalid_tokens", "PLEXUS_LIMIT_INVALID_TOKENS", "30/2s", "Invalid bearer tokens per client \
        address"),
    setting("limit_token_requests", "PLEXUS_LIMIT_TOKEN_REQUESTS", "60/1s", "Requests at /oauth/token and \
        /oauth/revoke per client address"),
    setting("limit_invalid_grants", "PLEXUS_LIMIT_INVALID_GRANTS", "30/2s", "Invalid codes and refresh \
        tokens at /oauth/token per client"),
    setting("limit_rpc_calls", "PLEXUS_LIMIT_RPC_CALLS", "600/10ms", "Method calls at /rpc per account or \
        client address"),
    setting("limit_rpc_calls_per_connection", "PLEXUS_LIMIT_RPC_CALLS_PER_CONNECTION", "300/20ms", "Method \
        calls at /rpc per WebSocket"),
    setting("limit_file_kib", "PLEXUS_LIMIT_FILE_KIB", "65536/1ms", "KiB of files sent by callers and \
        agents, per account"),
    setting("limit_shared_links", "PLEXUS_LIMIT_SHARED_LINKS", "60/500ms", "Requests for shared links per \
        account or client address"),
    setting("limit_share_links", "PLEXUS_LIMIT_SHARE_LINKS", "30/10s", "Share links of chats created, per \
        account"),
    setting("limit_chat_invitations", "PLEXUS_LIMIT_CHAT_INVITATIONS", "60/10s", "Invitations to chats sent \
        and accepted, per account"),
    setting("limit_typing", "PLEXUS_LIMIT_TYPING", "30/1s", "Reports that a user types in a room, per account"),
    setting("limit_feedback", "PLEXUS_LIMIT_FEEDBACK", "60/1s", "Feedback on answers given and taken back, \
        per account"),
    setting("limit_exports", "PLEXUS_LIMIT_EXPORTS", "30/10s", "Exports of chats per account"),
    setting("limit_imports", "PLEXUS_LIMIT_IMPORTS", "10/30s", "Imports of chats per account"),
    setting("limit_pdf_files", "PLEXUS_LIMIT_PDF_FILES", "50/20s", "PDF files that agents are given, per account"),
    setting("limit_requests_per_hub", "PLEXUS_LIMIT_REQUESTS_PER_HUB", "600/50ms", "Signed requests per \
        remote hub"),
    setting("limit_messages_per_hub", "PLEXUS_LIMIT_MESSAGES_PER_HUB", "120/500ms", "Messages of all users of \
        one remote hub, or of all hubs on probation"),
];

#[rustfmt::skip]
pub const QUOTAS: &[Setting] = &[
    setting("quota_agents", "PLEXUS_QUOTA_AGENTS", "100", "Agents per account"),
    setting("quota_agents_total", "PLEXUS_QUOTA_AGENTS_TOTAL", "none", "Agents of all accounts together"),
    setting("quota_bytes", "PLEXUS_QUOTA_BYTES", "1 GiB", "Bytes of the chats of one account, files \
        included"),
    setting("quota_bytes_total", "PLEXUS_QUOTA_BYTES_TOTAL", "none", "Bytes of all chats, files included"),
    setting("quota_bytes_anonymous", "PLEXUS_QUOTA_BYTES_ANONYMOUS", "1 GiB", "Bytes of the chats of \
        all anonymous callers"),
    setting("quota_bytes_per_hub", "PLEXUS_QUOTA_BYTES_PER_HUB", "1 GiB", "Bytes of the chats of all users \
        of one remote hub, or of all hubs on probation"),
    setting("quota_chats", "PLEXUS_QUOTA_CHATS", "50000", "Chats per account; also of all anonymous callers, \
        of one remote hub, and of all hubs on probation"),
    setting("quota_stars", "PLEXUS_QUOTA_STARS", "500", "Stars per account"),
    setting("quota_drafts", "PLEXUS_QUOTA_DRAFTS", "30", "Unfinished registrations per account"),
    setting("quota_tokens", "PLEXUS_QUOTA_TOKENS", "50", "API tokens per account"),
    setting("quota_versions", "PLEXUS_QUOTA_VERSIONS", "2000", "Agent versions per account, deleted agents \
        included"),
    setting("quota_webhooks", "PLEXUS_QUOTA_WEBHOOKS", "1000", "Webhooks per account, for all its tasks"),
    setting("quota_teams", "PLEXUS_QUOTA_TEAMS", "20", "Active teams per account"),
];

/// Returns the configured rate limits.
pub fn rates(settings: &Settings) -> anyhow::Result<Rates> {
    let mut rates = Rates::default();
    for rate in Rate::ALL {
        let key = format!("limit_{}", rate.name());
        rates.set(*rate, settings.parse(&key, rate.default())?);
    }
    Ok(rates)
}

/// Returns the configured quotas.
pub fn quotas(settings: &Settings) -> anyhow::Result<Quotas> {
    let given = Quotas::default();
    let bytes = |name: &str, default: u64| -> anyhow::Result<u64> {
        Ok(settings.parse(&format!("quota_{name}"), Bytes(default))?.0)
    };
    let number = |name: &str, default: u64| settings.parse(&format!("quota_{name}"), default);
    Ok(Quotas {
        agents: number("agents", given.agents)?,
        agents_total: settings.parse("quota_agents_total", AtMost::<u64>(given.agents_total))?.0,
        bytes: bytes("bytes", given.bytes)?,
        bytes_total: settings
            .parse("quota_bytes_total", AtMost(given.bytes_total.map(Bytes)))?
            .0
            .map(|Bytes(bytes)| bytes),
        bytes_anonymous: bytes("bytes_anonymous", given.bytes_anonymous)?,
        bytes_per_hub: bytes("bytes_per_hub", given.bytes_per_hub)?,
        versions: number("versions", given.versions)?,
        chats: number("chats", given.chats)?,
        stars: number("stars", given.stars)?,
        drafts: number("drafts", given.drafts)?,
        tokens: number("tokens", given.tokens)?,
        webhooks: number("webhooks", given.webhooks)?,
        teams: number("teams", given.teams)?,
    })
}

/// Moves the entries of the tables `limits` and `quotas` to the top level, with their key prefix.
pub(super) fn flat(file: Table) -> Vec<(String, Value)> {
    let mut values = Vec::new();
    for (key, value) in file {
        match (TABLES.iter().find(|(name, _)| *name == key), value) {
            (Some((_, prefix)), Value::Table(table)) => {
                values.extend(table.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)));
            }
            (_, value) => values.push((key, value)),
        }
    }
    values
}

/// A number of bytes, such as `1073741824`, `512 MiB` or `1GiB`.
struct Bytes(u64);

/// A number, or `none` for no limit.
struct AtMost<T>(Option<T>);

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WORDS: &str = "write a number of bytes, as in 1073741824, 512 MiB or 1 GiB";
        let text = text.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let shift = match unit.trim() {
            "" => 0,
            "KiB" => 10,
            "MiB" => 20,
            "GiB" => 30,
            "TiB" => 40,
            _ => return Err(WORDS),
        };
        let number: u64 = number.parse().map_err(|_| WORDS)?;
        number.checked_mul(1 << shift).map(Self).ok_or(WORDS)
    }
}

impl<T: FromStr<Err: fmt::Display>> FromStr for AtMost<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "none" => Ok(Self(None)),
            text => text.parse().map(|value| Self(Some(value))).map_err(|error: T::Err| error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use plexus_hub::quotas::in_units;

    use super::*;

    fn settings(file: &str) -> anyhow::Result<Settings> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("plexus.toml");
        std::fs::write(&path, file)?;
        let matches = Settings::flags(Command::new("plexus")).try_get_matches_from(["plexus"])?;
        Settings::read(&matches, |_| None, &path)
    }

    #[test]
    fn each_limit_is_a_setting_that_tells_its_default() {
        assert_eq!(LIMITS.len(), Rate::ALL.len());
        for (setting, rate) in LIMITS.iter().zip(Rate::ALL) {
            assert_eq!(setting.key, format!("limit_{}", rate.name()));
            assert_eq!(setting.variable, format!("PLEXUS_{}", setting.key.to_uppercase()));
            assert_eq!(setting.default, rate.default().to_string(), "{}", setting.key);
        }
    }

    #[test]
    fn each_quota_is_a_setting_that_tells_its_default() {
        let default = Quotas::default();
        let number = |number: u64| number.to_string();
        let told = [
            number(default.agents),
            default.agents_total.map_or("none".to_owned(), number),
            in_units(default.bytes),
            default.bytes_total.map_or("none".to_owned(), in_units),
            in_units(default.bytes_anonymous),
            in_units(default.bytes_per_hub),
            number(default.chats),
            number(default.stars),
            number(default.drafts),
            number(default.tokens),
            number(default.versions),
            number(default.webhooks),
            number(default.teams),
        ];
        assert_eq!(QUOTAS.iter().map(|setting| setting.default).collect::<Vec<_>>(), told);
    }

    #[test]
    fn limits_and_quotas_are_tables_in_the_file() {
        let file =
            "[limits]\nsearches = \"5/2s\"\n[quotas]\nbytes = \"2 MiB\"\nagents = 7\nbytes_total = \"1TiB\"";
        let settings = settings(file).unwrap();
        assert_eq!(rates(&settings).unwrap().get(Rate::Searches).to_string(), "5/2s");
        assert_eq!(rates(&settings).unwrap().get(Rate::Stars), Rate::Stars.default());
        let quotas = quotas(&settings).unwrap();
        assert_eq!((quotas.bytes, quotas.agents, quotas.bytes_total), (2 << 20, 7, Some(1 << 40)));
    }

    #[test]
    fn what_is_no_limit_and_no_quota_is_named() {
        let unknown = settings("[limits]\nsearchs = \"5/2s\"").err().unwrap().to_string();
        assert!(unknown.contains("unknown setting \"limit_searchs\""), "{unknown}");
        let wrong = rates(&settings("[limits]\nstars = \"many\"").unwrap()).unwrap_err().to_string();
        assert!(wrong.contains("limit_stars = \"many\"") && wrong.contains("60/1s"), "{wrong}");
        for file in
            ["bytes = \"1 GB\"", "bytes = \"-1\"", "agents = \"none\"", "bytes_total = \"20000000 TiB\""]
        {
            assert!(quotas(&settings(&format!("[quotas]\n{file}")).unwrap()).is_err(), "{file}");
        }
        assert_eq!(quotas(&settings("[quotas]\nbytes_total = \"none\"").unwrap()).unwrap().bytes_total, None);
    }
}

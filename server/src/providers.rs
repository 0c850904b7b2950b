//! Validated configuration of the operator's model servers: the `llm_*` settings.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, anyhow, ensure};
use plexus_domain::Name;
use plexus_hub::config::{
    InvalidPrices, Models, OwnKeyPolicy, Prices, Provider, ProviderSource, Secret, parse_base_url,
};
use serde::Deserialize;
use toml::Value;

use crate::settings::{SettingErrors, Settings};

/// Default context window of a model, in tokens.
const CONTEXT_TOKENS: usize = 32_768;

#[derive(Deserialize)]
struct List {
    llm_providers: BTreeMap<String, Value>,
}

/// The table `[llm_providers.NAME]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    base_url: String,
    api_key: Option<String>,
    #[serde(default)]
    models: Vec<String>,
    price: Option<String>,
    context_tokens: Option<usize>,
}

/// Returns the configured model providers.
pub fn models(settings: &Settings) -> anyhow::Result<Models> {
    const FIRST: [&str; 4] = ["llm_base_url", "llm_api_key", "llm_model", "llm_price_per_mtok"];
    const FALLBACK: [&str; 4] = [
        "llm_fallback_base_url",
        "llm_fallback_api_key",
        "llm_fallback_model",
        "llm_fallback_price_per_mtok",
    ];
    let mut errors = SettingErrors::default();
    let [first, fallback] = [FIRST, FALLBACK].map(|keys| errors.or_default(one(settings, keys)));
    errors.finish()?;
    let context_tokens = settings.parse("llm_context_tokens", CONTEXT_TOKENS)?;
    let named = named(settings.text("llm_providers"), context_tokens)?;
    let for_teams = settings.text("team_model").map(str::to_owned);
    let for_titles = settings.text("title_model").map(str::to_owned);
    let for_embeddings = settings.text("embeddings_model").map(str::to_owned);
    Ok(Models { first, named, paused: BTreeSet::new(), fallback, for_titles, for_embeddings, for_teams })
}

fn one(settings: &Settings, [base, key, model, price]: [&str; 4]) -> anyhow::Result<Option<Provider>> {
    let Some(url) = settings.text(base) else { return Ok(None) };
    Ok(Some(Provider {
        base_url: parse_base_url(url).with_context(|| {
            format!("{base} is not a URL such as http://127.0.0.1:8080/v1, without a user name")
        })?,
        api_key: settings.text(key).map(|key| Secret::new(key.to_owned())),
        models: settings.text(model).map(str::to_owned).into_iter().collect(),
        context_tokens: settings.parse("llm_context_tokens", CONTEXT_TOKENS)?,
        prices: prices(settings.text(price))
            .with_context(|| format!("{price} says what a million tokens cost"))?,
        source: ProviderSource::Configuration,
        own_keys: OwnKeyPolicy::Refused,
    }))
}

/// Parses the named servers: an inline table from the settings, or the content of a separate file with one
/// `[NAME]` table each.
fn named(text: Option<&str>, context_tokens: usize) -> anyhow::Result<BTreeMap<String, Provider>> {
    let Some(text) = text else { return Ok(BTreeMap::new()) };
    let entries = if text.trim_start().starts_with('{') {
        toml::from_str(&format!("llm_providers = {text}")).map(|list: List| list.llm_providers)
    } else {
        toml::from_str(text)
    };
    // The full error quotes the line, which may contain an API key.
    let entries: BTreeMap<String, Value> = entries
        .map_err(|error| anyhow!("llm_providers is not a table of model servers: {}", error.message()))?;
    let checked = |(name, entry): (String, Value)| {
        let provider = provider(&name, entry, context_tokens)?;
        anyhow::Ok((name, provider))
    };
    entries.into_iter().map(checked).collect()
}

fn provider(name: &str, entry: Value, context_tokens: usize) -> anyhow::Result<Provider> {
    let at = format!("llm_providers.{name}");
    let _: Name = name.parse().with_context(|| format!("{at}: invalid model server name"))?;
    // The invalid value is not quoted: it may be an API key in the wrong field.
    let entry: Entry = entry.try_into().ok().with_context(|| {
        format!(
            "{at} needs base_url; api_key, models (a list), price and context_tokens (a number) are optional"
        )
    })?;
    ensure!(entry.models.iter().all(|model| !model.is_empty()), "{at}.models has one without a name");
    Ok(Provider {
        base_url: parse_base_url(&entry.base_url).with_context(|| {
            format!("{at}.base_url is not a URL such as https://api.example.org/v1, without a user name")
        })?,
        api_key: entry.api_key.map(Secret::new),
        models: entry.models,
        context_tokens: entry.context_tokens.unwrap_or(context_tokens),
        prices: prices(entry.price.as_deref())
            .with_context(|| format!("{at}.price says what a million tokens cost"))?,
        source: ProviderSource::Configuration,
        own_keys: OwnKeyPolicy::Refused,
    })
}

/// Parses the prices per million input and output tokens, such as `0.15/0.60`.
fn prices(text: Option<&str>) -> Result<Prices, InvalidPrices> {
    text.map_or_else(|| Ok(Prices::default()), str::parse)
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    const FIRST: (&str, &str) = ("PLEXUS_LLM_BASE_URL", "http://127.0.0.1:1/v1");

    fn given(variables: &[(&str, &str)]) -> anyhow::Result<Models> {
        let flags = Settings::flags(Command::new("plexus")).try_get_matches_from(["plexus"])?;
        let folder = tempfile::tempdir()?;
        let variable =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        models(&Settings::read(&flags, variable, &folder.path().join("plexus.toml"))?)
    }

    fn more(table: &str) -> anyhow::Result<Models> {
        given(&[FIRST, ("PLEXUS_LLM_PROVIDERS", table)])
    }

    #[test]
    fn prices_are_read_or_refused() {
        assert_eq!(prices(Some("0.15/0.60")).unwrap(), Prices { sent: 150_000, received: 600_000 });
        assert!(prices(Some("1")).is_err() && prices(Some("a/b")).is_err());
        assert_eq!(prices(Some("0.15/0.60")).unwrap().to_string(), "0.15/0.6");
    }

    #[test]
    fn named_servers_need_no_first_one() {
        assert!(given(&[]).unwrap().first.is_none());
        let team = ("PLEXUS_TEAM_MODEL", "groq/large");
        let servers = ("PLEXUS_LLM_PROVIDERS", "{ groq = { base_url = \"https://groq.example/v1\" } }");
        let models = given(&[team, servers]).unwrap();
        assert_eq!(models.for_teams.as_deref(), Some("groq/large"));
        assert_eq!(models.find("groq/large").map(|(_, model)| model), Some("large"));
        assert!(models.find("large").is_none());
    }

    #[test]
    fn a_model_belongs_to_the_server_whose_name_it_begins_with() {
        let table = "{ groq = { base_url = \"https://groq.example/v1\", api_key = \"sk-1\", models = [\"large\"], \
                     price = \"1/2\", context_tokens = 8000 }, home = { base_url = \"http://10.0.0.1/v1\" } }";
        let models = more(table).unwrap();
        let host = |name: &str| {
            let (provider, model) = models.find(name).unwrap();
            format!("{} {model}", provider.base_url.host_str().unwrap())
        };
        assert_eq!(host("large"), "127.0.0.1 large");
        assert_eq!(host("groq/large"), "groq.example large");
        assert_eq!(host("home/maker/tiny"), "10.0.0.1 maker/tiny");
        assert_eq!(host("maker/tiny"), "127.0.0.1 maker/tiny");
        let groq = &models.named["groq"];
        assert_eq!((groq.context_tokens, groq.prices.received), (8_000, 2_000_000));
        assert_eq!(groq.api_key.as_ref().map(Secret::reveal), Some("sk-1"));
        assert_eq!(models.named["home"].context_tokens, CONTEXT_TOKENS);
        let file = more("[groq]\nbase_url = \"https://groq.example/v1\"\n").unwrap();
        assert!(file.named["groq"].models.is_empty());
    }

    #[test]
    fn the_same_model_of_another_server_stands_in_before_the_fallback() {
        let table = "{ a = { base_url = \"http://a.example\", models = [\"large\"] }, b = { base_url = \"http://b.example\" } }";
        let models = given(&[
            FIRST,
            ("PLEXUS_LLM_MODEL", "large"),
            ("PLEXUS_LLM_PROVIDERS", table),
            ("PLEXUS_LLM_FALLBACK_BASE_URL", "http://last.example"),
        ])
        .unwrap();
        let asked = |name: &str| -> Vec<String> {
            let (own, model) = models.find(name).unwrap();
            let words =
                |(other, model): (&Provider, &str)| format!("{} {model}", other.base_url.host_str().unwrap());
            models.stand_ins(own, model).map(words).collect()
        };
        assert_eq!(asked("large"), ["a.example large", "last.example large"]);
        assert_eq!(asked("a/large"), ["127.0.0.1 large", "last.example large"]);
        assert_eq!(asked("b/small"), ["last.example small"]);
    }

    #[test]
    fn a_mistake_is_named_and_no_key_is_shown() {
        for (table, words) in [
            ("groq", "llm_providers is not a table"),
            (
                "{ groq = { base_url = \"https://x.example\", api_key = \"sk-1 } }",
                "llm_providers is not a table",
            ),
            (
                "{ \"a/b\" = { base_url = \"https://x.example\" } }",
                "llm_providers.a/b: invalid model server name",
            ),
            ("{ groq = \"sk-1\" }", "llm_providers.groq needs base_url"),
            ("{ groq = { api_key = \"sk-1\" } }", "llm_providers.groq needs base_url"),
            (
                "{ groq = { base_url = \"https://x.example\", sk-1 = 1 } }",
                "llm_providers.groq needs base_url",
            ),
            ("{ groq = { base_url = \"ftp://x.example\" } }", "llm_providers.groq.base_url"),
            ("{ groq = { base_url = \"https://me:sk-1@x.example\" } }", "llm_providers.groq.base_url"),
            ("{ groq = { base_url = \"https://x.example\", price = \"sk-1\" } }", "llm_providers.groq.price"),
            ("{ groq = { base_url = \"https://x.example\", models = [\"\"] } }", "llm_providers.groq.models"),
        ] {
            let error = format!("{:#}", more(table).unwrap_err());
            assert!(error.contains(words) && !error.contains("sk-1"), "{table}: {error}");
        }
    }
}

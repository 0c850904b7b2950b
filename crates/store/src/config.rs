//! Configuration of the store: database URL and connection settings.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use sqlx::postgres::PgConnectOptions;
use url::Url;

use crate::OpenError;

/// Options for opening a store.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    pub url: StoreUrl,
    /// Pool size on Postgres; number of read connections beside the single writer on SQLite. Default 10.
    pub connections: u32,
    /// Durability of committed writes on SQLite. Postgres has its own setting (`synchronous_commit`).
    pub durability: Durability,
    /// Timeout for acquiring a connection. Default 10 s.
    pub patience: Duration,
}

impl StoreConfig {
    const CONNECTIONS: u32 = 10;
    const TIMEOUT: Duration = Duration::from_secs(10);

    pub const fn new(url: StoreUrl) -> Self {
        let durability = Durability::PowerCut;
        Self { url, connections: Self::CONNECTIONS, durability, patience: Self::TIMEOUT }
    }

    /// Returns the default options for `DATABASE_URL`, if set, or for SQLite in the data folder.
    pub fn parse(database_url: Option<&str>, data_folder: &Path) -> Result<Self, OpenError> {
        StoreUrl::parse(database_url, data_folder).map(Self::new)
    }
}

/// Which failures a committed write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Power failure: each commit is synced to the disk before it is acknowledged.
    PowerCut,
    /// Crash of the process. A power failure loses the last commits, but never one in the middle.
    Crash,
}

/// Location of the database. Displayed without its password.
#[derive(Clone)]
pub enum StoreUrl {
    /// The file `plexus.sqlite3` in this folder.
    Sqlite {
        folder: PathBuf,
    },
    Postgres {
        url: Url,
    },
}

impl StoreUrl {
    /// Parses `postgres://…` or `postgresql://…`. None or empty selects SQLite in the data folder.
    pub fn parse(database_url: Option<&str>, data_folder: &Path) -> Result<Self, OpenError> {
        let Some(text) = database_url.map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(Self::Sqlite { folder: data_folder.to_owned() });
        };
        // No error repeats the text: it may contain a password.
        let url = Url::parse(text).map_err(|error| OpenError::Url(error.to_string()))?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(OpenError::Url(format!(
                "it begins with {}:, but only postgres://… is known; leave it unset for SQLite in the data folder",
                url.scheme()
            )));
        }
        let this = Self::Postgres { url };
        this.postgres_options()?;
        Ok(this)
    }

    pub(crate) fn postgres_options(&self) -> Result<PgConnectOptions, OpenError> {
        match self {
            Self::Postgres { url } => PgConnectOptions::from_str(url.as_str())
                .map(|options| options.application_name("plexus"))
                .map_err(|_| OpenError::Url("its parameters are not ones of Postgres".to_owned())),
            Self::Sqlite { .. } => Err(OpenError::Url("it names SQLite".to_owned())),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { folder } => write!(f, "{}", folder.join(crate::sqlite::FILE).display()),
            Self::Postgres { url } => {
                let host = url.host_str().unwrap_or("localhost");
                let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
                write!(f, "postgres://{host}{port}{}", url.path())
            }
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<StoreUrl, OpenError> {
        StoreUrl::parse(Some(text), Path::new("/data"))
    }

    #[test]
    fn without_an_address_it_is_sqlite_in_the_data_folder() {
        let url = StoreUrl::parse(None, Path::new("/data")).unwrap();
        assert_eq!(url.to_string(), "/data/plexus.sqlite3");
        assert_eq!(parse(" ").unwrap().to_string(), "/data/plexus.sqlite3");
    }

    #[test]
    fn a_password_is_never_shown() {
        let config =
            StoreConfig::new(parse("postgres://ada:s3cret@db.example:5433/plexus?password=s3cret").unwrap());
        let shown = format!("{config:?} {}", config.url);
        assert!(shown.contains("db.example:5433/plexus") && !shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn an_unknown_scheme_is_an_error_and_not_a_new_file() {
        for bad in ["mysql://x/y", "sqlite://plexus.db", "postgress://x/y", "plexus.db", "/tmp/x"] {
            let error = parse(bad).err().unwrap().to_string();
            assert!(error.starts_with("DATABASE_URL"), "{error}");
        }
        let error = parse("mysql://root:s3cret@x/y").err().unwrap().to_string();
        assert!(error.contains("mysql:") && !error.contains("s3cret"), "{error}");
    }
}

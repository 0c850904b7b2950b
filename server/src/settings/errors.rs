//! All mistakes in the settings, so that an operator sees them in one run.

use std::fmt;

/// The mistakes found so far, each with the name of its setting.
#[derive(Debug, Default)]
pub struct SettingErrors(Vec<String>);

impl SettingErrors {
    pub fn add(&mut self, error: String) {
        self.0.push(error);
    }

    /// Returns the value, or records the error and returns `instead`. The caller must not use what it builds
    /// before [`Self::finish`] returned `Ok`.
    pub fn or<T>(&mut self, value: anyhow::Result<T>, instead: T) -> T {
        value.unwrap_or_else(|error| {
            match error.downcast::<Self>() {
                Ok(errors) => self.0.extend(errors.0),
                Err(error) => self.0.push(format!("{error:#}")),
            }
            instead
        })
    }

    pub fn or_default<T: Default>(&mut self, value: anyhow::Result<T>) -> T {
        self.or(value, T::default())
    }

    /// Fails if there is any error.
    pub fn finish(self) -> anyhow::Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(self.into()) }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for SettingErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for SettingErrors {}

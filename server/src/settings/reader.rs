//! Reads settings one after the other and collects all mistakes.

use std::{fmt, str::FromStr};

use super::{SettingErrors, Settings};

/// A reader that goes on after a mistake. What was built from its values must not be used before
/// [`Self::finish`] returned `Ok`.
pub struct SettingReader<'a> {
    pub settings: &'a Settings,
    errors: SettingErrors,
}

impl<'a> SettingReader<'a> {
    pub fn new(settings: &'a Settings) -> Self {
        Self { settings, errors: SettingErrors::default() }
    }

    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.settings.text(key)
    }

    /// Parses the value of `key`; `default` if it is not set.
    pub fn parse<T>(&mut self, key: &str, default: T) -> T
    where
        T: FromStr + Copy,
        T::Err: fmt::Display,
    {
        self.or(self.settings.parse(key, default), default)
    }

    /// Parses a number for which 0 would stop the hub from working.
    pub fn positive<T>(&mut self, key: &str, default: T) -> T
    where
        T: FromStr + Copy + Default + PartialEq,
        T::Err: fmt::Display,
    {
        self.or(self.settings.parse_positive(key, default), default)
    }

    /// Returns the value, or records the error and returns `instead`.
    pub fn or<T>(&mut self, value: anyhow::Result<T>, instead: T) -> T {
        self.errors.or(value, instead)
    }

    pub fn or_default<T: Default>(&mut self, value: anyhow::Result<T>) -> T {
        self.errors.or_default(value)
    }

    pub fn add(&mut self, error: String) {
        self.errors.add(error);
    }

    pub fn finish(self) -> anyhow::Result<()> {
        self.errors.finish()
    }
}

//! Members of JSON objects, read one by one: data of another type than expected is absent, and costs nothing else.

use plexus_domain::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    bounded::{BoundedList, BoundedMap},
    limits::{MAX_MEMBERS, MAX_PIECES},
    timestamps::ExportedTime,
};

/// The members of a JSON object, unparsed. Other JSON has none.
#[derive(Default)]
pub struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    pub fn of(json: &'a str) -> Self {
        let read: Result<BoundedMap<&RawValue, MAX_MEMBERS>, _> = serde_json::from_str(json);
        Self(read.map(|members| members.entries).unwrap_or_default())
    }

    /// Returns the JSON of a member that is not null.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(known, _)| known == name)?.1.get();
        (found != "null").then_some(found)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns a text that is not blank.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(text_of).filter(|text| !text.trim().is_empty())
    }

    /// Returns an id: a text, or a number as text.
    pub fn id(&self, name: &str) -> Option<String> {
        let json = self.get(name)?;
        if json.starts_with(|first: char| first.is_ascii_digit()) {
            Some(json.to_owned())
        } else {
            self.text(name)
        }
    }

    pub fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    pub fn time(&self, name: &str) -> Option<Timestamp> {
        serde_json::from_str::<ExportedTime>(self.get(name)?).ok()?.0
    }

    pub fn object(&self, name: &str) -> Self {
        self.get(name).map(Self::of).unwrap_or_default()
    }

    /// Returns the first items of an array, unparsed.
    pub fn list(&self, name: &str) -> Vec<&'a str> {
        self.get(name).map(items_of).unwrap_or_default()
    }

    /// Returns the objects of an array.
    pub fn objects(&self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        self.list(name).into_iter().map(Self::of)
    }
}

/// Returns the text of a JSON string.
pub fn text_of(json: &str) -> Option<String> {
    json.starts_with('"').then(|| serde_json::from_str(json).ok()).flatten()
}

/// Returns the first items of a JSON array, unparsed.
pub fn items_of(json: &str) -> Vec<&str> {
    let list: Option<BoundedList<&RawValue, MAX_PIECES>> = parse(json);
    list.map(|list| list.items.into_iter().map(RawValue::get).collect()).unwrap_or_default()
}

/// Parses JSON; returns nothing for data of another type.
pub fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Option<T> {
    serde_json::from_str(json).ok()
}

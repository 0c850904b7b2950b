//! Bounded collections for deserialization: items over the bound are parsed and dropped, so that a small file cannot
//! occupy much memory.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// The first `MAX` items of a JSON array. `null` is an empty list.
#[derive(Debug)]
pub struct BoundedList<T, const MAX: usize> {
    pub items: Vec<T>,
    pub is_complete: bool,
}

/// The first `MAX` entries of a JSON object, in the order of the file. `null` has none.
#[derive(Debug)]
pub struct BoundedMap<T, const MAX: usize> {
    pub entries: Vec<(String, T)>,
    pub is_complete: bool,
}

impl<T, const MAX: usize> Default for BoundedList<T, MAX> {
    fn default() -> Self {
        Self { items: Vec::new(), is_complete: true }
    }
}

impl<T, const MAX: usize> Default for BoundedMap<T, MAX> {
    fn default() -> Self {
        Self { entries: Vec::new(), is_complete: true }
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for BoundedList<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = BoundedList<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BoundedList::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut list = BoundedList::default();
        while list.items.len() < MAX {
            match array.next_element()? {
                Some(item) => list.items.push(item),
                None => return Ok(list),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {
            list.is_complete = false;
        }
        Ok(list)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for BoundedMap<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MapVisitor(PhantomData))
    }
}

struct MapVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for MapVisitor<T, MAX> {
    type Value = BoundedMap<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BoundedMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut map = BoundedMap::default();
        while map.entries.len() < MAX {
            match object.next_entry()? {
                Some(entry) => map.entries.push(entry),
                None => return Ok(map),
            }
        }
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            map.is_complete = false;
        }
        Ok(map)
    }
}

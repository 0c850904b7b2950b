//! Lenient ProtoJSON (protobuf.dev, "ProtoJSON Format"): `null` and the empty string count as absent, numbers may be
//! texts, enums numbers. The names of fields in snake case are aliases in the types themselves.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Number, Value};

/// Deserializes `null` as the type's default.
pub fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(input: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

/// Deserializes `null` and `""` as `None`.
pub fn filled<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(input)?.filter(|text| !text.is_empty()))
}

/// Deserializes `null` as a present value, distinct from an absent field.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<Option<T>, D::Error> {
    T::deserialize(input).map(Some)
}

/// Deserializes an unsigned integer: a number without fraction, or one as text. `null` and `""` are `None`.
pub fn integer<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u32>, D::Error> {
    let number = match Option::<Value>::deserialize(input)? {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) if text.is_empty() => return Ok(None),
        Some(Value::String(text)) => text.parse().ok().and_then(|number: f64| whole(number)),
        Some(Value::Number(number)) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Some(_) => None,
    };
    let number = number.and_then(|number| u32::try_from(number).ok());
    number.map(Some).ok_or_else(|| D::Error::custom("expected a whole number, 0 or more"))
}

/// The same for a field without presence: absent means 0.
pub fn integer_or_zero<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    integer(input).map(Option::unwrap_or_default)
}

/// Returns the number if it is a whole one up to `u32::MAX`.
fn whole(number: f64) -> Option<u64> {
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    // Written without a fraction, a whole number of this range is parsed as an integer.
    is_whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

/// An enum value of ProtoJSON: its name, its number, or `null` for the first one.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum EnumValue {
    Number(Number),
    Name(String),
    Null(()),
}

impl EnumValue {
    /// Returns the value of a list in the order of their numbers, from 0. Unknown ones are the first, which is
    /// unspecified.
    pub fn find<T: Copy>(&self, all: &[(T, &str)]) -> Option<T> {
        let by_number = |number: usize| all.get(number).map(|(value, _)| *value);
        let found = match self {
            Self::Number(number) => {
                number.as_f64().and_then(whole).and_then(|number| by_number(usize::try_from(number).ok()?))
            }
            Self::Name(name) => {
                let named = all.iter().find(|(_, known)| known == name).map(|(value, _)| *value);
                named.or_else(|| by_number(name.parse().ok()?))
            }
            Self::Null(()) => None,
        };
        found.or_else(|| by_number(0))
    }
}

/// Implements serialization of an enum by its name, and lenient deserialization.
macro_rules! proto_enum {
    ($type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        impl $type {
            /// The values with their names on the wire, in the order of their numbers.
            pub const NAMES: &[(Self, &str)] = &[$((Self::$variant, $name)),*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                output.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let value = <$crate::wire::lenient::EnumValue as serde::Deserialize>::deserialize(input)?;
                Ok(value.find(Self::NAMES).unwrap_or_default())
            }
        }
    };
}
pub(crate) use proto_enum;

pub fn is_false(value: &bool) -> bool {
    !value
}

/// Bytes in base64. Serialized in the standard alphabet with padding; every spelling is accepted.
pub mod bytes {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::encoded_bytes::decode_base64;

    pub fn serialize<S: Serializer>(bytes: &[u8], output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn optional<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Vec<u8>>, D::Error> {
        let Some(text) = Option::<String>::deserialize(input)? else { return Ok(None) };
        decode_base64(&text).map(Some).ok_or_else(|| D::Error::custom("bytes that are not base64"))
    }
}

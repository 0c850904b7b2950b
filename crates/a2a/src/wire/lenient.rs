//! Lenient ProtoJSON: `null` and the empty string count as absent (protobuf.dev, "ProtoJSON Format").

use serde::{Deserialize, Deserializer};

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

//! OpenAPI 3.1 schemas (utoipa) of types that serialize as one string or number.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Object, ObjectBuilder, RefOr, Schema, Type},
};

use crate::{Address, Digest, Timestamp};

fn text(about: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(about))
}

fn is(object: impl Into<Object>) -> RefOr<Schema> {
    Schema::Object(object.into()).into()
}

impl PartialSchema for Address {
    fn schema() -> RefOr<Schema> {
        is(text("An address, such as @plexus/calc."))
    }
}

impl PartialSchema for Digest {
    fn schema() -> RefOr<Schema> {
        is(text("A SHA-256 digest in hexadecimal digits.").pattern(Some("^[0-9a-f]{64}$")))
    }
}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        let about = "Milliseconds since 1970, UTC.";
        is(ObjectBuilder::new().schema_type(Type::Integer).description(Some(about)))
    }
}

impl ToSchema for Address {}
impl ToSchema for Digest {}
impl ToSchema for Timestamp {}

//! Encoding and decoding of SQLite values, limited to the types that the hub stores.

use std::{borrow::Cow, fmt};

use rusqlite::{Statement, types::Value as Raw};
use sqlx::{
    Decode, Encode, Type, TypeInfo,
    encode::IsNull,
    error::{BoxDynError, Error},
};
use uuid::Uuid;

use super::{SyncSqlite, error::into_sqlx};

/// The storage classes of SQLite (<https://www.sqlite.org/datatype3.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StorageClass {
    Null,
    Integer,
    Real,
    Text,
    Blob,
}

impl TypeInfo for StorageClass {
    fn is_null(&self) -> bool {
        *self == Self::Null
    }

    fn name(&self) -> &str {
        match self {
            Self::Null => "NULL",
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
            Self::Blob => "BLOB",
        }
    }
}

impl fmt::Display for StorageClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value that was read.
#[derive(Clone, Debug)]
pub(crate) struct Value(pub(super) Raw);

#[derive(Clone, Copy)]
pub(crate) struct ValueRef<'r>(pub(super) &'r Value);

impl Value {
    const fn kind(&self) -> StorageClass {
        match self.0 {
            Raw::Null => StorageClass::Null,
            Raw::Integer(_) => StorageClass::Integer,
            Raw::Real(_) => StorageClass::Real,
            Raw::Text(_) => StorageClass::Text,
            Raw::Blob(_) => StorageClass::Blob,
        }
    }
}

impl sqlx::Value for Value {
    type Database = SyncSqlite;

    fn as_ref(&self) -> ValueRef<'_> {
        ValueRef(self)
    }

    fn type_info(&self) -> Cow<'_, StorageClass> {
        Cow::Owned(self.kind())
    }

    fn is_null(&self) -> bool {
        self.kind().is_null()
    }
}

impl<'r> sqlx::ValueRef<'r> for ValueRef<'r> {
    type Database = SyncSqlite;

    fn to_owned(&self) -> Value {
        self.0.clone()
    }

    fn type_info(&self) -> Cow<'_, StorageClass> {
        Cow::Owned(self.0.kind())
    }

    fn is_null(&self) -> bool {
        self.0.kind().is_null()
    }
}

/// Values that are bound to the placeholders of a statement.
#[derive(Debug, Default)]
pub(crate) struct BindArguments(Vec<Raw>);

impl BindArguments {
    /// Binds the values. Placeholders are numbered: `$1`, `$2`, ….
    pub(super) fn bind(&self, statement: &mut Statement<'_>) -> Result<(), Error> {
        for at in 1..=statement.parameter_count() {
            let number = statement.parameter_name(at).and_then(|name| name[1..].parse().ok());
            let number: usize = number.unwrap_or(at);
            let missing = || Error::Encode(format!("nothing is bound to ${number}").into());
            let value = number.checked_sub(1).and_then(|at| self.0.get(at)).ok_or_else(missing)?;
            statement.raw_bind_parameter(at, value).map_err(into_sqlx)?;
        }
        Ok(())
    }
}

impl sqlx::Arguments for BindArguments {
    type Database = SyncSqlite;

    fn reserve(&mut self, additional: usize, _size: usize) {
        self.0.reserve(additional);
    }

    fn add<'t, T: Encode<'t, SyncSqlite> + Type<SyncSqlite>>(&mut self, value: T) -> Result<(), BoxDynError> {
        if value.encode(&mut self.0)?.is_null() {
            self.0.push(Raw::Null);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn format_placeholder<W: fmt::Write>(&self, writer: &mut W) -> fmt::Result {
        write!(writer, "${}", self.0.len())
    }
}

sqlx_core::impl_into_arguments_for_arguments!(BindArguments);
sqlx_core::impl_encode_for_option!(SyncSqlite);

/// Implements `Type` and `Encode` for a Rust type: its storage class and conversion.
macro_rules! written {
    ($($type:ty as $kind:ident: $value:ident => $raw:expr;)*) => {$(
        impl Type<SyncSqlite> for $type {
            fn type_info() -> StorageClass {
                StorageClass::$kind
            }
        }

        impl<'q> Encode<'q, SyncSqlite> for $type {
            fn encode_by_ref(&self, buffer: &mut Vec<Raw>) -> Result<IsNull, BoxDynError> {
                let $value = self;
                buffer.push(Raw::$kind($raw));
                Ok(IsNull::No)
            }
        }
    )*};
}
written! {
    i64 as Integer: value => *value;
    bool as Integer: value => (*value).into();
    String as Text: value => value.clone();
    Vec<u8> as Blob: value => value.clone();
    Uuid as Blob: value => value.as_bytes().to_vec();
}

impl Type<SyncSqlite> for str {
    fn type_info() -> StorageClass {
        StorageClass::Text
    }
}

impl<'q> Encode<'q, SyncSqlite> for &'q str {
    fn encode_by_ref(&self, buffer: &mut Vec<Raw>) -> Result<IsNull, BoxDynError> {
        buffer.push(Raw::Text((*self).to_owned()));
        Ok(IsNull::No)
    }
}

impl Type<SyncSqlite> for [u8] {
    fn type_info() -> StorageClass {
        StorageClass::Blob
    }
}

impl<'q> Encode<'q, SyncSqlite> for &'q [u8] {
    fn encode_by_ref(&self, buffer: &mut Vec<Raw>) -> Result<IsNull, BoxDynError> {
        buffer.push(Raw::Blob(self.to_vec()));
        Ok(IsNull::No)
    }
}

impl<'r> Decode<'r, SyncSqlite> for i64 {
    fn decode(value: ValueRef<'r>) -> Result<Self, BoxDynError> {
        match value.0.0 {
            Raw::Integer(value) => Ok(value),
            _ => Err(not_a("INTEGER", value)),
        }
    }
}

impl<'r> Decode<'r, SyncSqlite> for bool {
    fn decode(value: ValueRef<'r>) -> Result<Self, BoxDynError> {
        <i64 as Decode<'r, SyncSqlite>>::decode(value).map(|value| value != 0)
    }
}

impl<'r> Decode<'r, SyncSqlite> for String {
    fn decode(value: ValueRef<'r>) -> Result<Self, BoxDynError> {
        match &value.0.0 {
            Raw::Text(text) => Ok(text.clone()),
            _ => Err(not_a("TEXT", value)),
        }
    }
}

impl<'r> Decode<'r, SyncSqlite> for Vec<u8> {
    fn decode(value: ValueRef<'r>) -> Result<Self, BoxDynError> {
        match &value.0.0 {
            Raw::Blob(bytes) => Ok(bytes.clone()),
            _ => Err(not_a("BLOB", value)),
        }
    }
}

impl<'r> Decode<'r, SyncSqlite> for Uuid {
    fn decode(value: ValueRef<'r>) -> Result<Self, BoxDynError> {
        match &value.0.0 {
            Raw::Blob(bytes) => Ok(Self::from_slice(bytes)?),
            _ => Err(not_a("BLOB", value)),
        }
    }
}

fn not_a(wanted: &str, value: ValueRef<'_>) -> BoxDynError {
    format!("a value is {} and not {wanted}", value.0.kind()).into()
}

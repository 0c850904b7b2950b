//! What goes over the wire: JSON-RPC 2.0 around the messages of A2A 1.0 and 0.3.

mod lenient;
mod method;
pub mod rpc;
pub mod v03;
pub mod v1;

pub use method::Method;

/// Free members of an object, meaning what its maker says.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

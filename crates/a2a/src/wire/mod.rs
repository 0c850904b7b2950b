//! Wire format: JSON-RPC 2.0 with the messages of A2A 1.0 and 0.3.

mod lenient;
mod method;
pub mod rpc;
pub mod v03;
pub mod v1;

pub use method::Method;
pub use plexus_domain::Metadata;

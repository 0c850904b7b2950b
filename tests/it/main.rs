//! Tests through the public edges of a running hub.

//! Use cases: every rule about who may do what, one call each.

//! The index over listings.

//! Signing in, signing up, and letting programs in.

mod consent;
mod login;
mod signup;

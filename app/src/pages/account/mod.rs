//! Signing in and signing up.

mod login;
mod signup;

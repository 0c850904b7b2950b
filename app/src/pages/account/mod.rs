//! Sign-in, sign-up and OAuth consent pages.

mod consent;
mod login;
mod reset;
mod signup;

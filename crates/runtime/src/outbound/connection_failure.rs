//! Failures of connections in words, without codes of the operating system and texts of libraries.

use std::{error::Error, io};

use plexus_domain::run::{Failure, FailureClass};

use super::{
    never_called, private, quote_foreign_text,
    resolver::{NameLookupError, NeverCalledError, PrivateAddressError},
};

/// Returns the failure of a request to `peer`.
pub(crate) fn connection_failure(error: &reqwest::Error, peer: &str) -> Failure {
    let chain = || std::iter::successors(error.source(), next);
    if chain().any(|cause| cause.is::<PrivateAddressError>()) {
        return private();
    }
    if chain().any(|cause| cause.is::<NeverCalledError>()) {
        return never_called(peer);
    }
    if error.is_connect() && error.is_timeout() {
        return Failure::new(FailureClass::TimedOut, format!("Connection to {peer} timed out."));
    }
    if chain().any(|cause| cause.is::<NameLookupError>()) {
        let of = if peer.starts_with("the ") { "of " } else { "" };
        let words = format!("The name {of}{peer} cannot be resolved. Check the address.");
        return Failure::new(FailureClass::Unreachable, words);
    }
    let cause = cause(chain()).map(|words| format!(" ({words})")).unwrap_or_default();
    let words = if error.is_connect() {
        format!("No connection to {peer}{cause}. Check the address, and that it is running.")
    } else {
        format!("The connection to {peer} ended early{cause}.")
    };
    Failure::new(FailureClass::Unreachable, words)
}

fn next<'e>(error: &&'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let error: &'e (dyn Error + 'static) = *error;
    error.source()
}

/// Returns the words for the innermost error. Errors of the operating system without words here have none.
fn cause<'e>(chain: impl Iterator<Item = &'e (dyn Error + 'static)>) -> Option<String> {
    let mut innermost = None;
    for cause in chain {
        let system = cause.downcast_ref::<io::Error>();
        if let Some(words) = system.and_then(|error| io_words(error.kind())) {
            return Some(words.to_owned());
        }
        innermost = match system {
            Some(error) if error.raw_os_error().is_some() => None,
            _ => Some(quote_foreign_text(&cause.to_string())),
        };
    }
    innermost
}

const fn io_words(kind: io::ErrorKind) -> Option<&'static str> {
    Some(match kind {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => "it was closed by the other side",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "no route to it",
        io::ErrorKind::TimedOut => "it timed out",
        _ => return None,
    })
}

/// Returns an error of the operating system without its code.
pub(crate) fn without_code(error: &io::Error) -> String {
    let words = error.to_string();
    words.rsplit_once(" (os error ").map_or(words.as_str(), |(words, _)| words).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_operating_system_are_left_out() {
        assert_eq!(without_code(&io::Error::from_raw_os_error(2)), "No such file or directory");
        assert_eq!(without_code(&io::Error::other("no disk")), "no disk");
        let refused = io::Error::from_raw_os_error(111);
        let causes: [&(dyn Error + 'static); 1] = [&refused];
        assert_eq!(cause(causes.into_iter()).as_deref(), Some("connection refused"));
        let odd = io::Error::from_raw_os_error(24);
        let causes: [&(dyn Error + 'static); 1] = [&odd];
        assert_eq!(cause(causes.into_iter()), None);
    }
}

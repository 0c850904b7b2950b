//! E-mail of the hub to its accounts, through the operator's mail server.

mod email_address;
mod mail_queue;
mod mail_server;

pub use email_address::EmailAddress;
pub use mail_queue::{MailFailure, MailStatus};
pub(crate) use mail_queue::{MailQueue, deliver_until};
pub use mail_server::{InvalidMailServer, MailError, MailServer, send_test};

use crate::{ClockRng, Hub, Result};
use plexus_domain::Error as Refusal;

/// A plain-text message to one account.
#[derive(Clone, Debug)]
pub(crate) struct MailMessage {
    /// The local part of the header `Message-ID`, the same at each attempt (RFC 5322 section 3.6.4).
    pub id: String,
    pub to: EmailAddress,
    pub subject: String,
    pub text: String,
}

/// Returns a new id of a message.
pub(crate) fn new_id(env: &ClockRng) -> String {
    format!("{:032x}", u128::from_be_bytes(env.bytes()))
}

impl Hub {
    /// Whether this hub sends e-mail.
    pub fn sends_mail(&self) -> bool {
        self.config().mail.is_some()
    }

    /// Returns the deliveries since this instance started.
    pub fn mail_status(&self) -> MailStatus {
        self.mail_queue().status()
    }

    /// Queues a message. Fails if this hub sends no e-mail, or if [`MailQueue::CAPACITY`] messages wait already.
    pub(crate) fn send_mail(&self, message: MailMessage) -> Result<()> {
        if !self.sends_mail() {
            return Err(Refusal::conflict("This hub sends no e-mail.").into());
        }
        self.mail_queue().push(message)
    }
}

//! Queue of messages that wait for their delivery, and the worker that delivers them.

use std::{collections::VecDeque, time::Duration};

use parking_lot::Mutex;
use plexus_domain::{Error as Refusal, Timestamp};
use tokio::{sync::Notify, time::timeout};
use tokio_util::sync::CancellationToken;

use super::MailMessage;
use crate::{Hub, Result};

/// Delays before the second and the third attempt.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];
/// Time for messages that wait when the hub shuts down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

const SENT: &str = "plexus_mails_sent_total";
const FAILED: &str = "plexus_mails_failed_total";

/// Messages in memory. One that is lost in a crash is requested again by its account.
#[derive(Default)]
pub struct MailQueue {
    waiting: Mutex<VecDeque<MailMessage>>,
    changed: Notify,
    status: Mutex<MailStatus>,
}

/// Deliveries since the hub started.
#[derive(Clone, Debug, Default)]
pub struct MailStatus {
    pub sent: u64,
    pub failed: u64,
    /// The failure of the last message; none if it was sent.
    pub last_failure: Option<MailFailure>,
}

#[derive(Clone, Debug)]
pub struct MailFailure {
    pub at: Timestamp,
    /// Cause, as text for the operator.
    pub cause: String,
}

impl MailQueue {
    pub const CAPACITY: usize = 1_000;

    pub(super) fn push(&self, message: MailMessage) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= Self::CAPACITY {
            let text = "Too many e-mails wait for the mail server. Try again later.";
            return Err(Refusal::Unavailable { message: text.to_owned() }.into());
        }
        waiting.push_back(message);
        drop(waiting);
        self.changed.notify_one();
        Ok(())
    }

    pub fn status(&self) -> MailStatus {
        self.status.lock().clone()
    }

    fn first(&self) -> Option<MailMessage> {
        self.waiting.lock().front().cloned()
    }

    /// Removes the first message, whose delivery has ended with `failure` or success.
    fn finish_first(&self, failure: Option<MailFailure>) {
        self.waiting.lock().pop_front();
        let mut status = self.status.lock();
        match failure {
            Some(_) => status.failed += 1,
            None => status.sent += 1,
        }
        metrics::counter!(if failure.is_some() { FAILED } else { SENT }).increment(1);
        status.last_failure = failure;
    }
}

/// Delivers messages one after another until `stop`, and those that wait then within [`SHUTDOWN_TIMEOUT`].
pub async fn deliver_until(stop: CancellationToken, hub: Hub) {
    let deliver_all = async {
        loop {
            match hub.mail_queue().first() {
                Some(message) => deliver_first(&hub, &message, &RETRY_DELAYS).await,
                None => hub.mail_queue().changed.notified().await,
            }
        }
    };
    tokio::select! {
        () = deliver_all => {}
        () = stop.cancelled() => {}
    }
    let deliver_rest = async {
        while let Some(message) = hub.mail_queue().first() {
            deliver_first(&hub, &message, &[]).await;
        }
    };
    if timeout(SHUTDOWN_TIMEOUT, deliver_rest).await.is_err() {
        let waiting = hub.mail_queue().waiting.lock().len();
        tracing::warn!(waiting, "e-mail: not sent before the shutdown");
    }
}

async fn deliver_first(hub: &Hub, message: &MailMessage, delays: &[Duration]) {
    let Some(server) = &hub.config().mail else {
        hub.mail_queue().waiting.lock().clear();
        return;
    };
    let name = hub.config().public_url.host_str().unwrap_or_default();
    let mut delays = delays.iter();
    let failure = loop {
        let Err(error) = server.send(name, message).await else { break None };
        match delays.next() {
            Some(delay) if !error.is_permanent => tokio::time::sleep(*delay).await,
            _ => break Some(error),
        }
    };
    let failure = failure.map(|error| {
        // The address is not logged: it is personal data, and the subject tells what was to be sent.
        tracing::error!(%error, subject = message.subject, "e-mail: not sent");
        MailFailure { at: hub.env().now(), cause: error.to_string() }
    });
    hub.mail_queue().finish_first(failure);
}

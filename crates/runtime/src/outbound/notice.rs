//! Telling a webhook.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, Method, header};
use plexus_domain::run::{Failure, FailureClass};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    Outbound,
    pace::{Halt, Pace},
    reply::{Reply, peer},
};
use crate::{Secret, credentials::sensitive};

/// For the head of the answer (specification of A2A 1.0 section 4.3.3: 10 to 30 seconds).
const WAIT: Duration = Duration::from_secs(15);
/// By which receivers of A2A know who tells them.
const TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");

/// What a webhook is told.
pub struct Notice {
    pub media_type: &'static str,
    /// The value of the `Authorization` header.
    pub authorization: Option<Secret>,
    pub token: Option<Secret>,
    pub body: Bytes,
}

impl Outbound {
    /// Posts a notice. Only an answer of 2xx says that it was taken; redirects are not followed.
    pub async fn notify(&self, url: &Url, notice: Notice) -> Result<(), Failure> {
        let mut request = self
            .request(Method::POST, url)?
            .header(header::CONTENT_TYPE, notice.media_type)
            .body(notice.body);
        for (name, secret) in [(header::AUTHORIZATION, notice.authorization), (TOKEN, notice.token)] {
            let Some(secret) = secret else { continue };
            request = request.header(name, sensitive(secret.reveal().to_owned())?);
        }
        let stop = CancellationToken::new();
        let reply = match Reply::to(request, &peer(url), &mut Pace::new(&stop, WAIT)).await {
            Ok(reply) => reply,
            Err(Halt::Failed(failure)) => return Err(failure),
            Err(Halt::Stopped) => return Err(Failure::new(FailureClass::Interrupted, "The hub stopped.")),
        };
        let status = reply.status();
        let words = format!("{} answered {status} to a push notification.", reply.peer());
        reply.finish();
        if status.is_success() { Ok(()) } else { Err(Failure::new(FailureClass::Refused, words)) }
    }
}

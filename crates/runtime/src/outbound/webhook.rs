//! Posts a webhook.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, Method, header};
use plexus_domain::run::{Failure, FailureClass};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    OutboundClient,
    deadline::{RunInterruption, WaitTimer},
    response::{HttpResponse, peer},
};
use crate::{Secret, credentials::sensitive};

/// Timeout of the response head (A2A 1.0 specification, section 4.3.3: 10 to 30 seconds).
const TIMEOUT: Duration = Duration::from_secs(15);
/// Header with the token by which A2A receivers authenticate a push notification.
const TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");

/// Body and credentials of a webhook.
pub struct WebhookRequest {
    pub media_type: &'static str,
    /// Value of the `Authorization` header.
    pub authorization: Option<Secret>,
    pub token: Option<Secret>,
    pub body: Bytes,
}

impl OutboundClient {
    /// Posts a webhook. Only a 2xx status counts as delivered. Redirects are not followed.
    pub async fn notify(&self, url: &Url, notice: WebhookRequest) -> Result<(), Failure> {
        let mut request = self
            .request(Method::POST, url)?
            .header(header::CONTENT_TYPE, notice.media_type)
            .body(notice.body);
        for (name, secret) in [(header::AUTHORIZATION, notice.authorization), (TOKEN, notice.token)] {
            let Some(secret) = secret else { continue };
            request = request.header(name, sensitive(secret.reveal().to_owned())?);
        }
        let stop = CancellationToken::new();
        let reply = match HttpResponse::to(request, &peer(url), &mut WaitTimer::new(&stop, TIMEOUT)).await {
            Ok(reply) => reply,
            Err(RunInterruption::Failed(failure)) => return Err(failure),
            Err(RunInterruption::Stopped) => {
                return Err(Failure::new(FailureClass::Interrupted, "The hub stopped."));
            }
        };
        let status = reply.status();
        let words = format!("{} answered {status} to a push notification.", reply.peer());
        reply.finish();
        if status.is_success() { Ok(()) } else { Err(Failure::new(FailureClass::Refused, words)) }
    }
}

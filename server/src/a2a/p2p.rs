//! A2A over libp2p streams, for agents of a hub without a public address. Responses are the same as over
//! HTTP.

use axum::{
    Router,
    body::Body,
    extract::DefaultBodyLimit,
    http::{Method, Request, StatusCode},
};
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture};
use plexus_hub::federation::{P2pHandler, P2pRequest, P2pResponse};
use tower::ServiceExt as _;

use super::{auth::P2pOrigin, routes};
use crate::app_state::AppState;

/// Path prefix that requests must have.
const START: &str = "/a2a/";

pub struct P2pA2aHandler {
    router: Router,
}

impl P2pA2aHandler {
    pub fn new(site: &AppState) -> Self {
        let most = site.hub.config().limits.max_message_bytes.saturating_mul(2);
        Self { router: routes().layer(DefaultBodyLimit::max(most)).with_state(site.clone()) }
    }
}

impl P2pHandler for P2pA2aHandler {
    fn answer(&self, asked: P2pRequest) -> BoxFuture<'static, P2pResponse> {
        let router = self.router.clone();
        async move {
            let P2pRequest { caller, path, headers, body } = asked;
            let request = Request::builder().method(Method::POST).uri(&path).body(Body::from(body));
            let Some(mut request) = request.ok().filter(|_| path.starts_with(START)) else {
                return nothing(StatusCode::NOT_FOUND);
            };
            request.extensions_mut().insert(P2pOrigin(caller));
            *request.headers_mut() = headers;
            let answer = match router.oneshot(request).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            answer
                .map(|body| body.into_data_stream().map(|piece| piece.map_err(std::io::Error::other)).boxed())
        }
        .boxed()
    }
}

fn nothing(status: StatusCode) -> P2pResponse {
    let mut answer = P2pResponse::new(futures::stream::empty().boxed());
    *answer.status_mut() = status;
    answer
}

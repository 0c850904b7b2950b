//! Application state shared by all handlers.

use std::{ops::Deref, sync::Arc};

use plexus_hub::Hub;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    conformance::Conformance,
    rendering::Renderer,
    web::{
        assets::Assets,
        body_budget::{BodyBudget, BodyLimits},
        page_cache::PageCache,
    },
};

/// Shared application state: the hub, static assets and caches. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<AppStateInner>);

pub struct AppStateInner {
    pub hub: Hub,
    pub assets: Assets,
    pub kept: PageCache,
    pub renderer: Renderer,
    pub body_budget: Arc<BodyBudget>,
    /// Requests that change something: they run to their end, also without their client.
    pub changes: TaskTracker,
    /// Cancelled when shutdown begins; streams then end themselves.
    pub stop: CancellationToken,
    /// Cancelled before shutdown, while the hub still serves: `/readyz` tells load balancers to send requests
    /// elsewhere. A child of `stop`.
    pub draining: CancellationToken,
    /// The shared test account and settings; set in conformance mode only.
    pub conformance: Option<Conformance>,
}

impl AppState {
    pub fn new(hub: Hub, stop: CancellationToken, conformance: Option<Conformance>) -> Self {
        let kept = PageCache::new(hub.env().bytes::<16>().map(|byte| format!("{byte:02x}")).concat());
        Self(Arc::new(AppStateInner {
            hub,
            assets: Assets::load(),
            kept,
            renderer: Renderer::default(),
            body_budget: Arc::new(BodyBudget::new(BodyLimits::default())),
            changes: TaskTracker::new(),
            draining: stop.child_token(),
            stop,
            conformance,
        }))
    }

    /// Returns whether the public URL uses https.
    pub fn is_https(&self) -> bool {
        self.hub.config().public_url.scheme() == "https"
    }
}

impl Deref for AppState {
    type Target = AppStateInner;

    fn deref(&self) -> &AppStateInner {
        &self.0
    }
}

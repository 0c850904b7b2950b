//! What every handler may use.

use std::{ops::Deref, sync::Arc};

use plexus_hub::Hub;
use tokio_util::sync::CancellationToken;

use crate::web::assets::Assets;

/// The hub and the files of its pages. Cheap to clone.
#[derive(Clone)]
pub struct Site(Arc<Parts>);

pub struct Parts {
    pub hub: Hub,
    pub assets: Assets,
    /// Cancelled when the hub is about to end: streams then end themselves.
    pub stop: CancellationToken,
}

impl Site {
    pub fn new(hub: Hub, stop: CancellationToken) -> Self {
        Self(Arc::new(Parts { hub, assets: Assets::load(), stop }))
    }

    /// Whether people reach the hub over https.
    pub fn is_https(&self) -> bool {
        self.hub.config().public_url.scheme() == "https"
    }
}

impl Deref for Site {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

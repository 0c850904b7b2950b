//! The last list of models of each server.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;
use url::Url;

use super::model_list::ServedModel;

/// Time for which a server that did not list its models in time is not asked again for pages and forms.
const SILENCE: Duration = Duration::from_secs(10);

/// The last list of each server: it stands in for one that does not come in time, and has the context windows that are
/// used where no administrator entered one.
#[derive(Default)]
pub(crate) struct ModelListCache(Mutex<HashMap<Url, LastList>>);

#[derive(Default)]
struct LastList {
    models: Vec<ServedModel>,
    silent_since: Option<Instant>,
}

impl ModelListCache {
    pub fn set(&self, server: &Url, models: Vec<ServedModel>) {
        self.0.lock().insert(server.clone(), LastList { models, silent_since: None });
    }

    /// Records that a server did not list its models in time.
    pub fn set_silent(&self, server: &Url) {
        self.0.lock().entry(server.clone()).or_default().silent_since = Some(Instant::now());
    }

    /// Returns whether a server was asked lately, and did not list its models in time.
    pub fn is_silent(&self, server: &Url) -> bool {
        let since = self.0.lock().get(server).and_then(|last| last.silent_since);
        since.is_some_and(|since| since.elapsed() < SILENCE)
    }

    /// Returns the names of the last list of a server; empty without one.
    pub fn names(&self, server: &Url) -> Vec<String> {
        let lists = self.0.lock();
        let models = lists.get(server).map_or(&[][..], |last| &last.models);
        models.iter().map(|model| model.name.clone()).collect()
    }

    /// Returns the context window of a model in tokens, if its server told it.
    pub fn find_window(&self, server: &Url, model: &str) -> Option<usize> {
        let lists = self.0.lock();
        let models = &lists.get(server)?.models;
        models.iter().find(|listed| listed.name == model)?.context_tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_asked_again_later_and_its_last_list_stays() {
        let cache = ModelListCache::default();
        let server: Url = "http://models.example/v1".parse().unwrap();
        assert!(!cache.is_silent(&server) && cache.names(&server).is_empty());
        cache.set(&server, vec![ServedModel { name: "small".to_owned(), context_tokens: Some(4_096) }]);
        cache.set_silent(&server);
        assert!(cache.is_silent(&server));
        assert_eq!(
            (cache.names(&server), cache.find_window(&server, "small")),
            (vec!["small".to_owned()], Some(4_096))
        );
        tokio::time::advance(SILENCE).await;
        assert!(!cache.is_silent(&server));
        cache.set_silent(&server);
        cache.set(&server, Vec::new());
        assert!(!cache.is_silent(&server) && cache.names(&server).is_empty());
    }
}

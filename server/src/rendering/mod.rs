//! Renders Markdown to HTML for pages and events: on blocking threads, within a CPU time budget, and cached. Draws the
//! pictures of link previews.

mod cache;
pub mod social_picture;

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::available_parallelism,
    time::Duration,
};

use parking_lot::Mutex;
use plexus_app::view_models::Html;
use plexus_hub::Error;
use plexus_markup::{BUILD_FACTOR, Budget, Cut};
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use self::cache::{Cache, Known};

/// CPU time budget for all texts of one page or event. Texts that exceed it are shown as plain text and
/// rendered on the next request.
const PAGE_TIME: Duration = Duration::from_millis(150).saturating_mul(BUILD_FACTOR);
/// Maximum wait for a free renderer. After it, all texts that are not cached are shown as plain text.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum attempts for a text that exceeds its time limit. The first use of a language for code takes longer
/// than later ones.
const TRIES: u8 = 3;

/// Renderer with as many concurrent jobs as there are processors. Cheap to clone.
#[derive(Clone)]
pub struct Renderer {
    turns: Arc<Semaphore>,
    cache: Arc<Mutex<Cache>>,
}

impl Default for Renderer {
    fn default() -> Self {
        let turns = available_parallelism().map_or(1, NonZero::get);
        Self { turns: Arc::new(Semaphore::new(turns)), cache: Arc::default() }
    }
}

/// Renders the texts of one page or event, within one time budget.
pub struct TextRenderer {
    budget: Budget,
    cache: Arc<Mutex<Cache>>,
}

impl Renderer {
    /// Runs `work` on a blocking thread. Dropping the future cancels queued work; work that has started
    /// finishes without rendering more.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut TextRenderer) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let cancel = Cancel::default();
        let turn = timeout(TIMEOUT, Arc::clone(&self.turns).acquire_owned()).await.ok().and_then(Result::ok);
        let time = if turn.is_some() { PAGE_TIME } else { Duration::ZERO };
        let budget = Budget::new(time).cancelled_by(Arc::clone(&cancel.0));
        let mut renderer = TextRenderer { budget, cache: Arc::clone(&self.cache) };
        let done = spawn_blocking(move || {
            let done = work(&mut renderer);
            drop(turn);
            done
        });
        done.await.map_err(Error::fault)
    }

    /// Renders one text.
    pub async fn html(&self, text: String) -> Result<Html, Error> {
        self.run(move |renderer| renderer.html("", &text)).await
    }
}

/// Sets its flag when dropped, that is, when the request is cancelled.
#[derive(Default)]
struct Cancel(Arc<AtomicBool>);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl TextRenderer {
    /// Returns the HTML of text that a person typed: not Markdown, and too cheap to be cached.
    pub fn typed(&self, text: &str) -> Html {
        Html::from_markup(plexus_markup::render_typed(text))
    }

    /// Returns the HTML of `text`. `scope` is the id of its message; it keeps footnote ids of several texts
    /// on one page unique.
    pub fn html(&mut self, scope: &str, text: &str) -> Html {
        let key = self.cache.lock().key(scope, text);
        let known = self.cache.lock().get(&key);
        if let Some(known) = known.as_ref().filter(|known| known.tries == 0 || known.tries >= TRIES) {
            return Html::from_markup(known.html.to_string());
        }
        let rendered = self.budget.render(scope, text);
        let tries = match rendered.cut {
            Cut::Nothing => 0,
            Cut::Text => known.map_or(0, |known| known.tries) + 1,
            Cut::Budget => return Html::from_markup(rendered.html),
        };
        self.cache.lock().put(key, Known { html: rendered.html.as_str().into(), tries });
        Html::from_markup(rendered.html)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_text_is_rendered_once() {
        let renderer = Renderer::default();
        let text = "*a* b[^1]\n\n[^1]: c\n";
        let first = renderer.run(|renderer| renderer.html("m", text)).await.unwrap();
        let again = renderer.run(|renderer| {
            renderer.budget = Budget::new(Duration::ZERO);
            [renderer.html("m", text), renderer.html("n", text)]
        });
        let [same, other] = again.await.unwrap();
        assert_eq!(first, same);
        assert!(first.into_string().contains("<em>a</em>"));
        assert!(other.into_string().contains("*a*"), "another scope is another text");
    }

    #[tokio::test]
    async fn a_text_that_takes_too_long_is_tried_a_few_times() {
        let renderer = Renderer::default();
        let text: Arc<str> = "> a\n\n".repeat(800_000).into();
        for _ in 0..TRIES {
            let text = Arc::clone(&text);
            renderer.run(move |renderer| renderer.html("m", &text)).await.unwrap();
        }
        let key = renderer.cache.lock().key("m", &text);
        assert_eq!(renderer.cache.lock().get(&key).unwrap().tries, TRIES);
        let before = renderer.cache.lock().get(&key).unwrap().html;
        let kept = renderer.run(move |renderer| renderer.html("m", &text)).await.unwrap();
        assert_eq!(*kept.into_string(), *before);
    }

    #[tokio::test]
    async fn work_that_waits_ends_with_its_request() {
        let renderer = Renderer { turns: Arc::new(Semaphore::new(1)), ..Renderer::default() };
        let turn = Arc::clone(&renderer.turns).acquire_owned().await.unwrap();
        let waiting = renderer.run(|_| panic!("its request is gone"));
        assert!(timeout(Duration::ZERO, waiting).await.is_err());
        drop(turn);
        assert_eq!(renderer.run(|_| 1).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn work_that_goes_on_learns_that_its_request_is_gone() {
        let renderer = Renderer::default();
        let (begun, began) = tokio::sync::oneshot::channel();
        let (go, gone) = std::sync::mpsc::sync_channel::<()>(0);
        let (show, shown) = tokio::sync::oneshot::channel();
        let work = renderer.run(move |renderer| {
            begun.send(()).unwrap();
            gone.recv().unwrap_err();
            show.send(renderer.html("m", "*a*")).unwrap();
        });
        tokio::select! {
            _ = work => panic!("it waits"),
            began = began => began.unwrap(),
        }
        drop(go);
        assert!(shown.await.unwrap().into_string().contains("*a*"));
    }
}

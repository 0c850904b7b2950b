//! Renders Markdown to HTML for pages and events: on blocking threads, within a CPU time budget, and cached. Draws the
//! pictures of link previews.

mod cache;
mod fair_turns;
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
use plexus_markup::{BUILD_FACTOR, Budget, Cut, Rendered, thread_time};
use tokio::{task::spawn_blocking, time::timeout};

use self::{
    cache::{Cache, Known, TextKind},
    fair_turns::FairTurns,
};

/// CPU time budget for all texts of one page or event. Texts that exceed it are shown as plain text and
/// rendered on the next request.
const PAGE_TIME: Duration = Duration::from_millis(150).saturating_mul(BUILD_FACTOR);
/// Maximum wait for a free renderer. After it, all texts that are not cached are shown as plain text.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum attempts for a text that exceeds its time limit. The first use of a language for code takes longer
/// than later ones.
const TRIES: u8 = 3;

/// Typed text that is shorter costs less to render than to look up.
const MIN_CACHED_TYPED: usize = 512;

/// Renderer with as many concurrent jobs as there are processors, shared fairly between callers. Cheap to clone.
#[derive(Clone)]
pub struct Renderer {
    turns: FairTurns,
    cache: Arc<Mutex<Cache>>,
}

impl Default for Renderer {
    fn default() -> Self {
        let turns = available_parallelism().map_or(1, NonZero::get);
        Self { turns: FairTurns::new(turns), cache: Arc::default() }
    }
}

/// Renders the texts of one page or event, within one time budget.
pub struct TextRenderer {
    budget: Budget,
    cache: Arc<Mutex<Cache>>,
}

impl Renderer {
    /// Runs `work` on a blocking thread, for a caller by its key. Dropping the future cancels queued work; work that has
    /// started finishes without rendering more.
    pub async fn run<T: Send + 'static>(
        &self,
        caller: impl Into<String>,
        work: impl FnOnce(&mut TextRenderer) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let cancel = Cancel::default();
        let turn = timeout(TIMEOUT, self.turns.take(caller.into())).await.ok().flatten();
        let time = if turn.is_some() { PAGE_TIME } else { Duration::ZERO };
        let budget = Budget::new(time).cancelled_by(Arc::clone(&cancel.0));
        let mut renderer = TextRenderer { budget, cache: Arc::clone(&self.cache) };
        let done = spawn_blocking(move || {
            let begun = thread_time();
            let done = work(&mut renderer);
            if let Some(turn) = turn {
                turn.end(thread_time().saturating_sub(begun));
            }
            done
        });
        done.await.map_err(Error::fault)
    }

    /// Renders one text for a caller.
    pub async fn html(&self, caller: String, text: String) -> Result<Html, Error> {
        self.run(caller, move |renderer| renderer.html("", &text)).await
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
    /// Returns the HTML of text that a person typed, which is not Markdown.
    pub fn typed(&mut self, text: &str) -> Html {
        if text.len() < MIN_CACHED_TYPED {
            return Html::from_markup(self.budget.render_typed(text).html);
        }
        self.cached(TextKind::Typed, "", text, |budget| budget.render_typed(text))
    }

    /// Returns the HTML of `text`. `scope` is the id of its message; it keeps footnote ids of several texts
    /// on one page unique.
    pub fn html(&mut self, scope: &str, text: &str) -> Html {
        self.cached(TextKind::Markdown, scope, text, |budget| budget.render(scope, text))
    }

    fn cached(
        &mut self,
        kind: TextKind,
        scope: &str,
        text: &str,
        render: impl FnOnce(&mut Budget) -> Rendered,
    ) -> Html {
        let key = self.cache.lock().key(kind, scope, text);
        let known = self.cache.lock().get(&key);
        if let Some(known) = known.as_ref().filter(|known| known.tries == 0 || known.tries >= TRIES) {
            return Html::from_markup(known.html.to_string());
        }
        let rendered = render(&mut self.budget);
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
        let first = renderer.run("", |renderer| renderer.html("m", text)).await.unwrap();
        let again = renderer.run("", |renderer| {
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
            renderer.run("", move |renderer| renderer.html("m", &text)).await.unwrap();
        }
        let key = renderer.cache.lock().key(TextKind::Markdown, "m", &text);
        assert_eq!(renderer.cache.lock().get(&key).unwrap().tries, TRIES);
        let before = renderer.cache.lock().get(&key).unwrap().html;
        let kept = renderer.run("", move |renderer| renderer.html("m", &text)).await.unwrap();
        assert_eq!(*kept.into_string(), *before);
    }

    #[tokio::test]
    async fn work_that_waits_ends_with_its_request() {
        let renderer = Renderer { turns: FairTurns::new(1), ..Renderer::default() };
        let turn = renderer.turns.take(String::new()).await.unwrap();
        let waiting = renderer.run("", |_| panic!("its request is gone"));
        assert!(timeout(Duration::ZERO, waiting).await.is_err());
        drop(turn);
        assert_eq!(renderer.run("", |_| 1).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn work_that_goes_on_learns_that_its_request_is_gone() {
        let renderer = Renderer::default();
        let (begun, began) = tokio::sync::oneshot::channel();
        let (go, gone) = std::sync::mpsc::sync_channel::<()>(0);
        let (show, shown) = tokio::sync::oneshot::channel();
        let work = renderer.run("", move |renderer| {
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

    /// The texts that took a minute before: a URL followed by closing brackets, and URLs without an end.
    fn hostile_typed(bytes: usize) -> [String; 4] {
        ["http://a", "http://a.", "http://a(", "http://a谢"].map(|unit| match unit {
            "http://a" => format!("{unit}{}", ")".repeat(bytes)),
            unit => unit.repeat(bytes / unit.len()),
        })
    }

    #[tokio::test]
    async fn typed_text_shares_the_budget_of_the_page_and_is_cached() {
        let renderer = Renderer::default();
        let texts = hostile_typed(1 << 20);
        let spent = renderer.run("", move |renderer| {
            let begun = thread_time();
            (0..50).for_each(|nth| {
                texts.iter().for_each(|text| drop(renderer.typed(&text[nth * 11..])));
            });
            thread_time().saturating_sub(begun)
        });
        let spent = spent.await.unwrap();
        // What is not rendered any more is escaped: 200 MiB of text here.
        assert!(spent < PAGE_TIME + Duration::from_secs(1) * BUILD_FACTOR, "{spent:?}");
        let text: Arc<str> = "see https://a.example/x. ".repeat(100).into();
        let again = Arc::clone(&text);
        let first = renderer.run("", move |renderer| renderer.typed(&text)).await.unwrap();
        let second = renderer.run("", move |renderer| {
            renderer.budget = Budget::new(Duration::ZERO);
            [renderer.typed(&again), renderer.typed(&again[1..])]
        });
        let [same, other] = second.await.unwrap();
        assert_eq!(first, same);
        assert!(!other.into_string().contains("<a "), "a spent budget shows text without links");
    }
}

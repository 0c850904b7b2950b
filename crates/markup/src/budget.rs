//! CPU time that rendering may take. What does not fit is shown as the text that it is.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

use crate::{highlight, render};

/// How many times as much a budget is in a build without optimisations, which takes that much longer for the same text.
pub const BUILD_FACTOR: u32 = if cfg!(debug_assertions) { 4 } else { 1 };
/// CPU time of one text.
pub const TEXT_TIME: Duration = Duration::from_millis(120).saturating_mul(BUILD_FACTOR);
/// Of it for highlighting code.
const HIGHLIGHT_TIME: Duration = Duration::from_millis(40).saturating_mul(BUILD_FACTOR);
/// Steps from one look at the clock to the next, which is a system call.
const STEPS: u32 = 32;

/// CPU time of the calling thread that is left for rendering texts, one after another.
#[derive(Debug)]
pub struct Budget {
    left: Duration,
    highlight: Duration,
    per_text: Duration,
    per_highlight: Duration,
    cancelled: Option<Arc<AtomicBool>>,
}

/// The HTML of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub cut: Cut,
}

/// Whether time was too short to render the text as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Nothing,
    /// The text takes longer than one text may.
    Text,
    /// The budget had less left than one text may take, or rendering was cancelled: another budget may give more.
    Budget,
}

impl Budget {
    /// At most [`TEXT_TIME`] of `total` goes to one text, two thirds of `total` to highlighting.
    pub fn new(total: Duration) -> Self {
        Self {
            left: total,
            highlight: total / 3 * 2,
            per_text: TEXT_TIME,
            per_highlight: HIGHLIGHT_TIME,
            cancelled: None,
        }
    }

    /// For text that the hub itself comes with: all of `total` may go to one text.
    pub fn trusted(total: Duration) -> Self {
        Self { left: total, highlight: total / 3, per_text: total, per_highlight: total / 3, cancelled: None }
    }

    /// Ends early once `flag` is set.
    #[must_use]
    pub fn cancelled_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { cancelled: Some(flag), ..self }
    }

    /// Renders a text. `scope` (letters, digits, `-`) keeps the footnotes of several texts on one page apart.
    pub fn render(&mut self, scope: &str, markdown: &str) -> Rendered {
        self.spend(|meter| render::whole(scope, markdown, meter))
    }

    /// Renders a block of a longer text.
    pub(crate) fn render_block(&mut self, scope: &str, markdown: &str) -> Rendered {
        self.spend(|meter| render::render_block(scope, markdown, meter))
    }

    fn spend(&mut self, work: impl FnOnce(&Meter<'_>) -> String) -> Rendered {
        // Reading the syntaxes is not the fault of the text that is the first to need them.
        highlight::prepare();
        let time = self.left.min(self.per_text);
        let highlight = self.highlight.min(self.per_highlight).min(time / 3);
        // A first look at a language takes a while, which must not cost the text its other markup.
        let meter = Meter::start(time.saturating_sub(highlight), highlight, self.cancelled.as_deref());
        let html = work(&meter);
        self.left = self.left.saturating_sub(meter.spent());
        self.highlight = self.highlight.saturating_sub(meter.highlighted.get());
        let by_budget = meter.is_cancelled()
            || (meter.is_over.get() && time < self.per_text)
            || (meter.is_colourless.get() && highlight < self.per_highlight);
        let cut = match (meter.is_over.get() || meter.is_colourless.get(), by_budget) {
            (false, _) => Cut::Nothing,
            (true, false) => Cut::Text,
            (true, true) => Cut::Budget,
        };
        Rendered { html, cut }
    }
}

/// The time that one text takes.
#[derive(Debug)]
pub struct Meter<'c> {
    begun: Duration,
    /// For everything but highlighting.
    time: Duration,
    highlight: Duration,
    highlighted: Cell<Duration>,
    cancelled: Option<&'c AtomicBool>,
    steps: Cell<u32>,
    is_over: Cell<bool>,
    is_colourless: Cell<bool>,
}

impl<'c> Meter<'c> {
    fn start(time: Duration, highlight: Duration, cancelled: Option<&'c AtomicBool>) -> Self {
        Self {
            begun: thread_time(),
            time,
            highlight,
            highlighted: Cell::default(),
            cancelled,
            steps: Cell::new(0),
            is_over: Cell::new(false),
            is_colourless: Cell::new(false),
        }
    }

    fn spent(&self) -> Duration {
        thread_time().saturating_sub(self.begun)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether rendering must end. Looks at the clock.
    pub fn is_over(&self) -> bool {
        if !self.is_over.get() {
            let spent = self.spent().saturating_sub(self.highlighted.get());
            self.is_over.set(self.is_cancelled() || spent >= self.time);
        }
        self.is_over.get()
    }

    /// Like [`Meter::is_over`], for small steps: looks at the clock now and then.
    pub fn step(&self) -> bool {
        let step = self.steps.get().wrapping_add(1);
        self.steps.set(step);
        if step.is_multiple_of(STEPS) { self.is_over() } else { self.is_over.get() }
    }

    /// Runs `work`, which highlights code and asks now and then whether its time is up.
    pub fn highlight<T>(&self, work: impl FnOnce(&dyn Fn() -> bool) -> T) -> T {
        let (begun, before) = (thread_time(), self.highlighted.get());
        let spent = || before + thread_time().saturating_sub(begun);
        let is_up = || {
            let is_up = self.is_cancelled() || spent() >= self.highlight;
            self.is_colourless.set(self.is_colourless.get() || is_up);
            is_up
        };
        let done = work(&is_up);
        self.highlighted.set(spent());
        done
    }
}

/// CPU time of this thread: what other threads do on a busy machine does not count.
fn thread_time() -> Duration {
    // A clock that Linux and macOS always have.
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_shows_text_and_says_that_more_may_come() {
        let mut budget = Budget::new(Duration::ZERO);
        let rendered = budget.render("", "*a*\n");
        assert_eq!(rendered.cut, Cut::Budget);
        assert!(rendered.html.contains("*a*"), "{}", rendered.html);
        assert_eq!(Budget::new(TEXT_TIME).render("", "*a*\n").cut, Cut::Nothing);
    }

    #[test]
    fn a_cancelled_text_ends() {
        let flag = Arc::new(AtomicBool::new(true));
        let mut budget = Budget::new(TEXT_TIME).cancelled_by(Arc::clone(&flag));
        assert_eq!(budget.render("", "*a*\n").cut, Cut::Budget);
        flag.store(false, Ordering::Relaxed);
        assert_eq!(budget.render("", "*a*\n").cut, Cut::Nothing);
    }
}

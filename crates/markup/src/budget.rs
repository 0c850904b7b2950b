//! CPU time budget of rendering. Text that exceeds it is shown unformatted.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

use crate::{highlight, render, typed_text};

/// Multiplier of time limits in unoptimised builds, which are slower.
pub const BUILD_FACTOR: u32 = if cfg!(debug_assertions) { 4 } else { 1 };
/// CPU time limit of one text.
pub const TEXT_TIME: Duration = Duration::from_millis(120).saturating_mul(BUILD_FACTOR);
/// Share of it available for syntax highlighting.
const HIGHLIGHT_TIME: Duration = Duration::from_millis(40).saturating_mul(BUILD_FACTOR);
/// Number of steps between two clock reads, because reading it is a system call.
const STEPS: u32 = 32;

/// CPU time of the calling thread available for rendering a series of texts.
#[derive(Debug)]
pub struct Budget {
    left: Duration,
    highlight: Duration,
    per_text: Duration,
    per_highlight: Duration,
    cancelled: Option<Arc<AtomicBool>>,
}

/// Rendered HTML of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub cut: Cut,
}

/// Whether the time limit degraded the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Nothing,
    /// The text exceeds the limit of one text.
    Text,
    /// The budget was nearly exhausted or rendering was cancelled. A new budget may give a complete result.
    Budget,
}

impl Budget {
    /// Creates a budget: at most [`TEXT_TIME`] per text, and two thirds of `total` for highlighting.
    pub fn new(total: Duration) -> Self {
        Self {
            left: total,
            highlight: total / 3 * 2,
            per_text: TEXT_TIME,
            per_highlight: HIGHLIGHT_TIME,
            cancelled: None,
        }
    }

    /// Creates a budget for trusted text of the hub itself: one text may use all of `total`.
    pub fn trusted(total: Duration) -> Self {
        Self { left: total, highlight: total / 3, per_text: total, per_highlight: total / 3, cancelled: None }
    }

    /// Makes rendering stop early once `flag` is set.
    #[must_use]
    pub fn cancelled_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { cancelled: Some(flag), ..self }
    }

    /// Renders a text. `scope` (letters, digits, `-`) makes footnote ids unique on a page with several texts.
    pub fn render(&mut self, scope: &str, markdown: &str) -> Rendered {
        self.spend(|meter| render::whole(scope, markdown, meter))
    }

    /// Renders text that a person typed. Nothing in it is markup.
    pub fn render_typed(&mut self, text: &str) -> Rendered {
        self.spend(|meter| typed_text::render(text, meter))
    }

    /// Renders a block of a longer text.
    pub(crate) fn render_block(&mut self, scope: &str, markdown: &str) -> Rendered {
        self.spend(|meter| render::render_block(scope, markdown, meter))
    }

    fn spend(&mut self, work: impl FnOnce(&Meter<'_>) -> String) -> Rendered {
        // Load the syntaxes first: their cost must not be charged to the first text that needs them.
        highlight::prepare();
        let time = self.left.min(self.per_text);
        let highlight = self.highlight.min(self.per_highlight).min(time / 3);
        // The first use of a language compiles its syntax; that must not reduce the time for other markup.
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

/// Time measurement of one text.
#[derive(Debug)]
pub struct Meter<'c> {
    begun: Duration,
    /// Limit for everything except highlighting.
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

    /// Returns true if rendering must stop. Reads the clock.
    pub fn is_over(&self) -> bool {
        if !self.is_over.get() {
            let spent = self.spent().saturating_sub(self.highlighted.get());
            self.is_over.set(self.is_cancelled() || spent >= self.time);
        }
        self.is_over.get()
    }

    /// Like [`Meter::is_over`], for small steps: reads the clock only every few steps.
    pub fn step(&self) -> bool {
        let step = self.steps.get().wrapping_add(1);
        self.steps.set(step);
        if step.is_multiple_of(STEPS) { self.is_over() } else { self.is_over.get() }
    }

    /// Runs `work`, which highlights code and must poll the given function for the time limit.
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

/// Returns the CPU time of this thread, which excludes the load of other threads.
pub fn thread_time() -> Duration {
    // This clock exists on every Linux and macOS, so the conversion never fails.
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

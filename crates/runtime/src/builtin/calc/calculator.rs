//! Runs fend within limits of time, stack and memory.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use fend_core::{Context, FendResult, Interrupt, SpanKind, evaluate_with_interrupt};
use plexus_domain::sanitized_text::{ellipsize, one_line};

use super::{expression::Expression, phrases::rewrite};

/// Stack size of evaluation threads, in bytes. fend uses about 60 KB per nesting level.
pub(super) const STACK_BYTES: usize = 64 << 20;
/// Stack use at which fend is interrupted. The rest is reserve for steps that do not check for interrupts.
const STACK_USED_MAX: usize = STACK_BYTES / 2;
/// Maximum number of names. Bounds memory: a value that can be displayed in time takes at most about 50 KB.
const MAX_NAMES: usize = 4_096;
/// Time limit for evaluating the names of earlier messages.
const RECALL: Duration = Duration::from_millis(100);
/// Maximum characters of a displayed result or error. Longer ones are truncated.
const MAX_CHARS: usize = 2_000;

/// Evaluates lines in sequence. Later lines can use the names that earlier lines define.
pub(super) struct Calculator {
    context: Context,
    names: HashSet<String>,
}

impl Calculator {
    pub fn new() -> Self {
        Self { context: Context::new(), names: HashSet::new() }
    }

    /// Evaluates `line` and returns its value as one line. The value is empty if the line is only a comment.
    ///
    /// A line in words is rewritten as an expression if it is none itself. An error states the problem as the end of a
    /// sentence.
    pub fn evaluate(&mut self, line: &str, time: Duration) -> Result<String, String> {
        let until = Instant::now() + time;
        self.evaluate_expression(line, time).or_else(|problem| {
            let left = until.saturating_duration_since(Instant::now());
            let rewritten = rewrite(line);
            if left.is_zero() || rewritten == line {
                return Err(problem);
            }
            let result = self.evaluate_expression(&rewritten, left);
            // Currencies can be read but not converted, which says more than that words are unknown.
            result.map_err(|other| if other.contains(NO_RATES) { other } else { problem })
        })
    }

    fn evaluate_expression(&mut self, line: &str, time: Duration) -> Result<String, String> {
        let expression = Expression::parse(line)?;
        let result = self.attempt(expression.body, time)?;
        let is_value = is_value(&result);
        if let (Some(name), true) = (expression.name, is_value) {
            self.keep(name)?;
        }
        if !is_value {
            self.forget_answer();
        }
        match expression.name {
            Some(name) if !is_value => {
                Err(format!("'{name}' can stand for a number or a date, not for this"))
            }
            _ => Ok(ellipsize(&one_line(result.get_main_result()), MAX_CHARS)),
        }
    }

    /// Restores the names of earlier lines within `RECALL`. Lines that fail are skipped.
    pub fn recall<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        let until = Instant::now() + RECALL;
        let assignments = lines.filter(|line| Expression::parse(line).is_ok_and(|line| line.name.is_some()));
        for line in assignments {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let _ = self.evaluate(line, left);
        }
    }

    fn attempt(&mut self, body: &str, time: Duration) -> Result<FendResult, String> {
        let guard = EvalGuard::new(time);
        let context = &mut self.context;
        let result = catch_unwind(AssertUnwindSafe(|| evaluate_with_interrupt(body, context, &guard)))
            .unwrap_or_else(|_| Err("it is beyond this calculator".to_owned()));
        result.map_err(|message| {
            self.forget_answer();
            guard.reason().unwrap_or_else(|| ellipsize(&one_line(&message), MAX_CHARS))
        })
    }

    /// Stores the last value, which fend holds as `_`, under `name`.
    fn keep(&mut self, name: &str) -> Result<(), String> {
        if !self.names.contains(name) {
            if self.names.len() == MAX_NAMES {
                return Err(format!("a sheet keeps at most {MAX_NAMES} names"));
            }
            self.names.insert(name.to_owned());
        }
        self.attempt(&format!("{name} = _"), KEEPING).map(drop)
    }

    /// Clears fend's last value. It may be huge, or a function that a later line could nest without bound.
    fn forget_answer(&mut self) {
        let _ = evaluate_with_interrupt("0", &mut self.context, &EvalGuard::new(KEEPING));
    }
}

/// Part of fend's message on currencies.
pub(super) const NO_RATES: &str = "exchange rates";

/// Time limit for naming a value. Ample, since the value was already evaluated and displayed.
const KEEPING: Duration = Duration::from_secs(1);

/// Returns true for a number, date or boolean. These have a bounded size and are not callable.
fn is_value(result: &FendResult) -> bool {
    let has = |kinds: &[SpanKind]| result.get_main_result_spans().any(|span| kinds.contains(&span.kind()));
    let is_function =
        has(&[SpanKind::BuiltInFunction]) || result.get_main_result().contains(['\\', ':', '{']);
    has(&[SpanKind::Number, SpanKind::Date, SpanKind::Boolean]) && !has(&[SpanKind::String]) && !is_function
}

/// Interrupts fend when its time or stack is exhausted.
struct EvalGuard {
    until: Instant,
    time: Duration,
    /// Stack address where the evaluation began.
    bottom: usize,
    is_late: AtomicBool,
    is_deep: AtomicBool,
}

impl EvalGuard {
    fn new(time: Duration) -> Self {
        Self {
            until: Instant::now() + time,
            time,
            bottom: stack_position(),
            is_late: AtomicBool::new(false),
            is_deep: AtomicBool::new(false),
        }
    }

    fn reason(&self) -> Option<String> {
        if self.is_deep.load(Ordering::Relaxed) {
            return Some("it is nested too deeply".to_owned());
        }
        let late = || format!("it takes longer than {} ms", self.time.as_millis());
        self.is_late.load(Ordering::Relaxed).then(late)
    }
}

impl Interrupt for EvalGuard {
    fn should_interrupt(&self) -> bool {
        let is_deep = self.bottom.abs_diff(stack_position()) > STACK_USED_MAX;
        let is_late = Instant::now() > self.until;
        self.is_deep.fetch_or(is_deep, Ordering::Relaxed);
        self.is_late.fetch_or(is_late, Ordering::Relaxed);
        is_deep || is_late
    }
}

fn stack_position() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustix::time::{ClockId, clock_gettime};

    use super::*;

    const PIECES: &[&str] = &[
        "1",
        "9",
        "1e9",
        "0.5",
        "2^",
        "9^9^",
        "!",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        " ",
        " m ",
        " to ",
        "sqrt(",
        "ln ",
        "sin ",
        "mod ",
        "per ",
        "m",
        "s",
        "km",
        "%",
        "&",
        "|",
        " of ",
        "0x",
        "ff",
        "1/3",
        "pi",
        "e",
        "i",
        "==",
        "\"",
        "'",
        " nCr ",
        " nPr ",
        " to hex",
        " to words",
        " to fraction",
        "fib ",
        "^",
        "^-",
        "1e-9",
        "@2020-01-01",
        "d6",
        "roll ",
        " to 99999 dp",
        "ans",
        "x",
        "not ",
        "light",
        "1 1/2",
        "mean ",
        "abs(",
        "cis ",
        "99999",
        "exp(",
        "!!",
    ];

    /// Evaluates the lines on a thread as in the hub; a stack overflow would abort this process. Returns the
    /// CPU time used.
    fn evaluate(lines: Vec<String>) -> Duration {
        let work = move || {
            let mut calculator = Calculator::new();
            for line in lines {
                let _ = calculator.evaluate(&line, Duration::from_millis(20));
            }
            Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
        };
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap()
    }

    /// Regression test: the first line took seconds in an earlier version, and larger dice would have taken
    /// hours.
    #[test]
    fn dice_do_not_keep_it_busy() {
        for line in ["1 1/2d611e-9", "2d100", "10d20", "d31*d31", "d31*d31/997/991/983/977/971/967"] {
            assert!(evaluate(vec![line.to_owned()]) < Duration::from_secs(2), "{line}");
        }
    }

    proptest! {
        #![proptest_config(plexus_testing::cases(48))]

        #[test]
        fn no_line_overflows_the_stack_or_ignores_the_time(
            lines in prop::collection::vec(prop::collection::vec(prop::sample::select(PIECES), 1..60), 1..4),
            names in prop::collection::vec(prop::sample::select(&["", "", "x = "][..]), 4),
        ) {
            let lines = lines.iter().zip(names).map(|(pieces, name)| format!("{name}{}", pieces.concat())).collect();
            prop_assert!(evaluate(lines) < Duration::from_secs(2));
        }
    }
}

//! Built-in agent `@plexus/calc`: evaluates arithmetic with units, as a single line or a sheet of many lines.

mod calculator;
mod expression;
mod phrases;
mod sheet;
mod thread_pool;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use plexus_domain::{
    part::plain_text,
    run::{Failure, FailureClass},
    sanitized_text::one_line,
    team::formation::goal_parts,
};
use tokio::{
    sync::{Semaphore, oneshot},
    task, time,
};
use tokio_util::sync::CancellationToken;

use self::{
    calculator::{Calculator, NO_RATES},
    phrases::rewrite,
    sheet::Sheet,
    thread_pool::Threads,
};
use super::markdown::{code, escape};
use crate::{Connector, ConversationTurn, Output, RunEnd, RunRequest, TurnRole};

/// Maximum concurrent calculations. Waiting ones get their turn between the time slices of the others.
const AT_ONCE: usize = 2;
/// Time limit of a single expression.
const ONE_LINE: Duration = Duration::from_millis(500);
/// Time limit for finding out whether a request can be answered, and its maximum number of lines.
const CAN_ANSWER: Duration = Duration::from_millis(100);
const MAX_ASKED_LINES: usize = 32;
/// Timeout for a step of fend that ignores interrupts. Its thread occupies a slot until the step ends.
const STUCK: Duration = Duration::from_secs(10);

const HELP: &str = "I work out expressions with units, for example `120 km / (1.5 hours) to m/s`, `5'6\" to cm`, \
`@2026-01-31 + 45 days` or `15% of 80`. Send many lines and I answer them as a sheet, line by line; \
`width = 3 m` gives a value a name for the lines below it and for later messages.";

/// Evaluates expressions with fend, without network, clock or exchange rates.
pub struct Calc {
    at_once: Arc<Semaphore>,
    threads: Arc<Threads>,
}

impl Calc {
    pub fn new() -> Self {
        Self { at_once: Arc::new(Semaphore::new(AT_ONCE)), threads: Arc::default() }
    }

    /// Returns whether the request is a calculation: every line has an operation and a result. Currencies count too,
    /// since the answer says why they have none.
    pub async fn can_answer(&self, request: &str) -> bool {
        let lines: Vec<String> =
            request.lines().map(one_line).filter(|line| !line.is_empty()).take(MAX_ASKED_LINES + 1).collect();
        if lines.is_empty() || lines.len() > MAX_ASKED_LINES || !lines.iter().all(|line| has_operation(line))
        {
            return false;
        }
        let answer = self.work(move || {
            let mut calculator = Calculator::new();
            lines.iter().all(|line| match calculator.evaluate(line, CAN_ANSWER) {
                Ok(value) => !value.is_empty(),
                Err(problem) => problem.contains(NO_RATES),
            })
        });
        answer.await.unwrap_or(false)
    }

    /// Returns the clauses of a request as lines of a sheet, if one of them can be worked out.
    async fn clauses(&self, request: &str) -> Option<String> {
        let clauses: Vec<String> =
            goal_parts(request).into_iter().map(|part| one_line(&part.full_text)).collect();
        for clause in clauses.iter().filter(|_| clauses.len() > 1) {
            if self.can_answer(clause).await {
                return Some(clauses.join("\n"));
            }
        }
        None
    }

    /// Returns the answer to one expression, or why there is none.
    async fn answer_one(
        &self,
        line: String,
        mut calculator: Calculator,
    ) -> Result<Result<String, String>, Failure> {
        self.work(move || match calculator.evaluate(&line, ONE_LINE) {
            Ok(value) if value.is_empty() => Ok(HELP.to_owned()),
            Ok(value) => Ok(format!("{} = **{}**", code(&line), escape(&value))),
            Err(problem) => Err(format!("I could not work out {}: {}.", code(&line), escape(&problem))),
        })
        .await
    }

    async fn answer_sheet(
        &self,
        mut sheet: Sheet,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        while !sheet.is_done() {
            if stop.is_cancelled() {
                return Ok(RunEnd::Stopped);
            }
            let advance = move || {
                let markdown = sheet.advance();
                (sheet, markdown)
            };
            let markdown;
            (sheet, markdown) = self.work(advance).await?;
            output.text(&markdown)?;
            task::yield_now().await;
        }
        // Reject prose: a caller that delegated work must learn that it was not done.
        if let Some(problem) = sheet.came_to_nothing() {
            let reason = format!(
                "I could work out none of these lines (the first: {problem}). I need expressions, one to a line."
            );
            return Ok(RunEnd::Rejected { reason });
        }
        Ok(RunEnd::Completed)
    }

    /// Returns a calculator with the names that users defined earlier in the chat.
    async fn calculator(&self, before: &[ConversationTurn]) -> Result<Calculator, Failure> {
        let by_people = before.iter().filter(|turn| matches!(turn.speaker, TurnRole::Person { .. }));
        let said: Vec<String> =
            by_people.map(|turn| plain_text(&turn.parts)).filter(|said| said.contains('=')).collect();
        let mut calculator = Calculator::new();
        if said.is_empty() {
            return Ok(calculator);
        }
        self.work(move || {
            calculator.recall(said.iter().flat_map(|said| said.lines()));
            calculator
        })
        .await
    }

    /// Runs `job` on a large-stack thread, once a slot is free.
    async fn work<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
        let broken = |words: &str| Failure::new(FailureClass::Internal, words);
        let turn = Arc::clone(&self.at_once).acquire_owned().await;
        let (sender, receiver) = oneshot::channel();
        let run = move || {
            let _turn = turn;
            let _ = sender.send(job());
        };
        let given = self.threads.run(run);
        given.map_err(|_| broken("The calculator is overloaded. Try again in a moment."))?;
        match time::timeout(STUCK, receiver).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => Err(broken("The calculation ended unexpectedly. Try it in smaller steps.")),
            Err(_) => Err(Failure::new(FailureClass::TimedOut, "The calculation takes too long.")),
        }
    }
}

impl Default for Calc {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns whether there is something to work out: an operator, a function or a conversion, with a number. A quantity
/// alone is its own value.
fn has_operation(line: &str) -> bool {
    let expression = rewrite(line);
    let words = [
        "to", "in", "as", "of", "per", "sqrt", "cbrt", "mod", "sin", "cos", "tan", "ln", "log", "abs", "roll",
    ];
    let has_word = || expression.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    let has_sign = || expression.contains(['+', '*', '/', '^', '%', '(', '@', '!', '²', '³']);
    let is_difference = || {
        expression.trim_start_matches('-').split_once('-').is_some_and(|(before, after)| {
            before.trim_end().ends_with(|c: char| c.is_alphanumeric() || c == ')')
                && after.trim_start().starts_with(|c: char| c.is_alphanumeric() || c == '(')
        })
    };
    expression.contains(|c: char| c.is_ascii_digit()) && (has_word() || has_sign() || is_difference())
}

#[async_trait]
impl Connector for Calc {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let (question, is_assignment) = (request.command(), request.is_assignment());
        let calculator =
            self.calculator(request.turns.split_last().map_or(&[], |(_, before)| before)).await?;
        if question.trim().lines().nth(1).is_some() {
            let sheet = Sheet::new(&question, calculator);
            if !sheet.is_done() {
                return self.answer_sheet(sheet, output, stop).await;
            }
            output.text(HELP)?;
            return Ok(RunEnd::Completed);
        }
        let line = one_line(&question);
        let line = line.trim_end_matches(['=', '?', '？', '؟', ':', ';', ' ']);
        let answer = if line.is_empty() {
            HELP.to_owned()
        } else {
            match self.answer_one(line.to_owned(), calculator).await? {
                Ok(answer) => answer,
                Err(reason) => match self.clauses(line).await {
                    Some(clauses) => {
                        return self
                            .answer_sheet(Sheet::new(&clauses, Calculator::new()), output, stop)
                            .await;
                    }
                    // A team must learn that the work was not done.
                    None if is_assignment => return Ok(RunEnd::Rejected { reason }),
                    None => format!("{reason}\n\n{HELP}"),
                },
            }
        };
        output.text(&answer)?;
        Ok(RunEnd::Completed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ask, person, run, run_until_first_word};

    async fn answer_to(question: &str) -> String {
        let (end, heard) = run(&Calc::new(), ask(question)).await.unwrap();
        assert_eq!(end, RunEnd::Completed);
        heard.text
    }

    #[tokio::test]
    async fn one_expression_is_answered_in_one_line() {
        for (question, answer) in [
            ("2 + 2", "`2 + 2` = **4**"),
            (" 12.5 km / (40 min) to km/h = ?", "`12.5 km / (40 min) to km/h` = **18.75 km / h**"),
            ("5'6\" to cm", "`5'6\" to cm` = **167.64 cm**"),
            ("15% of 80", "`15% of 80` = **12**"),
            ("@2026-01-31 + 1 day", "`@2026-01-31 + 1 day` = **Sunday, 1 February 2026**"),
            ("side = 3 m", "`side = 3 m` = **3 m**"),
            ("\"<b>*x*\"", "`\"<b>*x*\"` = **\\<b\\>\\*x\\***"),
        ] {
            assert_eq!(answer_to(question).await, answer);
        }
    }

    #[tokio::test]
    async fn what_cannot_be_worked_out_says_why_and_what_can() {
        for (question, why) in [
            ("what is love", "`what is love`: unknown identifier"),
            ("1 / 0", "division by zero"),
            ("10 USD to EUR", "exchange rates are not available"),
            ("9^9^9^9", "takes longer than 500 ms"),
            ("f = x: f x", "functions cannot be defined here"),
        ] {
            let answer = answer_to(question).await;
            assert!(answer.contains(why) && answer.ends_with(HELP), "{question}: {answer}");
        }
        assert_eq!(answer_to("  ").await, HELP);
    }

    #[tokio::test]
    async fn words_are_worked_out_and_can_be_asked_about() {
        for (question, value) in [
            ("15% of 240", "36"),
            ("What is 15% of 240?", "36"),
            ("17 * 23", "391"),
            ("how much is 17 times 23", "391"),
            ("Sum of 3, 4 and 5", "12"),
            ("square root of 16", "4"),
            ("2^10", "1024"),
            ("half of 90", "45"),
            ("5 feet in cm", "152.4 cm"),
            ("tell me how many minutes are in a week:", "10080 minutes"),
            ("Was sind 15 Prozent von 240?", "36"),
            ("Wandle 5 Meilen in Kilometer um", "8.04672 km"),
            ("5英里等于多少公里", "8.04672 km"),
            ("احسب ١٥٪ من ٢٤٠", "36"),
        ] {
            assert!(Calc::new().can_answer(question).await, "{question}");
            let answer = answer_to(question).await;
            assert!(answer.ends_with(&format!("= **{value}**")), "{question}: {answer}");
        }
        assert!(Calc::new().can_answer("Convert 10 USD to EUR").await, "the answer says why not");
        for question in [
            "Write a poem about the sea",
            "find the revenue from 2014 to 2020",
            "convert the heights to feet",
            "a day",
            "5 miles",
            "2014",
            "count the words in to be or not to be",
            "",
        ] {
            assert!(!Calc::new().can_answer(question).await, "{question}");
        }
    }

    #[tokio::test]
    async fn clauses_of_a_line_are_lines_of_a_sheet() {
        let answer = answer_to("Calculate 15% of 240, and convert 5 miles to km").await;
        assert!(answer.contains("Calculate 15% of 240  = 36\n"), "{answer}");
        assert!(answer.contains("convert 5 miles to km = 8.04672 km\n"), "{answer}");
    }

    #[tokio::test]
    async fn a_sheet_carries_names_and_goes_on_after_a_mistake() {
        let sheet = "# a room\nwidth = 4 m\nlength = 6 m\n\nwidth * length\nwidth + 3 s\n``` no fence\nans = 2\n2 width";
        assert_eq!(
            answer_to(sheet).await,
            "```\n# a room\nwidth = 4 m    = 4 m\nlength = 6 m   = 6 m\n\nwidth * length = 24 m^2\n\
             width + 3 s    = ? (cannot convert from s to m: units 'second' and 'meter' are incompatible)\n\
             ans = 2        = 2\n2 width        = 8 m\n```\n"
        );
    }

    #[tokio::test]
    async fn work_in_prose_is_declined() {
        let brief = "Your part: find the revenue figures.\n\nWrite a report of one page.";
        let (end, heard) = run(&Calc::new(), ask(brief)).await.unwrap();
        assert!(
            matches!(&end, RunEnd::Rejected { reason } if reason.contains("none of these lines")),
            "{end:?}"
        );
        assert!(heard.text.contains("= ? ("), "{}", heard.text);
        answer_to(&format!("{brief}\n2 + 2")).await;
        answer_to("# nothing\n// to work out").await;
    }

    #[tokio::test]
    async fn no_line_ends_the_block_that_it_stands_in() {
        assert_eq!(answer_to("1 + 1\n\u{200b}```\n2 + 2").await, "```\n1 + 1 = 2\n2 + 2 = 4\n```\n");
        assert_eq!(answer_to("```\n```").await, HELP, "nothing is left of it");
    }

    #[tokio::test]
    async fn names_of_earlier_messages_are_still_known() {
        let turns =
            vec![person("what = is this\nside = 3 m"), person("area = side^2"), person("area + 1 m^2")];
        let (_, heard) = run(&Calc::new(), RunRequest { turns, ..ask("") }).await.unwrap();
        assert_eq!(heard.text, "`area + 1 m^2` = **10 m^2**");
    }

    #[tokio::test]
    async fn a_long_sheet_comes_in_blocks_that_close() {
        let sheet: String = (1..=100).map(|n| format!("{n} * {n}\n")).collect();
        let answer = answer_to(&sheet).await;
        let blocks: Vec<&str> = answer.split("\n\n").collect();
        assert_eq!(blocks.len(), 4);
        for block in &blocks {
            assert!(block.starts_with("```\n") && block.trim_end().ends_with("\n```"), "{block}");
            assert!(block.lines().count() <= 34);
        }
        assert!(answer.contains("\n100 * 100 = 10000\n"));
    }

    #[tokio::test]
    async fn a_name_cannot_hold_what_could_grow_without_end() {
        let answer = answer_to("f = sin\ns = \"abc\"\nsin\nans + 1").await;
        assert!(answer.contains("f = sin   = ? ('f' can stand for a number"), "{answer}");
        assert!(answer.contains("s = \"abc\" = ? ('s' can"), "{answer}");
        assert!(answer.contains("ans + 1   = 1"), "{answer}");
    }

    #[tokio::test]
    async fn deep_and_long_lines_leave_the_hub_standing() {
        for hostile in
            ["-".repeat(399), "1+".repeat(199), ")".repeat(399), "1!".repeat(199), "m ".repeat(199)]
        {
            let answer = answer_to(&format!("{hostile}1\n1 + 1")).await;
            assert!(answer.contains("\n1 + 1"), "{answer}");
        }
        assert!(answer_to(&"(".repeat(100_000)).await.contains("longer than 400 bytes"));
    }

    #[tokio::test]
    async fn stop_is_heard_between_lines() {
        let request = ask(&"sqrt 2 + pi\n".repeat(20_000));
        let (end, heard) = run_until_first_word(&Calc::new(), request).await;
        assert_eq!(end, Ok(RunEnd::Stopped));
        let lines = heard.text.lines().count();
        assert!((1..20_000).contains(&lines), "{lines}");
    }
}

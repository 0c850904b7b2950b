//! Limits on the resources that one answer of a model may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Error, Result,
    run::{Failure, FailureClass, Usage},
};

/// Validated limits of one answer (turns, tokens, time, cost), set by the agent's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "AnswerLimitsInput", into = "AnswerLimitsInput")]
pub struct AnswerLimits {
    turns: u32,
    tokens: u64,
    seconds: u32,
    cost_micro: Option<u64>,
}

/// Unvalidated form of [`AnswerLimits`], as entered in a form or as JSON. Missing fields get the defaults.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerLimitsInput {
    /// Maximum number of model calls, with tool calls in between.
    pub turns: Option<u32>,
    /// Maximum number of tokens, input plus output, over all turns.
    pub tokens: Option<u64>,
    /// Maximum working time. Waiting for a human approval does not count.
    pub seconds: Option<u32>,
    /// Maximum cost in millionths of the currency unit that the model is priced in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro: Option<u64>,
}

impl AnswerLimits {
    const MAX_TURNS: u32 = 50;
    const TOKENS: std::ops::RangeInclusive<u64> = 1_000..=2_000_000;
    const SECONDS: std::ops::RangeInclusive<u32> = 1..=3_600;

    pub const fn turns(self) -> u32 {
        self.turns
    }

    pub const fn tokens(self) -> u64 {
        self.tokens
    }

    pub const fn seconds(self) -> u32 {
        self.seconds
    }

    /// Returns the cost limit in millionths of the currency unit, or `None` for no limit.
    pub const fn cost_micro(self) -> Option<u64> {
        self.cost_micro
    }

    pub const fn time(self) -> Duration {
        Duration::from_secs(self.seconds as u64)
    }

    /// Checks that another turn may start after `turns` turns with this total usage.
    pub fn check(self, turns: u32, used: Usage) -> Result<(), Failure> {
        if turns >= self.turns {
            return Err(used_up(&format!("The answer reached the owner's limit of {turns} model calls")));
        }
        self.check_usage(used)
    }

    /// Checks that the token and cost limits are not exceeded.
    pub fn check_usage(self, used: Usage) -> Result<(), Failure> {
        if used.tokens() > self.tokens {
            let (took, most) = (used.tokens(), self.tokens);
            return Err(used_up(&format!(
                "The answer used {took} tokens, more than the owner's limit of {most}"
            )));
        }
        if self.cost_micro.is_some_and(|most| used.cost_micro > most) {
            return Err(used_up("The answer reached the owner's cost limit"));
        }
        Ok(())
    }

    /// Returns the failure of an answer that exceeded its time limit.
    pub fn out_of_time(self) -> Failure {
        used_up(&format!("The answer reached the owner's time limit of {} s", self.seconds))
    }
}

fn used_up(what: &str) -> Failure {
    Failure::new(FailureClass::Budget, format!("{what}. The partial answer is saved; ask for less at once."))
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { turns: 12, tokens: 200_000, seconds: 900, cost_micro: None }
    }
}

impl TryFrom<AnswerLimitsInput> for AnswerLimits {
    type Error = Error;

    fn try_from(wanted: AnswerLimitsInput) -> Result<Self> {
        let usual = Self::default();
        let turns = wanted.turns.unwrap_or(usual.turns);
        let tokens = wanted.tokens.unwrap_or(usual.tokens);
        let seconds = wanted.seconds.unwrap_or(usual.seconds);
        if !(1..=Self::MAX_TURNS).contains(&turns) {
            return Err(Error::invalid("turns", "Give a number of turns from 1 to 50."));
        }
        if !Self::TOKENS.contains(&tokens) {
            return Err(Error::invalid("tokens", "Give a number of tokens from 1,000 to 2,000,000."));
        }
        if !Self::SECONDS.contains(&seconds) {
            return Err(Error::invalid("seconds", "Give a number of seconds from 1 to 3,600."));
        }
        Ok(Self { turns, tokens, seconds, cost_micro: wanted.cost_micro })
    }
}

impl From<AnswerLimits> for AnswerLimitsInput {
    fn from(budget: AnswerLimits) -> Self {
        let AnswerLimits { turns, tokens, seconds, cost_micro } = budget;
        Self { turns: Some(turns), tokens: Some(tokens), seconds: Some(seconds), cost_micro }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_within_bounds_and_keeps_its_form() {
        let budget = AnswerLimits::try_from(AnswerLimitsInput {
            turns: Some(3),
            cost_micro: Some(7),
            ..AnswerLimitsInput::default()
        });
        let budget = budget.unwrap();
        assert_eq!((budget.turns(), budget.tokens(), budget.cost_micro()), (3, 200_000, Some(7)));
        let kept = serde_json::to_string(&budget).unwrap();
        assert_eq!(serde_json::from_str::<AnswerLimits>(&kept).unwrap(), budget);
        for wrong in ["{\"turns\":0}", "{\"turns\":51}", "{\"tokens\":999}", "{\"seconds\":3601}"] {
            assert!(serde_json::from_str::<AnswerLimits>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_limit_ends_an_answer() {
        let limits =
            AnswerLimitsInput { turns: Some(3), tokens: Some(1_000), cost_micro: Some(50), seconds: None };
        let budget = AnswerLimits::try_from(limits).unwrap();
        let used = |tokens_in, cost_micro| Usage { tokens_in, tokens_out: 0, cost_micro };
        assert_eq!(budget.check(2, used(1_000, 50)), Ok(()));
        for failure in
            [budget.check(3, used(0, 0)), budget.check(0, used(1_001, 0)), budget.check(0, used(0, 51))]
        {
            assert_eq!(failure.unwrap_err().class, FailureClass::Budget);
        }
    }
}

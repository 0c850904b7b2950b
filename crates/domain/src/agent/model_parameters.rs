//! How a model writes its answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Decimal number with two digits after the point, such as a temperature of 0.75.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hundredths(u16);

impl Hundredths {
    pub const fn new(hundredths: u16) -> Self {
        Self(hundredths)
    }

    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// Rounds a number to two digits; `None` if it is negative, too large, or not a number.
    pub fn from_f64(number: f64) -> Option<Self> {
        let hundredths = (number * 100.0).round();
        // The range check makes the conversion exact.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
        (0.0..=10_000.0).contains(&hundredths).then_some(Self(hundredths as u16))
    }
}

impl fmt::Display for Hundredths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

/// How much a reasoning model thinks before it answers (`reasoning_effort` of the OpenAI API).
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    Minimal,
    Low,
    Medium,
    High,
}

impl ReasoningEffort {
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Low, Self::Medium, Self::High];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.as_str() == text)
    }
}

/// Validated parameters of a model. `None` leaves a parameter to the model's server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ModelParametersInput", into = "ModelParametersInput")]
pub struct ModelParameters {
    temperature: Option<Hundredths>,
    top_p: Option<Hundredths>,
    reasoning_effort: Option<ReasoningEffort>,
}

impl ModelParameters {
    /// Randomness of the answers: 0 to 2.
    pub const fn temperature(self) -> Option<Hundredths> {
        self.temperature
    }

    /// Share of the most probable tokens that are considered: 0.01 to 1.
    pub const fn top_p(self) -> Option<Hundredths> {
        self.top_p
    }

    pub const fn reasoning_effort(self) -> Option<ReasoningEffort> {
        self.reasoning_effort
    }

    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Unvalidated form of [`ModelParameters`], as entered in a form or as JSON.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelParametersInput {
    /// Randomness of the answers: 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Share of the most probable tokens that are considered: 0.01 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// How much a reasoning model thinks before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
}

impl TryFrom<ModelParametersInput> for ModelParameters {
    type Error = Error;

    fn try_from(given: ModelParametersInput) -> Result<Self> {
        let within = |number: Option<f64>, least: u16, most: u16, wrong: &dyn Fn() -> Error| {
            let range = Hundredths(least)..=Hundredths(most);
            let checked = |number| Hundredths::from_f64(number).filter(|number| range.contains(number));
            number.map(|number| checked(number).ok_or_else(wrong)).transpose()
        };
        let temperature = || Error::invalid("temperature", "Enter a temperature from 0 to 2, such as 0.7.");
        let top_p = || Error::invalid("top_p", "Enter a number from 0.01 to 1, such as 0.9.");
        Ok(Self {
            temperature: within(given.temperature, 0, 200, &temperature)?,
            top_p: within(given.top_p, 1, 100, &top_p)?,
            reasoning_effort: given.reasoning_effort,
        })
    }
}

impl From<ModelParameters> for ModelParametersInput {
    fn from(parameters: ModelParameters) -> Self {
        Self {
            temperature: parameters.temperature.map(Hundredths::as_f64),
            top_p: parameters.top_p.map(Hundredths::as_f64),
            reasoning_effort: parameters.reasoning_effort,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let json = json!({ "temperature": 0.75, "top_p": 0.9, "reasoning_effort": "low" });
        let parameters: ModelParameters = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(parameters.temperature(), Some(Hundredths::new(75)));
        assert_eq!(serde_json::to_value(parameters).unwrap(), json);
        assert_eq!(serde_json::to_value(ModelParameters::default()).unwrap(), json!({}));
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for json in [
            json!({ "temperature": 2.01 }),
            json!({ "temperature": -0.5 }),
            json!({ "temperature": 1e300 }),
            json!({ "top_p": 0 }),
            json!({ "top_p": 1.5 }),
            json!({ "reasoning_effort": "huge" }),
            json!({ "top_k": 40 }),
        ] {
            assert!(serde_json::from_value::<ModelParameters>(json.clone()).is_err(), "{json}");
        }
        assert_eq!(Hundredths::from_f64(f64::NAN), None);
    }
}

use super::{DecisionError, check};
use crate::{
    Part, PartBody,
    team::{Seat, Team, Utterance},
};

/// Parses the utterance from an agent's answer: the only data part with a member `action`.
///
/// Returns `None` if there is no such part (a plain-text answer), and an error if there are several.
pub fn parse_utterance(team: &Team, seat: Seat, answer: &[Part]) -> Result<Option<Utterance>, DecisionError> {
    let said = |part: &Part| match &part.content {
        PartBody::Data { data } if data.get("action").is_some() => Some(data.to_string()),
        _ => None,
    };
    let mut actions = answer.iter().filter_map(said);
    match (actions.next(), actions.next()) {
        (None, _) => Ok(None),
        (Some(action), None) => check(team, seat, &action).map(Some),
        (Some(_), Some(_)) => Err(DecisionError(
            "The answer has several actions. Send one; you are asked again while you are the speaker."
                .to_owned(),
        )),
    }
}

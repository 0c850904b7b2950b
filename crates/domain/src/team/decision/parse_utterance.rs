use super::{DecisionError, check};
use crate::{
    Part, PartBody,
    team::{Seat, Team, Utterance},
};

/// Parses the utterance from an agent's answer: the only data part with a member `say`.
///
/// Returns `None` if there is no such part (a plain-text answer), and an error if there are several.
pub fn parse_utterance(team: &Team, seat: Seat, answer: &[Part]) -> Result<Option<Utterance>, DecisionError> {
    let said = |part: &Part| match &part.content {
        PartBody::Data { data } if data.get("say").is_some() => Some(data.to_string()),
        _ => None,
    };
    let mut acts = answer.iter().filter_map(said);
    match (acts.next(), acts.next()) {
        (None, _) => Ok(None),
        (Some(act), None) => check(team, seat, &act).map(Some),
        (Some(_), Some(_)) => Err(DecisionError(
            "The answer has several acts. Say one; while the floor is yours you are asked again.".to_owned(),
        )),
    }
}

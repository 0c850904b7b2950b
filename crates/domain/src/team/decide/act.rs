use super::{Problem, check};
use crate::{
    Content, Part,
    team::{Seat, Team, Utterance},
};

/// What an agent that takes the floor by itself says in its answer: the one data part that has a member `say`. None where
/// it answers in words.
pub fn act(team: &Team, seat: Seat, answer: &[Part]) -> Result<Option<Utterance>, Problem> {
    let said = |part: &Part| match &part.content {
        Content::Data { data } if data.get("say").is_some() => Some(data.to_string()),
        _ => None,
    };
    let mut acts = answer.iter().filter_map(said);
    match (acts.next(), acts.next()) {
        (None, _) => Ok(None),
        (Some(act), None) => check(team, seat, &act).map(Some),
        (Some(_), Some(_)) => Err(Problem(
            "The answer has several acts. Say one; while the floor is yours you are asked again.".to_owned(),
        )),
    }
}

use super::rules;
use crate::team::{Kind, Phase, Seat, Team, Utterance, Words, utterance::Poll};

/// Derives an utterance from the plain-text answer of an agent without team support.
///
/// The rules decide the kind of utterance and the next speaker. If only one kind was requested (`wanted`), a
/// remark is not taken as the team's final answer. Returns `None` if the answer is empty or the text cannot
/// be what is asked for. In a pattern with assignments that is the case once the member has had a turn.
pub fn plain(team: &Team, seat: Seat, answer: &str, wanted: Option<Kind>) -> Option<Utterance> {
    let allowed = team.allowed(seat);
    let text = Words::cut(answer)?;
    if allowed.contains(&Kind::Ballot) {
        return ballot(team, text.as_str());
    }
    let (may_discuss, is_talk) = (allowed.contains(&Kind::Discuss), team.charter().pattern.is_talk());
    let is_remark = wanted == Some(Kind::Discuss) || !is_talk;
    match rules::decide(team, seat)? {
        Utterance::Discuss { next, .. } => Some(Utterance::Discuss { text, next }),
        Utterance::Conclude { .. } if !(may_discuss && is_remark) => {
            Some(Utterance::Conclude { text: Some(text) })
        }
        _ => {
            let is_heard = may_discuss && (is_talk || !rules::was_heard(team, seat));
            is_heard.then_some(Utterance::Discuss { text, next: None })
        }
    }
}

/// Returns a vote for the option named in the text, if exactly one is named.
fn ballot(team: &Team, answer: &str) -> Option<Utterance> {
    let Phase::Polling { poll: Poll::Vote { options, .. }, .. } = team.phase() else { return None };
    let answer = answer.to_lowercase();
    let mut named = (0..).zip(options).filter(|(_, option)| answer.contains(&option.as_str().to_lowercase()));
    let (option, _) = named.next()?;
    named.next().is_none().then_some(Utterance::Ballot { option: Some(option) })
}

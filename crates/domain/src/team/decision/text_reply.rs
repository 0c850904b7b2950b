use super::rule_based;
use crate::team::{LongText, Phase, Seat, Team, Utterance, UtteranceKind, utterance::GroupQuestion};

/// Derives an utterance from the plain-text answer of an agent without team support.
///
/// The rules decide the kind of utterance and the next speaker. If only one kind was requested (`wanted`), a
/// contribution is not taken as the team's final answer. Returns `None` if the answer is empty or the text cannot
/// be what is asked for. In a pattern with assignments that is the case once the member has had a turn.
pub fn from_text(team: &Team, seat: Seat, answer: &str, wanted: Option<UtteranceKind>) -> Option<Utterance> {
    let allowed = team.allowed(seat);
    let text = LongText::truncate(answer)?;
    if allowed.contains(&UtteranceKind::Ballot) {
        return ballot(team, text.as_str());
    }
    let (may_discuss, is_talk) =
        (allowed.contains(&UtteranceKind::Discuss), team.charter().pattern.is_talk());
    let is_contribution = wanted == Some(UtteranceKind::Discuss) || !is_talk;
    match rule_based::decide(team, seat)? {
        Utterance::Discuss { next, .. } => Some(Utterance::Discuss { text, next }),
        Utterance::Conclude { .. } if !(may_discuss && is_contribution) => {
            Some(Utterance::Conclude { text: Some(text) })
        }
        _ => {
            let is_heard = may_discuss && (is_talk || !rule_based::was_heard(team, seat));
            is_heard.then_some(Utterance::Discuss { text, next: None })
        }
    }
}

/// Returns a vote for the option named in the text, if exactly one is named.
fn ballot(team: &Team, answer: &str) -> Option<Utterance> {
    let Phase::Polling { poll: GroupQuestion::Vote { options, .. }, .. } = team.phase() else { return None };
    let answer = answer.to_lowercase();
    let mut named = (0..).zip(options).filter(|(_, option)| answer.contains(&option.as_str().to_lowercase()));
    let (option, _) = named.next()?;
    named.next().is_none().then_some(Utterance::Ballot { option: Some(option) })
}

use super::rules;
use crate::team::{Kind, Phase, Seat, Team, Utterance, Words, utterance::Poll};

/// What an agent that answers in words, and knows nothing of teams, has said. The rules decide what its words are and who
/// speaks after it; where it was asked for words of one kind only (`wanted`), what is a remark is not the team's answer. None
/// when it said nothing, or when its words cannot be what is asked for: where work is handed out, that is so once it has
/// been heard.
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

/// The option that the words name, when it is exactly one.
fn ballot(team: &Team, answer: &str) -> Option<Utterance> {
    let Phase::Polling { poll: Poll::Vote { options, .. }, .. } = team.phase() else { return None };
    let answer = answer.to_lowercase();
    let mut named = (0..).zip(options).filter(|(_, option)| answer.contains(&option.as_str().to_lowercase()));
    let (option, _) = named.next()?;
    named.next().is_none().then_some(Utterance::Ballot { option: Some(option) })
}
